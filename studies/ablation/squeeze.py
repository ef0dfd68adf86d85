"""The valid sandwich with one change: a quantile is asked of the rows between its released neighbours only.

Bisection: the median first, then the middle rung of each half, and so on. Nodes of one level hold disjoint rows that
earlier levels fixed, so all of them share one leaf, where the sandwich pays for its quantiles one by one. Candidates
and their public prior are the sandwich's own (`quantail.orders.lattice`), scores and sensitivity those of the ladder
(`studies/ladder.md`): with t = p / q the node's relative level, -| q #{low < y <= c} - p #{low < y <= high} |.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quantail.orders.lattice import Surroundings, candidates_for
from quantail.orders.lines import prior_bonus
from quantail.orders.steps import MEDIAN, Step
from quantail.privacy import Gate, Plan, Relation, Selection
from studies.ladder import level_sensitivity

Floats = NDArray[np.float64]

_GUESS = (
    0.3  # first guess at the distance of quantiles, as a share of the median's distance from the nearer bound
)
_LEAST = 1e-6  # smallest spacing that matters, as a share of the public range


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
    """Confidential values in order, public candidates for the median, and the quantiles released so far."""

    values: Floats
    edges: tuple[Fraction, ...]
    grid: Floats
    bounds: tuple[float, float]
    relation: Relation
    released: dict[Fraction, float] = field(default_factory=dict)

    def question(self, node: _Node, cost: Fraction) -> tuple[Fraction, Floats, Selection]:
        """Return what a node asks: its level, its candidates and their scores."""
        below, tau, above = (self.edges[k] for k in (node.first, node.middle + 1, node.last + 1))
        t = (tau - below) / (above - below)
        candidates, prior = self._candidates(tau, below, above, cost)
        ends = [self.released.get(below, -np.inf), self.released.get(above, np.inf)]
        start, stop = np.searchsorted(self.values, ends, side="right")
        counts = np.searchsorted(self.values[start:stop], candidates, side="right").astype(np.int64)
        scores = -np.abs(t.denominator * counts - t.numerator * (stop - start))
        sensitivity = level_sensitivity(t, self.relation)
        return tau, candidates, Selection(scores + prior_bonus(prior, sensitivity, cost), sensitivity)

    def _candidates(
        self, tau: Fraction, below: Fraction, above: Fraction, cost: Fraction
    ) -> tuple[Floats, Floats]:
        """Return the sandwich's candidates and prior; it measures lines from the median."""
        if not self.released:
            return self.grid, np.zeros(self.grid.size)
        median = self.released[MEDIAN]
        low, high = self.bounds
        least = (high - low) * _LEAST
        guess = _GUESS * max(min(median - low, high - median), least)
        ends = np.minimum(self.grid[:1] - median, -least), np.maximum(self.grid[-1:] - median, least)
        around = Surroundings(*ends, least, guess, 2 / (self.values.size * float(cost)))
        offsets = {level: np.array([value - median]) for level, value in self.released.items()}
        known = (level if level in offsets else None for level in (below, above))
        found = candidates_for(Step(tau, "inner", *known), offsets, around)
        return median + found.lines[:, 0], found.prior


def squeeze(
    gate: Gate,
    leaves: Sequence[Plan],
    values: Floats,
    levels: Sequence[Fraction],
    grid: Floats,
    bounds: tuple[float, float],
) -> Floats:
    """Release the quantiles of confidential values at `levels`, the median in the middle of the list.

    Parameters
    ----------
    leaves : sequence of Plan
        One leaf for each level of bisection.
    grid : array
        Public candidates for the median, over all values that are possible.
    bounds : pair of float
        The column's public range, for a first guess at how far quantiles lie apart.
    """
    if levels[len(levels) // 2] != MEDIAN:
        raise ValueError("the middle level must be the median")
    search = _Search(np.sort(values), (Fraction(0), *levels, Fraction(1)), grid, bounds, gate.relation)
    nodes = [_Node(0, len(levels), len(levels))]
    for leaf in leaves:
        asked = [search.question(node, leaf.cost) for node in nodes]
        chosen = gate.select(leaf, [question for _, _, question in asked])
        for (tau, candidates, _), index in zip(asked, chosen, strict=True):
            search.released[tau] = float(candidates[index])
        nodes = [half for node in nodes for half in node.halves()]
    return np.maximum.accumulate([search.released[level] for level in levels])
