"""The tail question: the sum of a column above a threshold, cut; and the tail that follows from it.

What a model implies beyond its last released quantile is extrapolation, and it decides totals. One number says how
far it is off: with t a high quantile of what the model implies and a cut above it, both public functions of released
values, the sum of min(x, cut) over rows with x > t. Each row adds a whole number from 0 to 2^20, in units of
cut / 2^20, so one row moves the sum by 2^20 at most. Proof: privacy/proofs/sums.md.

The tail above t is generalised Pareto, x = t (1 + sigma (e^(xi E) - 1) / xi) with E exponential. sigma and xi are
fitted to the sum by penalised likelihood: log sigma near the log of the growth that the model implies at t, xi near a
usual one. Ranks are kept: the map (`top.py`) only moves values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quantail.curves.cap import capped, implied_growth, pareto_growth
from quantail.curves.rows import Vector
from quantail.curves.top import Implied, Top, rarest_level, top_of
from quantail.curves.tuning import (
    CUT_GROWTH,
    CUT_POWER,
    CUT_SHARE,
    FAR_SHARES,
    FARTHER,
    HEAVIER,
    LEAST_ABOVE,
    LEAST_CUT,
    LEAST_SHARE,
    LIGHTEST_SHAPE,
    MANY_ROWS,
    MOST_ABOVE,
    SHAPE_SPREAD,
    SHARE_OF_FEW,
    SHARE_OF_MANY,
    SIGMA_SPREAD,
    STEEPEST,
    TAIL_MODEL_ERROR,
    TOLD_SPREAD,
    TOP_ROWS,
    USUAL_SHAPE,
)
from quantail.privacy import Gate, Plan

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNITS = 2**20
"""Parts of the cut in which sums are counted."""

_RARITY = np.linspace(0.0025, 19.9975, 4000)


@dataclass(frozen=True)
class Told:
    """A quantile that counts tell of: rows above it, out of those beyond an atom, and the value."""

    share: float
    value: float


@dataclass(frozen=True)
class Threshold:
    """Where the tail question starts and is cut: public functions of released values."""

    # start, cut: threshold and cut, in the column's unit
    start: float
    cut: float
    share: float  # rows above the threshold, out of those beyond an atom, as the model implies
    growth: float  # the implied slope of log quantiles there
    rows: float  # rows beyond an atom, as released
    # the shape that is expected: a usual one, or that of earlier or of the implied tail, if it is heavier
    shape: float = USUAL_SHAPE
    told: Told | None = None  # a higher quantile that counts tell of


def choose_threshold(
    implied: Implied,
    present: float,
    epsilon: float,
    known: float = 0.9,
    shapes: Sequence[float] = (),
    counted: float = 0.0,
) -> Threshold:
    """Return where to ask: where released quantiles end, with rows enough above.

    Parameters
    ----------
    present : float
        Released number of rows that have a number.
    epsilon : float
        Epsilon of the question.
    known : float
        The highest level at which a quantile of the column was released.
    shapes : sequence of float
        Shapes of the tails of earlier columns: those of one table are alike.
    counted : float
        The highest level up to which counts of cells tell where rows are.
    """
    rows = max(present * implied.share, 1.0)
    most = SHARE_OF_FEW if rows <= MANY_ROWS else SHARE_OF_MANY
    share = min(max(1 - known, LEAST_SHARE), most)
    share = max(share, min(LEAST_ABOVE / (rows * epsilon), MOST_ABOVE))
    (quantile,) = implied.quantile(np.array([1 - share]))
    start = max(float(quantile), implied.scale.step)
    growth = implied_growth(implied.quantile, share)
    body = np.minimum(implied.scale.unfolded(implied.ordered), start)
    below = rows * float(np.mean(np.maximum(body, 0.0)))
    highest = max(start * (rows * share / TOP_ROWS) ** growth, LEAST_CUT * start)
    least = max(LEAST_CUT, (rows * share * epsilon) ** (CUT_POWER * growth**CUT_GROWTH))
    cut = float(np.clip(CUT_SHARE * epsilon * below, least * start, max(highest, least * start)))
    low, high = np.maximum(implied.quantile(1 - np.array(FAR_SHARES)), start)
    found = float((np.log(high) - np.log(low)) / np.log(FAR_SHARES[0] / FAR_SHARES[1]))
    usual = min(USUAL_SHAPE, growth) + HEAVIER * max(growth - USUAL_SHAPE, 0.0)
    shape = min(max(found, float(np.mean([usual, *shapes]))), STEEPEST)
    return Threshold(start, cut, share, growth, rows, shape, _told(implied, share, start, counted))


def _told(implied: Implied, share: float, start: float, counted: float) -> Told | None:
    """Return the quantile that counts tell of, if it lies well above the threshold."""
    if 1 - counted > FARTHER * share:
        return None
    (value,) = implied.quantile(np.array([counted]))
    return Told(1 - counted, max(float(value), start))


def draw_tail_sum(gate: Gate, leaf: Plan, values: Vector | Floats, threshold: Threshold) -> float:
    """Release the sum of min(x, cut) over rows with x > start, in the column's unit; absent values add nothing."""
    count = partial(cut_units, start=threshold.start, cut=threshold.cut)
    total = Vector.of(values).total(lambda part: np.array([count(part).sum()]))
    return gate.sum(leaf, int(total[0]), UNITS) * threshold.cut / UNITS


def cut_units(values: Floats, start: float, cut: float) -> Integers:
    """Return what each row adds to the sum: a whole number from 0 to `UNITS`.

    Examples
    --------
    >>> cut_units(np.array([1.0, 3.0, 50.0, np.nan]), start=2.0, cut=6.0).tolist()
    [0, 524288, 1048576, 0]
    """
    above = np.where(values > start, values, 0.0)
    return np.rint(np.clip(above, 0.0, cut) / cut * UNITS).astype(np.int64)


def fit_tail(implied: Implied, threshold: Threshold, sigma: float, shape: float, known: float = 0.0) -> Top:
    """Return the map that gives a column a generalised Pareto tail, within its cap beyond the level `known`."""

    def wanted(levels: Floats) -> Floats:
        rarity = np.log(threshold.share / np.minimum(1 - levels, threshold.share))
        grown = threshold.start * pareto_growth(rarity, sigma, shape)
        return np.minimum(grown, capped(implied.quantile, levels, implied.scale.crossover, known))

    levels = implied.top_levels(threshold.share)
    (highest,) = wanted(rarest_level(threshold.rows))
    return top_of(implied, levels, wanted(levels), float(highest))


def likeliest_tail(threshold: Threshold, total: float, noise: float) -> tuple[float, float]:
    """Return sigma and xi that a released sum makes most likely.

    Examples
    --------
    >>> asked = Threshold(start=10.0, cut=1e4, share=0.1, growth=0.5, rows=10_000.0)
    >>> exact = 1000 * 10 * (1 + 0.5 / (1 - 0.5))  # the mean of a tail of index 2
    >>> likeliest_tail(asked, exact, 1.0)[1] < likeliest_tail(asked, 2 * exact, 1.0)[1]
    True
    """
    log_sigmas = np.log(threshold.growth) + np.linspace(-1.2, 1.2, 49)
    shapes = np.linspace(LIGHTEST_SHAPE, STEEPEST, 57)
    expected = _cut_means(np.exp(log_sigmas), shapes, threshold.cut / threshold.start)
    expected = expected * threshold.start * threshold.rows * threshold.share
    misfit = (total - expected) ** 2 / (noise**2 + (TAIL_MODEL_ERROR * expected) ** 2)
    prior = ((log_sigmas - np.log(threshold.growth)) / SIGMA_SPREAD)[:, None] ** 2
    prior = prior + ((shapes - threshold.shape) / SHAPE_SPREAD) ** 2
    if threshold.told is not None:
        misfit = misfit + _told_misfit(threshold, threshold.told, np.exp(log_sigmas), shapes)
    place = np.unravel_index(int(np.argmin(misfit + prior)), misfit.shape)
    return float(np.exp(log_sigmas[place[0]])), float(shapes[place[1]])


def _told_misfit(threshold: Threshold, told: Told, sigmas: Floats, shapes: Floats) -> Floats:
    """Return how far tails are from a quantile that counts tell of, in squared deviations."""
    rarity = np.array([np.log(threshold.share / told.share)])
    grown = np.stack([pareto_growth(rarity, 1.0, shape)[0] - 1 + 0 * sigmas for shape in shapes.tolist()], 1)
    found = np.log(1 + sigmas[:, None] * grown)
    return np.asarray(
        ((found - np.log(told.value / threshold.start)) / (TOLD_SPREAD * threshold.growth)) ** 2
    )


def _cut_means(sigmas: Floats, shapes: Floats, cut: float) -> Floats:
    """Return means of generalised Pareto tails from 1 on, cut: a row for each sigma, a column for each shape."""
    weights = np.exp(-_RARITY)
    weights /= weights.sum()
    below = np.append(0.0, np.cumsum(weights))  # mass of so many of the smallest values
    found = np.empty((sigmas.size, shapes.size))
    for place, shape in enumerate(shapes.tolist()):
        grown = pareto_growth(_RARITY, 1.0, shape) - 1  # ascending: the cut falls between two of them
        whole = np.searchsorted(grown, (cut - 1) / sigmas, side="right")
        total = np.append(0.0, np.cumsum(weights * grown))
        found[:, place] = below[whole] + sigmas * total[whole] + cut * (1 - below[whole])
    return found
