"""LASSO pMSE: the fit meets its optimality conditions exactly, and the score tells what it should."""

import numpy as np
import pytest
from scipy.special import expit

from quantail.errors import DataError, OptionError
from quantail.evaluation import pmse, pmse_lasso
from quantail.evaluation.lasso import _chosen, _value, largest_penalty, lasso_logistic, lasso_propensity

NAN = float("nan")


def origin_problem(seed=0, n=400, k=6):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) @ rng.normal(size=(k, k))  # correlated columns
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    label = (rng.random(n) < expit(0.8 * x[:, 0] - 0.5 * x[:, 1] + 0.3)).astype(float)
    return x, label


@pytest.mark.parametrize("part", [0.9, 0.3, 0.03, 0.001])
def test_the_fit_meets_the_optimality_conditions_of_the_penalised_problem(part):
    x, label = origin_problem()
    penalty = part * largest_penalty(x, label)
    b = lasso_logistic(x, label, np.array([penalty]))[0]
    slope = x.T @ (label - expit(b[0] + x @ b[1:])) / label.size
    used = b[1:] != 0
    # The intercept carries no penalty; slopes in use balance it exactly, the others stay below it.
    assert np.mean(label - expit(b[0] + x @ b[1:])) == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(slope[used], penalty * np.sign(b[1:][used]), atol=1e-6)
    assert (np.abs(slope[~used]) <= penalty + 1e-6).all()
    assert used.any()


def test_the_largest_penalty_is_the_smallest_that_drops_every_column():
    x, label = origin_problem(1)
    largest = largest_penalty(x, label)
    none, some = lasso_logistic(x, label, np.array([1.001, 0.98]) * largest)
    assert (none[1:] == 0).all()
    assert none[0] == pytest.approx(np.log(label.mean() / (1 - label.mean())))
    assert np.count_nonzero(some[1:]) == 1


def test_without_a_penalty_it_is_the_plain_pmse():
    rng = np.random.default_rng(2)
    real, synth = rng.gamma(2, 3, (300, 3)), rng.gamma(2, 4, (200, 3))
    names = ("a", "b", "c")
    plain = pmse(dict(zip(names, real.T, strict=True)), dict(zip(names, synth.T, strict=True)))
    assert pmse_lasso(real, synth, penalty=0.0) == pytest.approx(plain, rel=1e-4)
    assert 0.5 * plain < pmse_lasso(real, synth) <= plain


def test_a_fresh_sample_scores_near_zero_and_a_shifted_one_does_not():
    rng = np.random.default_rng(3)
    real, fresh = (np.rint(rng.lognormal(2, 1, (1500, 10))) for _ in range(2))
    assert pmse_lasso(real, fresh) < 0.003
    assert pmse_lasso(real, fresh + 5) > 0.02


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


def test_the_null_is_what_fits_to_permuted_origins_show():
    rng = np.random.default_rng(9)
    real, synth = rng.normal(size=(400, 4)), rng.normal(size=(300, 4)) + 0.2
    found = lasso_propensity(real, synth, permutations=200)
    assert found.value == pmse_lasso(real, synth)
    predictors, label, penalty = _chosen(real, synth, None, 5, 0)
    permuted = [_value(predictors, rng.permutation(label), penalty) for _ in range(200)]
    assert found.mean == pytest.approx(np.mean(permuted), rel=0.2)
    assert found.sd == pytest.approx(np.std(permuted), rel=0.3)
    assert found.standardised > 3


def test_a_fresh_sample_is_near_the_null():
    rng = np.random.default_rng(10)
    found = [lasso_propensity(rng.normal(size=(150, 3)), rng.normal(size=(150, 3))) for _ in range(40)]
    assert abs(np.mean([one.standardised for one in found if one.sd > 0])) < 0.5
