"""Standardised coefficient differences and overlap of confidence intervals: whether a regression says the same.

    difference   |b_synthetic - b_real| / standard error of b_real
    overlap      with the two 95% intervals (l, u), (L, U) and the length o of what they share, o = 0 if nothing:
                 (o / (u - l) + o / (U - L)) / 2

A coefficient that the synthetic table cannot tell (its predictor is explained by earlier ones) counts as 0 there,
without an interval and so without overlap; in the real table it is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from quantail.errors import DataError
from quantail.evaluation.formula import INTERCEPT
from quantail.evaluation.measure import Measure
from quantail.evaluation.reading import numeric_matrix
from quantail.evaluation.references import KARR, SNOKE
from quantail.evaluation.regressions import Fit, Regression, fit_linear

Floats = NDArray[np.float64]

_ENDLESS = (0.0, float("inf"))

INT_DIFF = Measure(
    "int_diff",
    "regression",
    "How far the intercept of a least-squares fit is off, in standard errors of the real fit.",
    _ENDLESS,
    "lower",
    0.0,
    SNOKE,
)
SLOPE_DIFF = Measure(
    "slope_diff",
    "regression",
    "How far a slope of a least-squares fit is off, in standard errors of the real fit.",
    _ENDLESS,
    "lower",
    0.0,
    SNOKE,
)
COEFFICIENT_DIFFERENCE = Measure(
    "coefficient_difference",
    "regression",
    "How far a coefficient of a regression that you name is off, in standard errors of the real fit.",
    _ENDLESS,
    "lower",
    0.0,
    SNOKE,
)
CI_OVERLAP = Measure(
    "ci_overlap",
    "regression",
    "How much of their length the 95% intervals of a coefficient, real and synthetic, have in common.",
    (0.0, 1.0),
    "higher",
    1.0,
    KARR,
)
MEASURES = (INT_DIFF, SLOPE_DIFF, COEFFICIENT_DIFFERENCE, CI_OVERLAP)


class CoefficientDifference(NamedTuple):
    """Differences in standard errors of the real fit."""

    intercept: float
    slopes: dict[str, float]


class Comparison(NamedTuple):
    """Two fits of one regression, and how their coefficients agree."""

    real: Fit
    synthetic: Fit
    differences: Floats
    overlaps: Floats


def coefficient_difference(
    real: Any, synth: Any, response: str, predictors: Sequence[str]
) -> CoefficientDifference:
    """Compare the least-squares regression of `response` on `predictors` between the two tables.

    If the real fit is perfect, its standard errors are 0 and a difference is infinite.

    Examples
    --------
    >>> table = {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 1.0]}
    >>> coefficient_difference(table, table, "y", ["x"])
    CoefficientDifference(intercept=0.0, slopes={'x': 0.0})
    """
    found = compare_linear(real, synth, response, predictors).differences
    return CoefficientDifference(float(found[0]), dict(zip(predictors, found[1:].tolist(), strict=True)))


def compare_linear(real: Any, synth: Any, response: str, predictors: Sequence[str]) -> Comparison:
    """Fit the regression of a numeric column on others to both tables."""

    def fit(table: Any, role: str) -> Fit:
        numbers = numeric_matrix(table, [response, *predictors], role)
        X = np.column_stack([np.ones(len(numbers)), numbers[:, 1:]])
        return fit_linear(numbers[:, 0], X, (INTERCEPT, *predictors))

    what = f"the regression of {response} on {', '.join(predictors)}"
    return _compared(fit(real, "real"), fit(synth, "synthetic"), what)


def compare_coefficients(real: Any, synth: Any, regression: Regression) -> Comparison:
    """Fit a regression given by its formula to both tables, with the same levels of its labels.

    Examples
    --------
    >>> table = {"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.0, 1.0, 3.0]}
    >>> compare_coefficients(table, table, Regression.parse("y ~ x")).overlaps.tolist()
    [1.0, 1.0]
    """
    levels = regression.formula.levels(real, synth)
    return _compared(
        regression.fit(real, levels, "real"), regression.fit(synth, levels, "synthetic"), str(regression)
    )


def fresh_difference(n_real: int, n_synth: int, inflation: float = 1.0) -> float:
    """Mean of a standardised difference when both tables are samples of one population.

    It is f sqrt(2 (1 + n/m) / pi), where the estimate truly varies by f standard errors (`Fit.inflation`).
    """
    return inflation * sqrt(2 / pi * (1 + n_real / n_synth))


def fresh_overlap(n_real: int, n_synth: int, inflation: float = 1.0) -> float:
    """Mean overlap of two intervals when both tables are samples of one population; `inflation` as above."""
    other = sqrt(n_real / n_synth)  # standard error of the synthetic estimate, in those of the real one
    gaps = inflation * norm.ppf((np.arange(200) + 0.5) / 200) * np.hypot(1.0, other)
    return float(_overlaps(Fit(np.zeros(200), np.eye(200)), Fit(gaps, other**2 * np.eye(200))).mean())


def _compared(real: Fit, synthetic: Fit, what: str) -> Comparison:
    if real.dropped:
        raise DataError(f"{what} is collinear in the real table; leave out a predictor.")
    if np.isnan(real.standard_errors).any():
        raise DataError(f"{what} has too few real rows for its predictors.")
    gap = np.abs(synthetic.estimates - real.estimates)
    ratio = np.full(gap.size, np.inf)
    np.divide(gap, real.standard_errors, out=ratio, where=real.standard_errors > 0)
    ratio[gap == 0] = 0.0
    return Comparison(real, synthetic, ratio, _overlaps(real, synthetic))


def _overlaps(real: Fit, synthetic: Fit) -> Floats:
    (low, high), (other_low, other_high) = real.interval(), synthetic.interval()
    shared = np.maximum(np.fmin(high, other_high) - np.fmax(low, other_low), 0.0)
    share = np.zeros((2, shared.size))
    for row, length in zip(share, (high - low, other_high - other_low), strict=True):
        np.divide(shared, length, out=row, where=length > 0)
    share[:, np.isnan(other_high)] = 0.0
    share[:, (low == other_low) & (high == other_high)] = 1.0  # points, if both fits are exact
    return np.asarray(share.mean(axis=0))
