"""The level of a year: the shift of all log sizes at which whole numbers of employees add up to an aim."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TOLERANCE = 2e-4  # relative, on the aim
_STEPS = 40


def whole_staff(weights: Floats, level: float, largest: float) -> Floats:
    """Round sizes to whole employees, from 1 to the largest allowed."""
    staff: Floats = np.clip(np.rint(weights * np.exp(level)), 1.0, largest)
    return staff


def solve_level(weights: Floats, aim: float, start: float, reach: float, largest: float) -> float:
    """Find the level within `reach` of `start` whose employees come nearest to the aim.

    The total is a step function that rises with the level; each step scales by what is missing, or halves
    the interval known to hold the answer when that would leave it.

    Examples
    --------
    >>> level = solve_level(np.array([1.0, 2.0, 3.0]), 60.0, 0.0, 5.0, 1e6)
    >>> float(whole_staff(np.array([1.0, 2.0, 3.0]), level, 1e6).sum())
    60.0
    """
    level, best, miss = start, start, np.inf
    low, high = start - reach, start + reach
    for _ in range(_STEPS):
        total = whole_staff(weights, level, largest).sum()
        if abs(total - aim) < miss:
            miss, best = abs(total - aim), level
        if miss <= TOLERANCE * abs(aim) or high - low < TOLERANCE:
            break
        low, high = (level, high) if total < aim else (low, level)
        guess = level + np.log(max(aim, 1.0) / max(total, 1.0))
        level = float(guess) if low < guess < high else (low + high) / 2
    return best
