"""Slopes: a huge budget finds the true slope, stages reach each other, parts of the rows are drawn fairly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.curves import Reach, Scale, Vector, choose_slope
from quantail.curves.depth import slope_stages, slope_step
from quantail.curves.slopes import (
    finer_candidates,
    rows_needed,
    size_price,
    slope_candidates,
    slope_reach,
    subsample,
    zero_bonus,
)
from quantail.curves.tuning import MOST_ROWS, SLOPE_PRICE


def linear(slope, n=4001, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.exponential(2, n)
    return slope * x + rng.normal(0, 0.3, n), x


def at_median(x):
    return float(np.median(x)), float(np.median(x))


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("true", [-3.0, -0.2, 0.7, 12.0])
def test_a_huge_budget_finds_the_slope(gate_of, relation, definition, true, stages):
    y, x = linear(true)
    gate, leaves = gate_of(stages, 10**4, relation, definition)
    found = choose_slope(gate, leaves, y, x, at_median(x), Reach(50.0), y.size)
    assert found == pytest.approx(true, rel=0.02, abs=0.03)
    assert gate.unused == 0


def test_rows_between_the_cuts_count_for_nothing(gate_of, relation):
    y, x = linear(1.5, n=301)
    low, high = np.quantile(x, [0.3, 0.6]).tolist()
    found = []
    for nonsense in (0.0, -1e6, 1e6, np.nan):
        between = np.where((x > low) & (x <= high), nonsense, y)
        gate, leaves = gate_of(1, Fraction(1, 5), relation, seed=3)
        found.append(choose_slope(gate, leaves, between, x, (low, high), Reach(50.0), y.size))
    assert len(set(found)) == 1
    gate, leaves = gate_of(1, 10**4, relation)
    assert choose_slope(gate, leaves, between, x, (low, high), Reach(50.0), y.size) == pytest.approx(
        1.5, rel=0.05
    )


@pytest.mark.parametrize("stages", [1, 2])
def test_without_dependence_the_slope_is_near_zero(gate_of, relation, stages):
    y, x = linear(0.0)
    gate, leaves = gate_of(stages, 10**4, relation)
    found = choose_slope(gate, leaves, y, x, at_median(x), Reach(50.0), y.size)
    assert abs(found) < 0.03


def test_the_error_falls_as_the_budget_grows(gate_of, relation):
    y, x = linear(1.5, n=301)
    gate, leaves = gate_of(1, 10**4, relation)
    best = choose_slope(gate, leaves, y, x, at_median(x), Reach(50.0), y.size)
    errors = []
    for each in (Fraction(1, 50), Fraction(1, 5), Fraction(10)):
        found = []
        for seed in range(8):
            gate, leaves = gate_of(1, each, relation, seed=seed)
            found.append(choose_slope(gate, leaves, y, x, at_median(x), Reach(50.0), y.size))
        errors.append(np.mean(np.abs(np.array(found) - best)))
    assert errors[0] >= errors[1] >= errors[2]
    assert errors[0] > 3 * errors[2]


@settings(max_examples=30, deadline=None)
@given(st.floats(1e-9, 1e12), st.floats(0.001, 0.05))
def test_candidates_are_ascending_symmetric_and_hold_zero(reach, step):
    candidates = slope_candidates(reach, step)
    assert (np.diff(candidates) > 0).all()
    np.testing.assert_array_equal(candidates, -candidates[::-1])
    assert 0.0 in candidates
    assert candidates[-1] == pytest.approx(reach)
    positive = candidates[candidates > 0]
    np.testing.assert_allclose(positive[1:] / positive[:-1], 1 + step)


@pytest.mark.parametrize("slope", [-3.0, 0.0, 0.02])
def test_finer_candidates_lie_around_the_slope_that_was_released(slope):
    candidates = finer_candidates(slope, 0.01)
    assert slope in candidates
    assert np.ptp(candidates) == pytest.approx(abs(slope) * 0.7, rel=0.1)


class TestStages:
    """Coarse and fine: the first stage finds what the second can reach, and the second is the sharper one."""

    def test_a_small_n_epsilon_asks_once_and_a_large_one_twice(self):
        numbers = [len(slope_stages(n_epsilon)) for n_epsilon in np.geomspace(1, 1e7, 200)]
        assert numbers == sorted(numbers)
        assert set(numbers) == {1, 2}

    @pytest.mark.parametrize("n_epsilon", [10, 300, 500, 1999, 2000, 1e5, 1e9])
    def test_shares_are_a_whole_and_the_last_stage_has_most(self, n_epsilon):
        shares = slope_stages(n_epsilon)
        assert sum(shares) == pytest.approx(1)
        assert min(shares) > 0.1
        assert shares[-1] == max(shares)

    def test_fine_candidates_follow_the_noise_down_to_a_limit(self):
        steps = [slope_step(n_epsilon) for n_epsilon in np.geomspace(1, 1e7, 50)]
        assert steps == sorted(steps, reverse=True)
        assert steps[0] == 0.025
        assert steps[-1] == 0.0005

    @pytest.mark.parametrize("n_epsilon", [150, 300, 2000, 20_000])
    @pytest.mark.parametrize("width", [0.5, 0.05])
    def test_a_tight_relation_is_found_at_every_n_epsilon(self, gate_of, relation, width, n_epsilon):
        """Residuals as narrow as a twentieth of what the slope explains: no list may step over it."""
        for seed in range(6):
            assert self.error(gate_of, relation, width, n_epsilon, seed) < 0.1

    @pytest.mark.parametrize("n_epsilon", [300, 2000])
    def test_a_relation_as_tight_as_a_hundredth_is_found(self, gate_of, relation, n_epsilon):
        for seed in range(6):
            assert self.error(gate_of, relation, 0.01, n_epsilon, seed) < 0.1

    def error(self, gate_of, relation, width, n_epsilon, seed):
        """Return the relative error of a slope, drawn in the stages of the n epsilon."""
        rng = np.random.default_rng(seed)
        x = rng.normal(0, 2, 2001) if width < 0.05 else rng.exponential(2, 2001)
        true = float(np.exp(rng.uniform(np.log(0.3), np.log(30))))
        y = true * (x + rng.normal(0, 2 * width, x.size))
        costs = [Fraction(n_epsilon, x.size) * Fraction(share) for share in slope_stages(n_epsilon)]
        gate, leaves = gate_of(len(costs), costs, relation, seed=seed)
        return abs(choose_slope(gate, leaves, y, x, at_median(x), Reach(50.0), x.size) / true - 1)

    def test_two_stages_see_between_the_steps_of_one(self, gate_of, relation):
        single = slope_candidates(50.0, 0.025)
        below, above = single[single > 1.5][:2]
        true = (below + above) / 2
        y, x = linear(true)
        errors = []
        for stages in (1, 2):
            gate, leaves = gate_of(stages, Fraction(30, stages), relation)
            step = 0.025 if stages == 1 else 0.0
            found = choose_slope(gate, leaves, y, x, at_median(x), Reach(50.0), y.size, least_step=step)
            errors.append(abs(found - true))
        assert errors[0] > (above - below) / 3
        assert errors[1] < (above - below) / 5

    def test_doubt_prefers_zero_until_the_slope_shows(self, gate_of, relation):
        for true, kept in ((0.0, False), (0.7, True)):
            y, x = linear(true, n=1001)
            found = []
            for seed in range(8):
                gate, leaves = gate_of(1, Fraction(1, 10), relation, seed=seed)
                found.append(choose_slope(gate, leaves, y, x, at_median(x), Reach(50.0), y.size, doubt=5.0))
            assert np.median(np.abs(found) > 0.3) == kept

    def test_the_bonus_of_zero_is_the_same_for_every_table(self):
        candidates = np.array([-1.0, 0.0, 2.0])
        assert zero_bonus(candidates, 2, 0.5, 5.0).tolist() == [0, 40, 0]
        assert not zero_bonus(candidates, 2, 0.5, 0.0).any()

    def test_a_price_keeps_noise_small_and_gives_way_to_rows(self, gate_of, relation):
        # Nothing is related, and rows hardly tell: a large slope is noise. Where rows tell, the price is none.
        def largest(price, true, epsilon):
            y, x = linear(true, n=501)
            found = []
            for seed in range(30):
                gate, leaves = gate_of(1, epsilon, relation, seed=seed)
                reach = Reach(50.0, price)
                found.append(abs(choose_slope(gate, leaves, y, x, at_median(x), reach, y.size)))
            return np.quantile(found, 0.9)

        weak = Fraction(1, 50)
        assert largest(30.0, 0.0, weak) < largest(0.0, 0.0, weak) / 3
        assert largest(30.0, 1.5, Fraction(4)) == pytest.approx(largest(0.0, 1.5, Fraction(4)), rel=0.02)

    def test_the_price_of_a_slope_is_the_same_for_every_table(self):
        candidates = np.array([-2.0, 0.0, 1.0])
        assert size_price(candidates, 2, 0.5, Reach(2.0, 3.0)).tolist() == [24, 0, 12]
        assert not size_price(candidates, 2, 0.5, Reach(2.0)).any()

    def test_a_slope_costs_by_the_factor_that_it_moves_a_log_scaled_column(self):
        narrow, wide = (Scale(True, 1.0, 0.0, upper, 1.0) for upper in (1e6, 1e15))
        for width in (0.5, 2.0):
            near, far = slope_reach(narrow, width, 1e-9), slope_reach(wide, width, 1e-9)
            assert near.price / near.largest == pytest.approx(SLOPE_PRICE * width)
            assert far.price / far.largest == pytest.approx(SLOPE_PRICE * width)  # whatever the bounds
        assert slope_reach(Scale(False, 1.0, 0.0, 1e6, 1.0), 2.0, 1e-9).price == 0

    def test_a_weak_leaf_keeps_more_rows(self):
        assert rows_needed(1.0, last=True) == MOST_ROWS
        assert rows_needed(0.01, last=True) > MOST_ROWS
        assert rows_needed(1.0, last=False) < MOST_ROWS
        assert rows_needed(0.001, last=True) * 0.001 >= rows_needed(0.001, last=False) * 0.001 > 100


class TestSubsample:
    """A secret part of the rows: fixed size under replace-one, Poisson under add/remove."""

    def parts(self, gate_of, relation, rows, true=None):
        y = np.arange(rows if true is None else true, dtype=float)
        found = []
        for seed in range(10):
            gate, _ = gate_of(1, 1, relation, seed=seed)
            part_y, part_x = subsample(gate, rows, MOST_ROWS, Vector.of(y), Vector.of(2 * y))
            np.testing.assert_array_equal(part_x, 2 * part_y)
            assert np.unique(part_y).size == part_y.size
            found.append(part_y)
        return found

    def test_few_rows_are_all_kept(self, gate_of, relation):
        assert all(part.size == MOST_ROWS for part in self.parts(gate_of, relation, MOST_ROWS))

    def test_fixed_size_under_replace_one(self, gate_of):
        parts = self.parts(gate_of, "replace-one", 4 * MOST_ROWS)
        assert {part.size for part in parts} == {MOST_ROWS}
        assert len({part.sum() for part in parts}) == 10

    def test_poisson_under_add_remove(self, gate_of):
        """The size must vary: a fixed size would turn adding a row into replacing one."""
        sizes = [part.size for part in self.parts(gate_of, "add-remove", 4 * MOST_ROWS)]
        assert len(set(sizes)) > 5
        assert np.mean(sizes) == pytest.approx(MOST_ROWS, rel=0.01)

    def test_poisson_rate_rests_on_the_released_number_of_rows(self, gate_of):
        sizes = [part.size for part in self.parts(gate_of, "add-remove", 4 * MOST_ROWS, true=2 * MOST_ROWS)]
        assert np.mean(sizes) == pytest.approx(MOST_ROWS / 2, rel=0.02)

    def test_every_row_has_the_same_chance(self, gate_of, relation):
        kept = np.concatenate(self.parts(gate_of, relation, 2 * MOST_ROWS))
        assert kept.mean() == pytest.approx(MOST_ROWS, rel=0.01)
