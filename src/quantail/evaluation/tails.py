"""Measures of the tail of one column: extreme quantiles, top shares, Gini, Hill index, mean excess.

With x_(1) >= ... >= x_(n) the values in falling order:

    quantile error   |q_synthetic - q_real| / |q_real| at a level
    top share        share of the total held by the top 1% or 0.1% of rows (their number rounded up)
    Gini             sum over i of (n + 1 - 2 i) x_(i), over n times the total
    Hill index       mean of log x_(i) - log x_(k+1) over the top k = 5% of rows; 1 over the power of a Pareto tail
    mean excess      mean of x - u over the values above u, the real column's 95% quantile, in both tables
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantail.errors import DataError
from quantail.evaluation.measure import Measure
from quantail.evaluation.references import EMBRECHTS, GINI, HILL, PIKETTY

Floats = NDArray[np.float64]

LEVELS = (0.5, 0.9, 0.95, 0.99, 0.999)
TOPS = (0.01, 0.001)

_ENDLESS = (0.0, float("inf"))
_TAIL = 0.05  # share of rows behind the Hill index, and above the threshold of the mean excess
_LEAST_TAIL = 10


def quantile_measure(level: float) -> Measure:
    """Define the error at one level, such as quantile_error_99.9."""
    meaning = f"Relative error of the {100 * level:g}% quantile."
    return Measure(f"quantile_error_{100 * level:g}", "tail", meaning, _ENDLESS, "lower", 0.0, EMBRECHTS)


def top_measure(top: float) -> Measure:
    """Define the difference in what the top share of rows holds, such as top_1_share."""
    meaning = f"Difference in the share of the total that the top {100 * top:g}% of rows hold."
    return Measure(f"top_{100 * top:g}_share", "tail", meaning, (0.0, 1.0), "lower", 0.0, PIKETTY)


GINI_DIFFERENCE = Measure(
    "gini_difference",
    "tail",
    "Difference in the Gini coefficient of inequality.",
    (0.0, 1.0),
    "lower",
    0.0,
    GINI,
)
HILL_ERROR = Measure(
    "hill_error",
    "tail",
    "Relative error of the Hill index of the top 5%: how heavy the tail is.",
    _ENDLESS,
    "lower",
    0.0,
    HILL,
)
MEAN_EXCESS_ERROR = Measure(
    "mean_excess_error",
    "tail",
    "Relative error of the mean excess over the real 95% quantile.",
    _ENDLESS,
    "lower",
    0.0,
    EMBRECHTS,
)
MEASURES = (
    *(quantile_measure(level) for level in LEVELS),
    *(top_measure(top) for top in TOPS),
    GINI_DIFFERENCE,
    HILL_ERROR,
    MEAN_EXCESS_ERROR,
)


def quantile_errors(real: ArrayLike, synth: ArrayLike, levels: Sequence[float] = LEVELS) -> Floats:
    """Relative error |q_synthetic - q_real| / |q_real| at each level; range 0 to infinity.

    Where the real quantile is 0, the error is measured against the real column's largest absolute value.

    Examples
    --------
    >>> quantile_errors([1.0, 2.0, 4.0], [1.0, 3.0, 4.0], [0.5]).tolist()
    [0.5]
    """
    truth = np.asarray(real, dtype=float)
    wanted, made = np.quantile(truth, levels), np.quantile(np.asarray(synth, dtype=float), levels)
    largest = float(np.abs(truth).max()) or 1.0
    scale = np.where(wanted != 0, np.abs(wanted), largest)
    return np.asarray(np.abs(made - wanted) / scale, dtype=float)


def top_share(values: ArrayLike, top: float) -> float:
    """Share of the total that the top share of rows holds.

    Examples
    --------
    >>> top_share([6.0, 3.0, 1.0], 0.4)
    0.9
    """
    return _top_share(_ranked(values), top)


def gini(values: ArrayLike) -> float:
    """Gini coefficient: 0 if all are equal, close to 1 if one holds everything.

    Examples
    --------
    >>> gini([1.0, 3.0])
    0.25
    """
    return _gini(_ranked(values))


def hill_index(values: ArrayLike) -> float:
    """Hill's estimate of the tail's index from the top 5% of values, at least ten; they must be positive."""
    return _hill_index(_ranked(values))


def mean_excess(values: ArrayLike, threshold: float) -> float:
    """Mean of what exceeds a threshold; 0 if nothing does."""
    array = np.asarray(values, dtype=float)
    above = array[array > threshold]
    return float(above.mean() - threshold) if above.size else 0.0


def tail_threshold(values: ArrayLike) -> float:
    """Level above which the mean excess is taken: the 95% quantile."""
    return float(np.quantile(np.asarray(values, dtype=float), 1 - _TAIL))


def tail_profile(values: Floats, threshold: float) -> Floats:
    """Every figure behind `MEASURES`, in their order; NaN where the column has none."""
    ranked = _ranked(values)
    figures = [partial(_top_share, ranked, top) for top in TOPS]
    figures += [partial(_gini, ranked), partial(_hill_index, ranked), partial(mean_excess, ranked, threshold)]
    return np.array([*np.quantile(ranked, LEVELS), *(_or_nan(figure) for figure in figures)])


def tail_scale(profile: Floats, largest: float) -> Floats:
    """Say what each figure's difference is divided by: itself, or 1 for shares and the Gini coefficient."""
    scale = np.abs(profile)
    # A quantile of 0 is no scale; the largest absolute value is.
    scale[: len(LEVELS)] = np.where(profile[: len(LEVELS)] != 0, scale[: len(LEVELS)], largest or 1.0)
    scale[len(LEVELS) : len(LEVELS) + len(TOPS) + 1] = 1.0
    return np.asarray(np.where(scale > 0, scale, np.nan))


def _or_nan(figure: Callable[[], float]) -> float:
    try:
        return figure()
    except DataError:
        return float("nan")


def _ranked(values: ArrayLike) -> Floats:
    return np.sort(np.asarray(values, dtype=float))


def _top_share(ranked: Floats, top: float) -> float:
    _require_total(ranked, "top share")
    many = ceil(top * ranked.size - 1e-9)  # .1 of 30 is 3, whatever rounding says
    return float(ranked[-many:].sum() / ranked.sum())


def _gini(ranked: Floats) -> float:
    _require_total(ranked, "gini")
    n = ranked.size
    return float((2 * np.arange(1, n + 1) - n - 1) @ ranked / (n * ranked.sum()))


def _hill_index(ranked: Floats) -> float:
    k = max(int(_TAIL * ranked.size), _LEAST_TAIL)
    if ranked.size <= k or ranked[-k - 1] <= 0:
        raise DataError("hill index: the tail has too few values, or some that are not positive.")
    return float(np.mean(np.log(ranked[-k:])) - np.log(ranked[-k - 1]))


def _require_total(ranked: Floats, what: str) -> None:
    if ranked[0] < 0 or ranked[-1] <= 0:
        raise DataError(f"{what}: the column has negative values, or no positive one.")
