"""Scales: an exact way there and back, and a dither that never leaves the lattice cell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.curves import Scale
from quantail.schema import Column


def columns():
    """Columns of every kind, with bounds of any sign and size."""

    def make(kind, grid, low, width, decimals):
        lower, upper = (round(low), round(low + width) + 1) if kind == "integer" else (low, low + width)
        return Column("y", kind, lower, upper, grid=grid, decimals=decimals if kind == "numeric" else None)

    return st.builds(
        make,
        st.sampled_from(["numeric", "integer"]),
        st.sampled_from(["linear", "log"]),
        st.floats(-1e6, 1e6),
        st.floats(2.0, 1e7),
        st.sampled_from([None, 0, 2]),
    )


@settings(max_examples=100, deadline=None)
@given(columns(), st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_backward_undoes_forward(column, parts):
    scale = Scale.of(column)
    values = column.lower + np.array(parts) * (column.upper - column.lower)
    back = scale.backward(scale.forward(values))
    size = max(abs(column.lower), abs(column.upper))
    np.testing.assert_allclose(back, values, atol=1e-9 * size)
    assert ((back >= column.lower) & (back <= column.upper)).all()


@settings(max_examples=100, deadline=None)
@given(columns(), st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 99))
def test_dither_stays_within_half_a_lattice_step(column, parts, seed):
    scale = Scale.of(column)
    values = np.rint((column.upper - column.lower) * np.array(parts) / scale.step) * scale.step + column.lower
    values = np.clip(values, column.lower, column.upper)
    dithered = scale.dithered(values, np.random.default_rng(seed))
    low, high = scale.ends
    assert ((dithered >= low) & (dithered <= high)).all()
    own = np.sinh(dithered) * scale.step if scale.log else dithered
    size = max(abs(column.lower), abs(column.upper))
    assert (np.abs(own - values) <= scale.step / 2 + 1e-9 * size).all()


@pytest.mark.parametrize("grid", ["linear", "log"])
def test_integers_come_back_after_dither_and_rounding(grid):
    scale = Scale.of(Column("jobs", "integer", -20, 1000, grid=grid))
    values = np.arange(-20, 1001, dtype=float)
    for seed in range(5):
        back = scale.backward(scale.dithered(values, np.random.default_rng(seed)))
        np.testing.assert_array_equal(np.rint(back), values)


def test_dither_fills_the_cell_evenly():
    scale = Scale.of(Column("jobs", "integer", 0, 9))
    spread = scale.dithered(np.full(20_000, 4.0), np.random.default_rng(1)) - 4.0
    np.testing.assert_allclose(np.quantile(spread, [0.05, 0.5, 0.95]), [-0.45, 0, 0.45], atol=0.02)


def test_each_row_has_its_own_dither_whatever_the_others_hold():
    scale = Scale.of(Column("jobs", "integer", 0, 100, grid="log"))
    values = np.arange(50.0)
    other = values.copy()
    other[7] = 93
    one, two = (scale.dithered(rows, np.random.default_rng(3)) for rows in (values, other))
    np.testing.assert_array_equal(np.delete(one, 7), np.delete(two, 7))


def test_values_beyond_the_ends_come_back_at_the_bounds():
    scale = Scale.of(Column("pay", "numeric", 5, 50, grid="log", decimals=2))
    np.testing.assert_array_equal(scale.backward(np.array([-1e3, 1e3])), [5, 50])


def test_the_log_scale_is_a_monotone_logarithm_through_zero():
    scale = Scale.of(Column("profit", "numeric", -1e6, 1e6, grid="log", decimals=0))
    values = np.array([-1e6, -1e3, -1, 0, 1, 1e3, 1e6])
    forward = scale.forward(values)
    assert (np.diff(forward) > 0).all()
    assert forward[3] == 0
    assert forward[6] - forward[5] == pytest.approx(np.log(1e3), rel=1e-5)
    np.testing.assert_allclose(forward, -forward[::-1])


class TestTwoSided:
    """A log grid on both sides of zero: linear as far as a released crossover, logarithmic beyond."""

    scale = Scale.of(Column("profit", "numeric", -1e6, 1e6, grid="log", decimals=0))

    def test_crossing_changes_nothing_but_where_linear_ends(self):
        crossed = self.scale.crossing(500.0)
        assert crossed.crossover == 500.0
        assert (crossed.lower, crossed.upper, crossed.step) == (-1e6, 1e6, 1.0)
        near = np.array([-50.0, 0.0, 50.0])
        np.testing.assert_allclose(crossed.forward(near), near / 500, rtol=2e-3)
        assert np.diff(crossed.forward(np.array([1e5, 1e6])))[0] == pytest.approx(np.log(10), rel=1e-4)

    @pytest.mark.parametrize("crossover", [1.0, 37.5, 1e4, 1e7])
    def test_backward_undoes_forward_at_any_crossover(self, crossover):
        crossed = self.scale.crossing(crossover)
        values = np.array([-1e6, -3333.0, -1.0, 0.0, 1.0, 40.0, 1e6])
        np.testing.assert_allclose(crossed.backward(crossed.forward(values)), values, rtol=1e-9, atol=1e-6)
        low, high = crossed.ends
        np.testing.assert_array_equal(crossed.backward(np.array([low - 1, high + 1])), [-1e6, 1e6])

    def test_a_crossover_is_never_below_a_lattice_step(self):
        """A released quantile may be nearly zero; dividing by it must not tear the lattice apart."""
        assert self.scale.crossing(0.0).crossover == self.scale.step
        assert np.isfinite(self.scale.crossing(-3.0).forward(np.array([1e6]))).all()

    def test_the_two_halves_no_longer_stand_apart(self):
        """With a crossover of one lattice step, a normal column turns into two heaps far from zero."""
        values = np.random.default_rng(0).normal(0, 5000, 4000)

        def emptiness(scale):
            modelled = scale.forward(values)
            return np.mean(np.abs(modelled) < 0.1 * np.abs(modelled).max())

        assert emptiness(self.scale) < 0.01
        assert emptiness(self.scale.crossing(5000.0)) > 0.05

    def test_atom_cells_split_the_cells_of_zero_and_of_both_bounds(self):
        cells = self.scale.unfolded(self.scale.atom_cells())
        assert (np.diff(cells) > 0).all()
        for atom in (-1e6, 0.0, 1e6):
            inside = cells[np.abs(cells - atom) < 0.5]
            assert inside.size == 16
            np.testing.assert_allclose(np.diff(inside), 1 / 16, rtol=1e-3)
        assert Scale.of(Column("share", "numeric", 0, 1, decimals=4)).atom_cells().size == 32


class TestBorders:
    """Cuts that divide no value: halfway between neighbours of the lattice, near where they were."""

    @settings(max_examples=100, deadline=None)
    @given(
        st.sampled_from(["linear", "log"]),
        st.sampled_from([None, 0, 2]),
        st.sampled_from([-1000, -7, 0, 1, 40]),
        st.lists(st.floats(-3, 5000), min_size=1, max_size=30),
    )
    def test_halfway_near_and_in_order(self, grid, decimals, lower, steps):
        kind = "integer" if decimals is None else "numeric"
        scale = Scale.of(Column("y", kind, lower, 10**5, grid=grid, decimals=decimals))
        values = np.sort(scale.lower + scale.step * np.array(steps))
        borders = scale.borders(scale.forward(values))
        own = scale.unfolded(borders)
        halves = own / scale.step - 0.5
        np.testing.assert_allclose(halves, np.rint(halves), atol=1e-6)
        assert (np.abs(own - values) <= scale.step * (0.5 + 1e-6)).all()
        assert (np.diff(borders) >= 0).all()
        np.testing.assert_allclose(scale.borders(borders), borders, rtol=1e-12, atol=1e-12)

    @pytest.mark.parametrize("grid", ["linear", "log"])
    @pytest.mark.parametrize(("lower", "decimals"), [(0, 0), (0.5, 0), (7.25, 1), (-0.3, 0), (-20, 2)])
    def test_no_recorded_value_is_divided_even_where_a_bound_is_none(self, grid, lower, decimals):
        scale = Scale.of(Column("pay", "numeric", lower, 1000, grid=grid, decimals=decimals))
        recorded = np.round(np.linspace(lower + 1, 60, 400), decimals)
        ends = np.array([scale.spread(recorded, np.full(400, u)) for u in (1e-6, 1 - 1e-6)])
        cuts = scale.borders(scale.forward(np.linspace(lower, 61, 300)))
        assert (np.searchsorted(cuts, ends[0]) == np.searchsorted(cuts, ends[1])).all()

    def test_borders_follow_a_crossover(self):
        crossed = Scale.of(Column("profit", "numeric", -1e6, 1e6, grid="log", decimals=0)).crossing(500.0)
        borders = crossed.unfolded(crossed.borders(crossed.forward(np.array([-1234.2, -0.2, 0.2, 77.0001]))))
        np.testing.assert_allclose(borders, [-1234.5, -0.5, 0.5, 77.5], atol=1e-9)


class TestRecorded:
    """What a number is once it is written down: the middle of its lattice cell, whatever it was spread by."""

    @settings(max_examples=150, deadline=None)
    @given(
        st.sampled_from(["linear", "log"]),
        st.sampled_from([None, 0, 2]),
        st.sampled_from([-1000, -7, -0.3, 0, 1, 7.256]),
        st.sampled_from([1.0, 400.0]),
        st.lists(st.tuples(st.floats(0, 1), st.floats(1e-6, 1 - 1e-6)), min_size=1, max_size=30),
    )
    def test_undoes_spreading_to_the_last_bit(self, grid, decimals, lower, crossover, rows):
        kind, low = ("integer", round(lower)) if decimals is None else ("numeric", lower)
        scale = Scale.of(Column("y", kind, low, 10**5, grid=grid, decimals=decimals)).crossing(crossover)
        parts, uniform = np.array(rows).T
        first = np.ceil(scale.lower / scale.step)
        last = np.floor(scale.upper / scale.step)
        values = scale.step * np.rint(first + parts * (last - first))
        np.testing.assert_array_equal(scale.recorded(scale.spread(values, uniform)), scale.forward(values))

    @settings(max_examples=150, deadline=None)
    @given(columns(), st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=20))
    def test_once_is_enough_and_nothing_leaves_the_bounds(self, column, parts):
        scale = Scale.of(column)
        low, high = scale.ends
        modelled = low + np.sort(parts) * (high - low)
        recorded = scale.recorded(modelled)
        np.testing.assert_array_equal(scale.recorded(recorded), recorded)
        assert (np.diff(recorded) >= 0).all()
        inside = scale.forward(np.array([column.lower, column.upper], dtype=float))
        assert ((recorded >= inside[0]) & (recorded <= inside[1])).all()

    def test_beyond_the_ends_is_a_bound_even_where_that_is_off_the_lattice(self):
        scale = Scale.of(Column("pay", "numeric", 0.75, 9.25, decimals=0))
        np.testing.assert_array_equal(scale.recorded(np.array([-50.0, 0.3, 9.3, 50.0])), [1, 1, 9, 9])
        scale = Scale.of(Column("pay", "numeric", 1.25, 9.75, decimals=0))
        np.testing.assert_array_equal(
            scale.recorded(np.array([-50.0, 1.4, 2.0, 50.0])), [1.25, 1.25, 2, 9.75]
        )

    def test_a_row_is_recorded_by_itself(self):
        scale = Scale.of(Column("jobs", "integer", -9, 10**6, grid="log")).crossing(37.0)
        values = scale.spread(np.arange(1000.0), np.random.default_rng(0).random(1000))
        alone = np.concatenate([scale.recorded(values[k : k + 1]) for k in range(1000)])
        np.testing.assert_array_equal(scale.recorded(values), alone)

    def test_absent_stays_absent(self):
        assert np.isnan(Scale.of(Column("jobs", "integer", 0, 9)).recorded(np.array([np.nan]))).all()

    def test_what_models_imply_beyond_all_bounds_stays_where_it_is(self):
        """On a log scale a steep slope implies values that no double can hold in the column's own unit."""
        scale = Scale.of(Column("pay", "numeric", 0, 1000, grid="log", decimals=1))
        far = np.array([-900.0, -41.0, 41.0, 900.0])
        np.testing.assert_array_equal(scale.borders(far), far)
