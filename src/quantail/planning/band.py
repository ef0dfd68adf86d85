"""A band that holds the next error nine times in ten.

With R tables and k = floor((R + 1) / 20) the band of an error reaches from its k-th smallest to its k-th largest value.
The error of one more such table is equally likely to fall into each of the R + 1 gaps between them, so it lies in the
band with probability 1 - 2 k / (R + 1): exactly 90% for R = 19, 39, 59, ..., and a little more for others. That holds
whatever the distribution of errors is; what it rests on is that the next table comes from where the others came from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quantail.planning.tuning import RUNAWAY


@dataclass(frozen=True)
class Band:
    """An expected error (the median over tables) and the ends of its 90% band; 0.05 is 5%."""

    expected: float
    low: float
    high: float

    def __str__(self) -> str:
        """Write the error and its band in percent."""
        return f"{percent(self.expected)} ({percent(self.low)} to {percent(self.high)})"

    def holds(self, error: float) -> bool:
        """Say whether an error lies within the band."""
        return self.low <= error <= self.high


def band_of(errors: Sequence[float]) -> Band:
    """Return the median of errors and the band that holds the next one with probability 90% or a little more.

    Examples
    --------
    >>> band_of([k / 100 for k in range(1, 40)])
    Band(expected=0.2, low=0.02, high=0.38)
    """
    ordered = np.sort(errors)
    rank = outside(ordered.size)
    return Band(float(np.median(ordered)), float(ordered[rank - 1]), float(ordered[-rank]))


def outside(tables: int) -> int:
    """Return the rank of the band's ends, counted from either side."""
    return int((tables + 1) * Fraction(1, 20))


def percent(error: float) -> str:
    """Write an error for people: two digits are all that it carries.

    Examples
    --------
    >>> percent(0.0123), percent(0.4567), percent(25.0)
    ('1.2%', '46%', 'over 1000%')
    """
    if error > RUNAWAY:
        return f"over {100 * RUNAWAY:.0f}%"
    return f"{100 * error:.2g}%" if error < 0.0995 else f"{100 * error:.0f}%"
