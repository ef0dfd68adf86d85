"""Numbers of few values: what is drawn holds each value as often as it was counted, within its cell."""

from fractions import Fraction as F

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.curves import Scale
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer
from quantail.table.value_counts import likely_counts, plan_values
from quantail.table.values import ValueCuts, cut_values

EDUCATION = Column("education", "integer", 8, 18)
HOURS = Column("hours", "integer", 0, 99)
PAY = Column("pay", "numeric", 0, 1e6, grid="log", decimals=2)
SCHEMA = Schema((EDUCATION, PAY, HOURS), "person")


def workers(rows: int = 20_000, seed: int = 1) -> pa.Table:
    """Forty hours are usual, nobody works less than ten, and who is paid more works longer."""
    rng = np.random.default_rng(seed)
    education = rng.integers(8, 19, rows)
    pay = np.round(np.exp(6 + 0.1 * education + rng.normal(0, 0.6, rows)), 2)
    hours = np.clip(np.rint(8 * np.log(pay) - 20 + rng.normal(0, 8, rows)), 10, 80)
    hours = np.where(rng.random(rows) < 0.4, 40, hours).astype(int)
    return pa.table({"education": education, "pay": pay, "hours": hours})


def shares(table: pa.Table) -> np.ndarray:
    return np.bincount(table["hours"].to_numpy(), minlength=100) / table.num_rows


@pytest.fixture(scope="module")
def model() -> TableModel:
    return TableSynthesizer(SCHEMA, 1, noise="simulated", seed=1).fit(workers())


def test_a_usual_value_and_a_lowest_one_are_kept(model: TableModel) -> None:
    real, found = shares(workers()), shares(model.sample(seed=1))
    assert "hours" in [leaf.name for leaf in model.plan.find("values").leaves()]
    assert found[40] == pytest.approx(real[40], abs=0.05)
    assert found[:9].sum() < 0.02
    assert 0.5 * np.abs(found - real).sum() < 0.1


def test_the_relation_that_slopes_found_is_kept(model: TableModel) -> None:
    both = [
        np.corrcoef(np.log(table["pay"].to_numpy() + 1), table["hours"].to_numpy())[0, 1]
        for table in (workers(), model.sample(seed=1))
    ]
    assert both[1] == pytest.approx(both[0], abs=0.08)


def test_a_saved_model_draws_the_same(model: TableModel) -> None:
    again = TableModel.from_dict(model.to_dict())
    assert again.sample(300, seed=3).equals(model.sample(300, seed=3))


def test_values_are_counted_only_where_budget_allows_and_never_twice() -> None:
    assert plan_values(SCHEMA, (), 20_000, F(1), "pure").leaves.keys() == {"education", "hours"}
    assert plan_values(SCHEMA, ("education", "hours"), 20_000, F(1), "pure").leaves == {}
    assert plan_values(SCHEMA, (), 2_000, F(1), "pure").leaves.keys() == {"education"}
    assert plan_values(SCHEMA, (), 20_000, F(1), "pure").cost <= F(1, 10)


def test_popular_values_of_a_long_list_are_kept() -> None:
    """Seven in ten stones have a whole number of points out of 600 tenths, a third of them the same one."""
    rng = np.random.default_rng(4)
    smooth = np.round(np.clip(rng.normal(57, 3, 20_000), 43, 79), 1)
    whole = np.where(rng.random(20_000) < 0.3, 56.0, np.rint(smooth))
    points = np.where(rng.random(20_000) < 0.7, whole, smooth)
    columns = (
        Column("weight", "numeric", 0, 1e6, grid="log", decimals=2),
        Column("points", "numeric", 40, 100, decimals=1),
    )
    table = pa.table(
        {"weight": np.round(np.exp(points / 10 + rng.normal(0, 0.5, 20_000)), 2), "points": points}
    )
    model = TableSynthesizer(Schema(columns, "stone"), 1, noise="simulated", seed=1).fit(table)
    assert model.plan.find("values/points").note == "601 values counted"
    made = model.sample(seed=1)["points"].to_numpy()
    assert np.mean(made == 56.0) == pytest.approx(np.mean(points == 56.0), abs=0.03)
    assert np.mean(made % 1 == 0) == pytest.approx(np.mean(points % 1 == 0), abs=0.12)


def test_what_short_lists_do_not_need_is_left_to_longer_ones() -> None:
    longer = Column("points", "numeric", 40, 100, decimals=1)
    plan = plan_values(Schema((EDUCATION, HOURS, longer), "person"), (), 10**6, F(1), "pure").leaves
    assert plan["education"].cost < plan["hours"].cost < plan["points"].cost


def test_counts_that_noise_explains_are_those_of_the_model() -> None:
    rng, expected = np.random.default_rng(2), np.full(60, 200.0)
    noise = rng.laplace(0, 50, 60)
    noise[7] = 5000.0
    found = likely_counts(expected + noise, 50.0, expected)
    others = np.arange(60) != 7
    assert found[7] == 5200 and np.abs(found - 200)[others].mean() < np.abs(noise)[others].mean()
    assert np.abs(likely_counts(expected + rng.laplace(0, 50, 60), 50.0, expected) - 200).max() < 40


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 50), min_size=10, max_size=10), st.integers(0, 2**31))
def test_cells_keep_their_numbers_and_values_their_order(counts: list[float], seed: int) -> None:
    scale = Scale(log=False, step=1.0, lower=0.0, upper=9.0)
    drawn = np.random.default_rng(seed).uniform(-0.5, 9.5, 400)
    edges = np.array([2.5, 6.5])
    found = cut_values(drawn, np.arange(10.0), np.array(counts), edges, scale).settled(drawn)
    np.testing.assert_array_equal(np.searchsorted(edges, found), np.searchsorted(edges, drawn))
    assert np.all(np.diff(found[np.argsort(drawn)]) >= 0)
    for first, last in ((0, 3), (3, 7), (7, 10)):
        inside, own = (found >= first) & (found < last), np.array(counts[first:last])
        if inside.any() and own.sum() > 0:
            made = np.bincount(found[inside].astype(int) - first, minlength=own.size) / inside.sum()
            np.testing.assert_allclose(made, own / own.sum(), atol=2 / inside.sum() + 1e-9)


@pytest.mark.parametrize(
    ("cuts", "values"), [((1.0, 0.0), (1.0, 2.0, 3.0)), ((), (1.0, 2.0)), ((1.0,), (2.0, 1.0))]
)
def test_damaged_cuts_are_refused(cuts: tuple[float, ...], values: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="do not fit together"):
        ValueCuts(cuts, values)
