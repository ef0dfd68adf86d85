"""Least squares as R's `lm` does it: a predictor that the earlier ones already explain is dropped.

Notation: design D = (1, X), coefficients b = (D'D)^-1 D'y, residual variance s2 = |y - D b|^2 / (n - p),
standard errors sqrt(s2 diag (D'D)^-1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# R's `lm` calls a column explained when less than this share of its length is left over.
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class LeastSquares:
    """A fitted regression, intercept first; a dropped predictor has slope 0 and no standard error (NaN)."""

    coefficients: Floats
    standard_errors: Floats
    dropped: tuple[int, ...]

    def predict(self, predictors: Floats) -> Floats:
        """Predict one value per row of `predictors`, shape (rows, k)."""
        return np.asarray(self.coefficients[0] + predictors @ self.coefficients[1:], dtype=float)


def orthonormal_span(columns: Floats) -> tuple[Floats, list[int]]:
    """Build an orthonormal basis of the constant and the columns; also list the columns that add to it.

    The first basis vector is the constant. A column is left out when the ones before it explain it.
    """
    n, k = columns.shape
    basis = np.empty((n, min(n, k + 1)), order="F")
    basis[:, 0] = 1.0 / np.sqrt(n)
    used: list[int] = []
    for j in range(k):
        size = np.abs(columns[:, j]).max()
        if size == 0 or len(used) + 1 == basis.shape[1]:
            continue
        scaled = columns[:, j] / size  # keeps squares of very large or small values finite
        left, whole = scaled.copy(), np.linalg.norm(scaled)
        have = basis[:, : len(used) + 1]
        for _ in range(2):  # twice is enough to be orthogonal to rounding error
            left -= have @ (have.T @ left)
        length = np.linalg.norm(left)
        if length > _TOLERANCE * whole:
            used.append(j)
            basis[:, len(used)] = left / length
    return basis[:, : len(used) + 1], used


def least_squares(response: Floats, predictors: Floats) -> LeastSquares:
    """Regress the response on a constant and the predictors, shape (n, k)."""
    n, k = predictors.shape
    basis, used = orthonormal_span(predictors)
    design = np.column_stack([np.ones(n), predictors[:, used]])
    # D = Q R with Q the basis, so b = R^-1 Q'y and (D'D)^-1 = R^-1 R^-T.
    upper = np.triu(basis.T @ design)
    inverse = np.linalg.inv(upper)
    scores = basis.T @ response
    residual = response - basis @ scores
    freedom = n - len(used) - 1
    variance = float(residual @ residual) / freedom if freedom > 0 else np.nan

    places = [0, *(j + 1 for j in used)]
    coefficients = np.zeros(k + 1)
    coefficients[places] = inverse @ scores
    errors = np.full(k + 1, np.nan)
    errors[places] = np.sqrt(variance * (inverse**2).sum(axis=1))
    return LeastSquares(coefficients, errors, tuple(j for j in range(k) if j not in used))
