"""Where a slope's instrument cuts its predictor (DESIGN 4.2). Post-processing of the predictor's released curve.

The sign instrument compares the residuals of rows whose predictor is high with those of rows where it is low; rows
between count for nothing. With parts p and q of the rows, whose predictors differ by d on average, and residuals of
density f at their median, a slope is off by

    sampling    (1/p + 1/q) / (4 n f^2 d^2)     privacy    8 / (n e f min(p, q) d)^2

(variances; e the epsilon of the query under replace-one). The unknown f leaves the comparison, so the best
cuts are known before anything is asked. Rows in the middle hold little information about a slope but add to its
sampling error; privacy noise falls with the number of rows. So the less privacy noise there is, the farther apart are
the cuts, and where the upper tail is long both are high: few rows far out determine a slope better than many close
by.
"""

from collections.abc import Callable

import numpy as np

from quantail.arrays import Floats
from quantail.curves.grid import dividing
from quantail.curves.tuning import CUT_LEVELS, CUT_PLACES


def best_cuts(curve: Callable[[Floats], Floats], rows: int, n_epsilon: float) -> tuple[float, float]:
    """Return the values of a predictor up to which it is low, and above which it is high.

    Parameters
    ----------
    curve : callable
        Released quantile function of the predictor. Of a value that many rows have, all rows are on the same side.
    rows : int
        Rows that the slope is chosen on.
    n_epsilon : float
        Those rows times the epsilon of the query.

    Examples
    --------
    >>> low, high = best_cuts(lambda u: 10 * u, 5000, 500.0)
    >>> round(low + high, 6), 2 < low < high
    (10.0, True)
    """
    x = np.sort(curve(CUT_LEVELS))
    cuts = _possible_cuts(x, curve(CUT_PLACES))
    if not cuts.size:
        middle = float(curve(np.array([0.5]))[0])
        return middle, middle
    sums = np.concatenate([[0.0], np.cumsum(x)])
    number = np.searchsorted(x, cuts, side="right")
    below = sums[number] / number
    above = (sums[-1] - sums[number]) / (x.size - number)
    low, high = np.triu_indices(cuts.size)
    apart = above[high] - below[low]
    p, q = number[low] / x.size, 1 - number[high] / x.size
    sampling = (1 / p + 1 / q) / (4 * rows * apart**2)
    noise = 8 / (n_epsilon * np.minimum(p, q) * apart) ** 2
    best = int(np.argmin(sampling + noise))
    return float(cuts[low[best]]), float(cuts[high[best]])


def thinner_side(curve: Callable[[Floats], Floats], cuts: tuple[float, float]) -> float:
    """Return the share of rows on the side of the cuts that has fewer.

    Examples
    --------
    >>> round(thinner_side(lambda u: 10 * u, (2.0, 7.0)), 6)
    0.2
    """
    x = curve(CUT_LEVELS)
    return float(min(np.mean(x <= cuts[0]), np.mean(x > cuts[1])))


def _possible_cuts(x: Floats, places: Floats) -> Floats:
    """Return values with rows on both sides: at the places, and next below those that many rows have."""
    first = np.searchsorted(x, places)
    shared = (first > 0) & (first < np.searchsorted(x, places, side="right"))
    return dividing(np.concatenate([places, x[first[shared] - 1]]), x)
