"""Measures of where a column's values lie and how heavy its tail is: quantiles, top shares, Gini, Hill index, totals.

With x_(1) >= ... >= x_(n) the known values in falling order:

    quantile error   |q_synthetic - q_real| / |q_real| at a level
    top share        share of the total held by the top 1% or 10% of rows (their number rounded up)
    Gini             sum over i of (n + 1 - 2 i) x_(i), over n times the total
    Hill index       mean of log x_(i) - log x_(k+1) over the top k = 5% of rows; 1 over the power of a Pareto tail
    mean, total      relative error of the mean of the known values, and of the sum over all rows, for as many rows
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from quantail.arrays import Floats, Integers
from quantail.errors import DataError
from quantail.evaluation.independent import split_null
from quantail.evaluation.measure import SHARE, Family, Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.references import EMBRECHTS, GINI, HILL, PIKETTY
from quantail.evaluation.rows import Rows

LEVELS = (0.5, 0.9, 0.99, 0.999)
TOPS = (0.01, 0.1)

_TAIL = 0.05  # share of rows behind the Hill index
_LEAST_TAIL = 10
_NO_TAIL = "it needs a column that varies, without negative values and with enough of them in its tail"
_NULL = "what random parts of the real rows differ by, brought to the tables' sizes"


def _relative(name: str, title: str, of: str, reference: str, family: Family = "tails") -> Measure:
    return Measure(name, title, family, f"Relative error of {of}.", _NULL, reference)


def _difference(name: str, title: str, of: str, reference: str) -> Measure:
    return Measure(name, title, "tails", f"Difference in {of}.", _NULL, reference, SHARE)


MEASURES = (
    _relative("quantile_error_50", "Error of the median", "the median", EMBRECHTS, "columns"),
    _relative("quantile_error_90", "Error of the 90% quantile", "the 90% quantile", EMBRECHTS, "columns"),
    _relative("quantile_error_99", "Error of the 99% quantile", "the 99% quantile", EMBRECHTS),
    _relative("quantile_error_99.9", "Error of the 99.9% quantile", "the 99.9% quantile", EMBRECHTS),
    _difference(
        "top_1_share", "Share of the top 1%", "the share of the total that the top 1% of rows hold", PIKETTY
    ),
    _difference(
        "top_10_share",
        "Share of the top 10%",
        "the share of the total that the top 10% of rows hold",
        PIKETTY,
    ),
    _difference("gini_difference", "Gini coefficient", "the Gini coefficient of inequality", GINI),
    _relative(
        "hill_error", "Error of the tail index", "Hill's index of the top 5%: how heavy the tail is", HILL
    ),
    _relative("mean_error", "Error of the mean", "the mean of the known values", EMBRECHTS),
    _relative(
        "total_error", "Error of the total", "the total, missing values as 0, for as many rows", EMBRECHTS
    ),
)


def add(rows: Rows, pair: Pair) -> None:
    """Add what each number's quantiles, tail and totals are off by."""
    if not rows.wants(*MEASURES):
        return
    rng = np.random.default_rng(0)
    for name in pair.numeric:
        if name in pair.sizeless:
            rows.skip(
                MEASURES,
                (name,),
                "a date or year has no size that an error could be relative to, and no total",
            )
            continue
        try:
            pair.known(name)
        except DataError as error:
            rows.skip(MEASURES, (name,), str(error))
            continue
        _add_column(rows, name, np.sort(pair.real[name]), np.sort(pair.synth[name]), rng)


def _add_column(rows: Rows, name: str, real: Floats, synth: Floats, rng: np.random.Generator) -> None:
    """Add the measures of one column, given in rising order with missing values last."""
    truth = tail_profile(real)
    scale = _scale(truth, float(np.nanmax(np.abs(real))))

    def of_part(places: Integers) -> Floats:
        return tail_profile(real[places])  # rising places: the part is in order, too

    # All rows: errors of heavy tails do not shrink like the root of a sample's size.
    null = split_null(of_part, real.size, synth.size, None, rng) / scale
    errors = np.abs(tail_profile(synth) - truth) / scale
    for measure, error, expected in zip(MEASURES, errors, null, strict=True):
        if np.isfinite(error):
            rows.put(measure, (name,), float(error), float(expected))
        else:
            rows.skip((measure,), (name,), _NO_TAIL)


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
    return np.asarray(np.abs(made - wanted) / _quantile_scale(wanted, float(np.abs(truth).max())))


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


def is_heavy(values: Floats) -> bool:
    """Say whether a linear scale would squeeze most values into a corner.

    Either an outer quantile is more than six interquartile ranges from the median (an exponential's is four), or
    nothing is negative and the largest value is more than fifteen times the median.
    """
    far_low, low, middle, high, far_high = np.quantile(values, [0.005, 0.25, 0.5, 0.75, 0.995])
    reach = max(far_high - middle, middle - far_low)
    return bool(reach > 6 * (high - low) or (values.min() >= 0 and values.max() > 15 * middle > 0))


def tail_profile(ranked: Floats) -> Floats:
    """Every figure behind `MEASURES`, of values in rising order (missing ones last); NaN where there is none."""
    known = ranked[: np.searchsorted(ranked, np.nan)]
    if not known.size:
        return np.full(len(MEASURES), np.nan)
    figures = [partial(_top_share, known, top) for top in TOPS]
    figures += [partial(_gini, known), partial(_hill_index, known)]
    total = float(known.sum())
    return np.array(
        [
            *np.quantile(known, LEVELS),
            *(_or_nan(figure) for figure in figures),
            total / known.size,
            total / ranked.size,
        ]
    )


def _scale(profile: Floats, largest: float) -> Floats:
    """Say what each figure's difference is divided by: itself, or 1 for shares and the Gini coefficient."""
    scale = np.abs(profile)
    scale[: len(LEVELS)] = _quantile_scale(profile[: len(LEVELS)], largest)
    scale[len(LEVELS) : len(LEVELS) + len(TOPS) + 1] = 1.0
    return np.asarray(np.where(scale > 0, scale, np.nan))


def _quantile_scale(quantiles: Floats, largest: float) -> Floats:
    # A quantile of 0 is no scale; the largest absolute value is.
    return np.asarray(np.where(quantiles != 0, np.abs(quantiles), largest or 1.0))


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
    if ranked[-1] == ranked[-k - 1]:
        raise DataError("hill index: all values of the tail are the same.")
    return float(np.mean(np.log(ranked[-k:])) - np.log(ranked[-k - 1]))


def _require_total(ranked: Floats, what: str) -> None:
    if ranked[0] < 0 or ranked[-1] <= 0:
        raise DataError(f"{what}: the column has negative values, or no positive one.")
