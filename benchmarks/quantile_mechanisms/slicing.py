"""Slicing with correlated ranks (Imola et al. 2025): noisy ranks first, then one narrow slice of rows for each level.

Ranks get the noise of continual counting: a row that comes or goes shifts all later ranks by one, which a binary tree
of Laplace variables hides at the price of its depth. Given the ranks, slices are disjoint, so all of them share the
rest of epsilon. Replace-one: the shift counts twice, and at most three slices change, as the authors count.
Slices must not touch: where public numbers say they would, the mechanism does not apply; where noise makes them, it
gives up and answers at random.
"""

from __future__ import annotations

import numpy as np

from benchmarks.quantile_mechanisms.exponential import NotApplicable, one_quantile

RESOLUTION = 2.0**-36  # part of the range that two rows are taken to be apart at least
FAILURE = 0.1


def slice_quantiles(
    values: np.ndarray,
    levels: np.ndarray,
    epsilon: float,
    bounds: tuple[float, float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Release the quantiles of sorted values at the levels."""
    counting, choosing = epsilon / 2 / 2, epsilon / 2 / 3
    half = slice_half(levels.size, choosing)
    gap = np.diff(values.size * levels, prepend=0.0, append=values.size).min()
    if gap < 2 * half + 1:
        raise NotApplicable("levels are too close for slices of the width that the budget asks for")
    ranks = np.rint(values.size * levels + prefix_noise(levels.size, counting, rng)).astype(np.int64)
    if ranks[0] < half or ranks[-1] > values.size - half or np.any(np.diff(ranks) <= 2 * half):
        return np.sort(rng.uniform(*bounds, size=levels.size))
    released: list[float] = []
    for rank in ranks:
        low = released[-1] if released else bounds[0]
        rows = values[rank - half : rank + half]
        released.append(one_quantile(rows, half, choosing / 2, low, bounds[1], rng))
    return np.array(released)


def slice_half(levels: int, strength: float) -> int:
    """Return the rows to either side of a rank that keep the choice inside its slice, but for `FAILURE`."""
    return int(np.ceil(2 / strength * np.log(levels / (RESOLUTION * FAILURE))))


def prefix_noise(size: int, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Return the noise of all prefix sums of a stream of `size` ones and zeros, by the binary tree mechanism.

    Every item is in one node of each height, so each node has Laplace noise of scale heights / epsilon; a prefix is
    the sum of the nodes in its binary expansion.
    """
    heights = size.bit_length()
    nodes = [rng.laplace(0.0, heights / epsilon, size=(size >> h) + 1) for h in range(heights)]
    noise = np.zeros(size)
    for prefix in range(1, size + 1):
        start = 0
        for h in reversed(range(heights)):
            if prefix >> h & 1:
                noise[prefix - 1] += nodes[h][start >> h]
                start += 1 << h
    return noise
