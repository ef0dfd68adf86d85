"""A tilt: a bend with two parameters, for budgets too small for bins.

With z(x) the normal score of a predictor under its released curve,

    shift(x)      = c |z(x)|       curvature: the residual is high (or low) at both ends of the predictor,
    log spread(x) = g z(x)         spread that grows or falls along the predictor, separately below and above.

These are slopes, chosen by the same score as every slope: c of the residual on |z|, g of log|r - M| on z, among the
rows below and among the rows above the residual's released median M. r, z and log|r - M| are computed row by row from
released parameters, so sensitivities are those of slopes; the two g's are asked of disjoint rows under one leaf: a
row that changes sides moves each score by half of what a replaced row may. Proof: privacy/proofs/slopes.md.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from quantail.privacy import Gate, Plan, Selection, strength_of
from quantail.quantiles.bend import Bend
from quantail.quantiles.joint import draw_rungs
from quantail.quantiles.slopes import (
    choose_slope,
    rows_needed,
    score_slopes,
    slope_sensitivity,
    subsample,
    zero_bonus,
)

Floats = NDArray[np.float64]

_KNOTS = 16
_TYPICAL_SIZE = 0.6745  # the median of |z|
_STEEPEST, _STEPS = 1.2, 24
_DOUBT = 7.0  # nats: a tilt appears only where there is one
_APART = 1e3  # farther than any normal score
_LEVELS = np.clip((np.arange(4 * _KNOTS) + 0.5) / (4 * _KNOTS), 1e-3, 1 - 1e-3)


def draw_tilt(
    gate: Gate,
    leaves: Sequence[Plan],
    residual: Floats,
    x: Floats,
    innovation: Callable[[Floats], Floats],
    grid: Floats,
    reach: float,
    rows: int,
) -> Bend:
    """Release a tilt.

    Parameters
    ----------
    leaves : sequence of Plan
        For the curvature, the median and the spread.
    innovation : callable
        Released quantile function of the predictor.
    grid : array
        Public candidates for the median of the residual.
    reach : float
        Largest curvature that is considered, in units of the residual per normal score.
    """
    curvature, centre, spread = leaves
    scores = normal_scores(x, innovation)
    bent = choose_slope(gate, (curvature,), residual, np.abs(scores), _TYPICAL_SIZE, reach, rows, _DOUBT)
    flat = residual - bent * (np.abs(scores) - _TYPICAL_SIZE)
    (middle,) = draw_rungs(gate, centre, flat, grid, np.array([0.5]), rows)
    sizes = np.log(np.maximum(np.abs(flat - middle), np.finfo(np.float64).tiny))
    below, above = _choose_growth(gate, spread, sizes, scores, flat > middle, rows)
    at = ndtri((np.arange(_KNOTS) + 0.5) / _KNOTS)
    centres = innovation((np.arange(_KNOTS) + 0.5) / _KNOTS)
    centres = np.maximum.accumulate(centres) + 1e-12 * np.arange(_KNOTS)
    tables = (centres, bent * (np.abs(at) - _TYPICAL_SIZE), below * at, above * at)
    places, shift, lower, upper = (tuple(table.tolist()) for table in tables)
    return Bend(places, shift, lower, upper, float(middle), steps=False)


def normal_scores(x: Floats, innovation: Callable[[Floats], Floats]) -> Floats:
    """Return the normal score of every value under a released quantile function, by interpolation."""
    knots = np.maximum.accumulate(innovation(_LEVELS)) + 1e-12 * np.arange(_LEVELS.size)
    return np.interp(x, knots, ndtri(_LEVELS))


def _choose_growth(
    gate: Gate, leaf: Plan, sizes: Floats, scores: Floats, upper: NDArray[np.bool_], rows: int
) -> tuple[float, float]:
    """Release the slopes of log size on the normal score, below and above the median, from a short even list."""
    # The side travels with its row through the subsample as the sign of a zero-free marker.
    strength = float(strength_of(leaf.cost, gate.definition))
    most = rows_needed(strength, last=True)
    marker = np.where(upper, scores + _APART, scores - _APART)
    sizes, marked = subsample(gate, sizes, marker, rows, most)
    candidates = _STEEPEST * np.arange(-_STEPS, _STEPS + 1) / _STEPS
    sensitivity = slope_sensitivity(gate.relation)
    bonus = zero_bonus(candidates, sensitivity, strength, _DOUBT)
    questions = []
    for side, offset in ((marked < 0, -_APART), (marked > 0, _APART)):
        z = marked[side] - offset
        found = score_slopes(sizes[side], z, z > 0, candidates)
        questions.append(Selection(found + bonus, sensitivity))
    below, above = gate.select(leaf, questions)
    return float(candidates[below]), float(candidates[above])
