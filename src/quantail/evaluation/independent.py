"""What an independent sample of the same population would get: the null value of a measure.

Statistics: split the real rows at random, in the proportion of the two tables. Parts of a and b rows differ as two
samples of that many rows do, and errors of estimates shrink like the root of the number of rows, so what parts differ
by, times sqrt((1/n + 1/m) / (1/a + 1/b)), is the error between n real and m independent rows. No law is assumed.

Shares of cells: given the pooled count c of a cell, the real rows in it are hypergeometric; close to a binomial count
X of c with p = n / N, whose variance is smaller by (N - c) / (N - 1). The mean of |X - c p| has a closed form
(De Moivre): 2 v (1 - p) P(X = v) with v = floor(c p) + 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np

from quantail.arrays import Floats, Integers

LEAST_ROWS = 40
"""Rows below which parts say nothing."""

MOST_ROWS = 20_000
"""Rows that are split where errors are known to shrink like the root of their number; more would say the same."""

_SPLITS = 16, 64  # fewest and most; the mean error of so many is off by 19% and 9%
_SPLIT_ROWS = 2_000_000  # rows times splits; bounds the time
_LEAST_PART = 0.2  # of the rows; a smaller part would be too noisy a sample


def split_rows(
    n_real: int, n_synth: int, most: int | None = MOST_ROWS, rng: np.random.Generator | None = None
) -> Iterator[tuple[Integers, Integers]]:
    """Split the places of the real rows (a random `most` of them) in two, several times; places are in rising order."""
    rng = np.random.default_rng(0) if rng is None else rng
    rows = n_real if most is None else min(n_real, most)
    share = float(np.clip(n_real / (n_real + n_synth), _LEAST_PART, 1 - _LEAST_PART))
    for _ in range(int(np.clip(_SPLIT_ROWS // rows, *_SPLITS))):
        taken = rng.permutation(n_real)[:rows]
        first = max(round(share * rows), 1)
        yield np.sort(taken[:first]), np.sort(taken[first:])


def brought_to_size(n_real: int, n_synth: int, first: int, second: int) -> float:
    """Say by what an error between parts is multiplied to be that between n real and m independent rows."""
    return sqrt((1 / n_real + 1 / n_synth) / (1 / first + 1 / second))


def split_null(
    statistic: Callable[[Integers], Floats],
    n_real: int,
    n_synth: int,
    most: int | None = MOST_ROWS,
    rng: np.random.Generator | None = None,
) -> Floats:
    """Mean absolute difference of statistics between the real rows and so many independent ones.

    `statistic` takes the places of some real rows. NaN throughout if the rows are too few.
    """
    if n_real < LEAST_ROWS:
        return np.full_like(statistic(np.arange(n_real)), np.nan)
    gaps = [
        np.abs(statistic(first) - statistic(second))
        * brought_to_size(n_real, n_synth, first.size, second.size)
        for first, second in split_rows(n_real, n_synth, most, rng)
    ]
    return np.asarray(np.mean(gaps, axis=0))


def variation_null(counts: Integers, n_real: int, n_synth: int) -> float:
    """Mean total variation distance between two samples of one population, given the pooled counts of cells.

    Examples
    --------
    >>> round(variation_null(np.array([2, 2]), 2, 2), 3)
    0.408
    """
    from scipy.stats import binom  # here: slow to import

    size, cells = np.unique(counts[counts > 0], return_counts=True)
    total = n_real + n_synth
    p = n_real / total
    above = np.floor(size * p) + 1
    deviation = 2 * above * (1 - p) * binom.pmf(above, size, p)
    deviation *= np.sqrt((total - size) / max(total - 1, 1))
    return float(cells @ deviation * total / (n_real * n_synth) / 2)
