"""The sandwich with one change: a quantile is asked of the rows between its released neighbours only.

Bisection: the median first, then the middle rung of each half, and so on. Nodes of one level hold disjoint rows that
earlier levels fixed, so all of them share one leaf, where the sandwich pays for its quantiles one by one. Scores and
sensitivity are those of the ladder (proofs/ladder.md): with t = p / q the node's relative level,
-| q #{low < y <= c} - p #{low < y <= high} |. Candidates follow what is released, so that few of them lie far off:

    first       on both sides of the median, geometric distances up to the public range
    beyond      outside the last rung, geometric multiples of the spacing to be expected there
    between     between two rungs, crowded around the place that the level suggests
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from quantail.privacy import Gate, Plan, Relation, Selection
from quantail.quantiles.ladder import level_sensitivity

Floats = NDArray[np.float64]

MEDIAN = Fraction(1, 2)
_RATIO, _FEWEST, _MOST = 1.04, 0.02, 8.0
_CROWDED, _EVEN, _CONCENTRATION = 120, 60, 8.0


@dataclass(frozen=True)
class _Node:
    """Levels first..last-1 of a list of `number`, still to be found between the levels around them."""

    first: int
    last: int
    number: int

    @property
    def middle(self) -> int:
        """The middle rung; of two, the one nearer to the median, which is found more easily."""
        upper = self.first > self.number // 2
        return (self.first + self.last - upper) // 2

    def halves(self) -> list["_Node"]:
        parts = ((self.first, self.middle), (self.middle + 1, self.last))
        return [_Node(a, b, self.number) for a, b in parts if a < b]


@dataclass(frozen=True)
class _Search:
    """Confidential values in order, public candidates, and the quantiles released so far."""

    values: Floats
    edges: tuple[Fraction, ...]
    grid: Floats
    least: float
    relation: Relation
    released: dict[Fraction, float] = field(default_factory=dict)

    def question(self, node: _Node) -> tuple[Fraction, Floats, Selection]:
        """Return what a node asks: its level, its candidates and their scores."""
        below, tau, above = (self.edges[k] for k in (node.first, node.middle + 1, node.last + 1))
        t = (tau - below) / (above - below)
        candidates = self._candidates(tau, below, above)
        ends = [self.released.get(below, -np.inf), self.released.get(above, np.inf)]
        start, stop = np.searchsorted(self.values, ends, side="right")
        counts = np.searchsorted(self.values[start:stop], candidates, side="right").astype(np.int64)
        scores = -np.abs(t.denominator * counts - t.numerator * (stop - start))
        return tau, candidates, Selection(scores, level_sensitivity(t, self.relation))

    def _candidates(self, tau: Fraction, below: Fraction, above: Fraction) -> Floats:
        if not self.released:
            return self.grid
        low, high = self.released.get(below), self.released.get(above)
        if low is not None and high is not None:
            return low + _crowded(_relative(tau, below, above)) * (high - low)
        last, side = (above, -1.0) if low is None else (below, 1.0)
        return self.released[last] + side * self._distances(tau, last)

    def _distances(self, tau: Fraction, last: Fraction) -> Floats:
        """Return distances from the last rung of a side, around the spacing found between the median and it."""
        reach = float(self.grid[-1] - self.grid[0])
        if last == MEDIAN:
            return _geometric(self.least, reach)
        found = abs(self.released[last] - self.released[MEDIAN]) / abs(_logit(last))
        expected = max(found * abs(_logit(tau) - _logit(last)), self.least)
        return np.minimum(expected * _geometric(_FEWEST, _MOST), reach)


def _geometric(start: float, stop: float) -> Floats:
    return np.geomspace(start, stop, int(np.log(stop / start) / np.log(_RATIO)) + 2)


def _crowded(t: float) -> Floats:
    """Return shares of the way between two rungs: some even, most crowded around t."""
    places = beta.ppf((np.arange(_CROWDED) + 0.5) / _CROWDED, _CONCENTRATION * t, _CONCENTRATION * (1 - t))
    return np.unique(np.concatenate([places, np.linspace(0, 1, _EVEN + 1)]))


def _relative(tau: Fraction, below: Fraction, above: Fraction) -> float:
    """Return how far tau lies between two levels on the logistic scale, where tails are not crowded."""
    return (_logit(tau) - _logit(below)) / (_logit(above) - _logit(below))


def _logit(tau: Fraction) -> float:
    return math.log(tau / (1 - tau))


def squeeze(
    gate: Gate, leaves: Sequence[Plan], values: Floats, levels: Sequence[Fraction], grid: Floats, least: float
) -> Floats:
    """Release the quantiles of confidential values at `levels`, the median in the middle of the list.

    Parameters
    ----------
    leaves : sequence of Plan
        One leaf for each level of bisection.
    grid : array
        Public candidates for the median.
    least : float
        Smallest spacing that matters.
    """
    if levels[len(levels) // 2] != MEDIAN:
        raise ValueError("the middle level must be the median")
    search = _Search(np.sort(values), (Fraction(0), *levels, Fraction(1)), grid, least, gate.relation)
    nodes = [_Node(0, len(levels), len(levels))]
    for leaf in leaves:
        asked = [search.question(node) for node in nodes]
        chosen = gate.select(leaf, [question for _, _, question in asked])
        for (tau, candidates, _), index in zip(asked, chosen, strict=True):
            search.released[tau] = float(candidates[index])
        nodes = [half for node in nodes for half in node.halves()]
    return np.maximum.accumulate([search.released[level] for level in levels])
