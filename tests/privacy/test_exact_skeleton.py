"""Lives and attributes: a unit is counted once in every table, and the skeleton follows from answers alone."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

from quantail.auditing.pooled_fits import FULL, Scripted, full_panel
from quantail.panel import PanelSynthesizer
from quantail.panel.attributes import KINDS, unit_kinds
from quantail.panel.lives import CoarsePlaces, LifeCells
from quantail.panel.pooled import plan_pooled
from quantail.panel.skeleton import plan_skeleton, release_skeleton, release_units
from quantail.panel.tables import Track
from quantail.panel.unit_periods import UnitPeriods
from quantail.panel.units import PanelUnits
from quantail.privacy import Gate
from quantail.schema import Column

PERIODS = 4
LIVES = [(first, last) for first in range(PERIODS) for last in range(first, PERIODS)]


def life_rows():
    """Return the tables of every life, flattened."""
    cells = LifeCells(PERIODS)
    return [
        {name: getattr(cells, name)(*map(np.atleast_1d, life)) for name in ("entries", "exits", "durations")}
        for life in LIVES
    ]


def test_a_unit_is_in_one_cell_of_every_table():
    rows = life_rows()
    for one, other in product(rows, rows):
        for name in one:
            assert one[name].sum() == 1 and np.abs(one[name] - other[name]).sum() <= 2
    for name in rows[0]:
        assert max(np.abs(one[name] - other[name]).sum() for one, other in combinations(rows, 2)) == 2


def test_a_unit_has_one_kind_whatever_its_life_and_sizes():
    cuts = np.array([1.0, 4.0])
    for first, last in LIVES:
        line = UnitPeriods.of(np.array([first]), np.array([last]), PERIODS)
        for sizes in product((0.0, 2.0, 9.0), repeat=len(line)):
            for away in product((False, True), repeat=max(len(line) - 2, 0)):
                there = line.without(np.array([False, *away, False][: len(line)]))
                kind = unit_kinds(there, Track(np.array(sizes), np.array(sizes) == 0), cuts)
                assert kind.shape == (1,) and 0 <= kind[0] < KINDS


def test_the_tables_of_lives_are_the_cells_that_the_model_is_fitted_to():
    cells, lives = LifeCells(PERIODS), np.zeros((PERIODS, PERIODS))
    first, last = (np.array(places) for places in zip(*LIVES, strict=True))
    np.add.at(lives, (first, last), 1.0)
    asked = [table(first, last) for table in (cells.entries, cells.exits, cells.durations)]
    np.testing.assert_array_equal(cells.expected(lives), np.concatenate(asked))


def lives_of(*places):
    return [np.array(part, dtype=np.int64) for part in places]


def skeleton_of(first, last, relation, periods=PERIODS):
    noise = Scripted()
    plan = plan_skeleton(Fraction(1), periods, relation == "add-remove")
    lives = release_skeleton(Gate(plan, noise, relation), plan, *lives_of(first, last), periods)
    return lives, noise.asked


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_skeletons_of_neighbours_are_the_same_with_the_same_answers_and_cost_at_most_epsilon(relation):
    base = ([0, 0, 2], [3, 1, 2])
    others = [([*base[0][:2], first], [*base[1][:2], last]) for first, last in LIVES]
    if relation == "add-remove":
        others = [(base[0] + [first], base[1] + [last]) for first, last in LIVES]
    one, asked = skeleton_of(*base, relation)
    for other in others:
        made, other_asked = skeleton_of(*other, relation)
        assert all(np.array_equal(a, b) for a, b in zip(one, made, strict=True))
        pairs = list(zip(asked, other_asked, strict=True))
        assert all(scale == same for (_, scale), (_, same) in pairs)
        assert sum(np.abs(a - b).sum() / scale for (a, scale), (b, _) in pairs) <= 1


def test_must_fail_a_size_that_follows_the_true_number_under_add_remove():
    sizes = {len(skeleton_of([0] * n, [3] * n, "add-remove")[0][0]) for n in (3, 30)}
    assert len(sizes) == 1  # an answer; the true numbers differ
    assert {len(skeleton_of([0] * n, [3] * n, "replace-one")[0][0]) for n in (3, 30)} == {3, 30}


def test_must_fail_a_table_that_counts_a_unit_in_every_period_of_its_life():
    active = [np.array([first <= place <= last for place in range(PERIODS)], int) for first, last in LIVES]
    assert max(np.abs(one - other).sum() for one, other in product(active, active)) > 2


def test_an_empty_panel_is_released_under_add_remove():
    lives, _ = skeleton_of([], [], "add-remove")
    assert lives[0].size >= 1
    schema = replace(FULL, neighbours="add-remove")
    names = ["id", "region", *(f"{name}_{year}" for name in ("emp", "pay") for year in (2000, 2001, 2002))]
    empty = pa.table(
        {name: pa.array([], pa.string() if name == "region" else pa.float64()) for name in names}
    )
    made = PanelSynthesizer(schema, 1, noise="simulated", seed=1).fit(empty).sample(seed=1)
    assert made.num_rows >= 1 and made.column_names == names


def test_days_are_put_together_and_units_still_there_stay_apart():
    places = CoarsePlaces(1000)
    units = np.bincount(places.coarse(np.arange(1000)))
    assert places.number == units.size == 60 and units.min() > 0
    assert units[0] == units[-1] == 1 and np.ptp(units[1:-1]) <= 1
    first, last = np.repeat([0, 5, 5], 40), np.repeat([59, 5, 59], 40)
    entry, exit_ = places.spread(first, last)
    assert (entry <= exit_).all()
    np.testing.assert_array_equal(places.coarse(entry), first)
    np.testing.assert_array_equal(places.coarse(exit_), last)


def test_new_ids_of_different_groups_never_meet():
    schema = replace(
        FULL, columns=(Column("g", "category", categories=("a", "b", "c")), *FULL.columns), by=("g",)
    )
    lives = (np.zeros(50, np.int64), np.zeros(50, np.int64))
    ids = [PanelUnits.made_up(schema, group, *lives).units.to_pylist() for group in range(3)]
    assert len(set().union(*ids)) == 150
    whole = PanelUnits.together([PanelUnits.made_up(schema, group, *lives) for group in (2, 0, 1)])
    assert whole.units.to_pylist() == list(range(1, 151))
    assert whole.public["g"].to_pylist()[:4] == ["a", "b", "c", "a"]


def test_every_group_of_the_schema_is_fitted_under_add_remove():
    labels = Column("g", "category", categories=("a", "b"))
    schema = replace(FULL, columns=(labels, *FULL.columns), by=("g",), neighbours="add-remove")
    data = full_panel(relation="add-remove")
    table = {"id": [1, 2, 3], "g": ["a"] * 3, "region": ["north"] * 3}
    for place, year in enumerate((2000, 2001, 2002)):
        table |= {f"{name}_{year}": data.values[name][:, place] for name in ("emp", "pay")}
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in table.items()})
    model = PanelSynthesizer(schema, 1, noise="simulated", seed=1).fit(table)
    assert [group.group for group in model.groups] == [0, 1]
    assert set(model.units.group.tolist()) == {0, 1}
    assert model.terms.size is None


def test_units_are_kept_under_partial_synthesis_only():
    data = full_panel(relation="replace-one")
    plan = plan_pooled(None, data.schema, 3, Fraction(1), "panel")
    made = release_units(Gate(plan, Scripted(), "replace-one"), data, 0)
    assert made.units.to_pylist() == [1, 2, 3] and not np.shares_memory(made.entry, data.entry)
