"""Where a slope's instrument cuts its predictor (DESIGN 4.2). Post-processing of the predictor's released curve.

The sign instrument compares the residuals above and below a cut. With parts p and 1 - p of the rows, whose predictors
differ by d on average, and residuals of density f at their median, a slope is off by

    sampling    (1/p + 1/(1-p)) / (4 n f^2 d^2)     privacy    8 / (signal f min(p, 1-p) d)^2

(variances; signal = rows * strength under replace-one). The unknown f leaves the comparison, so the best cut is known
before anything is asked: the median of a symmetric predictor, a higher one where the upper tail is long, because few
rows far out tell a slope better than many close by.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LEVELS = np.arange(0.5, 400.0) / 400.0
_CUTS = np.arange(0.3, 0.71, 0.02)


def best_cut(curve: Callable[[Floats], Floats], rows: int, signal: float) -> float:
    """Return the value of a predictor at which its instrument should change sign.

    Parameters
    ----------
    curve : callable
        Released quantile function of the predictor.
    rows : int
        Rows that the slope is chosen on.
    signal : float
        Those rows times the strength of the question.

    Examples
    --------
    >>> round(best_cut(lambda u: 10 * u, 5000, 500.0), 6)
    5.0
    >>> best_cut(lambda u: -np.log(1 - u), 5000, 500.0) > 0.7
    True
    """
    x = curve(_LEVELS)
    below = np.searchsorted(_LEVELS, _CUTS)
    sums = np.concatenate([[0.0], np.cumsum(x)])
    apart = (sums[-1] - sums[below]) / (x.size - below) - sums[below] / below
    if not (apart > 0).all():
        return float(curve(np.array([0.5]))[0])
    sampling = (1 / _CUTS + 1 / (1 - _CUTS)) / (4 * rows * apart**2)
    noise = 8 / (signal * np.minimum(_CUTS, 1 - _CUTS) * apart) ** 2
    return float(curve(_CUTS[[int(np.argmin(sampling + noise))]])[0])
