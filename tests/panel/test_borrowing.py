"""Small groups borrow shapes from each other and keep levels of their own."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.registers import INDUSTRIES, register, register_schema
from quantail.errors import SchemaError
from quantail.frames import confidential_panel
from quantail.panel import PanelModel, PanelSynthesizer, borrowing
from quantail.panel.borrowing import borrowing_groups, group_curve, life_kinds, stay_table, towards
from quantail.panel.curve import Curve
from quantail.panel.tables import LATTICE
from quantail.panel.tuning import BORROWING_UNITS
from quantail.schema import Schema

SCHEMA = register_schema(1e10)
PUBLIC = dict(enumerate(INDUSTRIES.values()))


def test_groups_borrow_below_a_public_number_of_units_times_epsilon_and_only_if_there_are_two():
    at = {0: BORROWING_UNITS, 1: BORROWING_UNITS - 1, 2: 10}
    assert borrowing_groups(SCHEMA, at, Fraction(1)) == (1, 2)
    assert borrowing_groups(SCHEMA, at, Fraction(1, 2)) == (0, 1, 2)
    assert borrowing_groups(SCHEMA, {0: BORROWING_UNITS, 1: 10}, Fraction(1)) == ()


def test_nobody_borrows_where_sizes_are_protected_or_lives_public():
    few = {0: 10, 1: 10}
    assert borrowing_groups(replace(SCHEMA, neighbours="add-remove"), few, Fraction(1)) == ()
    partial = replace(SCHEMA, panel=replace(SCHEMA.panel, synthesis="partial", entry="first", exit="last"))
    assert borrowing_groups(partial, few, Fraction(1)) == ()


def test_the_plan_shows_what_is_asked_of_all_small_groups_and_what_of_each():
    plan = PanelSynthesizer(SCHEMA, 1).plan({0: 400, 1: 600, 2: 90_000})
    alone, small = plan.children
    assert plan.cost == small.cost == small.find("pooled").cost + small.find("each").cost == 1
    assert alone.name == "trade" and [child.name for child in small.find("each").children] == [
        "mills",
        "crafts",
    ]
    assert small.find("pooled/staff/pairs").cost > 0 and small.find("each/mills/pay/mean").cost > 0
    assert "all small groups" in small.find("pooled").note


def test_groups_that_shall_not_borrow_are_fitted_alone_and_the_plan_says_so():
    apart = replace(SCHEMA, panel=replace(SCHEMA.panel, borrow=False))
    assert borrowing_groups(apart, {0: 10, 1: 10}, Fraction(1)) == ()
    plan = PanelSynthesizer(apart, 1).plan({0: 400, 1: 600, 2: 90_000})
    assert [child.name for child in plan.children] == ["mills", "crafts", "trade"]
    assert (
        "borrow = false" in plan.render() and "borrow" not in PanelSynthesizer(SCHEMA, 1).plan(5000).render()
    )
    assert Schema.from_toml(apart.to_toml()) == apart and "borrow" not in SCHEMA.to_toml()
    with pytest.raises(SchemaError, match="true or false"):
        replace(SCHEMA.panel, borrow=0)


@pytest.fixture(scope="module")
def made():
    table = register(3)
    model = PanelSynthesizer(SCHEMA, 1, noise="simulated", seed=3).fit(table)
    return model, confidential_panel(table, SCHEMA)


def test_every_industry_keeps_its_own_pay_per_head_and_its_own_lives(made):
    model, real = made
    drawn = model.draw(np.random.default_rng(1))
    for group in PUBLIC:
        heads, active = [], []
        for panel in (real.of_group(group), drawn.of_group(group)):
            there = panel.active & (panel.values["staff"] > 0)
            heads.append(np.median(panel.values["pay"][there] / panel.values["staff"][there]))
            active.append(panel.active.sum())
        assert heads[1] == pytest.approx(heads[0], rel=0.1)  # industries differ by a quarter and more
        assert active[1] == pytest.approx(active[0], rel=0.15)
        assert len(drawn.of_group(group)) == len(real.of_group(group))


def test_models_of_groups_that_borrow_are_saved_and_read_as_others_are(made, tmp_path):
    model, _ = made
    model.save(tmp_path / "model.json")
    again = PanelModel.load(tmp_path / "model.json")
    assert again.sample(seed=5).equals(model.sample(seed=5))


def test_alone_and_borrowing_groups_come_out_in_one_release(monkeypatch):
    monkeypatch.setattr(borrowing, "BORROWING_UNITS", 1000)
    model = PanelSynthesizer(SCHEMA, 1, noise="simulated", seed=1).fit(register(1))
    assert [child.name for child in model.plan.children] == ["transport", "services", "small groups"]
    assert [group.group for group in model.groups] == list(PUBLIC)
    assert np.bincount(model.units.group).tolist() == list(INDUSTRIES.values())


def test_lives_are_counted_by_kind_and_length():
    first, last = np.array([0, 0, 1, 2]), np.array([1, 3, 3, 2])
    assert life_kinds(first, last, 4).tolist() == [1, 1, 1, 1]
    assert stay_table(first, last, 4)[0] == LATTICE // 3 + LATTICE + LATTICE * 2 // 3


def test_cells_of_a_group_follow_precise_counts_and_fall_back_on_those_of_all():
    counts, shares = np.array([10.0, 30.0, 60.0, 0.0]), np.full(4, 0.25)
    np.testing.assert_allclose(towards(counts, shares, 100.0, 1e-3)[:3], [10, 30, 60], rtol=0.03)
    np.testing.assert_allclose(towards(counts, shares, 100.0, 1e6), 25.0, rtol=1e-3)


@pytest.mark.parametrize("tilt", [-1.5, 1.5])
def test_a_tilt_moves_the_mean_and_no_tail_becomes_thicker(tilt):
    curve = Curve.of(np.linspace(0, 12, 49), np.exp(-np.linspace(0, 12, 49)[1:]))
    other = curve.tilted(tilt)
    assert (other.mean - curve.mean) * tilt > 0

    def fall(one):
        return one.quantile(0.999) - one.quantile(0.99)

    assert fall(other) <= fall(curve) * 1.02


class Answering:
    """Stands in for questions about a group: answers with a mean and hardly any noise."""

    units = 1000.0

    def __init__(self, mean):
        self.mean = mean
        self.real = None

    def ask(self, word, table):
        return np.array([self.mean * self.units]), 1e-3


@pytest.mark.parametrize("mean", [-0.3, 0.0, 0.2])
def test_a_group_curve_has_the_mean_that_was_released(mean, monkeypatch):
    monkeypatch.setattr(borrowing, "unit_means", lambda real, track: np.zeros(3))
    pooled = Curve.of(np.linspace(0, 8, 33), np.exp(-0.5 * (np.linspace(0, 8, 33)[1:] - 3) ** 2))
    found = group_curve(Answering(mean), None, pooled)
    assert found.mean - pooled.mean == pytest.approx(mean * 2 * pooled.spread, abs=0.1 * pooled.spread)
