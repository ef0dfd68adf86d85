"""The last pass of a fit: which sums are planned, and what tops do to models that would explode."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.claims import HEAVY_SHAPES
from quantail.curves.tail import Threshold, choose_threshold
from quantail.curves.tuning import SHARE_OF_MANY
from quantail.privacy import Plan
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer, tops
from quantail.table.tail_plan import expected_present, plan_tails
from quantail.table.tuning import AMPLE_TAIL_N_EPSILON, LEAST_TAIL_N_EPSILON, TAIL_SHARE

METHODS = ("tables",)
AMOUNT = Column("amount", "numeric", 0, 1e9, grid="log", decimals=2)


def schema_of(*columns: Column) -> Schema:
    return Schema(columns, "policy")


def test_sums_cost_at_most_a_tenth_and_are_asked_only_where_they_pay() -> None:
    two = schema_of(AMOUNT, replace(AMOUNT, name="other"))
    for rows in (100, 2000, 6000, 30_000, 10**7):
        tails = plan_tails(two, rows, F(1), "pure")
        assert tails.cost <= TAIL_SHARE
        assert all(
            LEAST_TAIL_N_EPSILON <= rows * leaf.cost <= AMPLE_TAIL_N_EPSILON for leaf in tails.leaves.values()
        )
    assert not plan_tails(two, 2000, F(1), "pure").leaves
    assert list(plan_tails(two, 4000, F(1), "pure").leaves) == ["amount"]
    assert list(plan_tails(two, 30_000, F(1), "pure").leaves) == ["amount", "other"]


def test_more_epsilon_is_more_for_sums() -> None:
    costs = [plan_tails(schema_of(AMOUNT), 30_000, F(epsilon), "pure").cost for epsilon in (1, 3, 10)]
    assert costs == [F(1, 10), F(3, 10), F(1, 3)]


def test_a_column_that_slopes_explain_is_asked_at_the_decile(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def chosen(*args: Any) -> Threshold:
        asked.append(choose_threshold(*args))
        return asked[-1]

    monkeypatch.setattr(tops, "choose_threshold", chosen)
    rng = np.random.default_rng(4)
    size = (rng.pareto(1.5, 8000) + 1) * 50
    table = pa.table({"size": np.round(size, 2), "amount": np.round(size * rng.lognormal(2, 0.3, 8000), 2)})
    schema = schema_of(replace(AMOUNT, name="size"), AMOUNT)
    TableSynthesizer(schema, 3, noise="simulated", seed=4).fit(table)
    own, explained = (threshold.share for threshold in asked)
    assert own < SHARE_OF_MANY == explained


def test_the_first_of_several_heavy_columns_gets_half() -> None:
    four = schema_of(AMOUNT, *(replace(AMOUNT, name=name) for name in "abc"))
    costs = [leaf.cost for leaf in plan_tails(four, 30_000, F(1), "pure").leaves.values()]
    assert costs == [F(1, 20), F(1, 60), F(1, 60), F(1, 60)]


def test_linear_two_sided_short_and_labelled_columns_have_no_sum() -> None:
    columns = (
        Column("kind", "category", categories=("a", "b")),
        Column("age", "integer", 0, 99),
        Column("count", "integer", 0, 100, grid="log"),
        Column("profit", "numeric", -1e9, 1e9, grid="log"),
        Column("hours", "numeric", 0, 1e9),
    )
    assert not plan_tails(schema_of(*columns), 10**6, F(1), "pure").leaves


def test_numbers_that_may_be_absent_are_expected_in_fewer_rows() -> None:
    rare = schema_of(replace(AMOUNT, missing=True, atoms=(0.0,)))
    assert expected_present(rare, "amount") < expected_present(schema_of(AMOUNT), "amount") == 1.0


def test_under_zcdp_a_sum_is_paid_in_rho() -> None:
    (leaf,) = plan_tails(schema_of(AMOUNT), 100_000, F(1, 40), "zcdp").leaves.values()
    assert leaf.unit == "rho" and leaf.cost <= F(1, 400)


@pytest.mark.parametrize("method", METHODS)
def test_the_plan_of_a_fit_holds_the_sums_within_its_budget(method: str) -> None:
    plan = TableSynthesizer(schema_of(AMOUNT), 1, method=method).plan(30_000)
    assert isinstance(plan, Plan) and plan.cost == 1
    assert plan.find("tails/amount").cost == F(1, 10)


@pytest.mark.parametrize(
    ("name", "method"),
    [*product(["count", "rare"], METHODS), ("undeclared", "tables"), ("zeros", "tables")],
)
def test_totals_of_claims_stay_near_the_real_ones(name: str, method: str) -> None:
    shape = HEAVY_SHAPES[name]
    real = shape.frame(8000, np.random.default_rng(7))
    model = TableSynthesizer(shape.schema, 1, method=method, noise="simulated", seed=7).fit(real)
    made = model.sample(seed=7)
    for column in shape.heavy:
        total, found = (float(np.nansum(table.column(column).to_numpy())) for table in (real, made))
        assert total / 3.5 < found < 3.5 * total
    again = TableModel.from_dict(model.to_dict())
    assert again.sample(50, seed=1).equals(model.sample(50, seed=1))


def test_a_released_tail_is_that_of_the_rows_and_not_of_the_extrapolation() -> None:
    # A body that ends in a tail far heavier than it: extrapolated, the total is a third too low.
    rng = np.random.default_rng(5)
    n = 40_000
    amount = np.where(rng.random(n) < 0.1, 3000 * (rng.pareto(1.5, n) + 1), rng.lognormal(6, 0.5, n))
    table = pa.table({"amount": np.round(amount, 2)})
    errors = []
    for seed in range(4):
        model = TableSynthesizer(schema_of(AMOUNT), "1/4", noise="simulated", seed=seed).fit(table)
        assert model.to_dict()["groups"][0]["columns"][0]["top"] is not None
        errors.append(model.sample(seed=seed).column("amount").to_numpy().sum() / amount.sum() - 1)
    assert np.median(np.abs(errors)) < 0.15


def test_labels_far_apart_are_not_cut_off_by_the_cap() -> None:
    # Two fifths of the rows lie fifty times above the median: counted, so the cap has no say.
    rng = np.random.default_rng(2)
    kind = rng.random(5000) < 0.4
    logs = np.where(kind, 6.0, 2.0) + 0.2 * rng.standard_normal((2, 5000))
    size, amount = np.round(np.exp(logs), 2)
    table = pa.table({"kind": np.where(kind, "big", "small"), "size": size, "amount": amount})
    schema = schema_of(
        Column("kind", "category", categories=("big", "small")), replace(AMOUNT, name="size"), AMOUNT
    )
    made = TableSynthesizer(schema, 1, method="tables", noise="simulated", seed=4).fit(table).sample(seed=4)
    for name in ("size", "amount"):
        assert np.mean(made.column(name).to_numpy() > 200) == pytest.approx(0.4, abs=0.05)


def test_sums_do_not_starve_rounds() -> None:
    six = schema_of(*(replace(AMOUNT, name=f"h{k}") for k in range(6)))
    plan = TableSynthesizer(six, 1, method="tables").plan(5000)
    assert isinstance(plan, Plan)
    assert [part.name for part in plan.children] == ["columns", "rounds"]
    assert plan.find("rounds").cost > F(13, 100)  # all that columns leave
    rich = TableSynthesizer(six, 1, method="tables").plan(60_000)
    assert isinstance(rich, Plan) and "tails" in [part.name for part in rich.children]


def test_fits_without_log_columns_have_no_tops() -> None:
    table = pa.table({"age": np.arange(2000) % 90})
    schema = schema_of(Column("age", "integer", 0, 99))
    model = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(table)
    assert "top" not in model.to_dict()["groups"][0]["columns"][0]


def test_a_column_called_tails_has_a_part_of_its_own() -> None:
    schema = schema_of(replace(AMOUNT, name="tails"))
    plan = TableSynthesizer(schema, 1).plan(30_000)
    assert [part.name for part in plan.find("columns").children] == ["tails"]
    assert [part.name for part in plan.find("tails").leaves()] == ["tails"]


@pytest.mark.parametrize("decimals", [None, 2])
def test_generous_bounds_of_a_log_column_are_free(decimals: int | None) -> None:
    values = np.round((np.random.default_rng(3).pareto(1.5, 3000) + 1) * 50, 2)
    found = []
    for upper in (1e5, 1e9, 1e12, 1e15):
        column = Column("amount", "numeric", 0, upper, grid="log", decimals=decimals)
        assert column.lattice == 0.01
        model = TableSynthesizer(schema_of(column), 1, noise="simulated", seed=3)
        made = (
            model.fit(pa.table({"amount": np.minimum(values, 1e5)}))
            .sample(seed=3)
            .column("amount")
            .to_numpy()
        )
        levels = np.searchsorted(np.sort(made), np.quantile(values, [0.1, 0.25, 0.5, 0.75, 0.9])) / made.size
        found.append(np.abs(levels - [0.1, 0.25, 0.5, 0.75, 0.9]).max())
    assert max(found) < 0.04


def test_columns_that_are_mostly_zero_starve_no_round() -> None:
    pair = schema_of(*(replace(AMOUNT, name=name, atoms=(0.0,)) for name in ("claim", "paid")))
    plan = TableSynthesizer(pair, 1).plan(5000)
    assert isinstance(plan, Plan) and plan.find("rounds").cost >= F(1, 2)
