"""A unit's whole history moves every table of a panel by at most its declared sensitivity: enumerated."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

from quantail.auditing.panel_counts import (
    CASES,
    MEASURED,
    PERIODS,
    VALUES,
    change_tables,
    farthest,
    lead_tables,
    lives,
    sensitivity,
)
from quantail.auditing.pooled_fits import (
    SCHEMA,
    Scripted,
    changing_panel,
    loss_of,
    pooled_fit,
    pooled_panel,
    whole_full,
)
from quantail.frames import PanelData
from quantail.panel import PanelSynthesizer, changing
from quantail.panel import tables as panel_tables
from quantail.panel.pooled import fit_pooled, plan_pooled
from quantail.panel.tables import LATTICE, SENSITIVITY
from quantail.panel.unit_periods import UnitPeriods
from quantail.panel.units import PanelUnits
from quantail.privacy import Gate
from quantail.schema import Column, Panel, Schema

# Gaps, attributes and lives are private under full synthesis only.
ENUMERATED = [
    (part, case) for part in MEASURED for case in CASES if case != "partial" or part in MEASURED[:3]
]


@pytest.mark.parametrize(
    ("part", "case"), ENUMERATED, ids=[f"{part[0]}, {case}" for part, case in ENUMERATED]
)
def test_no_record_moves_a_table_by_more_than_its_sensitivity_and_some_come_close(part, case):
    _, measure, values = part
    for name, distance in farthest(measure, values, case)[0].items():
        most = sensitivity(name, case)
        # A gap needs a longer life to come close, and not every window holds a value of the lattice.
        close = 0.3 if name == "gaps" else 0.0 if name.startswith("window") else 0.9
        assert close * most <= distance <= most, name


@pytest.mark.parametrize("name", ["trends", "growth"])
def test_must_fail_the_sensitivities_of_public_lives_where_lives_are_private(name):
    assert farthest(lead_tables, VALUES, "full")[0][name] > sensitivity(name, "partial")


def test_whole_fits_under_full_synthesis_cost_at_most_epsilon_and_depend_on_answers_alone():
    for finding in whole_full():
        assert finding.passed and finding.figure > 0.3, finding


def test_whole_fits_with_changing_categories_cost_at_most_epsilon_and_depend_on_answers_alone():
    for finding in whole_full(changing_panel, "changing"):
        assert finding.passed and finding.figure > 0.3, finding


def test_must_fail_a_change_that_is_counted_in_full_in_every_period(monkeypatch):
    """Whoever changes every year would count as often as there are years."""
    monkeypatch.setattr(
        changing, "unchanged_points", lambda lives: np.full(lives.pairs(1)[0].size, LATTICE, dtype=np.int64)
    )
    for relation in ("full", "full, add/remove"):
        assert farthest(change_tables, (0.0, 1.0, 2.0), relation)[0]["changes"] > sensitivity(
            "changes", relation
        )


@pytest.mark.parametrize("length", range(1, 60))
def test_points_of_a_unit_never_add_up_to_more_than_it_has(length):
    unit_periods = UnitPeriods.of(np.array([0]), np.array([length - 1]), 60)
    assert panel_tables.period_points(unit_periods).sum() <= LATTICE
    assert panel_tables.sum_points(unit_periods).sum() <= LATTICE
    assert np.abs(panel_tables.trend_points(unit_periods)).sum() <= LATTICE
    assert panel_tables.unchanged_points(unit_periods).sum() <= LATTICE
    assert sum(int(panel_tables.pair_points(unit_periods, lag).sum()) for lag in panel_tables.LAGS) <= LATTICE


@pytest.mark.parametrize("seed", range(20))
def test_long_histories_stay_within_the_sensitivities(seed):
    """Hat factors are rounded doubles: random long histories, whose factors are not exact."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 24)
    unit_periods = UnitPeriods.of(np.array([first]), np.array([rng.integers(first, 25)]), 25)
    one, other = (
        lead_tables(unit_periods, np.floor(np.exp(rng.normal(1.5, 2.5, len(unit_periods))))) for _ in range(2)
    )
    for name in one:
        assert np.abs(one[name]).sum() <= LATTICE, name
        assert np.abs(one[name] - other[name]).sum() <= sensitivity(name, "partial"), name


def test_tables_are_sums_over_units():
    first, last = (np.array(years) for years in zip(*lives(), strict=True))
    rng = np.random.default_rng(1)
    panel = rng.choice(VALUES, (len(first), PERIODS))
    together = UnitPeriods.of(first, last, PERIODS)
    whole = lead_tables(together, together.flat(panel))
    parts = []
    for unit in range(len(first)):
        alone = UnitPeriods.of(first[unit : unit + 1], last[unit : unit + 1], PERIODS)
        parts.append(lead_tables(alone, alone.flat(panel[unit : unit + 1])))
    for name, table in whole.items():
        np.testing.assert_array_equal(table, sum(part[name] for part in parts))


def test_must_fail_points_above_the_budget(monkeypatch):
    monkeypatch.setattr(
        panel_tables, "period_points", lambda unit_periods: np.full(len(unit_periods), LATTICE // 2)
    )
    distances = farthest(lead_tables)[0]
    assert distances["sizes"] > SENSITIVITY
    assert distances["years"] > SENSITIVITY


def test_must_fail_a_budget_spent_anew_in_every_period():
    """Counting each year's sizes with a sensitivity of 2, as if years were different units."""

    def by_year(unit_periods, line):
        cell = unit_periods.place * 5 + np.searchsorted(VALUES, line)
        return {"yearly": LATTICE * np.bincount(cell, minlength=5 * PERIODS)}

    assert farthest(by_year)[0]["yearly"] == PERIODS * SENSITIVITY


def test_a_whole_fit_costs_at_most_epsilon_and_depends_on_answers_alone():
    histories = [
        ((0, 0.0), (0, 0.0)),
        ((2000, 0.0), (1, 5000.0)),
        ((1, 10.0), (4, 40.0)),
    ]
    runs = [pooled_fit(pooled_panel(history)) for history in histories]
    for (asked, model), (other_asked, other_model) in combinations(runs, 2):
        assert model == other_model
        pairs = list(zip(asked, other_asked, strict=True))
        assert all(scale == other for (_, scale), (_, other) in pairs)
        assert sum(loss_of(one, other, scale) for (one, scale), (other, _) in pairs) <= 1.0


SIGNED = {
    "profit, in whole numbers": Column("profit", "integer", -500, 500),
    "profit, on a log scale": Column("profit", "numeric", -500, 500, grid="log", decimals=1),
    "profit, mostly positive": Column("profit", "integer", -1, 2000),
    "losses only": Column("profit", "integer", -500, -1),
}


def signed_fit(column, history):
    """Ask everything about a panel of one column in which one unit has the given history; answers are scripted."""
    schema = Schema((column,), "firm", panel=Panel("id", "first", "last", 2000, 2001, synthesis="partial"))
    values = np.array([[column.lower, column.upper], [-1.0, -1.0], history])
    ends = [np.full(3, year) for year in (2000, 2001)]
    data = PanelData(schema, pa.array(range(3)), *ends, np.zeros(3, np.int64), {}, {column.name: values})
    plan, noise = plan_pooled(None, schema, 3, Fraction(1), "panel"), Scripted()
    gate = Gate(plan, noise, "replace-one")
    fit_pooled(None, gate, data, PanelUnits.of(data), lambda name: None)
    assert not gate.unused
    return dict(zip([leaf.name for leaf in plan.leaves()], noise.asked, strict=True)), plan


@pytest.mark.parametrize("column", SIGNED.values(), ids=SIGNED)
def test_columns_with_negative_values_pay_for_sums_that_move_both_ways(column):
    """Every leaf by itself: a history from one bound to the other costs no more than the leaf's own budget."""
    ends = (column.lower, column.upper)
    runs = [signed_fit(column, history) for history in product(ends, repeat=2)]
    plan, worst = runs[0][1], dict.fromkeys(runs[0][0], 0.0)
    for (one, _), (other, _) in combinations(runs, 2):
        for name, (table, scale) in one.items():
            moved, other_scale = other[name]
            assert scale == other_scale
            loss = loss_of(table, moved, scale)
            assert loss <= float(plan.find(column.name).find(name).cost), name
            worst[name] = max(worst[name], loss / float(plan.find(column.name).find(name).cost))
    if (
        column.lower == -column.upper
    ):  # else a bound this wide is not used up, and half of it would go unnoticed
        assert min(worst["sums"], worst["trends"]) > 0.9


def test_the_order_of_rows_changes_nothing():
    table = pa.table(
        {"id": [0, 1, 2], "first": [2000] * 3, "last": [2001] * 3}
        | {
            "emp_2000": [3, 0, 7],
            "emp_2001": [3, 9, 7],
            "pay_2000": [30.0, 1.0, 70.0],
            "pay_2001": [31.0, 2.0, 70.0],
        }
    )
    released = []
    for order in ([0, 1, 2], [2, 0, 1]):
        synthesizer = PanelSynthesizer(SCHEMA, 1, noise="simulated", seed=3)
        model = synthesizer.fit(table.take(order))
        released.append((model.groups, model.sample(seed=1)))
    assert released[0][0] == released[1][0]
    assert released[0][1].equals(released[1][1])
