"""How much to ask: quantiles and candidate spacings, from rows and budget alone.

Every rule is a function of n epsilon, rows times epsilon of the query, the only number that decides how well it can be
answered: an answer is off by about 4 / epsilon rows. Constants are in `tuning`; none depends on data.
"""

import numpy as np

from quantail.arrays import Floats
from quantail.curves.tuning import (
    COARSE_SHARE,
    OUTER_ROWS,
    RELEASED_QUANTILES,
    TWO_SLOPE_STAGES,
)


def quantile_levels(n_epsilon: float) -> Floats:
    """Return the levels of a joint draw: symmetric, evenly spaced on the logistic scale.

    Examples
    --------
    >>> quantile_levels(100.0).round(2).tolist()
    [0.25, 0.5, 0.75]
    """
    number = max(quantiles for least, quantiles in RELEASED_QUANTILES if n_epsilon >= least)
    if number < 3:
        return np.array([0.5]) if number == 1 else np.array([1 / 3, 2 / 3])
    outer = float(np.clip(OUTER_ROWS / n_epsilon, 0.004, 0.25))
    edge = np.log((1 - outer) / outer)
    return np.asarray(1 / (1 + np.exp(-np.linspace(-edge, edge, number))))


def near_candidates(n_epsilon: float) -> int:
    """Return how many candidates lie between two quartiles once these are known: steps below the size of the noise."""
    return int(np.clip(n_epsilon / 10, 150, 400))


def slope_step(n_epsilon: float) -> float:
    """Return the relative spacing of slope candidates: below the size of the noise."""
    return float(np.clip(2.0 / n_epsilon, 0.0005, 0.025))


def slope_stages(n_epsilon: float) -> tuple[float, ...]:
    """Return the shares of a slope's stages: one selection, or a coarse and a fine one where the list would be long."""
    return (1.0,) if n_epsilon < TWO_SLOPE_STAGES else (COARSE_SHARE, 1 - COARSE_SHARE)


def histogram_fits(cells: int, n_epsilon: float) -> bool:
    """Say whether a column with so few possible values is better counted than cut by quantiles."""
    return cells <= min(200.0, n_epsilon / 20.0)
