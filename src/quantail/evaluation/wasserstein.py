"""Wasserstein ratio: how far two sets of values are apart, in units of a random split.

The one-dimensional Wasserstein distance, divided by its median over random re-splits of all pooled values
(Arnold and Neunhoeffer 2020), one column at a time, which tells which of them is off.

With z_1 <= ... <= z_N the pooled values and F, G the two empirical distribution functions, the distance is
sum_i (z_{i+1} - z_i) |F(z_i) - G(z_i)|: after one sort, each re-split is one cumulative sum of labels. The largest
|F - G| of a re-split, for the Kolmogorov-Smirnov distance, comes with it. (scipy's distances sort for every split.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats
from quantail.errors import OptionError

Bits = NDArray[np.uint8]

TOO_FEW = "most random re-splits are identical; the tables have too few distinct values"


class WassersteinTest(NamedTuple):
    """Distance over its median for random splits, and the mean distance of splits over that median.

    `ks` is the largest |F - G|, and `ks_null` its mean over the splits. The ratio is infinite if most splits are
    identical and the observed one is not.
    """

    ratio: float
    null: float
    ks: float
    ks_null: float


def wasserstein_test(
    real: Floats, synth: Floats, resplits: int = 1000, rng: np.random.Generator | None = None
) -> WassersteinTest:
    """Compare the distance of two vectors with that of random splits of their values.

    Examples
    --------
    >>> wasserstein_test(np.array([1.0, 2.0]), np.array([2.0, 1.0]), 10).ratio
    0.0
    """
    if resplits < 1:
        raise OptionError("resplits must be at least 1; the paper uses 1000.")
    rng = np.random.default_rng(0) if rng is None else rng
    pooled = np.concatenate([real, synth])
    order = np.argsort(pooled, kind="stable")
    gaps = np.diff(pooled[order])
    first = real.size
    observed, ks = _distances((order < first).astype(np.uint8), first, gaps)
    draws, largest = np.array(
        [_distances(_random_labels(pooled.size, first, rng), first, gaps) for _ in range(resplits)]
    ).T
    typical = float(np.median(draws))
    if typical == 0:
        return WassersteinTest(np.inf if observed else 0.0, 1.0, ks, float(largest.mean()))
    return WassersteinTest(observed / typical, float(draws.mean()) / typical, ks, float(largest.mean()))


def _distances(labels: Bits, first: int, gaps: Floats) -> tuple[float, float]:
    """Wasserstein and Kolmogorov-Smirnov distance of the values labelled 1 (`first` of them) from the rest, sorted."""
    total = labels.size
    ones = np.cumsum(labels[:-1], dtype=np.int32)  # by far the fastest accumulator for bytes
    # F - G = ones/first - (rank - ones)/(total - first) = (ones total/first - rank) / (total - first)
    difference = ones * (total / first)
    difference -= np.arange(1, total)
    np.abs(difference, out=difference)
    largest = float(np.max(difference, where=gaps > 0, initial=0.0))  # F and G are read where ties end
    difference *= gaps  # not a BLAS product: its threads cost more than they bring at this size
    return float(difference.sum()) / (total - first), largest / (total - first)


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
