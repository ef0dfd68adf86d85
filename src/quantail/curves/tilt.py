"""A tilt: a bend with two parameters, for budgets too small for bins.

With z(x) the normal score of a predictor under its released curve,

    shift(x)      = c z(x)^2       curvature: the residual is high (or low) at both ends of the predictor (beyond two
                                   normal scores in a straight line, where few rows tell how steep it is; on log
                                   scales, where a tail too steep goes off by factors, beyond 1.25),
    log spread(x) = g z(x)         spread that grows or falls along the predictor; with signal enough, separately
                                   below and above the median.

These are slopes, chosen by the same score as every slope: c of the residual on z^2, g of log|r - M| on z, among the
rows below and among the rows above the residual's released median M. r, z and log|r - M| are computed row by row from
released parameters, so sensitivities are those of slopes; the two g's are asked of disjoint rows under one leaf: a
row that changes sides moves each score by half of what a replaced row may. Proof: privacy/proofs/tilt.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from quantail.curves.bend import Bend
from quantail.curves.joint import draw_rungs
from quantail.curves.rows import Vector
from quantail.curves.slope_scores import score_slopes
from quantail.curves.slopes import (
    SLOPE_RULES,
    Reach,
    SlopeRules,
    choose_slope,
    slope_sensitivity,
    subsample,
    zero_bonus,
)
from quantail.privacy import Gate, Plan, Selection, strength_of

Floats = NDArray[np.float64]

_KNOTS = 16
_STRAIGHT, _STRAIGHT_LOG = 2.0, 1.25
_TYPICAL_SQUARE = 0.4549  # the median of z^2
_STEEPEST = 0.6
_CURVE_STEP = 0.025
_TAILS = np.array([0.001, 0.004, 0.012])
_LEVELS = np.concatenate([_TAILS, (np.arange(4 * _KNOTS) + 0.5)[2:-2] / (4 * _KNOTS), 1 - _TAILS[::-1]])
_PLACES = np.concatenate([_TAILS, (np.arange(_KNOTS) + 0.5) / _KNOTS, 1 - _TAILS[::-1]])


@dataclass(frozen=True)
class TiltRules:
    """Public rules of a tilt; the audit shortens lists so that they can be enumerated.

    Attributes
    ----------
    steps : int
        Candidates for the growth of spread, to either side of none.
    two_sides : float
        n epsilon from which spread below and above the median are told apart.
    curve_doubt, spread_doubt : float
        Nats: a tilt appears only where there is one.
    slopes : SlopeRules
        Rules of the curvature, and how many rows the growth of spread needs.
    """

    steps: int = 12
    two_sides: float = 250.0
    curve_doubt: float = 8.0
    spread_doubt: float = 5.0
    slopes: SlopeRules = SLOPE_RULES


TILT_RULES = TiltRules()


def draw_tilt(
    gate: Gate,
    leaves: Sequence[Plan],
    residual: Vector | Floats,
    x: Vector | Floats,
    innovation: Callable[[Floats], Floats],
    grid: Floats,
    reach: float,
    rows: int,
    absent: float = 0.0,
    log: bool = False,
    rules: TiltRules = TILT_RULES,
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
    absent : float
        Released share of rows whose residual is absent (NaN).
    log : bool
        True if the residual is on a log scale.
    rules : TiltRules
        Which tilts are considered.
    """
    curvature, centre, spread = leaves
    scores = Vector.of(x).map(partial(normal_scores, innovation=innovation)).kept()
    bend = partial(_bowl, straight=_STRAIGHT_LOG if log else _STRAIGHT)
    bowl = scores.map(bend)
    cuts = (_TYPICAL_SQUARE, _TYPICAL_SQUARE)
    bent = choose_slope(
        gate,
        (curvature,),
        residual,
        bowl,
        cuts,
        Reach(reach),
        rows,
        doubt=rules.curve_doubt,
        least_step=_CURVE_STEP,
        rules=rules.slopes,
    )
    flat = Vector.of(residual).map(partial(_flattened, bent=bent), bowl).kept()
    (middle,) = draw_rungs(gate, centre, flat, grid, np.array([absent + (1 - absent) * 0.5]), rows)
    sizes = flat.map(lambda part: np.log(np.maximum(np.abs(part - middle), np.finfo(np.float64).tiny)))
    side = flat.map(lambda part: part > middle)
    below, above = choose_growth(gate, spread, sizes, scores, side, rows, rules)
    centres = np.unique(innovation(_PLACES))
    at = normal_scores(centres, innovation)
    tables = (centres, bent * (bend(at) - _TYPICAL_SQUARE), below * at, above * at)
    places, shift, lower, upper = (tuple(table.tolist()) for table in tables)
    return Bend(places, shift, lower, upper, float(middle), steps=False)


def _bowl(z: Floats, straight: float) -> Floats:
    """Return z^2, continued in a straight line beyond a point."""
    inner = np.minimum(np.abs(z), straight)
    return np.asarray(inner * (2 * np.abs(z) - inner))


def _flattened(residual: Floats, bowl: Floats, bent: float) -> Floats:
    """Take curvature out of a residual; a predictor that is absent counts as its middle, where the bowl is 0."""
    return np.asarray(residual - bent * (np.where(np.isnan(bowl), 0.0, bowl) - _TYPICAL_SQUARE))


def normal_scores(x: Floats, innovation: Callable[[Floats], Floats]) -> Floats:
    """Return the normal score of every value under a released quantile function, by interpolation.

    A value that many rows have is scored by the middle of its levels.
    """
    knots, number = np.unique(innovation(_LEVELS), return_counts=True)
    last = np.cumsum(number)
    middle = (_LEVELS[last - number] + _LEVELS[last - 1]) / 2
    return np.asarray(np.interp(x, knots, ndtri(middle)))


def choose_growth(
    gate: Gate,
    leaf: Plan,
    sizes: Vector,
    scores: Vector,
    upper: Vector,
    rows: int,
    rules: TiltRules = TILT_RULES,
) -> tuple[float, float]:
    """Release the slopes of log size on the normal score, below and above the median, from a short even list."""
    strength = float(strength_of(leaf.cost, gate.definition))
    size, z, above = subsample(gate, rows, rules.slopes.rows(strength, True), sizes, scores, upper)
    present = ~(np.isnan(size) | np.isnan(z))
    size, z, above = size[present], z[present], above[present]
    candidates = _STEEPEST * np.arange(-rules.steps, rules.steps + 1) / rules.steps
    sensitivity = slope_sensitivity(gate.relation)
    bonus = zero_bonus(candidates, sensitivity, strength, rules.spread_doubt)
    sides = [np.full(z.size, True)] if rows * strength < rules.two_sides else [~above, above]
    found = [score_slopes(size[side], z[side], 0.0, candidates) for side in sides]
    chosen = gate.select(leaf, [Selection(scores + bonus, sensitivity) for scores in found])
    return float(candidates[chosen[0]]), float(candidates[chosen[-1]])
