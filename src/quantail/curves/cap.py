"""One cap on what a model implies for a column: how far its top may lie above its middle. Post-processing.

Curves, slopes, shifts and tables each stretch a tail, and their product may go beyond anything that was released.
So the cap looks at the marginal distribution that all of them together imply: above each of three anchors, the
quantiles at levels 1 - p, no quantile may lie higher than a generalised Pareto tail of shape `STEEPEST` puts it:

    Q(u) <= Q(1-p) (1 + h (e^(STEEPEST E) - 1) / STEEPEST),    E = log(p / (1-u)),

with h 3 from the median, 2 from the upper quartile, and from the upper decile the slope of log Q that is implied
there, within limits. So the tail index is never below 1 / STEEPEST, and the mean never above `most_of_mean` times
the anchor. Pareto columns of index 1.2 and lognormal ones of sigma 1.9 stay as they are.

Where the last released quantile is below the upper decile, it is an anchor too, and what lies beyond it is a guess:
the tail goes on as the implied quantiles grow there, within narrower limits the farther below the decile it is.
"""

from collections.abc import Callable

import numpy as np

from quantail.arrays import Floats
from quantail.curves.tuning import (
    ANCHORS,
    DECILE,
    GROWTH_AROUND,
    GUESSED_GROWTH,
    LEAST_GROWTH,
    MOST_GROWTH,
    STEEPEST,
    USUAL_SHAPE,
)


def pareto_growth(exponent: Floats, growth: float, shape: float) -> Floats:
    """Return how many times its anchor a generalised Pareto quantile is, e-folds of rarity beyond it.

    Examples
    --------
    >>> pareto_growth(np.array([0.0, 1.0]), 0.5, 0.5).round(3).tolist()
    [1.0, 1.649]
    """
    grown = np.expm1(shape * exponent) / shape if abs(shape) > 1e-9 else exponent
    return np.asarray(1 + growth * grown)


def implied_growth(quantile: Callable[[Floats], Floats], share: float = DECILE) -> float:
    """Return the slope of log quantiles along e-folds of rarity around a level 1 - share, within its limits."""
    around = share * np.array([GROWTH_AROUND, 1 / GROWTH_AROUND])
    low, high = np.maximum(quantile(1 - around), np.finfo(np.float64).tiny)
    slope = float((np.log(high) - np.log(low)) / np.log(around[0] / around[1]))
    return float(np.clip(slope, LEAST_GROWTH, MOST_GROWTH))


def capped(
    quantile: Callable[[Floats], Floats],
    levels: Floats,
    least: float,
    known: float = 0.0,
    released: float = 1.0,
) -> Floats:
    """Return the highest values that the cap allows at levels, given a quantile function of positive values.

    Parameters
    ----------
    least : float
        The smallest anchor: a lattice step, so that rows at zero do not forbid a tail.
    known : float
        The level up to which counts or quantiles tell where rows are: the cap says nothing of what lies below.
    released : float
        The level of the last quantile that was released.
    """
    last = min(DECILE, 1 - known)
    anchors = [(share, growth, STEEPEST) for share, growth in ANCHORS if share <= 1 - known]
    anchors.append((last, implied_growth(quantile, last), STEEPEST))
    guessed = min(1 - max(released, known), 0.5)
    if guessed > last:
        most, shape = guessed_tail(guessed)
        anchors.append((guessed, min(implied_growth(quantile, guessed), most), shape))
    limits = []
    for share, growth, shape in anchors:
        (anchor,) = quantile(np.array([1 - share]))
        rarity = np.log(share / np.minimum(1 - levels, share))
        limit = max(float(anchor), least) * pareto_growth(rarity, growth, shape)
        limits.append(np.where(levels > 1 - share, limit, np.inf))
    return np.asarray(np.min(limits, axis=0))


def guessed_tail(share: float) -> tuple[float, float]:
    """Return the largest growth and shape of a tail beyond the last released quantile, with so many rows above it.

    Examples
    --------
    >>> guessed_tail(0.1), guessed_tail(0.25), guessed_tail(0.5)
    ((1.5, 0.9), (1.0, 0.55), (1.0, 0.55))
    """
    part = float(np.interp(np.log(share), np.log([DECILE, ANCHORS[-1][0]]), [0.0, 1.0]))
    growth = MOST_GROWTH + part * (GUESSED_GROWTH - MOST_GROWTH)
    return growth, STEEPEST + part * (USUAL_SHAPE - STEEPEST)


def most_of_mean(growth: float, shape: float = STEEPEST) -> float:
    """Return the largest mean of values above an anchor, in units of the anchor, that its growth allows.

    Examples
    --------
    >>> round(most_of_mean(1.5), 6)
    16.0
    """
    return 1 + growth / (1 - shape)
