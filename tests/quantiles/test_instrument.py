"""The cut of an instrument: the best of those that were really tried, whatever the shape of the predictor."""

import numpy as np
import pytest
from scipy.special import ndtri

from quantail.quantiles import best_cut

SHAPES = {
    "even": lambda u: 3 + 10 * u,
    "normal": ndtri,
    "exponential": lambda u: -np.log1p(-u),
    "lognormal": lambda u: np.exp(ndtri(u)),
}


def share_below(name, rows, signal):
    cut = best_cut(SHAPES[name], rows, signal)
    return float(np.interp(cut, SHAPES[name](np.linspace(0.001, 0.999, 999)), np.linspace(0.001, 0.999, 999)))


@pytest.mark.parametrize("name", ["even", "normal"])
@pytest.mark.parametrize("signal", [50.0, 500.0, 5000.0])
def test_a_symmetric_predictor_is_cut_in_half(name, signal):
    assert share_below(name, 5000, signal) == pytest.approx(0.5, abs=0.01)


def test_a_long_upper_tail_is_cut_higher_the_less_noise_there_is():
    shares = [share_below("exponential", 5000, signal) for signal in (50.0, 500.0, 1000.0, 10_000.0)]
    assert shares == sorted(shares)
    assert shares[0] < 0.53
    assert shares[-1] > 0.65


def test_a_mirrored_predictor_has_the_mirrored_cut():
    for signal in (500.0, 2000.0):
        cut = best_cut(SHAPES["lognormal"], 5000, signal)
        mirrored = best_cut(lambda u: -SHAPES["lognormal"](1 - u), 5000, signal)
        assert mirrored == pytest.approx(-cut, rel=0.06)


def test_a_predictor_of_one_value_is_cut_there():
    assert best_cut(lambda u: np.full_like(u, 7.0), 100, 50.0) == 7.0


def slope_error(cut, seed, rows=2000):
    """Return the error of the slope at which residuals on both sides of the cut have the same median."""
    rng = np.random.default_rng(seed)
    x, y = rng.exponential(1, (2, rows))
    low, high = -1.0, 1.0
    for _ in range(30):
        slope = (low + high) / 2
        residual = y - slope * x
        if np.median(residual[x > cut]) > np.median(residual[x <= cut]):
            low = slope
        else:
            high = slope
    return slope


def test_the_best_cut_errs_less_than_the_median():
    best = best_cut(SHAPES["exponential"], 2000, 1e6)
    errors = {cut: np.std([slope_error(cut, seed) for seed in range(150)]) for cut in (best, np.log(2))}
    assert errors[best] < 0.95 * errors[np.log(2)]
