"""Wasserstein randomization test (WRT): how far the tables are apart, in units of a random split.

As in the code behind the paper's tables, the columns of each table are pooled into one long vector, the
one-dimensional Wasserstein distance of the two vectors is taken, and divided by the median distance over
random re-splits of all pooled values. Arnold and Neunhoeffer (2020). The p-value is the share of splits, the
observed one among them, that are at least as far apart. One column at a time, it tells which of them is off.

With z_1 <= ... <= z_N the pooled values and F, G the two empirical distribution functions, the distance is
sum_i (z_{i+1} - z_i) |F(z_i) - G(z_i)|: after one sort, each re-split is one cumulative sum of labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError, OptionError
from quantail.evaluation.measure import Measure
from quantail.evaluation.reading import matrix_pair
from quantail.evaluation.references import ARNOLD

_ENDLESS = (0.0, float("inf"))

WRT = Measure(
    "wrt",
    "distance",
    "Wasserstein distance of all values pooled, over its median for random splits of them.",
    _ENDLESS,
    "lower",
    0.0,
    ARNOLD,
    null=1.0,
)
WRT_P = Measure(
    "wrt_p",
    "distance",
    "Share of random splits of all pooled values that are at least as far apart (p-value).",
    (0.0, 1.0),
    "higher",
    1.0,
    ARNOLD,
    null=0.5,
)
WRT_COLUMN = Measure(
    "wrt_column",
    "distance",
    "Wasserstein distance of one column, over its median for random splits.",
    _ENDLESS,
    "lower",
    0.0,
    ARNOLD,
    null=1.0,
)
WRT_COLUMN_P = Measure(
    "wrt_column_p",
    "distance",
    "Share of random splits of one column that are at least as far apart (p-value).",
    (0.0, 1.0),
    "higher",
    1.0,
    ARNOLD,
    null=0.5,
)
MEASURES = (WRT, WRT_P, WRT_COLUMN, WRT_COLUMN_P)

Floats = NDArray[np.float64]
Bits = NDArray[np.uint8]


def wasserstein_randomization(
    real: Any,
    synth: Any,
    resplits: int = 1000,
    rng: np.random.Generator | None = None,
    columns: list[str] | None = None,
) -> float:
    """Divide the Wasserstein distance of the pooled values by its median over random re-splits.

    Parameters
    ----------
    real, synth : frame or mapping of arrays
        Tables with the same numeric columns. Columns are pooled as they are, so large ones dominate.
    resplits : int
        Number of random re-splits behind the median.
    rng : numpy Generator, optional
        Randomness of the re-splits; a fixed stream unless given, so that the measure can be recomputed.
    columns : list of str, optional
        Columns to pool; all of them unless told.

    Examples
    --------
    >>> wasserstein_randomization({"x": [1.0, 2.0]}, {"x": [2.0, 1.0]})
    0.0
    """
    left, right = (table.ravel() for table in matrix_pair(real, synth, columns))
    return wasserstein_test(left, right, resplits, rng).ratio


class WassersteinTest(NamedTuple):
    """Distance over its median for random splits, the share of splits as far apart, and the distance itself."""

    ratio: float
    p_value: float
    distance: float


def wasserstein_test(
    real: Floats, synth: Floats, resplits: int = 1000, rng: np.random.Generator | None = None
) -> WassersteinTest:
    """Compare the distance of two vectors with that of random splits of their values.

    Examples
    --------
    >>> wasserstein_test(np.array([1.0, 2.0]), np.array([2.0, 1.0]), 10).p_value
    1.0
    """
    if resplits < 1:
        raise OptionError("resplits must be at least 1; the paper uses 1000.")
    rng = np.random.default_rng(0) if rng is None else rng
    pooled = np.concatenate([real, synth])
    order = np.argsort(pooled, kind="stable")
    gaps = np.diff(pooled[order])
    observed = _distance((order < real.size).astype(np.uint8), real.size, gaps)
    if observed == 0:
        return WassersteinTest(0.0, 1.0, 0.0)
    draws = np.array(
        [_distance(_random_labels(pooled.size, real.size, rng), real.size, gaps) for _ in range(resplits)]
    )
    typical = float(np.median(draws))
    if typical == 0:
        raise DataError("wrt: most random re-splits are identical; the tables have too few distinct values.")
    # Rounding must not tell equal splits apart.
    as_far = np.count_nonzero(draws >= observed * (1 - 1e-12))
    return WassersteinTest(observed / typical, float(1 + as_far) / (1 + resplits), observed)


def _distance(labels: Bits, first: int, gaps: Floats) -> float:
    """Wasserstein distance between the values labelled 1 (`first` of them) and the rest, in sorted order."""
    total = labels.size
    ones = np.cumsum(labels[:-1], dtype=np.int32)  # by far the fastest accumulator for bytes
    # F - G = ones/first - (rank - ones)/(total - first) = (ones total/first - rank) / (total - first)
    difference = ones * (total / first)
    difference -= np.arange(1, total)
    np.abs(difference, out=difference)
    difference *= gaps  # not a BLAS product: its threads cost more than they bring at this size
    return float(difference.sum()) / (total - first)


def _random_labels(total: int, ones: int, rng: np.random.Generator) -> Bits:
    """Draw a uniformly random 0/1 vector with exactly `ones` ones.

    Independent labels first, then as many random ones (or zeros) are turned over as there are too many. Both
    steps treat all positions alike, so every vector with that many ones stays equally likely.
    """
    if 2 * ones == total:
        labels = np.unpackbits(np.frombuffer(rng.bytes((total + 7) // 8), dtype=np.uint8), count=total)
    else:
        labels = (rng.random(total, dtype=np.float32) < ones / total).astype(np.uint8)
    surplus = int(np.count_nonzero(labels)) - ones
    crowded = 1 if surplus > 0 else 0
    left = abs(surplus)
    while left > 0:
        tries = rng.integers(total, size=3 * left + 8)
        # Order of first appearance: the rest of the tries must not influence which position is taken.
        tries = tries[np.sort(np.unique(tries, return_index=True)[1])]
        turned = tries[labels[tries] == crowded][:left]
        labels[turned] = 1 - crowded
        left -= turned.size
    return labels
