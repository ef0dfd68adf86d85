"""A small classification tree that tells synthetic rows from real ones, and the pMSE of its verdicts.

The tree of the pMSE mechanism (Snoke and Slavković 2018, as the paper runs it): binary splits of one column
that lower the Gini impurity most, down to `depth` levels, single rows allowed as leaves; then pruned by
misclassified rows. A subtree stays only where it lowers them by more than cp times those of the root for each
of its splits, which is how R's rpart reads `cp` for classes. scikit-learn prunes by impurity, so its
`ccp_alpha` cannot say this: with classes of equal size the two differ by the many splits that change
probabilities but no verdict. Here it is compiled and grown one level of the tree at a time from sorted columns;
the real rows are sorted once for many trees. NOT PRIVATE: an experiment's tool.

Notation: node 1 is the root, the children of node k are 2k and 2k + 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError, OptionError
from studies.published.compiling import compiled

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

DEPTH = 5
CP = 0.01


@dataclass(frozen=True)
class SortedTable:
    """Columns of a table (k, n), and for each the order of its rows."""

    columns: Floats
    order: Whole


def sort_table(rows: Floats) -> SortedTable:
    """Sort each column of a matrix of shape (n, k)."""
    if rows.ndim != 2 or rows.shape[0] == 0:
        raise DataError("origin tree: give matrices with at least one row.")
    columns = np.ascontiguousarray(rows.T, dtype=np.float64)
    return SortedTable(columns, np.argsort(columns, axis=1))


def origin_pmse(real: SortedTable, synthetic: SortedTable, *, depth: int = DEPTH, cp: float = CP) -> float:
    """Average (p - c)^2 over all rows: p the share of synthetic rows in a row's leaf, c their share overall.

    Parameters
    ----------
    real, synthetic : SortedTable
        The two tables, columns in the same order.
    depth : int
        Levels of splits; with 0 the tree is its root and the answer 0.
    cp : float
        Gain in misclassified rows, relative to the root's, that every split has to bring.

    Examples
    --------
    >>> low, high = sort_table(np.array([[1.0], [2.0]])), sort_table(np.array([[7.0], [8.0]]))
    >>> origin_pmse(low, high), origin_pmse(low, low)
    (0.25, 0.0)
    """
    if real.columns.shape[0] != synthetic.columns.shape[0]:
        raise DataError("origin tree: give two tables with the same columns.")
    if depth < 0 or not cp >= 0:
        raise OptionError("origin tree: depth and cp must not be negative; the paper uses 5 and 0.01.")
    columns = np.concatenate([real.columns, synthetic.columns], axis=1)
    order = _joint_order(columns, real.order, synthetic.order)
    n, m = real.columns.shape[1], synthetic.columns.shape[1]
    price = cp * min(n, m)
    counts, split = _grow(columns, order, np.repeat(np.array([0, 1]), [n, m]), depth, price)
    return float(_leaf_pmse(counts, _pruned(counts, split, price)))


@compiled
def _joint_order(columns: Floats, real: Whole, synthetic: Whole) -> Whole:
    """Merge the orders of the first rows and of the rows after them into the order of all."""
    n, m = real.shape[1], synthetic.shape[1]
    order = np.empty((columns.shape[0], n + m), dtype=np.int64)
    for k in range(columns.shape[0]):
        i, j = 0, 0
        while i + j < n + m:
            if j == m or (i < n and columns[k, real[k, i]] <= columns[k, n + synthetic[k, j]]):
                order[k, i + j] = real[k, i]
                i += 1
            else:
                order[k, i + j] = n + synthetic[k, j]
                j += 1
    return order


@compiled
def _grow(
    columns: Floats, order: Whole, origin: Whole, depth: int, price: float
) -> tuple[Whole, NDArray[np.bool_]]:
    """Split level by level; return each node's rows by origin and whether it was split.

    A node with no more errors than the price of one split is left alone: pruning would undo any split of it.
    """
    size = 2 ** (depth + 1)
    counts = np.zeros((size, 2), dtype=np.int64)
    split = np.zeros(size, dtype=np.bool_)
    node = np.ones(origin.size, dtype=np.int64)
    for row in range(origin.size):
        counts[1, origin[row]] += 1
    for level in range(depth):
        column, cut = _best_splits(columns, order, origin, node, counts, 2**level, price)
        for row in range(origin.size):
            here = node[row]
            if here >= 2**level and column[here] >= 0:
                split[here] = True
                node[row] = 2 * here + (columns[column[here], row] > cut[here])
                counts[node[row], origin[row]] += 1
    return counts, split


@compiled
def _best_splits(
    columns: Floats, order: Whole, origin: Whole, node: Whole, counts: Whole, first: int, price: float
) -> tuple[Whole, Floats]:
    """Find for each node of a level (numbers from `first`) the column and the cut of lowest impurity.

    Impurity falls as purity = sum over sides of (a^2 + b^2) / (a + b) rises, a and b the rows by origin.
    Column -1 where no cut helps.
    """
    size = 2 * first
    column, cut = np.full(size, -1, dtype=np.int64), np.zeros(size)
    best = np.zeros(size)
    worth = np.zeros(size, dtype=np.bool_)
    for here in range(first, size):
        worth[here] = min(counts[here, 0], counts[here, 1]) > price
        a, b = float(counts[here, 0]), float(counts[here, 1])
        best[here] = (a * a + b * b) / max(a + b, 1.0) + 1e-9
    for k in range(columns.shape[0]):
        seen = np.zeros((size, 2))
        last = np.zeros(size)
        for place in range(order.shape[1]):
            row = order[k, place]
            here, value = node[row], columns[k, row]
            if not worth[here]:
                continue
            a, b = seen[here, 0], seen[here, 1]
            if a + b > 0.0 and value > last[here]:
                c, d = counts[here, 0] - a, counts[here, 1] - b
                purity = (a * a + b * b) / (a + b) + (c * c + d * d) / (c + d)
                if purity > best[here]:
                    best[here], column[here], cut[here] = purity, k, last[here]
            seen[here, origin[row]] += 1.0
            last[here] = value
    return column, cut


@compiled
def _pruned(counts: Whole, split: NDArray[np.bool_], price: float) -> NDArray[np.bool_]:
    """Undo, from the bottom, every split whose subtree saves no more than `price` errors for each of its splits."""
    kept = split.copy()
    cost = np.zeros(split.size)  # misclassified rows below a node, plus the price of the splits
    for here in range(split.size - 1, 0, -1):
        cost[here] = min(counts[here, 0], counts[here, 1])
        if kept[here]:
            below = cost[2 * here] + cost[2 * here + 1] + price
            kept[here] = below < cost[here]
            cost[here] = min(cost[here], below)
    return kept


@compiled
def _leaf_pmse(counts: Whole, split: NDArray[np.bool_]) -> float:
    """Walk down from the root and add up the leaves."""
    total = counts[1, 0] + counts[1, 1]
    share = counts[1, 1] / total
    reached = np.zeros(split.size, dtype=np.bool_)
    reached[1] = True
    added = 0.0
    for here in range(1, split.size):
        if reached[here] and split[here]:
            reached[2 * here] = reached[2 * here + 1] = True
        elif reached[here]:
            rows = counts[here, 0] + counts[here, 1]
            added += rows * (counts[here, 1] / rows - share) ** 2
    return float(added / total)
