"""The ladder: quantiles by recursive bisection inside disjoint blocks of rows.

Valid where the number of rows is itself private. The first method of tables used it; today the ablation and the bench
of quantiles do. Each node holds the rows between two released neighbours and asks for its middle quantile at relative
level t = p / q:

    score(g) = -| q #{low < y <= g} - p #{low < y <= high} |.

Nodes of one level, in all blocks, hold disjoint rows fixed by earlier levels, so they share one leaf; empty nodes
are asked like any other. Sensitivity 2 max(p, q - p) under replace-one, max(p, q - p) under add/remove.
Proof: `studies/ladder.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.curves.lookup import Lookup
from quantail.privacy import Gate, Plan, Relation, Selection


@dataclass(frozen=True)
class Node:
    """Rows of one block between two released quantiles, and the quantiles still to be found there."""

    block: int
    first: int
    last: int
    low: float
    high: float


def ladder_depth(quantiles: int) -> int:
    """Return the number of levels that bisection needs for so many quantiles."""
    return quantiles.bit_length()


def count_blocks(values: Floats, block: Integers, blocks: int, grid: Floats) -> Integers:
    """Return how many rows each block has at or below the first candidate, up to the next, ..., above the last.

    A row whose value is absent (NaN) or whose block is negative is in no block.
    """
    kept = (block >= 0) & ~np.isnan(values)
    cell = block[kept] * (grid.size + 1) + Lookup(grid).below(values[kept])
    return np.bincount(cell, minlength=blocks * (grid.size + 1)).reshape(blocks, grid.size + 1)


def climb(
    gate: Gate, leaves: Sequence[Plan], cells: Integers, taus: Sequence[Fraction], grid: Floats
) -> Floats:
    """Release the quantiles `taus` of every block; returns an array (blocks, quantiles) of grid values.

    Parameters
    ----------
    leaves : sequence of Plan
        One leaf for each of `ladder_depth(len(taus))` levels.
    cells : array (blocks, candidates + 1)
        Confidential counts of disjoint sets of rows, by `count_blocks`.
    """
    edges = (Fraction(0), *taus, Fraction(1))
    below_all = np.cumsum(np.pad(cells, ((0, 0), (1, 0))), axis=1)
    quantiles = np.empty((len(cells), len(taus)))
    nodes = [Node(k, 0, len(taus), -np.inf, np.inf) for k in range(len(cells))]
    for leaf in leaves[: ladder_depth(len(taus))]:
        asked = [_question(node, below_all[node.block], edges, grid, gate.relation) for node in nodes]
        chosen = gate.select(leaf, [question for question, _ in asked])
        below: list[Node] = []
        for node, (_, candidates), index in zip(nodes, asked, chosen, strict=True):
            middle, value = _middle(node), float(candidates[index])
            quantiles[node.block, middle] = value
            halves = ((node.first, middle, node.low, value), (middle + 1, node.last, value, node.high))
            below += [Node(node.block, a, b, low, high) for a, b, low, high in halves if a < b]
        nodes = below
    return quantiles


def level_sensitivity(t: Fraction, relation: Relation) -> int:
    """Return how far one row can move the integer scores of a node, with the share of a row that changes nodes."""
    worst = max(t.numerator, t.denominator - t.numerator)
    return 2 * worst if relation == "replace-one" else worst


def _middle(node: Node) -> int:
    return (node.first + node.last) // 2


def _question(
    node: Node, counts: Integers, edges: Sequence[Fraction], grid: Floats, relation: Relation
) -> tuple[Selection, Floats]:
    """Return the question of a node, and its candidates; counts[k] rows lie at or below candidate k - 1."""
    low_tau, high_tau = edges[node.first], edges[node.last + 1]
    t = (edges[_middle(node) + 1] - low_tau) / (high_tau - low_tau)
    candidates = grid[(grid > node.low) & (grid <= node.high)]
    if candidates.size == 0:  # neighbours fell on adjacent grid points: a public fact
        candidates = np.array([min(node.high, grid[-1])])
    start, stop = counts[np.searchsorted(np.append(grid, np.inf), [node.low, node.high], side="right")]
    within = counts[np.searchsorted(grid, candidates, side="right")] - start
    scores = -np.abs(t.denominator * within - t.numerator * (stop - start))
    return Selection(scores, level_sensitivity(t, relation)), candidates
