"""Public lists of candidate lines, measured as offsets from a released median plane, and a public prior on them.

A line is a tuple of offsets at the ends of an index: one number if slopes are fixed (the same everywhere), two if they
vary (at index 0 and at index 1).

    free      anywhere: geometric distances from the median to both sides, all alike
    beyond    outside the last released line: geometric distances, best the spacing to be expected there
    between   between two released lines: shares of the way, best the one that the level suggests

A prior is worth a few nats, however small the budget. Where a query has next to no budget, the answer
is a draw from the prior, which therefore has no heavy tails; where it has some, rows outweigh the prior. Nothing here
sees a row.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from quantail.arrays import Floats
from quantail.orders.rules import LINE_RULES, LineRules
from quantail.orders.steps import MEDIAN, Step
from quantail.orders.tuning import (
    CONCENTRATION,
    GUESS_SPREAD,
    LEAN_SPREAD,
    LEAST_PRIOR,
    OTHER_SIDE_SPREAD,
    SAME_SIDE_SPREAD,
    SPACING_SPREAD,
    STRAIGHT,
    TILT_SPREAD,
)


@dataclass(frozen=True)
class Candidates:
    """Candidate lines, one row each, and their log prior in nats, at most zero."""

    lines: Floats
    prior: Floats


@dataclass(frozen=True)
class Surroundings:
    """What is known of a column's offsets before the first of them is released."""

    # low, high: offsets at each end of the index beyond which a line would leave the column's public range
    low: Floats
    high: Floats
    least: float  # smallest spacing that matters
    guess: float  # a first guess at the distance of lines, per unit of the logistic scale of levels
    noise: float  # how far noise moves the rank of a line, as a share of all rows
    rules: LineRules = LINE_RULES  # how long lists of candidates are


def candidates_for(step: Step, released: Mapping[Fraction, Floats], around: Surroundings) -> Candidates:
    """Return the candidates of a step, given the offsets released so far, the median's among them."""
    if step.below is not None and step.above is not None:
        low, high = released[step.below], released[step.above]
        return between(low, high, relative_level(step.tau, step.below, step.above), around.rules)
    last = step.below if step.below is not None else step.above
    if last is None:
        return free(released[MEDIAN].size, around)
    return beyond(step.tau, last, released, around)


def free(ends: int, around: Surroundings) -> Candidates:
    """Return offsets on both sides of the median, and the median itself, without preference."""
    out, _ = _tilted(around, ends)
    lines = np.concatenate([-out, np.zeros((1, ends)), out])
    return _within(lines, np.zeros(len(lines)), np.zeros(ends), around)


def beyond(
    tau: Fraction, last: Fraction, released: Mapping[Fraction, Floats], around: Surroundings
) -> Candidates:
    """Return offsets farther out than the line at level `last`, on the side of `tau`."""
    side = 1.0 if tau > last else -1.0
    anchor = released[last]
    expected, spread = _expected_spacing(tau, last, released, around)
    typical = float(np.exp(np.mean(np.log(expected))))
    out, tilt_prior = _tilted(around, anchor.size)
    distance = np.exp(np.log(out).mean(axis=1))
    prior = tilt_prior + _log_prior(np.log(distance / typical) / spread)
    # Tilts are measured from the way in which the lines before opened up.
    return _within(anchor + side * out * (expected / typical), prior, anchor, around)


def between(low: Floats, high: Floats, t: float, rules: LineRules = LINE_RULES) -> Candidates:
    """Return offsets from `low` to `high`, best at the share `t` of the way."""
    shares = np.linspace(0.0, 1.0, rules.parts[low.size - 1] + 1)
    inside = np.clip(shares, 1e-9, 1 - 1e-9)
    prior = CONCENTRATION * (t * np.log(inside / t) + (1 - t) * np.log((1 - inside) / (1 - t)))
    places = shares[:, None]
    if low.size == 2:
        leans = np.array(rules.leans)
        lean = np.column_stack([leans, -leans])
        places = np.clip(shares[:, None, None] + lean[None, :, :], 0.0, 1.0).reshape(-1, 2)
        prior = (prior[:, None] - (leans / LEAN_SPREAD) ** 2 / 2).ravel()
    # Rounding may carry the sum past the upper line by a hair, and lines must not cross by a hair either.
    lines = np.clip(low + places * (high - low), low, high)
    return Candidates(lines, np.maximum(prior, LEAST_PRIOR))


def relative_level(tau: Fraction, below: Fraction, above: Fraction) -> float:
    """Return how far tau lies between two levels on the logistic scale, where tails are not crowded."""
    low, middle, high = (_logit(level) for level in (below, tau, above))
    return (middle - low) / (high - low)


def _expected_spacing(
    tau: Fraction, last: Fraction, released: Mapping[Fraction, Floats], around: Surroundings
) -> tuple[Floats, float]:
    """Return the spacing to be expected at each end, and how far off its logarithm may be.

    The distance of lines per unit of the logistic scale has a first guess, and an estimate from the outermost line of
    either side; they are weighted by how sure they are. A line near the median says little: noise moves its rank.
    """
    sides = [level for level in (min(released), max(released)) if level != MEDIAN]
    logs, weights = [np.full(released[MEDIAN].size, math.log(around.guess))], [GUESS_SPREAD**-2]
    for level in sides:
        noise = around.noise / abs(float(level - MEDIAN))
        other = 0.0 if (level > MEDIAN) == (tau > MEDIAN) else OTHER_SIDE_SPREAD
        logs.append(np.log(np.maximum(np.abs(released[level]), around.least) / abs(_logit(level))))
        weights.append(1 / (noise**2 + other**2 + SAME_SIDE_SPREAD**2))
    unit = np.exp(np.average(logs, axis=0, weights=weights))
    # Never more than evenly spread lines would leave between each other up to the public bound.
    anchor, rest = released[last], 1 - last if tau > last else last
    room = (around.high - anchor if tau > last else anchor - around.low) * float(abs(tau - last) / rest)
    spacing = np.minimum(unit * abs(_logit(tau) - _logit(last)), room)
    return np.maximum(spacing, around.least), math.sqrt(1 / sum(weights) + SPACING_SPREAD**2)


def _within(lines: Floats, prior: Floats, anchor: Floats, around: Surroundings) -> Candidates:
    """Return the candidates inside the public range; if there are none, the line they start from is the only one."""
    inside = ((lines >= around.low) & (lines <= around.high)).all(axis=1)
    if not inside.any():
        return Candidates(anchor[None, :], np.zeros(1))
    return Candidates(lines[inside], prior[inside])


def _tilted(around: Surroundings, ends: int) -> tuple[Floats, Floats]:
    """Return offsets at one end or at both, and the log prior of how differently they go."""
    return _opened(float((around.high - around.low).max()), around.least, around.rules, ends)


@lru_cache(maxsize=64)  # every step of a column asks for the same
def _opened(reach: float, least: float, rules: LineRules, ends: int) -> tuple[Floats, Floats]:
    start, ratio = max(rules.smallest * reach, least), rules.ratio[ends - 1]
    number = max(math.ceil(math.log(reach / start) / math.log(ratio)), 1)
    distances = np.geomspace(start, reach, number + 1)
    if ends == 1:
        return distances[:, None], np.zeros(distances.size)
    tilts = np.array(rules.tilts)
    prior = np.tile(-((np.log(tilts) / TILT_SPREAD) ** 2) / 2, distances.size)
    both = np.column_stack([tilts**-0.5, tilts**0.5])
    return (distances[:, None, None] * both[None, :, :]).reshape(-1, 2), prior


def _log_prior(deviation: Floats) -> Floats:
    """Return the log density of a deviation: normal in the middle, exponential in the tails (Huber's)."""
    size = np.abs(deviation)
    return np.where(size <= STRAIGHT, -(size**2) / 2, -STRAIGHT * (size - STRAIGHT / 2))


def _logit(tau: Fraction) -> float:
    return math.log(tau / (1 - tau))
