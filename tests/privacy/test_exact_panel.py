"""A unit's whole history moves every table of a panel by at most its declared sensitivity: enumerated."""

from fractions import Fraction as F
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

from quantail.frames import confidential_panel
from quantail.privacy import Gate
from quantail.schema import Column, Panel, Schema
from quantail.synthesis import PanelSynthesizer, panel_tables
from quantail.synthesis.panel_pooled import fit_pooled, plan_pooled
from quantail.synthesis.panel_scale import PanelScale
from quantail.synthesis.panel_spells import Spells
from quantail.synthesis.panel_tables import (
    GROWTH_SENSITIVITY,
    LATTICE,
    SENSITIVITY,
    PairCells,
    Track,
    age_hats,
    follower_table,
    growth_table,
    hat_table,
    level,
    pair_table,
    size_hats,
    size_table,
    sum_table,
    tail_table,
    year_table,
)

PERIODS = 3
VALUES = (0.0, 1.0, 3.0, 1999.0, 2000.0)
SCALE = PanelScale.of(Column("emp", "integer", 0, 2000))
CELLS = PairCells.of(np.array([1.0, 2.0, 4.0]), 1.0)


def tables_of(spells: Spells, line: np.ndarray) -> dict[str, np.ndarray]:
    """All tables of a leading column, with marks and centres between the values of the lattice."""
    track = SCALE.track(line)
    levels = level(track, 1.6, 0.7)
    return {
        "sizes": size_table(spells, track, np.array(SCALE.edges)),
        "pairs": pair_table(spells, track, CELLS),
        "years": year_table(spells, levels),
        "hats": hat_table(spells, levels, age_hats(spells)),
        "sums": sum_table(spells, line, 40.0),
        "tails": tail_table(spells, track, 1.0, 4.0),
        "growth": growth_table(spells, track, 0.8),
    }


SENSITIVITIES = {
    "sizes": SENSITIVITY,
    "pairs": SENSITIVITY,
    "years": SENSITIVITY,
    "hats": SENSITIVITY,
    "sums": LATTICE,
    "tails": LATTICE,
    "growth": GROWTH_SENSITIVITY,
}


def lives():
    return [(first, last) for first in range(PERIODS) for last in range(first, PERIODS)]


def worst(measure, values=VALUES) -> dict[str, int]:
    """The largest L1 distance of each table over all lives and all pairs of histories of one unit."""
    largest: dict[str, int] = {}
    for first, last in lives():
        spells = Spells.of(np.array([first]), np.array([last]), PERIODS)
        made = [measure(spells, np.array(line)) for line in product(values, repeat=last - first + 1)]
        for one, other in combinations(made, 2):
            for name in one:
                distance = int(np.abs(one[name] - other[name]).sum())
                largest[name] = max(largest.get(name, 0), distance)
    return largest


def test_no_history_moves_a_table_by_more_than_its_sensitivity_and_some_come_close():
    for name, distance in worst(tables_of).items():
        assert distance <= SENSITIVITIES[name], name
        assert distance >= 0.9 * SENSITIVITIES[name], name


def test_a_follower_moves_its_tables_by_at_most_their_sensitivity():
    edges = np.linspace(-9.0, 9.0, 19)

    # Both columns change at once: pairs of lead and follower.
    both = ((0.0, 0.0), (0.0, 3.0), (1.0, 2000.0), (1.0, 0.0), (2000.0, 1.0), (2000.0, 2000.0))

    def measure(spells, line):
        lead, own = SCALE.track(line[:, 0]), SCALE.track(line[:, 1])
        ratio = Track(own.size - lead.size, lead.idle | own.idle)
        hats = size_hats(lead, np.array([0.5, 1.5, 4.0]))
        return {
            "sizes": follower_table(spells, lead.idle, own, ratio, edges, edges),
            "hats": hat_table(spells, level(ratio, 0.0, 1.0), hats),
        }

    for name, distance in worst(measure, both).items():
        assert distance <= SENSITIVITY, name
        assert distance >= 0.9 * SENSITIVITY, name


@pytest.mark.parametrize("length", range(1, 60))
def test_points_of_a_unit_never_add_up_to_more_than_it_has(length):
    spells = Spells.of(np.array([0]), np.array([length - 1]), 60)
    assert panel_tables.spell_points(spells).sum() <= LATTICE
    assert panel_tables.sum_points(spells).sum() <= LATTICE
    assert sum(int(panel_tables.pair_points(spells, lag).sum()) for lag in panel_tables.LAGS) <= LATTICE


@pytest.mark.parametrize("seed", range(20))
def test_long_histories_stay_within_the_sensitivities(seed):
    """Hat factors are rounded doubles: random long histories, whose factors are not exact."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 24)
    spells = Spells.of(np.array([first]), np.array([rng.integers(first, 25)]), 25)
    one, other = (tables_of(spells, np.floor(np.exp(rng.normal(1.5, 2.5, len(spells))))) for _ in range(2))
    for name, most in SENSITIVITIES.items():
        assert np.abs(one[name]).sum() <= LATTICE, name
        assert np.abs(one[name] - other[name]).sum() <= most, name


def test_tables_are_sums_over_units():
    first, last = (np.array(years) for years in zip(*lives(), strict=True))
    rng = np.random.default_rng(1)
    panel = rng.choice(VALUES, (len(first), PERIODS))
    together = Spells.of(first, last, PERIODS)
    whole = tables_of(together, together.flat(panel))
    parts = []
    for unit in range(len(first)):
        alone = Spells.of(first[unit : unit + 1], last[unit : unit + 1], PERIODS)
        parts.append(tables_of(alone, alone.flat(panel[unit : unit + 1])))
    for name, table in whole.items():
        np.testing.assert_array_equal(table, sum(part[name] for part in parts))


def test_must_fail_points_above_the_budget(monkeypatch):
    monkeypatch.setattr(panel_tables, "spell_points", lambda spells: np.full(len(spells), LATTICE // 2))
    distances = worst(tables_of)
    assert distances["sizes"] > SENSITIVITY
    assert distances["years"] > SENSITIVITY


def test_must_fail_a_budget_spent_anew_in_every_period():
    """Counting each year's sizes with a sensitivity of 2, as if years were different units."""

    def by_year(spells, line):
        cell = spells.place * 5 + np.searchsorted(VALUES, line)
        return {"yearly": LATTICE * np.bincount(cell, minlength=5 * PERIODS)}

    assert worst(by_year)["yearly"] == PERIODS * SENSITIVITY


class Scripted:
    """Noise that keeps what it was asked to hide and gives answers that do not depend on it."""

    private = False

    def __init__(self) -> None:
        self.asked: list[tuple[np.ndarray, float]] = []

    def geometric(self, counts, scale):
        self.asked.append((counts.copy(), scale))
        rng = np.random.default_rng(len(self.asked))
        return np.rint(LATTICE * rng.gamma(1.0, 3.0, counts.size)).astype(np.int64)

    def generator(self):
        return np.random.default_rng(0)


SCHEMA = Schema(
    (Column("emp", "integer", 0, 2000), Column("pay", "numeric", 0, 5000, grid="log", decimals=1)),
    "establishment",
    panel=Panel("id", "first", "last", 2000, 2003),
)


def _panel(emp, pay) -> pa.Table:
    rows = len(emp)
    years = {
        f"{name}_{2000 + k}": [row[k] for row in values]
        for name, values in (("emp", emp), ("pay", pay))
        for k in range(4)
    }
    return pa.table({"id": list(range(rows)), "first": [2000] * rows, "last": [2003] * rows, **years})


def _asked(table: pa.Table):
    noise = Scripted()
    plan = plan_pooled(None, SCHEMA, table.num_rows, F(1), "panel")
    gate = Gate(plan, noise, "replace-one")
    data = confidential_panel(table, SCHEMA).in_public_order()
    model = fit_pooled(None, gate, data, lambda name: None)
    assert gate.unused == 0
    return noise.asked, model


def test_a_whole_fit_costs_at_most_epsilon_and_depends_on_answers_alone():
    rest_emp, rest_pay = [[3, 3, 4, 5], [0, 1, 0, 9]], [[30.0, 31.0, 45.5, 50.0], [0.0, 9.0, 2.0, 80.0]]
    histories = [
        ([0, 0, 0, 0], [0.0] * 4),
        ([2000, 1, 2000, 1], [0.0, 5000.0, 0.0, 5000.0]),
        ([1, 2, 3, 4], [10.0, 20.0, 30.0, 40.0]),
    ]
    runs = [_asked(_panel([*rest_emp, emp], [*rest_pay, pay])) for emp, pay in histories]
    for (asked, model), (other_asked, other_model) in combinations(runs, 2):
        assert model == other_model
        pairs = list(zip(asked, other_asked, strict=True))
        assert all(scale == other for (_, scale), (_, other) in pairs)
        assert sum(np.abs(one - other).sum() / scale for (one, scale), (other, _) in pairs) <= 1.0


def test_the_order_of_rows_changes_nothing():
    emp, pay = [[3, 3, 4, 5], [0, 1, 0, 9], [7, 7, 7, 7]], [[30.0] * 4, [1.0] * 4, [70.0] * 4]
    table = _panel(emp, pay)
    released = []
    for order in ([0, 1, 2], [2, 0, 1]):
        synthesizer = PanelSynthesizer(SCHEMA, 1, noise="simulated", seed=3)
        model = synthesizer.fit(table.take(order))
        released.append((model.groups, model.sample(seed=1)))
    assert released[0][0] == released[1][0]
    assert released[0][1].equals(released[1][1])
