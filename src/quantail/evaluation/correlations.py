"""Differences in correlation: Pearson's of values, Spearman's of ranks, Kendall's of the order of pairs of rows.

Rows in which either column is missing are left out. Kendall's is tau-b, which allows for ties, by merge sort
(n log n), so that all rows count. For heavy tails the two of ranks say more than Pearson's.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

from quantail.errors import DataError, OptionError
from quantail.evaluation.measure import Measure
from quantail.evaluation.references import KENDALL, PEARSON, SPEARMAN

Floats = NDArray[np.float64]
Kind = Literal["pearson", "spearman", "kendall"]


def _difference(kind: str, of: str, reference: str) -> Measure:
    meaning = f"Difference in the correlation of {of} of two columns."
    return Measure(f"{kind}_difference", "correlation", meaning, (0.0, 2.0), "lower", 0.0, reference)


PEARSON_DIFFERENCE = _difference("pearson", "the values", PEARSON)
SPEARMAN_DIFFERENCE = _difference("spearman", "the ranks", SPEARMAN)
KENDALL_DIFFERENCE = _difference("kendall", "the order of pairs of rows", KENDALL)
MEASURES = (PEARSON_DIFFERENCE, SPEARMAN_DIFFERENCE, KENDALL_DIFFERENCE)


def correlation_matrix(columns: Floats, kind: Kind = "pearson") -> Floats:
    """Correlate all pairs of columns, shape (rows, k); NaN where a column does not vary.

    Examples
    --------
    >>> correlation_matrix(np.array([[1.0, 1.0], [2.0, 8.0], [3.0, 9.0]]), "spearman")[0, 1].round(6)
    np.float64(1.0)
    """
    if kind not in get_args(Kind):
        raise OptionError(f"correlation: {kind!r} is not known; write one of {', '.join(get_args(Kind))}.")
    known = ~np.isnan(columns)
    # Complete columns are correlated by one matrix product.
    together = np.asarray(known.all(axis=0)) & np.array(kind != "kendall")
    found = np.eye(columns.shape[1])
    if together.any():
        whole = columns[:, together]
        found[np.ix_(together, together)] = _linear(rankdata(whole, axis=0) if kind == "spearman" else whole)
    for i, j in combinations(range(columns.shape[1]), 2):
        if not (together[i] and together[j]):
            both = known[:, i] & known[:, j]
            found[i, j] = found[j, i] = _pair(columns[both, i], columns[both, j], kind)
    return found


def correlation_difference(real: Floats, synth: Floats, kind: Kind = "pearson") -> Floats:
    """Absolute differences of the correlations of all pairs of columns, shape (k, k)."""
    if real.shape[1] != synth.shape[1]:
        raise DataError("correlations: the two tables differ in their number of columns.")
    return np.abs(correlation_matrix(synth, kind) - correlation_matrix(real, kind))


def _pair(x: Floats, y: Floats, kind: Kind) -> float:
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    if kind == "kendall":
        return float(kendalltau(x, y, method="asymptotic").statistic)
    pair = np.column_stack([x, y])
    return float(_linear(rankdata(pair, axis=0) if kind == "spearman" else pair)[0, 1])


def _linear(columns: Floats) -> Floats:
    size = np.abs(columns).max(axis=0)
    centred = columns / np.where(size > 0, size, 1.0)
    centred = centred - centred.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    varies = np.ptp(columns, axis=0) > 0
    unit = centred / np.where(varies, length, 1.0)
    found = np.clip(unit.T @ unit, -1.0, 1.0)
    found[~varies, :] = found[:, ~varies] = np.nan
    return np.asarray(found)
