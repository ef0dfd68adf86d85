"""The paper's year-by-year synthesis of a panel without privacy: the frame that its references share. NOT PRIVATE.

As in its section on SynLBD: every year the establishments born in it are drawn from quantiles alone, and those that
were there the year before from quantile lines on last year's employment, the confidential one at fitting and the
synthetic one at sampling. Employment is cut at the public bound and moved by U(-1, 1) before fitting; every
establishment picks one of the levels, all equally likely; nothing is rounded. One thing is ours: values are kept within
the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from quantail.evaluation.quantile_regression import quantile_regression
from quantail.orders.yearly.settings import YEARLY_TAUS
from studies.quantreg import PISTNER_TAUS

Floats = NDArray[np.float64]
LinesOf = Callable[[Floats, "Floats | None", int], Floats]
"""From a response, its predictor (None for births) and the year's place to lines: (levels, 1 or 2), intercept first."""


def synthesize_yearly(values: Floats, upper: float, lines_of: LinesOf, rng: np.random.Generator) -> Floats:
    """Synthesise a panel year by year. NOT PRIVATE.

    Parameters
    ----------
    values : array, shape (units, periods)
        Employment, NaN where a unit is not active; histories have no gaps.
    upper : float
        The public bound.
    lines_of : callable
        Fits the quantile lines of one year's births or continuers.
    rng : numpy Generator
        Jitter and picks.

    Returns
    -------
    array of the same shape
    """
    jittered = np.clip(values, 0.0, upper) + rng.uniform(-1.0, 1.0, values.shape)
    active = ~np.isnan(values)
    made = np.full(values.shape, np.nan)
    for t in range(values.shape[1]):
        was = active[:, t - 1] if t else np.zeros(len(values), dtype=bool)
        born, staying = np.flatnonzero(active[:, t] & ~was), np.flatnonzero(active[:, t] & was)
        if born.size:
            lines = lines_of(jittered[born, t], None, t)
            made[born, t] = lines[rng.integers(len(lines), size=born.size), 0]
        if staying.size:
            lines = lines_of(jittered[staying, t], jittered[staying, t - 1], t)
            chosen = lines[rng.integers(len(lines), size=staying.size)]
            made[staying, t] = chosen[:, 0] + chosen[:, 1] * made[staying, t - 1]
        made[:, t] = np.clip(made[:, t], 0.0, upper)
    return made


def synthesize_yearly_quantreg(
    values: Floats, upper: float, rng: np.random.Generator, taus: Sequence[float] = YEARLY_TAUS
) -> Floats:
    """Synthesise with exact quantile regression: the paper's non-private method. NOT PRIVATE."""

    def lines_of(y: Floats, x: Floats | None, place: int) -> Floats:
        return quantile_regression(y, None if x is None else x[:, None], taus)

    return synthesize_yearly(values, upper, lines_of, rng)


def synthesize_pistner(values: Floats, upper: float, rng: np.random.Generator) -> Floats:
    """Synthesise with Pistner's 250 levels. NOT PRIVATE."""
    return synthesize_yearly_quantreg(values, upper, rng, PISTNER_TAUS)
