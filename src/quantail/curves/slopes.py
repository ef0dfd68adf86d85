"""One slope at a time, by a bounded instrument (DESIGN 4.2): KNG for the median without a bound on the predictor.

For residuals r_i(b) = y_i - b x_i and the sign instrument z_i = +1 if x_i > h, -1 if x_i <= l, 0 between (l <= h
released cuts of x), the max norm of the median regression's gradient, minimised over the intercept a, is |A| + |B| with

    A(a) = #{z = +1, r <= a} - #{z = +1} / 2,    B(a) = #{z = -1, r <= a} - #{z = -1} / 2.

Twice that, with a minus, is the score of b (`slope_scores.py`). Rows between the cuts and rows whose x or y is
absent (NaN) count for nothing.
Proof: privacy/proofs/slopes.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats, Integers
from quantail.curves.depth import slope_stages, slope_step
from quantail.curves.rows import Vector, gathered
from quantail.curves.scale import Scale
from quantail.curves.slope_scores import score_slopes
from quantail.curves.tuning import (
    ENOUGH_N_EPSILON,
    FINE_REACH,
    LARGEST_RATIO,
    MOST_ROWS,
    ROUGH_N_EPSILON,
    ROUGH_ROWS,
    SLOPE_PRICE,
    SLOPE_REACH,
)
from quantail.privacy import Gate, Plan, Relation, Selection, selection_epsilon, split
from quantail.privacy.budget import Unit


def slope_sensitivity(relation: Relation) -> int:
    """Return how far one row can move any score."""
    return 2 if relation == "replace-one" else 1


class Reach(NamedTuple):
    """The largest slope that is considered, and what it costs in nats: a public prior, in proportion to the slope."""

    largest: float
    price: float = 0.0


def slope_reach(scale: Scale, width: float, least: float) -> Reach:
    """Return the largest slope on a predictor whose quartiles are so far apart, and its price."""
    low, high = scale.ends
    moved = SLOPE_REACH * (high - low)
    return Reach(moved / max(width, least), SLOPE_PRICE * moved if scale.log else 0.0)


def slope_candidates(reach: float, step: float) -> Floats:
    """Return the public list of a first stage: signed geometric slopes up to `reach`, a relative `step` apart."""
    number = int(np.log(LARGEST_RATIO) / np.log1p(step))
    sizes = reach * (1 + step) ** -np.arange(number, dtype=np.float64)
    return np.concatenate([-sizes, [0.0], sizes[::-1]])


def finer_candidates(slope: float, step: float) -> Floats:
    """Return the public list of a second stage: around the slope that the first one released."""
    number = int(FINE_REACH / step) + 1
    return np.asarray(slope * (1 + step * np.arange(-number, number + 1, dtype=np.float64)))


def slope_plan(on: str, cost: Fraction, n_epsilon: float, unit: Unit = "epsilon") -> Plan:
    """Return the leaves that `choose_slope` spends on a predictor."""
    shares = slope_stages(n_epsilon)
    words = ("single",) if len(shares) == 1 else ("coarse", "fine")
    parts = zip(words, split(cost, shares), strict=True)
    return Plan.sequence(f"slope on {on}", [Plan.leaf(word, part, "", unit) for word, part in parts])


def rows_needed(epsilon: float, last: bool) -> int:
    """Return how many rows a stage needs: noise is worth a fixed number of rows, so a weak leaf needs more of them."""
    least, n_epsilon = (MOST_ROWS, ENOUGH_N_EPSILON) if last else (ROUGH_ROWS, ROUGH_N_EPSILON)
    return max(least, int(n_epsilon / epsilon))


@dataclass(frozen=True)
class SlopeRules:
    """Public rules of the choice of a slope; the audit shortens lists so that they can be enumerated."""

    # from the largest slope and a relative spacing to the list of a first stage
    candidates: Callable[[float, float], Floats] = slope_candidates
    step: Callable[[float], float] = slope_step  # from n epsilon to that spacing
    # from the epsilon of a leaf, and whether its stage is the last, to the rows that it needs
    rows: Callable[[float, bool], int] = rows_needed


SLOPE_RULES = SlopeRules()


def choose_slope(
    gate: Gate,
    leaves: tuple[Plan, ...],
    y: Vector | Floats,
    x: Vector | Floats,
    cuts: tuple[float, float],
    reach: Reach,
    rows: int,
    doubt: float = 0.0,
    least_step: float = 0.0,
    rules: SlopeRules = SLOPE_RULES,
) -> float:
    """Release the slope of y on x.

    Parameters
    ----------
    leaves : tuple of Plan
        One leaf for a single selection; two for a coarse one and a finer one around it.
    cuts : tuple of float
        Public values of x: the instrument is -1 up to the first, +1 above the second, 0 between: see `best_cuts`.
    reach : Reach
        Largest slope that is considered: the range of y over the released spread of x; and its price.
    rows : int
        Public number of rows.
    doubt : float
        How much better than a slope of zero another must be, in nats.
    least_step : float
        Relative spacing of candidates below which nothing is gained: many of them would outvote a doubt.
    rules : SlopeRules
        Which slopes are considered, and on how many rows.
    """
    sensitivity = slope_sensitivity(gate.relation)
    slope = 0.0
    for stage, leaf in enumerate(leaves):
        last = stage == len(leaves) - 1
        epsilon = float(selection_epsilon(leaf.cost, gate.definition))
        most = rules.rows(epsilon, last)
        step = max(rules.step(min(rows, most) * epsilon), least_step)
        candidates = rules.candidates(reach.largest, step) if stage == 0 else finer_candidates(slope, step)
        part_y, part_x = told_apart(cuts, *subsample(gate, rows, most, Vector.of(y), Vector.of(x)))
        scores = score_slopes(part_y, part_x, cuts[0], candidates)
        scores += zero_bonus(candidates, sensitivity, epsilon, doubt)
        scores -= size_price(candidates, sensitivity, epsilon, reach)
        (index,) = gate.select(leaf, [Selection(scores, sensitivity)])
        slope = float(candidates[index])
    return slope


def told_apart(cuts: tuple[float, float], y: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return the rows of a part that the instrument counts: left out row by row, after the part was drawn."""
    counted = ~np.isnan(y) & ((x <= cuts[0]) | (x > cuts[1]))
    return y[counted], x[counted]


def zero_bonus(candidates: Floats, sensitivity: int, epsilon: float, doubt: float) -> Integers:
    """Return a public bonus for a slope of zero, worth `doubt` nats of noise: no effect unless it clearly shows."""
    return np.where(candidates == 0.0, round(2 * doubt * sensitivity / epsilon), 0).astype(np.int64)


def size_price(candidates: Floats, sensitivity: int, epsilon: float, reach: Reach) -> Integers:
    """Return what slopes cost by a public prior: where rows hardly tell, a large one is more often noise than not."""
    nats = reach.price * np.abs(candidates) / reach.largest
    return np.rint(2 * nats * sensitivity / epsilon).astype(np.int64)


def subsample(gate: Gate, rows: int, most: int, *vectors: Vector) -> tuple[NDArray[Any], ...]:
    """Return a secret uniform part of the rows: of fixed size under replace-one, Poisson under add/remove."""
    if rows <= most:
        return gathered(*vectors)
    if gate.relation == "replace-one":
        kept = vectors[0].at(gate.noise.subset(vectors[0].rows.size, most))
    else:
        kept = vectors[0].uniform(gate.noise).map(lambda coins: coins < most / rows)
    return gathered(*(vector.where(kept) for vector in vectors))
