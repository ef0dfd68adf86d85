"""The cuts of an instrument: the best of those that were really tried, whatever the shape of the predictor."""

import numpy as np
import pytest
from scipy.special import ndtri

from quantail.curves import best_cuts

SHAPES = {
    "even": lambda u: 3 + 10 * u,
    "normal": ndtri,
    "exponential": lambda u: -np.log1p(-u),
    "lognormal": lambda u: np.exp(ndtri(u)),
}
N_EPSILONS = (50.0, 500.0, 2000.0, 10_000.0)


def shares_below(name, rows, n_epsilon):
    """Return which shares of the predictor lie below the two cuts."""
    levels = np.linspace(0.001, 0.999, 999)
    return np.interp(best_cuts(SHAPES[name], rows, n_epsilon), SHAPES[name](levels), levels)


@pytest.mark.parametrize("name", ["even", "normal"])
@pytest.mark.parametrize("n_epsilon", N_EPSILONS)
def test_a_symmetric_predictor_has_halves_of_the_same_size(name, n_epsilon):
    low, high = shares_below(name, 5000, n_epsilon)
    assert low == pytest.approx(1 - high, abs=0.01)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_the_less_noise_there_is_the_farther_apart_are_the_cuts(name):
    widths = [float(np.ptp(shares_below(name, 5000, n_epsilon))) for n_epsilon in N_EPSILONS]
    assert widths[0] < 0.01  # privacy noise asks for many rows: all of them, one cut
    assert widths[0] < widths[1] < 0.9 * min(widths[2:])  # sampling error for telling ones


def test_a_third_at_either_end_is_best_for_an_even_predictor_without_noise():
    # Parts p at both ends differ by 1 - p: 2 / (p (1 - p)^2) is least at p = 1/3.
    np.testing.assert_allclose(shares_below("even", 5000, 1e9), [1 / 3, 2 / 3], atol=0.011)


def test_noise_alone_asks_for_more_rows_than_sampling_error():
    # 1 / (p (1 - p)) is least at p = 1/2: one cut.
    np.testing.assert_allclose(shares_below("even", 10**9, 1.0), [0.5, 0.5], atol=0.011)


@pytest.mark.parametrize("name", ["exponential", "lognormal"])
def test_a_long_upper_tail_has_both_cuts_higher_where_noise_allows(name):
    cuts = [shares_below(name, 5000, n_epsilon) for n_epsilon in N_EPSILONS]
    np.testing.assert_allclose(cuts[0], 0.5, atol=0.01)
    for found, n_epsilon in zip(cuts[2:], N_EPSILONS[2:], strict=True):
        assert (found > shares_below("even", 5000, n_epsilon) + 0.05).all()


def test_a_mirrored_predictor_has_the_mirrored_cuts():
    for n_epsilon in (500.0, 2000.0):
        low, high = best_cuts(SHAPES["lognormal"], 5000, n_epsilon)
        mirrored = best_cuts(lambda u: -SHAPES["lognormal"](1 - u), 5000, n_epsilon)
        assert mirrored == pytest.approx((-high, -low), rel=0.06)


def test_a_predictor_of_one_value_is_cut_there():
    assert best_cuts(lambda u: np.full_like(u, 7.0), 100, 50.0) == (7.0, 7.0)


def slope_error(cuts, seed, rows=2000):
    """Return the error of the slope at which residuals beyond both cuts have the same median."""
    rng = np.random.default_rng(seed)
    x, y = rng.exponential(1, (2, rows))
    low, high = -1.0, 1.0
    for _ in range(30):
        slope = (low + high) / 2
        residual = y - slope * x
        if np.median(residual[x > cuts[1]]) > np.median(residual[x <= cuts[0]]):
            low = slope
        else:
            high = slope
    return slope


def test_the_best_cuts_err_less_than_one_cut():
    best, median = best_cuts(SHAPES["exponential"], 2000, 1e6), (np.log(2), np.log(2))
    errors = [np.std([slope_error(cuts, seed) for seed in range(150)]) for cuts in (best, median)]
    assert errors[0] < 0.85 * errors[1]


class TestValuesThatManyRowsHave:
    """A cut lies at a value: rows that have it are all on one side, and both sides have rows."""

    @pytest.mark.parametrize("share", [0.02, 0.08, 0.16, 0.3, 0.5, 0.7, 0.84, 0.92, 0.98])
    @pytest.mark.parametrize("n_epsilon", N_EPSILONS)
    def test_two_values_are_told_apart_whatever_their_shares(self, share, n_epsilon):
        assert best_cuts(lambda u: (u > 1 - share).astype(float), 5000, n_epsilon) == (0.0, 0.0)

    def test_small_numbers_have_rows_on_both_sides(self):
        rng = np.random.default_rng(0)
        for _ in range(100):
            ends = np.cumsum(rng.dirichlet(np.ones(rng.integers(2, 7))) + 0.01)
            for n_epsilon in N_EPSILONS:
                low, high = best_cuts(
                    lambda u, ends=ends: np.searchsorted(ends / ends[-1], u) * 1.0, 5000, n_epsilon
                )
                assert 0 <= low <= high < ends.size - 1

    def test_an_atom_in_the_middle_can_be_left_out(self):
        """Of rows of which 70% work 40 hours, those who work more are compared with those who work less."""

        def hours(u):
            return np.where(u < 0.15, 200 * u, np.where(u < 0.85, 40.0, 40 + 200 * (u - 0.85)))

        low, high = best_cuts(hours, 5000, 10_000.0)
        assert low < 40 <= high
