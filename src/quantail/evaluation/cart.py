"""pMSE with CART: a classification tree tells real rows from synthetic, wherever in the table they differ.

A tree of depth 5 is grown on binned columns (up to 255 bins by pooled quantiles, so columns with fewer distinct
values are split exactly). A split maximises the fall of the Gini impurity; labels are put in the order of their
share of synthetic rows within a node, which finds the best two-way grouping (Breiman et al. 1984). A missing value is
a bin of its own, below all others. Trees adapt to chance, so pMSE is not 0 for two samples of one population: its
null comes from trees grown on permuted origins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantail.errors import OptionError
from quantail.evaluation.pmse import AgainstNull, pmse_family
from quantail.evaluation.references import BREIMAN

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MEASURES = pmse_family("pmse_cart", "a classification tree of depth 5", BREIMAN, "when origins are permuted")

DEPTH = 5
LEAST_LEAF = 10
MOST_BINS = 255


class Binned(NamedTuple):
    """Rows of both tables as small numbers, shape (columns, rows), and which columns hold labels."""

    codes: Integers
    labels: tuple[bool, ...]


def bin_numbers(values: Floats) -> Integers:
    """Give numbers to the bins of a numeric column of both tables, 0 where it is missing."""
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    if distinct.size > MOST_BINS:
        distinct = np.unique(np.quantile(known, np.linspace(0, 1, MOST_BINS + 1)[1:], method="inverted_cdf"))
    return np.where(np.isnan(values), 0, 1 + np.searchsorted(distinct, values, side="left"))


def bin_labels(codes: Integers, most: int = MOST_BINS) -> Integers:
    """Keep the most frequent labels of both tables; all others share one bin."""
    count = np.bincount(codes)
    place = np.full(count.size, most)
    kept = np.argsort(-count, kind="stable")[:most]
    place[kept] = np.arange(kept.size)
    return np.asarray(place[codes])


def pmse_cart(
    rows: Binned, n_real: int, permutations: int = 50, rng: np.random.Generator | None = None
) -> AgainstNull:
    """Grow a tree on the origin of the rows, and others on permuted origins.

    Parameters
    ----------
    rows : Binned
        Rows of the real table, then those of the synthetic one.
    n_real : int
        How many rows are real.
    permutations : int
        Trees behind the null; at least 2.
    rng : numpy Generator, optional
        Randomness of the permutations; a fixed stream unless given.
    """
    if permutations < 2:
        raise OptionError("permutations must be at least 2, to tell the spread of the null.")
    rng = np.random.default_rng(0) if rng is None else rng
    origin = (np.arange(rows.codes.shape[1]) >= n_real).astype(np.int64)
    value = tree_pmse(rows, origin)
    null = [tree_pmse(rows, rng.permutation(origin)) for _ in range(permutations)]
    return AgainstNull(value, float(np.mean(null)), float(np.std(null, ddof=1)))


def tree_pmse(rows: Binned, origin: Integers, depth: int = DEPTH, least: int = LEAST_LEAF) -> float:
    """Grow one tree, level by level, and average (share of synthetic rows in the leaf - c)^2 over the rows."""
    node = np.zeros(origin.size, dtype=np.int64)
    for level in range(depth):
        column, right = _best_splits(rows, origin, node, 2**level, least)
        code = rows.codes[column[node], np.arange(origin.size)]
        node = 2 * node + right[node, code]
    count = np.bincount(node)
    share = np.bincount(node, weights=origin) / np.maximum(count, 1)
    return float(count @ (share - origin.mean()) ** 2 / origin.size)


def _best_splits(
    rows: Binned, origin: Integers, node: Integers, nodes: int, least: int
) -> tuple[Integers, NDArray[np.bool_]]:
    """For every node its best column, and which bins of it go right; none do where nothing is gained."""
    width = MOST_BINS + 1
    best = np.full(nodes, 1e-9)
    chosen, right = np.zeros(nodes, dtype=np.int64), np.zeros((nodes, width), dtype=bool)
    base = node * (2 * width) + origin
    for column, codes in enumerate(rows.codes):
        table = np.bincount(base + 2 * codes, minlength=nodes * 2 * width).reshape(nodes, width, 2)
        count, ones = table.sum(axis=2), table[:, :, 1]
        order = np.tile(np.arange(width), (nodes, 1))
        if rows.labels[column]:
            order = np.argsort(ones / np.maximum(count, 1), axis=1, kind="stable")
        gain = _gains(np.take_along_axis(count, order, 1), np.take_along_axis(ones, order, 1), least)
        cut = gain.argmax(axis=1)
        top = gain[np.arange(nodes), cut]
        for better in np.flatnonzero(top > best):
            best[better], chosen[better] = top[better], column
            right[better] = False
            right[better, order[better, cut[better] + 1 :]] = True
    return chosen, right


def _gains(count: Integers, ones: Integers, least: int) -> Floats:
    """Fall of the Gini impurity, up to a factor, when bins up to each place go left; shape (nodes, bins)."""
    below, below_ones = count.cumsum(axis=1), ones.cumsum(axis=1)
    whole, whole_ones = below[:, -1:], below_ones[:, -1:]
    above, above_ones = whole - below, whole_ones - below_ones
    fits = (below >= least) & (above >= least)
    gain = below_ones**2 / np.maximum(below, 1) + above_ones**2 / np.maximum(above, 1)
    return np.where(fits, gain - whole_ones**2 / np.maximum(whole, 1), 0.0)
