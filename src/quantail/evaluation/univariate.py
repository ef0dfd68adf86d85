"""Measures of one column: Kolmogorov-Smirnov, Wasserstein and total variation distance, share of missing values.

Numbers are compared where they are known; that they are missing is a measure of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantail.errors import DataError
from quantail.evaluation.measure import Measure
from quantail.evaluation.reading import label_codes
from quantail.evaluation.references import KOLMOGOROV, TASK, VILLANI

KS = Measure(
    "ks",
    "column",
    "Largest difference between the two distribution functions.",
    (0.0, 1.0),
    "lower",
    0.0,
    KOLMOGOROV,
)
WASSERSTEIN = Measure(
    "wasserstein",
    "column",
    "Mean distance by which values have to be moved, over the real column's mean distance from its median.",
    (0.0, float("inf")),
    "lower",
    0.0,
    VILLANI,
)
TOTAL_VARIATION = Measure(
    "total_variation",
    "column",
    "Share of rows that have to change their label.",
    (0.0, 1.0),
    "lower",
    0.0,
    TASK,
)
MISSING = Measure(
    "missing_difference",
    "column",
    "Difference in the share of missing values.",
    (0.0, 1.0),
    "lower",
    0.0,
    TASK,
)
MEASURES = (KS, WASSERSTEIN, TOTAL_VARIATION, MISSING)


def ks_distance(real: ArrayLike, synth: ArrayLike) -> float:
    """Largest difference between the two empirical distribution functions; range 0 to 1.

    Examples
    --------
    >>> ks_distance([1.0, 2.0], [2.0, 3.0])
    0.5
    """
    left, right = np.sort(np.asarray(real, dtype=float)), np.sort(np.asarray(synth, dtype=float))
    points = np.concatenate([left, right])
    f = np.searchsorted(left, points, side="right") / left.size
    g = np.searchsorted(right, points, side="right") / right.size
    return float(np.abs(f - g).max())


def ks_null(n_real: int, n_synth: int) -> float:
    """Mean of Kolmogorov's limit for two samples of one continuous population: sqrt(pi/2) log 2 sqrt(1/n + 1/m)."""
    return sqrt(pi / 2) * log(2) * sqrt(1 / n_real + 1 / n_synth)


def normalised_wasserstein(real: ArrayLike, synth: ArrayLike) -> float:
    """Wasserstein distance over the real column's mean absolute deviation from its median.

    That scale is itself a distance: the one to a column that holds the median only, which so scores 1. Unlike
    a standard deviation it exists for every tail with a mean.

    Examples
    --------
    >>> normalised_wasserstein([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0])
    1.0
    """
    left, right = np.sort(np.asarray(real, dtype=float)), np.sort(np.asarray(synth, dtype=float))
    scale = float(np.mean(np.abs(left - np.median(left))))
    if scale == 0:
        raise DataError("wasserstein: the real column does not vary, so the distance has no scale.")
    points = np.sort(np.concatenate([left, right]))
    f = np.searchsorted(left, points[:-1], side="right") / left.size
    g = np.searchsorted(right, points[:-1], side="right") / right.size
    return float(np.sum(np.abs(f - g) * np.diff(points)) / scale)


def total_variation(real: Sequence[Any], synth: Sequence[Any]) -> float:
    """Half the summed difference of label shares; range 0 to 1. A missing label is a label of its own.

    Examples
    --------
    >>> total_variation(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    0.25
    """
    left, right = label_codes(np.array(real, dtype=object), np.array(synth, dtype=object))
    return code_variation(left, right)


def code_variation(real: NDArray[np.int64], synth: NDArray[np.int64]) -> float:
    """Total variation distance of labels that are numbered alike."""
    count = int(max(real.max(), synth.max())) + 1
    f = np.bincount(real, minlength=count) / real.size
    g = np.bincount(synth, minlength=count) / synth.size
    return float(np.abs(f - g).sum() / 2)
