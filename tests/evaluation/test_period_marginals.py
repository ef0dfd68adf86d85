"""k-marginals on random periods: the same periods for everybody, and inactive units in a bin of their own."""

import numpy as np
import pytest

from quantail.errors import DataError, OptionError
from quantail.evaluation import k_marginal, marginal_sets, period_marginals

NAN = float("nan")


def sizes(seed, shape=(400, 8)):
    return np.rint(np.random.default_rng(seed).lognormal(2, 1, shape))


def periods(count, k=3, draws=20, seed=0):
    return [tuple(map(int, names)) for names in marginal_sets([str(p) for p in range(count)], k, draws, seed)]


def test_periods_depend_on_the_seed_and_their_number_alone():
    drawn = periods(25, draws=50, seed=7)
    assert drawn == periods(25, draws=50, seed=7) != periods(25, draws=50, seed=8)
    assert all(list(one) == sorted(set(one)) for one in drawn)
    seen = {period for one in drawn for period in one}
    assert seen <= set(range(25)) and len(seen) > 20
    # More draws extend the list, so that scores of different lengths stay comparable.
    assert drawn[:10] == periods(25, draws=10, seed=7)
    assert periods(2) == [(0, 1)]


def test_without_inactive_units_it_is_the_k_marginal_of_those_periods():
    real, synth = sizes(1), sizes(2) + 1
    scores = []
    for chosen in periods(8, 3, 6, seed=3):
        tables = [{str(p): array[:, p] for p in chosen} for array in (real, synth)]
        scores.append(k_marginal(*tables))
    assert period_marginals(real, synth, 3, 6, 3) == pytest.approx(np.mean(scores))


def test_not_active_is_neither_zero_nor_left_out():
    # Half of the real units are inactive, the others in the bin of the minimum, which holds all below it too.
    real = np.array([[NAN], [NAN], [4.0], [4.0]])
    assert period_marginals(real, np.zeros((4, 1))) == pytest.approx(500)
    assert period_marginals(real, np.full((4, 1), NAN)) == pytest.approx(500)
    assert period_marginals(real, np.full((4, 1), 9.0)) == 0
    assert period_marginals(real, np.array([[NAN], [4.0], [4.0], [4.0]])) == pytest.approx(750)


def test_a_period_nobody_was_active_in_still_tells_the_panels_apart():
    assert period_marginals([[NAN], [NAN]], [[NAN], [3.0]]) == pytest.approx(500)


def test_units_not_always_active_dilute_the_difference():
    real, synth = sizes(4), sizes(5) * 3
    away = np.full_like(real, NAN)
    kept = period_marginals(real, synth)
    mixed = period_marginals(np.vstack([real, away]), np.vstack([synth, away]))
    assert mixed == pytest.approx(500 + kept / 2)


def test_cells_are_joint_over_periods():
    rng = np.random.default_rng(6)
    level = np.repeat(rng.integers(1, 1000, (500, 1)).astype(float), 4, axis=1)
    shuffled = rng.permuted(level, axis=0)  # the same sizes in each period, no memory
    assert period_marginals(level, shuffled, k=1) == pytest.approx(1000)
    assert period_marginals(level, shuffled, k=3) < 300


def test_panels_of_different_size_are_compared_by_shares():
    real = sizes(8)
    assert period_marginals(real, np.vstack([real, real])) == pytest.approx(1000)


def test_bad_options_and_panels_are_refused():
    with pytest.raises(OptionError, match="k and draws"):
        period_marginals([[1.0]], [[1.0]], k=0)
    with pytest.raises(DataError, match="number of periods"):
        period_marginals([[1.0]], [[1.0, 2.0]])
    with pytest.raises(DataError, match="no units"):
        period_marginals(np.zeros((0, 2)), [[1.0, 2.0]])
