"""How strongly labels hang together with other columns, and how far that differs between the tables.

    a label and a number   correlation ratio of ranks: the root of the share of rank variance between labels
    two labels             Cramér's V: sqrt(chi-squared / (n (min(levels) - 1)))

Both lie between 0 (independent) and 1 (one decides the other); correlations are for two numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from quantail.evaluation.measure import Measure
from quantail.evaluation.references import CRAMER

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Columns = list[NDArray[Any]]

ASSOCIATION_DIFFERENCE = Measure(
    "association_difference",
    "correlation",
    "Difference in how strongly a label hangs together with another column (correlation ratio of ranks, Cramér's V).",
    (0.0, 1.0),
    "lower",
    0.0,
    CRAMER,
)
MEASURES = (ASSOCIATION_DIFFERENCE,)


def correlation_ratio(codes: Integers, numbers: Floats) -> float:
    """Root of the share of the variance of numbers that lies between labels; rows without a number are left out.

    Examples
    --------
    >>> correlation_ratio(np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 2.0, 2.0]))
    1.0
    """
    known = np.isfinite(numbers)
    codes, numbers = codes[known], numbers[known]
    total = float(numbers.var()) if numbers.size else 0.0
    if total == 0:
        return 0.0
    counts = np.bincount(codes)
    means = np.bincount(codes, numbers) / np.maximum(counts, 1)
    between = float(np.average((means - numbers.mean()) ** 2, weights=counts))
    return float(np.sqrt(between / total))


def cramers_v(left: Integers, right: Integers) -> float:
    """Cramér's V of two columns of labels.

    Examples
    --------
    >>> cramers_v(np.array([0, 1, 2]), np.array([1, 2, 0]))
    1.0
    """
    counts = np.zeros((left.max() + 1, right.max() + 1))
    np.add.at(counts, (left, right), 1)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    square = float(((counts - expected) ** 2 / expected).sum())
    return float(np.sqrt(square / counts.sum() / (min(counts.shape) - 1)))


def ranked(values: Floats) -> Floats:
    """Ranks of values, ties sharing their middle one; missing values have none."""
    ranks = np.full(values.size, np.nan)
    known = np.isfinite(values)
    ranks[known] = rankdata(values[known])
    return ranks


def label_pairs(labels: int, columns: int) -> list[tuple[int, int]]:
    """List the places of all pairs that hold a label; the labels come first among the columns."""
    return [(i, j) for i, j in product(range(labels), range(columns)) if i < j]


def associations(columns: Columns, pairs: Sequence[tuple[int, int]]) -> Floats:
    """Give the association of pairs of columns: labels as whole numbers, numbers by their ranks."""
    return np.array([_association(columns[i], columns[j]) for i, j in pairs])


def _association(label: Integers, other: NDArray[Any]) -> float:
    return correlation_ratio(label, other) if other.dtype.kind == "f" else cramers_v(label, other)
