"""Logistic regression by Newton's method on a basis with orthonormal columns.

Under complete separation no maximum exists: the fit walks towards probabilities of 0 and 1 until the likelihood
stops changing. The guard added to the information matrix (1e-10 of its size) only keeps that walk solvable;
where a maximum exists it does not move it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]

_ITERATIONS = 100
_CONVERGED = 1e-12
_GUARD = 1e-10
_ROWS = 8192  # rows whose weighted basis is held at once


def fit_logit(basis: Floats, label: Floats) -> tuple[Floats, Floats]:
    """Maximise the likelihood of 0/1 labels over the span of the basis.

    Parameters
    ----------
    basis : array, shape (n, r)
        Orthonormal columns, the constant in their span.
    label : array, shape (n,)
        0 or 1, both present.

    Returns
    -------
    coefficients, shape (r,), and log-odds, shape (n,)
    """
    share = label.mean()
    b = basis.T @ np.full(label.size, np.log(share / (1 - share)))
    linear = basis @ b
    loss = deviance(linear, label)
    for _ in range(_ITERATIONS):
        p = expit(linear)
        curved = information(basis, p * (1 - p))
        guard = _GUARD * max(float(np.trace(curved)), np.finfo(float).tiny)
        step = np.linalg.solve(curved + guard * np.eye(b.size), basis.T @ (label - p))
        move, before, size = basis @ step, loss, 1.0
        while (loss := deviance(linear + size * move, label)) > before and size > 1e-9:
            size /= 2
        b, linear = b + size * step, linear + size * move
        if abs(before - loss) <= _CONVERGED * (abs(loss) + 1e-6):
            break
    return b, linear


def information(design: Floats, weight: Floats) -> Floats:
    """Sum weight_i x_i x_i' over the rows of a design, a few rows at a time."""
    root = np.sqrt(weight)
    total = np.zeros((design.shape[1], design.shape[1]))
    for start in range(0, len(design), _ROWS):
        part = design[start : start + _ROWS] * root[start : start + _ROWS, None]
        total += part.T @ part
    return total


def deviance(linear: Floats, label: Floats) -> float:
    """Minus twice the log-likelihood of labels, given log-odds."""
    return float(2 * np.sum(np.logaddexp(0.0, linear) - label * linear))
