"""LASSO pMSE: the fit meets its optimality conditions, and the score tells what it should."""

import numpy as np
import pytest
from scipy.special import expit

from quantail.errors import DataError, OptionError
from studies.lbd.lasso import _largest_penalty, lasso_log_odds, pmse_lasso
from studies.paper_measures import pmse

NAN = float("nan")


def origin_problem(seed=0, n=400, k=6):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) @ rng.normal(size=(k, k))  # correlated columns
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    label = (rng.random(n) < expit(0.8 * x[:, 0] - 0.5 * x[:, 1] + 0.3)).astype(float)
    return x, label


def fitted(x, label, penalty):
    """Intercept and slopes, from the log-odds at the origin and at one step along each column."""
    at = np.vstack([np.zeros(x.shape[1]), np.eye(x.shape[1])])
    odds = lasso_log_odds(x, label, penalty, at)
    return odds[0], odds[1:] - odds[0]


@pytest.mark.parametrize("part", [0.9, 0.3, 0.03, 0.001])
def test_the_fit_meets_the_optimality_conditions_of_the_penalised_problem(part):
    x, label = origin_problem()
    penalty = part * _largest_penalty(x, label)
    a, b = fitted(x, label, penalty)
    slope = x.T @ (label - expit(a + x @ b)) / label.size
    used = np.abs(b) > 1e-9
    # The intercept carries a hundredth of the penalty; slopes in use balance it exactly, the others stay below it.
    assert abs(np.mean(label - expit(a + x @ b))) <= penalty / 100 + 1e-5
    np.testing.assert_allclose(slope[used], penalty * np.sign(b[used]), atol=1e-5)
    assert (np.abs(slope[~used]) <= penalty + 1e-5).all()
    assert used.any()


def test_the_largest_penalty_is_the_smallest_that_drops_every_column():
    x, label = origin_problem(1)
    largest = _largest_penalty(x, label)
    a, none = fitted(x, label, 1.001 * largest)
    assert (none == 0).all() and a == pytest.approx(np.log(label.mean() / (1 - label.mean())))
    assert np.count_nonzero(np.abs(fitted(x, label, 0.98 * largest)[1]) > 1e-9) == 1


def test_without_a_penalty_it_is_the_plain_pmse():
    rng = np.random.default_rng(2)
    real, synth = rng.gamma(2, 3, (300, 3)), rng.gamma(2, 4, (200, 3))
    names = ("a", "b", "c")
    plain = pmse(dict(zip(names, real.T, strict=True)), dict(zip(names, synth.T, strict=True)))
    assert pmse_lasso(real, synth, penalty=0.0) == pytest.approx(plain, rel=1e-4)
    assert 0.5 * plain < pmse_lasso(real, synth) <= plain


def test_an_independent_sample_scores_near_zero_and_a_shifted_one_does_not():
    rng = np.random.default_rng(3)
    real, other = (np.rint(rng.lognormal(2, 1, (1500, 10))) for _ in range(2))
    assert pmse_lasso(real, other) < 0.003
    assert pmse_lasso(real, other + 5) > 0.02


def test_perfectly_separated_panels_reach_the_upper_end():
    real, synth = np.full((60, 2), 1.0), np.full((60, 2), 9.0)
    assert pmse_lasso(real, synth) > 0.24


def test_the_centre_is_the_share_of_synthetic_units_not_a_half():
    rng = np.random.default_rng(4)
    real, synth = rng.gamma(2, 3, (900, 3)), rng.gamma(2, 3, (100, 3))
    assert pmse_lasso(real, synth) < 0.002  # about .16 if the centre were a half


def test_inactive_periods_are_zeros_so_that_no_unit_is_left_out():
    # No unit is active in both periods; dropping incomplete ones would leave nothing to fit.
    rng = np.random.default_rng(5)
    size = rng.gamma(2, 3, 200)
    real = np.column_stack([np.where(np.arange(200) % 2, size, NAN), np.where(np.arange(200) % 2, NAN, size)])
    assert pmse_lasso(real, 3 * real) > 0.02
    assert pmse_lasso(real, 3 * real) == pmse_lasso(np.nan_to_num(real), 3 * np.nan_to_num(real))
    assert pmse_lasso(real, real) == 0


def test_units_of_measurement_do_not_matter():
    rng = np.random.default_rng(6)
    real, synth = rng.gamma(2, 3, (300, 3)), rng.gamma(2, 5, (300, 3))
    scale = np.array([1e-3, 1.0, 1e5])
    assert pmse_lasso(real * scale, synth * scale) == pytest.approx(pmse_lasso(real, synth), rel=1e-6)


def test_the_score_can_be_computed_again():
    rng = np.random.default_rng(7)
    real, synth = rng.gamma(2, 3, (200, 4)), rng.gamma(2, 3.5, (150, 4))
    assert pmse_lasso(real, synth, seed=1) == pmse_lasso(real, synth, seed=1)


def test_constant_panels_cannot_be_told_apart():
    assert pmse_lasso(np.full((10, 2), 3.0), np.full((10, 2), 3.0)) == 0


def test_bad_options_and_panels_are_refused():
    panel = np.ones((10, 2))
    with pytest.raises(OptionError, match="folds"):
        pmse_lasso(panel, panel, folds=11)
    with pytest.raises(OptionError, match="penalty"):
        pmse_lasso(panel, panel, penalty=-1)
    with pytest.raises(DataError, match="number of periods"):
        pmse_lasso(panel, panel[:, :1])
    with pytest.raises(DataError, match="no units"):
        pmse_lasso(panel, panel[:0])
