"""pMSE with a ridge: a logistic regression with a squared penalty tells real rows from synthetic.

For tables with many sparse columns, where plain logistic regression does not converge. On standardised columns, with
N rows in all and a share c of them synthetic, the fit minimises

    mean of log(1 + exp(h_i)) - y_i h_i, plus penalty / 2 * sum b_j^2,    h = a + X b, the intercept a is free,

and pMSE is the mean of (p_i - c)^2. The penalty is the one of a fixed list with the least deviance of rows left out
one at a time, by the formula of Rad and Maleki (2020): without row i its log-odds move by about
h_ii (p_i - y_i) / (1 - w_i h_ii), w = p (1 - p), h_ii = x_i' (N H)^-1 x_i, H the curvature of the objective.

For two samples of one population, with s_j the eigenvalues of the columns' correlations and v = c (1 - c), the ridge
shrinks the j-th direction by f_j = v s_j / (v s_j + penalty): pMSE has mean v / N * sum f_j^2 and variance
2 (v / N)^2 * sum f_j^4, the chi-squared of plain logistic regression if the penalty is 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantail.errors import OptionError
from quantail.evaluation.logistic import deviance, information
from quantail.evaluation.pmse import AgainstNull, pmse_family, standardised
from quantail.evaluation.references import HOERL

MEASURES = pmse_family("pmse_ridge", "a logistic regression with a ridge penalty", HOERL)

Floats = NDArray[np.float64]

PENALTIES = (1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
_STEPS = 30
_CONVERGED = 1e-12
_NO_DIRECTION = 1e-12  # eigenvalues below come of rounding


def pmse_ridge(real: Floats, synth: Floats, penalty: float | None = None) -> float:
    """Measure how well a logistic regression with a ridge separates the rows of two matrices.

    Parameters
    ----------
    real, synth : arrays of shape (rows, columns)
        The same numeric columns, without missing values.
    penalty : float, optional
        Weight of the penalty; chosen from `PENALTIES` unless given.

    Examples
    --------
    >>> pmse_ridge(np.array([[1.0], [2.0]]), np.array([[1.0], [2.0]]))
    0.0
    """
    return ridge_propensity(real, synth, penalty).value


def ridge_propensity(real: Floats, synth: Floats, penalty: float | None = None) -> AgainstNull:
    """Compute pMSE with a ridge, and its null with the penalty that was chosen."""
    if penalty is not None and penalty < 0:
        raise OptionError("penalty must not be negative.")
    label = np.repeat([0.0, 1.0], [len(real), len(synth)])
    design = np.column_stack([np.ones(label.size), standardised(np.vstack([real, synth]))])
    best, chosen, linear, b = np.inf, 0.0, np.zeros(label.size), np.zeros(design.shape[1])
    b[0] = np.log(label.mean() / (1 - label.mean()))
    for weight in PENALTIES if penalty is None else (penalty,):
        b, curvature = _fit(design, label, weight, b)
        fitted = design @ b
        left_out = deviance(fitted + _shift(design, label, fitted, curvature), label)
        if left_out < best:
            best, chosen, linear = left_out, weight, fitted
    value = float(np.mean((expit(linear) - label.mean()) ** 2))
    return AgainstNull(value, *_null(design, float(label.mean()), chosen))


def _null(design: Floats, share: float, penalty: float) -> tuple[float, float]:
    """Mean and standard deviation for two samples of one population."""
    varies = share * (1 - share)
    size = varies * np.maximum(np.linalg.eigvalsh(design[:, 1:].T @ design[:, 1:] / len(design)), 0.0)
    kept = size[size > _NO_DIRECTION] / (size[size > _NO_DIRECTION] + penalty)
    return varies / len(design) * float((kept**2).sum()), varies / len(design) * float(
        np.sqrt(2 * (kept**4).sum())
    )


def _fit(design: Floats, label: Floats, penalty: float, b: Floats) -> tuple[Floats, Floats]:
    """Minimise by Newton's method from `b`; also give the curvature of the summed objective there."""
    shrink = np.full(b.size, penalty * label.size)
    shrink[0] = 0.0

    def objective(at: Floats) -> float:
        return deviance(design @ at, label) / 2 + float(shrink @ at**2) / 2

    value = objective(b)
    for _ in range(_STEPS):
        p = expit(design @ b)
        # The tiny addition keeps constant columns, whose slope nothing but the penalty decides, solvable.
        curvature = information(design, p * (1 - p)) + np.diag(shrink) + 1e-12 * label.size * np.eye(b.size)
        step = np.linalg.solve(curvature, design.T @ (label - p) - shrink * b)
        before, part = value, 1.0
        while (value := objective(b + part * step)) > before and part > 1e-9:
            part /= 2
        b = b + part * step
        if before - value <= _CONVERGED * label.size:
            break
    return b, curvature


def _shift(design: Floats, label: Floats, linear: Floats, curvature: Floats) -> Floats:
    """How far each row's log-odds move when the row is left out of the fit."""
    p = expit(linear)
    leverage = np.einsum("ij,ij->i", design @ np.linalg.inv(curvature), design)
    return np.asarray(leverage * (p - label) / np.maximum(1 - p * (1 - p) * leverage, 1e-6))
