"""Ridge pMSE: the fit agrees with scikit-learn's, and the penalty with what leaving rows out one by one shows."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from quantail.errors import OptionError
from quantail.evaluation import pmse_null_mean, pmse_null_sd, pmse_ridge, propensity
from quantail.evaluation.pmse import standardised
from quantail.evaluation.ridge import _fit, _shift, ridge_propensity


def two_samples(seed, n=300, shift=0.0, k=4):
    rng = np.random.default_rng(seed)
    return rng.gamma(2, 3, (n, k)), rng.gamma(2, 3, (n - 50, k)) + shift


@pytest.mark.parametrize("penalty", [0.3, 1e-3])
def test_agrees_with_scikit_learn_at_a_given_penalty(penalty):
    real, synth = two_samples(1, shift=1.0)
    stacked, label = standardised(np.vstack([real, synth])), np.repeat([0, 1], [len(real), len(synth)])
    model = LogisticRegression(C=1 / (penalty * label.size), tol=1e-12, max_iter=10_000).fit(stacked, label)
    expected = np.mean((model.predict_proba(stacked)[:, 1] - label.mean()) ** 2)
    assert pmse_ridge(real, synth, penalty) == pytest.approx(expected, rel=1e-5)


def test_rows_left_out_move_as_the_formula_says():
    real, synth = two_samples(2, n=90, shift=1.0)
    design = np.column_stack([np.ones(130), standardised(np.vstack([real, synth]))])
    label = np.repeat([0.0, 1.0], [90, 40])
    b, curvature = _fit(design, label, 0.02, np.zeros(5))
    shift = _shift(design, label, design @ b, curvature)
    for row in (0, 17, 120):
        kept = np.arange(130) != row
        # The penalty is a mean's, so that leaving out a row scales it.
        without, _ = _fit(design[kept], label[kept], 0.02 * 130 / 129, b)
        assert design[row] @ (without - b) == pytest.approx(shift[row], rel=0.03)
        assert np.sign(shift[row]) == np.sign(expit(design[row] @ b) - label[row])


def test_a_shift_is_found_and_a_fresh_sample_is_not():
    assert pmse_ridge(*two_samples(3)) < 0.003
    real, synth = two_samples(3, shift=2.0)
    assert pmse_ridge(real, synth) == pytest.approx(propensity(real, synth).value, rel=0.15)


def test_more_columns_than_rows_and_separated_tables_have_a_value():
    rng = np.random.default_rng(4)
    assert 0 <= pmse_ridge(rng.normal(size=(20, 60)), rng.normal(size=(20, 60))) <= 0.25
    assert pmse_ridge(np.zeros((30, 1)), np.ones((30, 1))) > 0.2
    assert pmse_ridge(np.ones((5, 2)), np.ones((5, 2))) == pytest.approx(0)
    with pytest.raises(OptionError, match="negative"):
        pmse_ridge(np.ones((5, 2)), np.ones((5, 2)), -1.0)


@pytest.mark.parametrize("penalty", [1.0, 0.05])
def test_two_samples_of_one_population_have_the_stated_mean_and_spread(penalty):
    rng = np.random.default_rng(7)

    def sample(n):
        return rng.normal(size=(n, 3)) + rng.normal(size=(n, 1))  # correlated: directions shrink unequally

    found = [ridge_propensity(sample(120), sample(200), penalty) for _ in range(300)]
    assert np.mean([one.ratio for one in found]) == pytest.approx(1, abs=0.1)
    assert np.std([one.standardised for one in found]) == pytest.approx(1, abs=0.2)


def test_without_a_penalty_the_null_is_that_of_logistic_regression():
    found = ridge_propensity(*two_samples(8), penalty=0.0)
    assert found.mean == pytest.approx(pmse_null_mean(4, 300, 250, fresh=True))
    assert found.sd == pytest.approx(pmse_null_sd(4, 300, 250, fresh=True))
