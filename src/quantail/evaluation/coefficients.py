"""Standardised coefficient differences: whether a regression on the synthetic table says the same.

|b_synthetic - b_real| / standard error of b_real, for the intercept and each slope of a least-squares fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from quantail.errors import DataError
from quantail.evaluation.regression import least_squares
from quantail.evaluation.reading import numeric_matrix

NAME = "coefficient_difference"
RANGE = (0.0, float("inf"))  # about 1.1 on average for a fresh sample of the same size
DIRECTION = "lower"
BEST = 0.0
REFERENCE = "Snoke et al. (2018), General and specific utility measures for synthetic data, JRSS A 181"


class CoefficientDifference(NamedTuple):
    """Differences in standard errors of the real fit."""

    intercept: float
    slopes: dict[str, float]


def coefficient_difference(
    real: Any, synth: Any, response: str, predictors: Sequence[str]
) -> CoefficientDifference:
    """Compare the regression of `response` on `predictors` between the two tables.

    A predictor that is collinear in the synthetic table counts as slope 0 there; in the real table it is an
    error, because its coefficient is not defined. If the real fit is perfect, its standard errors are 0 and a
    difference is infinite.

    Examples
    --------
    >>> table = {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 1.0]}
    >>> coefficient_difference(table, table, "y", ["x"])
    CoefficientDifference(intercept=0.0, slopes={'x': 0.0})
    """
    names = [response, *predictors]
    left, right = numeric_matrix(real, names, "real"), numeric_matrix(synth, names, "synthetic")
    truth, made = (least_squares(table[:, 0], table[:, 1:]) for table in (left, right))
    if truth.dropped:
        raise DataError(
            f"the regression of {response} on {', '.join(predictors)} is collinear in the real table; "
            "leave out a predictor."
        )
    if np.isnan(truth.standard_errors).any():
        raise DataError(f"the regression of {response} has too few real rows for its predictors.")
    gap = np.abs(made.coefficients - truth.coefficients)
    ratio = np.full(gap.size, np.inf)
    np.divide(gap, truth.standard_errors, out=ratio, where=truth.standard_errors > 0)
    ratio[gap == 0] = 0.0
    return CoefficientDifference(float(ratio[0]), dict(zip(predictors, ratio[1:].tolist(), strict=True)))
