"""A band that holds the next error nine times in ten, from a few tables.

Errors have a sign: too high or too low by so much. With z = asinh(error), nearly the error itself where it is small and
its logarithm where a quantile ran away, and R tables, the z of one more table lies within

    mean(z) -+ t sqrt(1 + 1/R) sd(z),        t the 95% quantile of Student's law with R - 1 degrees of freedom

with probability 90% for normal z, exactly for every R: a prediction interval, as in `quantail.inference`. The band is
what that means for the size of the error. How often it holds for tables as they are: studies/results/plan-honesty.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from quantail.errors import OptionError
from quantail.planning.tuning import COVERAGE, FEWEST_TABLES, RUNAWAY


@dataclass(frozen=True)
class Band:
    """The size of an expected error (the median over tables) and the ends of its 90% band; 0.05 is 5%."""

    expected: float
    low: float
    high: float

    def __str__(self) -> str:
        """Write the error and its band in percent."""
        return f"{percent(self.expected)} ({percent(self.low)} to {percent(self.high)})"

    def holds(self, error: float) -> bool:
        """Say whether an error, of either sign, lies within the band."""
        return self.low <= abs(error) <= self.high


def band_of(errors: Sequence[float], most: float = np.inf) -> Band:
    """Return the median size of errors and the band that holds the next one with probability 90%.

    `most` is the largest error that there can be: 1 for shares.

    Examples
    --------
    >>> print(band_of([-0.02, 0.01, 0.03, -0.01, 0.02]))
    2% (0% to 5.4%)
    >>> print(band_of([0.21, 0.19, 0.20, 0.22, 0.18]))
    20% (16% to 24%)
    >>> print(band_of([0.1, 0.05, 0.8], most=1))
    10% (0% to 100%)
    """
    z = np.arcsinh(errors)
    reach = stdtrit(z.size - 1, (1 + COVERAGE) / 2) * np.sqrt(1 + 1 / z.size) * z.std(ddof=1)
    ends = np.sinh([z.mean() - reach, z.mean() + reach])
    low = 0.0 if ends[0] <= 0 <= ends[1] else float(np.abs(ends).min())
    return Band(float(np.median(np.abs(errors))), low, min(float(np.abs(ends).max()), most))


def check_number(number: Any, name: str) -> None:
    """Refuse a number of made-up tables or panels from which no band can be had."""
    if not isinstance(number, int) or isinstance(number, bool) or number < FEWEST_TABLES:
        raise OptionError(
            f"{name} must be a whole number of at least {FEWEST_TABLES}: fewer cannot show a band of 90%"
        )


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
