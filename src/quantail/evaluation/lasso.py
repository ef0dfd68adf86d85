"""pMSE of a panel with a LASSO: how well a penalised logistic regression tells real units from synthetic.

The paper uses it where many sparse columns, one per year, keep plain logistic regression from converging. The
predictors are the sizes in every period, 0 where a unit is not active, each scaled to unit variance. With
N units in all, a share c of them synthetic, the fit minimises

    mean of log(1 + exp(h_i)) - y_i h_i, plus penalty * sum |b_j|,    h = a + X b, the intercept a is free,

and pMSE is the mean of (p_i - c)^2. The penalty is chosen by cross-validated deviance on a fixed list. Newton's
method, each step a quadratic problem with the same penalty, solved one coefficient at a time; numpy only.

The null has no formula: it comes from permuted origins, with the penalty that was chosen. Slopes by chance are small,
so one step of Newton's method from 0 serves: p_i - c is close to c (1 - c) x_i' b.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from quantail.errors import DataError, OptionError
from quantail.evaluation.dynamics import histories
from quantail.evaluation.logistic import information
from quantail.evaluation.pmse import AgainstNull, pmse_family, standardised
from quantail.evaluation.references import TIBSHIRANI

MEASURES = pmse_family(
    "pmse_lasso", "a logistic regression with a LASSO penalty", TIBSHIRANI, "when origins are permuted"
)

Floats = NDArray[np.float64]

# Penalties are these parts of the smallest one that sets every slope to zero.
_PATH = np.logspace(0, -3, 10)
_STEPS = 50
_SWEEPS = 300
_CONVERGED = 1e-10
_LEAST_WEIGHT = 1e-6


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
    return _value(*_chosen(real, synth, penalty, folds, seed))


def lasso_propensity(
    real: ArrayLike, synth: ArrayLike, folds: int = 5, seed: int = 0, permutations: int = 50
) -> AgainstNull:
    """Compute pMSE with a LASSO, and its null with the penalty that was chosen; parameters as in `pmse_lasso`."""
    predictors, label, penalty = _chosen(real, synth, None, folds, seed)
    rng = np.random.default_rng(seed)
    varies = float(label.mean() * (1 - label.mean()))
    curvature = np.diag(np.full(predictors.shape[1] + 1, varies))  # columns have mean 0: the intercept stays
    curvature[1:, 1:] = varies * (predictors.T @ predictors) / label.size
    null = []
    for _ in range(permutations):
        pull = predictors.T @ (label.mean() - rng.permutation(label)) / label.size
        b = _quadratic_step(np.append(0.0, pull), curvature, penalty, np.zeros(len(curvature)))
        null.append(varies * b @ curvature @ b)
    value = _value(predictors, label, penalty)
    return AgainstNull(value, float(np.mean(null)), float(np.std(null, ddof=1)))


def _chosen(
    real: ArrayLike, synth: ArrayLike, penalty: float | None, folds: int, seed: int
) -> tuple[Floats, Floats, float]:
    """Stack two panels on one scale, say which rows are synthetic, and choose the penalty unless it is given."""
    left, right = np.nan_to_num(histories(real)), np.nan_to_num(histories(synth))
    if left.shape[1] != right.shape[1]:
        raise DataError("the two panels differ in their number of periods; compare the same periods.")
    if not len(left) or not len(right):
        raise DataError("a panel has no units; at least one is needed.")
    label = np.repeat([0.0, 1.0], [len(left), len(right)])
    predictors = _scaled(np.vstack([left, right]))
    if penalty is None:
        penalty = _chosen_penalty(predictors, label, folds, seed)
    elif penalty < 0:
        raise OptionError("penalty must not be negative.")
    return predictors, label, penalty


def _value(predictors: Floats, label: Floats, penalty: float) -> float:
    fitted = lasso_logistic(predictors, label, np.array([penalty]))[0]
    return float(np.mean((expit(fitted[0] + predictors @ fitted[1:]) - label.mean()) ** 2))


def lasso_logistic(predictors: Floats, label: Floats, penalties: Floats) -> Floats:
    """Fit a logistic regression for each penalty, each starting from the one before.

    Parameters
    ----------
    predictors : array, shape (n, k)
        Columns on one scale.
    label : array, shape (n,)
        0 or 1, both present.
    penalties : array, shape (m,)
        Best in decreasing order.

    Returns
    -------
    array, shape (m, k + 1)
        Coefficients, intercept first.
    """
    share = label.mean()
    b = np.zeros(predictors.shape[1] + 1)
    b[0] = np.log(share / (1 - share))
    path = np.empty((penalties.size, b.size))
    for row, penalty in zip(path, penalties, strict=True):
        b = _newton(predictors, label, float(penalty), b)
        row[:] = b
    return path


def largest_penalty(predictors: Floats, label: Floats) -> float:
    """Give the smallest penalty that sets every slope to zero."""
    return float(np.abs(predictors.T @ (label - label.mean())).max(initial=0.0) / label.size)


def _chosen_penalty(predictors: Floats, label: Floats, folds: int, seed: int) -> float:
    largest = largest_penalty(predictors, label)
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
        path = lasso_logistic(predictors[~out], label[~out], penalties)
        linear = path[:, 0] + predictors[out] @ path[:, 1:].T
        loss += (np.logaddexp(0, linear) - label[out][:, None] * linear).sum(axis=0)
    return float(penalties[int(np.argmin(loss))])


def _scaled(columns: Floats) -> Floats:
    scaled = standardised(columns)
    return np.asarray(scaled[:, (scaled != 0).any(axis=0)])


def _newton(predictors: Floats, label: Floats, penalty: float, b: Floats) -> Floats:
    linear = b[0] + predictors @ b[1:]
    value = _objective(linear, label, b, penalty)
    for _ in range(_STEPS):
        p = expit(linear)
        weight = np.maximum(p * (1 - p), _LEAST_WEIGHT)
        gradient = np.concatenate([[np.mean(p - label)], predictors.T @ (p - label) / label.size])
        curvature = np.empty((b.size, b.size))
        curvature[0, 0] = weight.mean()
        curvature[0, 1:] = curvature[1:, 0] = weight @ predictors / label.size
        curvature[1:, 1:] = information(predictors, weight) / label.size
        step = _quadratic_step(gradient, curvature, penalty, b)
        size = 1.0
        move = step[0] + predictors @ step[1:]
        while (new := _objective(linear + size * move, label, b + size * step, penalty)) > value:
            size /= 2
            if size < 1e-8:
                return b
        b, linear = b + size * step, linear + size * move
        if value - new <= _CONVERGED:
            return b
        value = new
    return b


def _quadratic_step(gradient: Floats, curvature: Floats, penalty: float, b: Floats) -> Floats:
    """Minimise gradient'd + d'curvature d / 2 + penalty |b + d| over d, one coefficient after the other."""
    limits = np.full(b.size, penalty)
    limits[0] = 0.0
    slope = gradient.copy()  # of the quadratic at the current d
    d = np.zeros(b.size)
    for _ in range(_SWEEPS):
        largest = 0.0
        for j in range(b.size):
            bend = curvature[j, j]
            target = b[j] + d[j] - slope[j] / bend
            moved = np.sign(target) * max(abs(target) - limits[j] / bend, 0.0) - b[j] - d[j]
            if moved != 0.0:
                d[j] += moved
                slope += curvature[j] * moved
                largest = max(largest, abs(moved))
        if largest < _CONVERGED:
            break
    return d


def _objective(linear: Floats, label: Floats, b: Floats, penalty: float) -> float:
    return float(np.mean(np.logaddexp(0, linear) - label * linear) + penalty * np.abs(b[1:]).sum())
