"""ApproximateQuantiles (Kaplan, Schnapp and Stemmer 2022): the middle level first, then each half on its own rows.

Nodes of one depth hold disjoint rows and share epsilon / depths. A replaced row may leave one node for another, so
the score of a node at relative level t is charged 2 max(t, 1 - t), as in `studies/ladder.md`.
"""

from __future__ import annotations

import numpy as np

from benchmarks.quantile_mechanisms.exponential import one_quantile


def approximate_quantiles(
    values: np.ndarray,
    levels: np.ndarray,
    epsilon: float,
    bounds: tuple[float, float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Release the quantiles of sorted values at the levels."""
    strength = epsilon / levels.size.bit_length()
    released = np.empty(levels.size)

    def settle(rows: np.ndarray, first: int, last: int, ends: tuple[float, float]) -> None:
        """Find levels first..last-1 among the rows between two released ends."""
        if first == last:
            return
        middle = (first + last) // 2
        below = levels[first - 1] if first else 0.0
        above = levels[last] if last < levels.size else 1.0
        t = (levels[middle] - below) / (above - below)
        rate = strength / (2 * 2 * max(t, 1 - t))
        value = released[middle] = one_quantile(rows, t * rows.size, rate, *ends, rng)
        cut = np.searchsorted(rows, value, side="right")
        settle(rows[:cut], first, middle, (ends[0], value))
        settle(rows[cut:], middle + 1, last, (value, ends[1]))

    settle(values, 0, levels.size, bounds)
    return released
