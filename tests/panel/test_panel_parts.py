"""The parts of the pooled method: unit-periods, tables, curves and the latent process, on cases worked by hand."""

import numpy as np
import pytest

from quantail.panel.curve import Curve, smooth_weights, zipf_weights
from quantail.panel.dynamics import dynamics_at, enter_as_often, repeat_as_often
from quantail.panel.latent import Draws, Dynamics, simulate
from quantail.panel.scale import PanelScale
from quantail.panel.size_map import SizeMap
from quantail.panel.stage import Stage
from quantail.panel.tables import (
    LATTICE,
    PairCells,
    Track,
    age_splines,
    excess_table,
    growth_table,
    kind_points,
    lag_pairs,
    pair_table,
    size_table,
    sum_points,
    sum_table,
    trend_points,
    unchanged_points,
    unchanged_table,
    year_table,
)
from quantail.panel.tuning import HEAVIEST_INDEX, MOVING
from quantail.panel.unit_periods import UnitPeriods
from quantail.schema import Column

FIRST, LAST = np.array([0, 1, 2]), np.array([0, 2, 2])
SPELLS = UnitPeriods.of(FIRST, LAST, 3)
NAN = np.nan
PANEL = np.array([[4.0, NAN, NAN], [NAN, 2.0, 0.0], [NAN, NAN, 9.0]])


def test_a_line_of_unit_periods_holds_every_active_period_once_and_unfolds_again():
    assert len(SPELLS) == 4
    np.testing.assert_array_equal(SPELLS.unfold(SPELLS.flat(PANEL)), PANEL)


def test_pairs_join_a_unit_period_with_the_same_unit_some_periods_before():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 9, 50)
    unit_periods = UnitPeriods.of(first, rng.integers(first, 9), 9)
    for lag in (1, 3, 8, 9):
        later, earlier = unit_periods.pairs(lag)
        np.testing.assert_array_equal(unit_periods.unit[later], unit_periods.unit[earlier])
        np.testing.assert_array_equal(unit_periods.place[later] - unit_periods.place[earlier], lag)
        assert later.size == np.maximum(unit_periods.length - lag, 0).sum()


def test_stocks_births_and_open_ends_are_told_from_entry_and_exit():
    by_unit = dict(zip(SPELLS.order[SPELLS.unit].tolist(), SPELLS.stock.tolist(), strict=True))
    assert by_unit == {0: True, 1: False, 2: False}
    assert SPELLS.newborn.sum() == 2
    assert SPELLS.censored.sum() == 3


def test_size_table_by_hand():
    scale = PanelScale.of(Column("emp", "integer", 0, 2000))
    table = size_table(SPELLS, scale.track(SPELLS.flat(PANEL)), np.array(scale.edges))
    expected = np.zeros(len(scale.edges) + 2)
    expected[3 + 3] = expected[3 + 7] = 1.0  # a unit of 4 and one of 9, each active once
    expected[3 + 1], expected[2] = 0.5, 0.5  # a unit of 2 and then idle
    np.testing.assert_allclose(table / LATTICE, expected)
    np.testing.assert_allclose(kind_points(SPELLS) / LATTICE, [1.0, 1.5, 0.5])


def test_year_growth_and_sum_tables_by_hand():
    unit_periods = UnitPeriods.of(np.array([0]), np.array([2]), 3)
    track = Track(np.array([1.0, 1.0, 0.5]), np.zeros(3, dtype=bool))
    np.testing.assert_allclose(
        year_table(unit_periods, np.array([1.0, -0.5, 0.0])) / LATTICE, [1 / 3, -1 / 6, 0, 0, 0, 0], atol=1e-5
    )
    signs, moves = np.split(growth_table(unit_periods, track, 1.0) / LATTICE, 2)
    np.testing.assert_allclose(signs, [0, 0, -0.35], atol=1e-5)
    np.testing.assert_allclose(moves, [0, 0, 0.5 * 0.15], atol=1e-5)
    values = np.array([5.0, 10.0, 99.0])
    np.testing.assert_allclose(
        sum_table(values, 10.0, sum_points(unit_periods)) / LATTICE, [2.5 / 3], atol=1e-5
    )
    # The last period against the first, each with half of the points; the middle one has none.
    np.testing.assert_allclose(
        sum_table(values, 10.0, trend_points(unit_periods)) / LATTICE, [0.25], atol=1e-5
    )


def test_pairs_without_change_are_counted_where_both_are_active():
    first, last = np.array([0, 0]), np.array([4, 1])
    unit_periods = UnitPeriods.of(first, last, 5)
    sizes = np.array([[1.0, 1.0, 0.0, 0.0, 2.0], [3.0, 3.0, np.nan, np.nan, np.nan]])
    line = unit_periods.flat(sizes)
    # Four pairs of a quarter each: one without change, then to zero, zero again, and back. The other unit lives for
    # less than half of the periods, so its one pair counts half.
    assert unchanged_table(unit_periods, Track(line, line == 0.0)) == LATTICE // 4 + LATTICE // 2


def test_pairs_tell_no_change_zero_and_growth_apart():
    unit_periods = UnitPeriods.of(np.array([0, 0]), np.array([1, 1]), 2)
    cells = PairCells.of(np.array([1.0]), 1.0)
    # Unit 0 stays at 2, unit 1 becomes idle: both from the upper of two classes.
    track = Track(np.array([2.0, 2.0, 2.0, 0.0]), np.array([False, False, False, True]))
    row = pair_table(lag_pairs(unit_periods), track, cells)[0] / LATTICE
    upper = 4 + cells.width
    assert row[upper + 1] == row[upper] == 1.0
    assert row.sum() == 2.0


def test_linear_splines_share_out_every_unit_period_completely():
    rng = np.random.default_rng(1)
    first = rng.integers(0, 25, 200)
    unit_periods = UnitPeriods.of(first, rng.integers(first, 25), 25)
    splines = age_splines(unit_periods)
    np.testing.assert_allclose(sum(factor for _, factor in splines.parts), splines.families)
    assert max(int(cell.max()) for cell, _ in splines.parts) < splines.number


@pytest.mark.parametrize(
    "column",
    [
        Column("emp", "integer", 0, 2000),
        Column("emp", "integer", 3, 50),
        Column("sales", "numeric", 0, 1e9, grid="log", decimals=2),
        Column("profit", "numeric", -1e6, 1e6, grid="log"),
        Column("share", "numeric", 0, 1),
        Column("flag", "integer", 0, 1),
    ],
)
def test_scales_reach_from_bound_to_bound_and_never_beyond(column):
    scale = PanelScale.of(column)
    assert all(np.diff(scale.edges) > 0)
    values = scale.value(np.linspace(scale.edges[0] - 1, scale.edges[-1] + 1, 999))
    assert values.min() >= column.lower and values.max() == column.upper
    assert not scale.is_idle(values).any()
    if column.type == "integer":
        assert (values == np.rint(values)).all()
    coarse = scale.coarse(7)
    assert (
        len(coarse.edges) <= len(scale.edges)
        and coarse.edges[:: len(coarse.edges) - 1] == scale.edges[:: len(scale.edges) - 1]
    )


def _edges():
    return np.array(PanelScale.of(Column("emp", "integer", 0, 2000)).edges)


def test_precise_weights_are_kept():
    edges = _edges()
    true = 1e6 * np.exp(-0.5 * ((edges[1:] + edges[:-1]) / 2 - 2) ** 2) * np.diff(edges)
    np.testing.assert_allclose(
        smooth_weights(edges, true, 1.0, true.sum(), zipf_weights(edges, 0.0)), true / true.sum(), atol=2e-3
    )


def test_noise_alone_gives_small_sizes_not_the_upper_bound():
    edges = _edges()
    for seed in range(10):
        noisy = np.random.default_rng(seed).laplace(0.0, 12.0, edges.size - 1)
        curve = Curve.of(edges, smooth_weights(edges, noisy, 17.0, 20.0, zipf_weights(edges, 0.0)))
        curve = curve.with_tail(curve.tail_level(20.0, 17.0), 1 / HEAVIEST_INDEX)
        assert np.sinh(curve.quantile(0.5)) < 20
        assert np.sinh(curve.quantile(0.99)) < 500


def test_a_tail_of_noise_does_not_move_the_mean_far():
    """One far-off cell of a table of 11,000 units is noise; a raw table would double the mean."""
    edges = _edges()
    middle = (edges[1:] + edges[:-1]) / 2
    true = np.exp(-0.5 * ((middle - 1.5) / 1.0) ** 2) * np.diff(edges)
    true *= 11_000 / true.sum()
    astray = true.copy()
    astray[-4] += 60.0
    means = []
    for weights in (true, astray):
        smooth = smooth_weights(edges, weights, 17.0, 11_000.0, zipf_weights(edges, 0.0))
        curve = Curve.of(edges, smooth)
        curve = curve.with_tail(level := curve.tail_level(11_000.0, 17.0), curve.fall_below(level))
        means.append(np.sinh(curve.at((np.arange(20_000) + 0.5) / 20_000)).mean())
    assert abs(means[1] / means[0] - 1) < 0.25


def test_excess_counts_what_lies_above_the_start_up_to_the_reach_and_nothing_of_the_zero_state():
    unit_periods = UnitPeriods.of(np.zeros(1, dtype=np.int64), np.full(1, 3), 4)
    track = Track(np.array([1.0, 3.0, 9.0, 9.0]), np.array([False, False, False, True]))
    assert excess_table(unit_periods, track, 2.0, 2.0)[0] == LATTICE // 4 * (0.5 + 1.0)


def test_a_curve_falls_as_it_is_told_from_its_level_on():
    curve = Curve.of(np.linspace(0, 12, 25), np.full(24, 1 / 24)).with_tail(0.25, 1 / 1.1)
    start, later = curve.quantile(0.25), curve.quantile(1 - 0.75 * np.exp(-2.2))
    assert later - start == pytest.approx(2.0, abs=0.02)


def test_without_shocks_every_unit_keeps_its_permanent_size():
    first = np.zeros(40, dtype=np.int64)
    unit_periods = UnitPeriods.of(first, np.full(40, 5), 6)
    draws = Draws.of(unit_periods, np.random.default_rng(0))
    nothing, same = np.zeros(len(unit_periods)), np.ones(len(unit_periods))
    still = Dynamics(permanent=1.0, blip=0.0, persistence=0.5, repeat=0.0, jump=0.0)
    size = unit_periods.unfold(simulate(unit_periods, still, nothing, same, same, draws).size)
    np.testing.assert_allclose(size, np.repeat(size[:, :1], 6, axis=1), atol=0.02)
    assert size[:, 0].std() > 0.8


@pytest.mark.parametrize("ends", [(-3.0, 4.0), (0.0, 1e-9), (-1e-3, 700.0)])
def test_a_map_to_sizes_is_an_interpolation_to_the_last_bit(ends):
    rng = np.random.default_rng(5)
    knots = np.linspace(*ends, 513)
    sizes = SizeMap(knots, np.sort(np.round(rng.standard_normal(513), 1)))
    latent = np.concatenate([knots, np.nextafter(knots, -np.inf), np.nextafter(knots, np.inf)])
    latent = np.concatenate([latent, rng.uniform(2 * ends[0] - 1, 2 * ends[1] + 1, 3000)])
    latent = np.concatenate([latent, rng.uniform(*ends, 3000)])
    np.testing.assert_array_equal(sizes.at(latent), np.interp(latent, knots, sizes.sizes))


def test_repeaters_report_the_same_and_idle_chains_follow_their_chances():
    unit_periods = UnitPeriods.of(np.zeros(4000, dtype=np.int64), np.full(4000, 9), 10)
    draws = Draws.of(unit_periods, np.random.default_rng(0))
    nothing, same = np.zeros(len(unit_periods)), np.ones(len(unit_periods))
    track = simulate(unit_periods, Dynamics(repeat=0.3, enter=0.1, stay=0.6), nothing, same, same, draws)
    later, earlier = unit_periods.pairs(1)
    same = track.size[later] == track.size[earlier]
    assert abs(same.mean() - 0.3) < 0.02
    awake = ~same & ~track.idle[earlier]
    assert abs(track.idle[later][awake].mean() - 0.1) < 0.02
    asleep = ~same & track.idle[earlier]
    assert abs(track.idle[later][asleep].mean() - 0.6) < 0.03


def test_where_nobody_has_a_size_the_map_is_flat():
    rng = np.random.default_rng(4)
    lives = UnitPeriods.of(np.zeros(5, dtype=np.int64), np.full(5, 2), 3)
    away = lives.without(np.ones(len(lives), dtype=bool))  # as where every value is missing
    stage = Stage(away, age_splines(away), Draws.of(away, rng), None)
    latent = stage.simulate(dynamics_at(MOVING, Dynamics()), np.zeros(stage.effects))
    sizes = stage.size_map(latent, Curve((0.0, 1.0), (1.0, 6.0)))
    assert sizes.at(np.array([0.0, 0.4, 1.0])).tolist() == [3.5, 3.5, 3.5]


def test_repeats_and_zeros_are_brought_to_what_was_released():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 6, 2000)
    unit_periods = UnitPeriods.of(first, rng.integers(first, 10), 10)
    scale = PanelScale.of(Column("emp", "integer", 0, 2000))
    stage = Stage(unit_periods, age_splines(unit_periods), Draws.of(unit_periods, rng), scale)
    curve, effects = Curve((0.0, 1.0), (1.0, 6.0)), np.zeros(stage.effects)
    zero, sticky = Dynamics(enter=0.05, stay=0.5), np.concatenate([MOVING[:3], [0.0], MOVING[4:]])

    def shown(x, zero):
        latent = stage.simulate(dynamics_at(x, zero), effects)
        return stage.show(latent, stage.size_map(latent, curve))

    unchanged = unchanged_table(unit_periods, shown(sticky, zero))[0] / unchanged_points(unit_periods).sum()
    found = repeat_as_often(stage, curve, effects, dynamics_at(MOVING, zero), unchanged)
    assert abs(found.repeat - 0.5) < 0.02  # half of all repeat themselves; the prior says 2%
    assert abs(found.enter - dynamics_at(sticky, zero).enter) < 0.005  # and zeros come and go as before
    assert abs(found.stay - dynamics_at(sticky, zero).stay) < 0.02
    rare = enter_as_often(stage, effects, MOVING, Dynamics(enter=0.3, stay=0.5), 0.08)
    made = shown(MOVING, rare).idle
    later = unit_periods.age > 0
    assert abs(np.average(made[later], weights=stage.points[later]) - 0.08) < 0.005
