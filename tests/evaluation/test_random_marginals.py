"""k-marginals on random periods: the same periods for everybody, and inactive units in a bin of their own."""

import numpy as np
import pytest

from quantail.errors import DataError, OptionError
from quantail.evaluation import k_marginal, random_marginals, random_periods

NAN = float("nan")


def sizes(seed, shape=(400, 8)):
    return np.rint(np.random.default_rng(seed).lognormal(2, 1, shape))


def test_periods_depend_on_the_seed_and_their_number_alone():
    periods = random_periods(25, 3, 50, seed=7)
    np.testing.assert_array_equal(periods, random_periods(25, 3, 50, seed=7))
    assert (np.diff(periods, axis=1) > 0).all()
    assert periods.min() >= 0
    assert periods.max() <= 24
    assert set(periods.ravel()) > set(range(20))
    assert not np.array_equal(periods, random_periods(25, 3, 50, seed=8))
    # More draws extend the list, so that scores of different lengths stay comparable.
    np.testing.assert_array_equal(periods[:10], random_periods(25, 3, 10, seed=7))


def test_without_inactive_units_it_is_the_k_marginal_of_those_periods():
    real, synth = sizes(1), sizes(2) + 1
    scores = []
    for periods in random_periods(8, 3, 6, seed=3):
        tables = [{str(p): array[:, p] for p in periods} for array in (real, synth)]
        scores.append(k_marginal(*tables))
    for inactive in ("bin", "drop"):
        score = random_marginals(real, synth, 3, 6, 3, inactive)
        assert score == pytest.approx(np.mean(scores))


def test_not_active_is_neither_zero_nor_left_out():
    # Half of the real units are inactive, the others in the bin of the minimum, which holds all below it too.
    real = np.array([[NAN], [NAN], [4.0], [4.0]])
    assert random_marginals(real, np.zeros((4, 1))) == pytest.approx(500)
    assert random_marginals(real, np.full((4, 1), NAN)) == pytest.approx(500)
    assert random_marginals(real, np.full((4, 1), 9.0)) == 0
    assert random_marginals(real, np.array([[NAN], [4.0], [4.0], [4.0]])) == pytest.approx(750)


def test_a_period_nobody_was_active_in_still_tells_the_panels_apart():
    assert random_marginals([[NAN], [NAN]], [[NAN], [3.0]]) == pytest.approx(500)


def test_units_not_always_active_dilute_the_difference_unless_dropped():
    real, synth = sizes(4), sizes(5) * 3
    away = np.full_like(real, NAN)
    kept = random_marginals(real, synth)
    mixed = random_marginals(np.vstack([real, away]), np.vstack([synth, away]))
    assert mixed == pytest.approx(500 + kept / 2)
    dropped = random_marginals(np.vstack([real, away]), np.vstack([synth, away]), inactive="drop")
    assert dropped == pytest.approx(kept)


def test_cells_are_joint_over_periods():
    rng = np.random.default_rng(6)
    level = np.repeat(rng.integers(1, 1000, (500, 1)).astype(float), 4, axis=1)
    shuffled = rng.permuted(level, axis=0)  # the same sizes in each period, no memory
    assert random_marginals(level, shuffled, k=1) == pytest.approx(1000)
    assert random_marginals(level, shuffled, k=3) < 300


def test_panels_of_different_size_are_compared_by_shares():
    real = sizes(8)
    assert random_marginals(real, np.vstack([real, real])) == pytest.approx(1000)


def test_fewer_periods_than_asked_for_are_all_used():
    assert random_periods(2, 3, 1).tolist() == [[0, 1]]


def test_bad_options_and_panels_are_refused():
    with pytest.raises(OptionError, match="k must"):
        random_periods(5, 0)
    with pytest.raises(OptionError, match="inactive"):
        random_marginals([[1.0]], [[1.0]], inactive="zero")
    with pytest.raises(DataError, match="number of periods"):
        random_marginals([[1.0]], [[1.0, 2.0]])
    with pytest.raises(DataError, match="no units"):
        random_marginals(np.zeros((0, 2)), [[1.0, 2.0]])
    with pytest.raises(DataError, match="no unit is active"):
        random_marginals([[1, NAN], [NAN, 1]], [[1, NAN], [NAN, 1]], inactive="drop")
