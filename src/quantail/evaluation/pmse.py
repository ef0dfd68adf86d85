"""Propensity score mean squared error: how well a logistic regression tells real rows from synthetic.

Stack both tables (N rows, a share c of them synthetic), regress the origin on the columns, and average
(p_i - c)^2 over all rows. Snoke, Raab, Nowok, Dibben and Slavković (2018).
"""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantail.errors import OptionError
from quantail.evaluation.regression import orthonormal_span
from quantail.evaluation.reading import matrix_pair

NAME = "pmse"
RANGE = (0.0, 0.25)  # the upper end for tables of equal size; c (1 - c) in general
DIRECTION = "lower"
BEST = 0.0
REFERENCE = "Snoke et al. (2018), General and specific utility measures for synthetic data, JRSS A 181"

Floats = NDArray[np.float64]

_ITERATIONS = 100
_CONVERGED = 1e-12
_GUARD = 1e-10


def pmse(real: Any, synth: Any, interactions: bool = False, columns: list[str] | None = None) -> float:
    """Measure how well an unpenalised logistic regression separates the two tables.

    Parameters
    ----------
    real, synth : frame or mapping of arrays
        Tables with the same numeric columns.
    interactions : bool
        Also offer all products of two different columns to the regression.
    columns : list of str, optional
        Columns to use; all of them unless told.

    Returns
    -------
    float
        0 when the tables cannot be told apart, c (1 - c) when they are perfectly separated.

    Examples
    --------
    >>> pmse({"x": [1.0, 2.0]}, {"x": [1.0, 2.0]})
    0.0
    """
    left, right = matrix_pair(real, synth, columns)
    stacked = np.vstack([left, right])
    if interactions:
        stacked = _with_products(stacked)
    label = np.repeat([0.0, 1.0], [left.shape[0], right.shape[0]])
    share = label.mean()
    return float(np.mean((_fitted_probabilities(stacked, label) - share) ** 2))


def pmse_null_mean(k: int, n_real: int, n_synth: int, fresh: bool = False) -> float:
    """Give the mean of pMSE when the synthesis is right, for `k` regression terms besides the intercept.

    Two things can be meant by right. As published (`fresh=False`): synthetic rows are drawn from the real
    *table's* own distribution, real rows held fixed, giving k (1-c)^2 c / N. With `fresh=True`: both tables
    are independent samples of one *population*; real rows vary too, which gives k (1-c) c / N, twice as much
    for tables of equal size.
    """
    return k * _null_unit(k, n_real, n_synth, fresh)


def pmse_null_sd(k: int, n_real: int, n_synth: int, fresh: bool = False) -> float:
    """Give the standard deviation of pMSE when the synthesis is right; see `pmse_null_mean`."""
    return sqrt(2 * k) * _null_unit(k, n_real, n_synth, fresh)


def _null_unit(k: int, n_real: int, n_synth: int, fresh: bool) -> float:
    if k < 1 or n_real < 1 or n_synth < 1:
        raise OptionError("pMSE null: k, n_real and n_synth must each be at least 1.")
    total = n_real + n_synth
    share = n_synth / total
    return (1 - share) * share / total * (1.0 if fresh else 1 - share)


def _with_products(columns: Floats) -> Floats:
    # Centred and scaled first: it leaves the span of (1, columns, products) as it is, but well conditioned.
    spread = columns.std(axis=0)
    standard = (columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    pairs = combinations(range(standard.shape[1]), 2)
    return np.column_stack([standard, *(standard[:, i] * standard[:, j] for i, j in pairs)])


def _fitted_probabilities(columns: Floats, label: Floats) -> Floats:
    """Fit by Newton's method with step halving; probabilities depend on the columns' span only.

    Under complete separation no maximum exists: the fit walks towards probabilities of 0 and 1 until the
    likelihood stops changing. The guard added to the information matrix (1e-10 of its size) only keeps that
    walk solvable; where a maximum exists it does not move it.
    """
    basis, _ = orthonormal_span(columns)
    basis = basis * np.sqrt(label.size)
    share = label.mean()
    b = np.zeros(basis.shape[1])
    b[0] = np.log(share / (1 - share))
    linear = basis @ b
    deviance = _deviance(linear, label)
    for _ in range(_ITERATIONS):
        p = expit(linear)
        information = (basis * (p * (1 - p))[:, None]).T @ basis
        guard = _GUARD * max(float(np.trace(information)), np.finfo(float).tiny)
        step = np.linalg.solve(information + guard * np.eye(b.size), basis.T @ (label - p))
        previous = deviance
        for _halving in range(30):
            linear = basis @ (b + step)
            deviance = _deviance(linear, label)
            if deviance <= previous:
                break
            step = step / 2
        b = b + step
        if abs(previous - deviance) <= _CONVERGED * (abs(deviance) + 1e-6):
            break
    return np.asarray(expit(linear), dtype=float)


def _deviance(linear: Floats, label: Floats) -> float:
    """Minus twice the log-likelihood."""
    return float(2 * np.sum(np.logaddexp(0.0, linear) - label * linear))
