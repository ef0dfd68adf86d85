"""Public lists of candidate lines, measured as offsets from a released median plane.

A line is a tuple of offsets at the ends of an index: one number if slopes are fixed (the same everywhere), two if they
vary (at index 0 and at index 1). A list covers what is possible and is dense where a line is to be expected from the
released lines around it: where the budget of a question is a sliver, the answer is little more than a draw from
its list, so the list must not invite runaway draws.

    free      anywhere: geometric distances from the median to both sides
    beyond    outside the last released line: multiples of the spacing to be expected there
    between   between two released lines: crowded around the place that the level suggests

Nothing here sees a row.
"""

import functools
import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from quantail.quantiles.orders import MEDIAN, Step

Floats = NDArray[np.float64]

_SMALLEST = 1e-5  # smallest distance, as a share of the largest
_RATIO = {1: 1.04, 2: 1.09}  # of neighbouring distances: coarser where there are two ends
_TILTS = np.array([0.25, 0.4, 0.6, 0.8, 1.0, 1.25, 1.7, 2.5, 4.0])  # offset at index 1 over that at index 0
_FEWEST, _MOST, _MOST_FIRST = 0.02, 8.0, 50.0  # multiples of the expected spacing
_CONCENTRATION = 8.0
_CROWDED, _EVEN = {1: 120, 2: 40}, {1: 60, 2: 20}
_LEANS = np.linspace(-0.3, 0.3, 7)


def candidates_for(
    step: Step, released: Mapping[Fraction, Floats], reach: float, least: float
) -> NDArray[np.float64]:
    """Return the candidate lines of a step, one row each.

    Parameters
    ----------
    released : mapping
        Offsets of the lines released so far, the median among them.
    reach : float
        Largest offset: the width of the column's public range.
    least : float
        Smallest spacing that matters.
    """
    if step.below is not None and step.above is not None:
        low, high = released[step.below], released[step.above]
        return between(low, high, relative_level(step.tau, step.below, step.above))
    last = step.below if step.below is not None else step.above
    if last is None:
        return free(released[MEDIAN].size, reach, least)
    return beyond(step.tau, last, released, reach, least)


def free(ends: int, reach: float, least: float) -> Floats:
    """Return offsets on both sides of the median, and the median itself."""
    out = _tilted(_distances(reach, least, _RATIO[ends]), ends)
    return np.concatenate([-out, np.zeros((1, ends)), out])


def beyond(
    tau: Fraction, last: Fraction, released: Mapping[Fraction, Floats], reach: float, least: float
) -> Floats:
    """Return offsets farther out than the line at level `last`, on the side of `tau`."""
    side = 1.0 if tau > last else -1.0
    anchor = released[last]
    expected = _expected_spacing(tau, last, released)
    if expected is None:
        out = _tilted(_distances(reach, least, _RATIO[anchor.size]), anchor.size)
    else:
        most = _MOST_FIRST if last == MEDIAN else _MOST
        multiples = _geometric(_FEWEST, most, _RATIO[anchor.size])
        out = _tilted(multiples, anchor.size) * np.maximum(expected, least)
    return np.clip(anchor + side * out, -reach, reach)


def between(low: Floats, high: Floats, t: float) -> Floats:
    """Return offsets from `low` to `high`, crowded around the share `t` of the way."""
    shares = _shares_of_the_way(round(t, 6), low.size)
    # Rounding may carry the sum past the upper line by a hair, and lines must not cross by a hair either.
    return np.clip(low + shares * (high - low), low, high)


def relative_level(tau: Fraction, below: Fraction, above: Fraction) -> float:
    """Return how far tau lies between two levels on the logistic scale, where tails are not crowded."""
    low, middle, high = (_logit(level) for level in (below, tau, above))
    return (middle - low) / (high - low)


def _expected_spacing(tau: Fraction, last: Fraction, released: Mapping[Fraction, Floats]) -> Floats | None:
    """Return the spacing if lines go on as they did from the median to `last` (or else on the other side)."""
    known = last
    if last == MEDIAN:
        known = max(released, key=lambda level: abs(level - MEDIAN))
        if known == MEDIAN:
            return None
    spread = np.abs(released[known] - released[MEDIAN]) / abs(_logit(known))
    return np.asarray(spread * abs(_logit(tau) - _logit(last)))


@functools.lru_cache(maxsize=1024)
def _shares_of_the_way(t: float, ends: int) -> Floats:
    crowded = (np.arange(_CROWDED[ends]) + 0.5) / _CROWDED[ends]
    places = beta.ppf(crowded, _CONCENTRATION * t, _CONCENTRATION * (1 - t))
    shares = np.unique(np.concatenate([places, np.linspace(0, 1, _EVEN[ends] + 1)]))
    if ends == 1:
        return np.asarray(shares[:, None])
    lean = np.column_stack([_LEANS, -_LEANS])
    return np.clip(shares[:, None, None] + lean[None, :, :], 0, 1).reshape(-1, 2)


def _tilted(distances: Floats, ends: int) -> Floats:
    if ends == 1:
        return distances[:, None]
    tilts = np.column_stack([_TILTS**-0.5, _TILTS**0.5])
    return np.asarray((distances[:, None, None] * tilts[None, :, :]).reshape(-1, 2))


def _distances(reach: float, least: float, ratio: float) -> Floats:
    return _geometric(max(_SMALLEST * reach, least), reach, ratio)


def _geometric(start: float, stop: float, ratio: float) -> Floats:
    number = max(int(np.ceil(np.log(stop / start) / np.log(ratio))), 1)
    return np.geomspace(start, stop, number + 1)


def _logit(tau: Fraction) -> float:
    return math.log(tau / (1 - tau))
