"""Declared round figures: counted once, and drawn as often as they are."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.claims import heaped
from quantail.errors import SchemaError
from quantail.privacy import Plan
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer
from quantail.table.heaps import (
    Heap,
    chosen_heaps,
    count_figures,
    figures_of,
    heap_of,
    heap_shares,
    plan_heaps,
    rounded,
)

AMOUNT = Column("amount", "numeric", 0, 1e9, grid="log", decimals=2, heaps=(1000, 100))
YEARS = Column("years", "integer", 0, 60)


def shares(values: np.ndarray, steps: tuple[float, ...]) -> np.ndarray:
    return np.bincount(heap_of(values, steps, 0.01), minlength=len(steps) + 1) / values.size


@pytest.mark.parametrize("missing", [False, True])
def test_round_figures_are_as_frequent_as_they_were(missing: bool) -> None:
    table = heaped(8000, np.random.default_rng(1))
    if missing:
        gone = np.random.default_rng(2).random(8000) < 0.3
        table = table.set_column(1, "amount", pa.array(table["amount"].to_numpy(), mask=gone))
    schema = Schema((YEARS, replace(AMOUNT, missing=missing)), "person")
    for seed in range(2):
        model = TableSynthesizer(schema, 1, method="tables", noise="simulated", seed=seed).fit(table)
        made = model.sample(seed=seed)
        real, found = (shares(part["amount"].drop_null().to_numpy(), (1000, 100)) for part in (table, made))
        assert found == pytest.approx(real, abs=0.06)
        assert real[:2].min() > 0.25
        again = TableModel.from_dict(model.to_dict())
        assert again.sample(200, seed=3).equals(model.sample(200, seed=3))


def test_undeclared_round_figures_are_lost() -> None:
    table = heaped(8000, np.random.default_rng(1))
    schema = Schema((YEARS, replace(AMOUNT, heaps=())), "person")
    made = TableSynthesizer(schema, 1, method="tables", noise="simulated", seed=0).fit(table).sample(seed=0)
    assert shares(made["amount"].to_numpy(), (1000, 100))[:2].max() < 0.02


def test_whole_numbers_that_are_multiples_by_chance_are_no_heap() -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"days": rng.integers(0, 5000, 6000)})
    schema = Schema((Column("days", "integer", 0, 10_000, heaps=(10,)),), "person")
    made = TableSynthesizer(schema, 1, method="tables", noise="simulated", seed=1).fit(table).sample(seed=1)
    assert np.mean(made["days"].to_numpy() % 10 == 0) == pytest.approx(0.1, abs=0.03)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.floats(-1e7, 1e7), min_size=1, max_size=50),
    first=st.floats(0, 1),
    second=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_rounding_moves_no_number_far_nor_beyond_its_bounds(values, first, second, seed) -> None:
    numbers = np.clip(np.round(values, 2), -5e6, 5e6)
    u = np.random.default_rng(seed).random(numbers.size)
    heaps = (Heap(1000.0, first), Heap(250.0, second))
    found = rounded(numbers, chosen_heaps(numbers, u, heaps), heaps, -5e6, 5e6)
    assert (np.abs(found) <= 5e6).all() and (np.abs(found - numbers) <= 500).all()
    place, moved = heap_of(found, (1000.0, 250.0), 0.01), found != numbers
    assert (place[moved] < 2).all()
    np.testing.assert_array_equal(found[np.abs(numbers) < 250], numbers[np.abs(numbers) < 250])


def test_as_many_numbers_are_rounded_as_heaps_say() -> None:
    rng = np.random.default_rng(4)
    u, values = rng.random(40_000), np.exp(rng.normal(8, 1, 40_000))
    heaps = (Heap(1000.0, 0.4), Heap(100.0, 0.5))
    found = rounded(values, chosen_heaps(values, u, heaps), heaps, 0.0, 1e9)
    large = values >= 1000
    place = heap_of(found, (1000.0, 100.0), 0.01)
    assert np.mean(place[large] == 0) == pytest.approx(0.4, abs=0.02)
    assert np.mean(place[large] == 1) == pytest.approx(0.3, abs=0.02)
    # Which numbers are rounded has nothing to do with where they lie.
    assert np.corrcoef(np.log(values[large]), place[large] == 0)[0, 1] == pytest.approx(0, abs=0.02)


def popular(rows: int, rng: np.random.Generator) -> np.ndarray:
    """Half of all amounts are multiples of 100, of which 1,500 and 2,000 are far more popular than others."""
    smooth = np.exp(rng.normal(7.4, 0.7, rows))
    usual = rng.choice([1500.0, 2000.0], rows)
    figure = np.where(rng.random(rows) < 0.5, usual, np.rint(smooth / 100) * 100)
    return np.where(rng.random(rows) < 0.5, figure, np.round(smooth, 2))


def test_popular_figures_are_as_frequent_as_they_were() -> None:
    values = popular(20_000, np.random.default_rng(5))
    schema = Schema((replace(AMOUNT, heaps=(500, 100)),), "person")
    model = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(pa.table({"amount": values}))
    assert "round figures" in model.plan.find("values/amount").note
    made = model.sample(seed=1)["amount"].to_numpy()
    for figure in (1500.0, 2000.0, 1600.0, 2100.0):
        assert np.mean(made == figure) == pytest.approx(np.mean(values == figure), abs=0.02)
    assert np.mean(made % 100 == 0) == pytest.approx(0.5, abs=0.04)
    again = TableModel.from_dict(model.to_dict())
    assert again.sample(200, seed=3).equals(model.sample(200, seed=3))


def test_figures_beyond_those_that_were_counted_stay_near_where_they_were_drawn() -> None:
    column = replace(AMOUNT, heaps=(100,))
    figures = figures_of(column)
    assert figures.size == 2000 and figures[-1] * column.lattice == 200_000
    values = np.round(np.exp(np.random.default_rng(6).normal(13, 0.2, 20_000)) / 100) * 100
    table = pa.table({"amount": values})
    made = (
        TableSynthesizer(Schema((column,), "person"), 1, noise="simulated", seed=1).fit(table).sample(seed=1)
    )
    assert np.quantile(made["amount"], 0.9) == pytest.approx(np.quantile(values, 0.9), rel=0.1)


def test_every_figure_is_counted_once_and_other_numbers_nowhere() -> None:
    figures = figures_of(Column("pay", "numeric", 0, 60, decimals=2, heaps=(11.8708, 5.9354)))
    values = np.array([5.94, 11.87, 11.88, 17.81, np.nan, 0.0, 60.0, 59.35])
    counts = count_figures(values, figures, 0.01)
    assert counts.sum() == 4 and counts.max() == 1
    assert figures_of(Column("profit", "numeric", -10, 60, decimals=2, heaps=(5,))).size == 0


def test_numbers_far_beyond_all_figures_are_on_none_and_nobody_hears_of_them() -> None:
    figures = figures_of(Column("pay", "numeric", 0, 1e90, grid="log", heaps=(1000,)))
    values = np.array([1000.0, 2000.0, 1e90, 5e18, 9.3e18, -1e90])  # an overflow would warn
    assert count_figures(values, figures, 0.01).sum() == 2


def test_where_every_value_is_counted_round_figures_are_not_asked_for() -> None:
    column = Column("hours", "integer", 0, 1000, heaps=(100, 10))
    plan = TableSynthesizer(Schema((YEARS, column), "person"), 1).plan(40_000)
    assert "1001 values" in plan.find("values/hours").note
    assert "heaps" not in [part.name for part in plan.children]


def test_what_noise_alone_could_show_is_no_heap() -> None:
    drawn = np.full(100, 5000.0)
    few, many = (heap_shares(np.array([n]), 10.0, drawn, 1000.0, (1000.0,), 0.01) for n in (45.0, 400.0))
    assert few[0].share == 0.0
    assert many[0].share == pytest.approx(0.4, abs=0.01)


def test_counts_of_heaps_cost_little_and_are_in_the_plan() -> None:
    schema = Schema((YEARS, AMOUNT), "person")
    plan = TableSynthesizer(schema, 1, method="tables").plan(5000)
    assert isinstance(plan, Plan) and plan.cost == 1
    assert 0 < plan.find("heaps/amount").cost <= F(3, 100)
    assert not plan_heaps(schema, 300, F(1), "pure").leaves
    assert plan_heaps(schema, 10**6, F(1, 40), "zcdp").leaves["amount"].unit == "rho"


@pytest.mark.parametrize(
    ("heaps", "type_", "told"),
    [
        ("1000", "numeric", "list"),
        ((500, 1000), "numeric", "must fall"),
        ((0.015,), "numeric", "twice"),
        ((0.01,), "numeric", "twice"),
        ((1000,), "date", "columns of numbers"),
        (tuple(range(100, 10, -10)), "numeric", "more than"),
    ],
)
def test_heaps_that_make_no_sense_are_refused(heaps, type_, told) -> None:
    bounds = ("2000-01-01", "2001-01-01") if type_ == "date" else (0, 1e6)
    decimals = 2 if type_ == "numeric" else None
    with pytest.raises(SchemaError, match=told):
        Column("amount", type_, *bounds, decimals=decimals, heaps=heaps)


def test_a_schema_keeps_its_heaps(tmp_path) -> None:
    schema = Schema((YEARS, AMOUNT), "person")
    schema.save(tmp_path / "schema.toml")
    assert Schema.load(tmp_path / "schema.toml") == schema


def test_other_methods_refuse_heaps() -> None:
    with pytest.raises(SchemaError, match="heaps"):
        TableSynthesizer(Schema((AMOUNT,), "person"), 1, method="kng")
