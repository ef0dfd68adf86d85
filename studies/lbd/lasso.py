"""pMSE of a panel with a LASSO: how well a penalised logistic regression tells real units from synthetic.

The paper uses it where many sparse columns, one per year, keep plain logistic regression from converging. The
predictors are the sizes in every period, 0 where a unit is not active, each scaled to unit variance. With
N units in all, a share c of them synthetic, the fit minimises

    mean of log(1 + exp(h_i)) - y_i h_i, plus penalty * sum |b_j|,    h = a + X b, the intercept a is free,

and pMSE is the mean of (p_i - c)^2. The penalty is chosen by cross-validated deviance on a fixed list. Fitted by
scikit-learn (liblinear, where the intercept is one more coefficient, on a column so large that its penalty is a
hundredth of the others').
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from quantail.errors import DataError, OptionError
from quantail.evaluation.dynamics import histories
from quantail.evaluation.propensity_score import standardised
from quantail.io.extras import MissingExtra, optional

Floats = NDArray[np.float64]

# Penalties are these parts of the smallest one that sets every slope to zero.
_PATH = np.logspace(0, -3, 10)
_LARGE = 100.0  # much more, and liblinear no longer converges


def pmse_lasso(
    real: ArrayLike, synth: ArrayLike, penalty: float | None = None, folds: int = 5, seed: int = 0
) -> float:
    """Measure how well a logistic regression with an L1 penalty separates the units of two panels.

    Parameters
    ----------
    real, synth : arrays of shape (units, columns)
        Sizes, NaN where a unit is not active (read as 0). Columns of pay may stand beside those of employment.
    penalty : float, optional
        Weight of the penalty; chosen by cross-validation unless given.
    folds : int
        Parts of the cross-validation.
    seed : int
        Decides which unit is in which part.

    Returns
    -------
    float
        0 when the panels cannot be told apart, c (1 - c) when they are perfectly separated.

    Examples
    --------
    >>> pmse_lasso([[1, 2], [3, 4]], [[1, 2], [3, 4]], folds=2)
    0.0
    """
    left, right = np.nan_to_num(histories(real)), np.nan_to_num(histories(synth))
    if left.shape[1] != right.shape[1]:
        raise DataError("the two panels differ in their number of periods; compare the same periods.")
    if not len(left) or not len(right):
        raise DataError("a panel has no units; at least one is needed.")
    label = np.repeat([0.0, 1.0], [len(left), len(right)])
    predictors = standardised(np.vstack([left, right]))
    if penalty is not None and penalty < 0:
        raise OptionError("penalty must not be negative.")
    chosen = _chosen_penalty(predictors, label, folds, seed) if penalty is None else penalty
    fitted = lasso_log_odds(predictors, label, chosen, predictors)
    return float(np.mean((expit(fitted) - label.mean()) ** 2))


def lasso_log_odds(predictors: Floats, label: Floats, penalty: float, at: Floats) -> Floats:
    """Fit 0/1 labels, and give the log-odds of the rows `at`; predictors are on one scale."""
    share = label.mean()
    if penalty >= _largest_penalty(predictors, label) * (1 - 1e-12):
        return np.full(len(at), np.log(share / (1 - share)))  # every slope is 0
    linear: Any = optional("sklearn.linear_model", "evaluate", "pMSE with a LASSO", MissingExtra)
    fit = linear.LogisticRegression(
        l1_ratio=1.0,
        C=1 / max(penalty * label.size, 1e-12),
        solver="liblinear",
        tol=1e-6,
        max_iter=1000,
        intercept_scaling=_LARGE,
        random_state=0,
    ).fit(predictors, label)
    return np.asarray(fit.decision_function(at), dtype=float)


def _largest_penalty(predictors: Floats, label: Floats) -> float:
    """Give the smallest penalty that sets every slope to zero."""
    return float(np.abs(predictors.T @ (label - label.mean())).max(initial=0.0) / label.size)


def _chosen_penalty(predictors: Floats, label: Floats, folds: int, seed: int) -> float:
    largest = _largest_penalty(predictors, label)
    # Real and synthetic units are dealt out apart, so that every part holds some of both.
    counts = [int(np.count_nonzero(label == origin)) for origin in (0, 1)]
    if not 2 <= folds <= min(counts):
        raise OptionError("folds must be at least 2 and at most the number of units of each panel.")
    if largest <= 1e-12:
        return 1.0  # the panels have equal means everywhere: every penalty gives the same fit
    rng = np.random.default_rng(seed)
    fold = np.concatenate([rng.permutation(count) % folds for count in counts])
    penalties = largest * _PATH
    loss = np.zeros(penalties.size)
    for part in range(folds):
        out = fold == part
        for place, penalty in enumerate(penalties.tolist()):
            h = lasso_log_odds(predictors[~out], label[~out], penalty, predictors[out])
            loss[place] += float(np.sum(np.logaddexp(0, h) - label[out] * h))
    return float(penalties[int(np.argmin(loss))])
