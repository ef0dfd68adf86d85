"""Measures of one column: distances of numbers, total variation of labels, share of missing values.

Numbers are compared where they are known; that they are missing is a measure of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quantail.arrays import Integers
from quantail.errors import DataError
from quantail.evaluation.independent import variation_null
from quantail.evaluation.measure import SHARE, Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.reading import is_missing, label_codes
from quantail.evaluation.references import ARNOLD, KOLMOGOROV, TASK
from quantail.evaluation.rows import Rows
from quantail.evaluation.wasserstein import TOO_FEW, wasserstein_test

KS = Measure(
    "ks",
    "Kolmogorov-Smirnov distance",
    "columns",
    "Largest difference between the two distribution functions of a number.",
    "its mean over random splits of all values",
    KOLMOGOROV,
    SHARE,
)
WASSERSTEIN_RATIO = Measure(
    "wasserstein_ratio",
    "Wasserstein ratio",
    "columns",
    "Distance by which a number's values have to be moved, over its median for random splits of them.",
    "about 1: its mean over random splits of all values",
    ARNOLD,
)
TOTAL_VARIATION = Measure(
    "total_variation",
    "Total variation of labels",
    "columns",
    "Share of rows that have to change their label.",
    "its mean over random splits of all rows, by formula",
    TASK,
    SHARE,
)
MISSING = Measure(
    "missing_difference",
    "Difference in missing values",
    "columns",
    "Difference in the share of missing values.",
    "its mean over random splits of all rows, by formula",
    TASK,
    SHARE,
)
MEASURES = (KS, WASSERSTEIN_RATIO, TOTAL_VARIATION, MISSING)

_RESPLITS = 99, 400  # fewest and most
_RESPLIT_VALUES = 15_000_000  # pooled values times re-splits; bounds the time on large tables


def add(rows: Rows, pair: Pair) -> None:
    """Add the distances of every column, and its share of missing values where there are any."""
    for name in pair.numeric:
        _add_distances(rows, pair, name)
    for name in pair.labels:
        left, right = pair.codes[name]
        counts = np.bincount(np.concatenate([left, right]))
        null = variation_null(counts, pair.n_real, pair.n_synth)
        rows.put(TOTAL_VARIATION, (name,), code_variation(left, right), null)
    for name in pair.names:
        _add_missing(rows, pair, name)


def total_variation(real: Sequence[Any], synth: Sequence[Any]) -> float:
    """Half the summed difference of label shares; range 0 to 1. A missing label is a label of its own.

    Examples
    --------
    >>> total_variation(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    0.25
    """
    left, right = label_codes(np.array(real, dtype=object), np.array(synth, dtype=object))
    return code_variation(left, right)


def code_variation(real: Integers, synth: Integers) -> float:
    """Return the total variation of labels that are numbered from 0, alike in both tables."""
    count = int(max(real.max(), synth.max())) + 1
    f = np.bincount(real, minlength=count) / real.size
    g = np.bincount(synth, minlength=count) / synth.size
    return float(np.abs(f - g).sum() / 2)


def _add_distances(rows: Rows, pair: Pair, name: str) -> None:
    if not rows.wants(KS, WASSERSTEIN_RATIO):
        return
    try:
        left, right = pair.known(name)
    except DataError as error:
        rows.skip((KS, WASSERSTEIN_RATIO), (name,), str(error))
        return
    resplits = int(np.clip(_RESPLIT_VALUES // (left.size + right.size), *_RESPLITS))
    found = wasserstein_test(left, right, resplits)
    rows.put(KS, (name,), found.ks, found.ks_null)
    if np.isfinite(found.ratio):
        rows.put(WASSERSTEIN_RATIO, (name,), found.ratio, found.null)
    else:
        rows.skip((WASSERSTEIN_RATIO,), (name,), TOO_FEW)


def _add_missing(rows: Rows, pair: Pair, name: str) -> None:
    left, right = (int(is_missing(table[name]).sum()) for table in (pair.real, pair.synth))
    if left or right:
        n, m = pair.n_real, pair.n_synth
        null = variation_null(np.array([left + right, n + m - left - right]), n, m)
        rows.put(MISSING, (name,), abs(left / n - right / m), null)
