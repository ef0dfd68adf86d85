"""A tilt: a bend with two parameters, for budgets too small for bins.

With z(x) the normal score of a predictor under its released curve,

    shift(x)      = c |z(x)|       curvature: the residual is high (or low) at both ends of the predictor,
    log spread(x) = g z(x)         spread that grows or falls along the predictor.

Both are slopes, chosen by the same score as every slope: c of the residual on |z|, g of log|r - M| on z, where M is
the residual's released median. One selection each, and one released median in between; sensitivity as for slopes,
because r, z and log|r - M| are computed row by row from released parameters. Proof: privacy/proofs/slopes.md.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from quantail.privacy import Gate, Plan, Selection
from quantail.quantiles.bend import Bend
from quantail.quantiles.joint import draw_rungs
from quantail.quantiles.slopes import choose_slope, score_slopes, slope_sensitivity, subsample

Floats = NDArray[np.float64]

_KNOTS = 16
_TYPICAL_SIZE = 0.6745  # the median of |z|
_STEEPEST, _STEPS = 1.2, 24
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
    bent = choose_slope(gate, (curvature,), residual, np.abs(scores), _TYPICAL_SIZE, reach, rows)
    flat = residual - bent * (np.abs(scores) - _TYPICAL_SIZE)
    (middle,) = draw_rungs(gate, centre, flat, grid, np.array([0.5]), rows)
    sizes = np.log(np.maximum(np.abs(flat - middle), np.finfo(np.float64).tiny))
    grows = _choose_growth(gate, spread, sizes, scores, rows)
    at = ndtri((np.arange(_KNOTS) + 0.5) / _KNOTS)
    centres = innovation((np.arange(_KNOTS) + 0.5) / _KNOTS)
    centres = np.maximum.accumulate(centres) + 1e-12 * np.arange(_KNOTS)
    growth = tuple((grows * at).tolist())
    shift = bent * (np.abs(at) - _TYPICAL_SIZE)
    return Bend(tuple(centres.tolist()), tuple(shift.tolist()), growth, growth, float(middle), False)


def normal_scores(x: Floats, innovation: Callable[[Floats], Floats]) -> Floats:
    """Return the normal score of every value under a released quantile function, by interpolation."""
    knots = np.maximum.accumulate(innovation(_LEVELS)) + 1e-12 * np.arange(_LEVELS.size)
    return np.interp(x, knots, ndtri(_LEVELS))


def _choose_growth(gate: Gate, leaf: Plan, sizes: Floats, scores: Floats, rows: int) -> float:
    """Release the slope of log size on the normal score, from a short even list."""
    sizes, scores = subsample(gate, sizes, scores, rows)
    candidates = _STEEPEST * np.arange(-_STEPS, _STEPS + 1) / _STEPS
    found = score_slopes(sizes, scores, scores > 0, candidates)
    (index,) = gate.select(leaf, [Selection(found, slope_sensitivity(gate.relation))])
    return float(candidates[index])
