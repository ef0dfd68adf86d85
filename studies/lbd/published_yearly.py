"""The paper's mechanisms on a business panel, year by year, by chains of the authors' kind. NOT PRIVATE.

A year is booked epsilon / years: three quarters for continuers, a quarter for births (all of it in the first year). C_X
is the bound of employment, 2000, for continuers and 1 for births. Shares as in the authors' code for this application,
in every model; chains as in the simulation: 1000 steps, the median started at the non-private fit, step sizes of X1
for births and of X2 for continuers (those used on SynLBD are not known to us). Lines are held at the confidential rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quantail.curves.quantreg import quantile_regression
from quantail.orders.yearly.settings import YEARLY_TAUS
from studies.lbd.yearly import synthesize_yearly
from studies.published.column import Column, corners
from studies.published.density import PUBLISHED
from studies.published.orders import Visit, checked_method, visits

Floats = NDArray[np.float64]

CONTINUERS_SHARE = 0.75
STEPS = 1000
_JITTER = 1.0  # employment is moved by up to this much, so lines may lie as far below zero


def synthesize_published_yearly(
    values: Floats,
    method: str,
    epsilon: float,
    upper: float,
    rng: np.random.Generator,
    steps: int = STEPS,
) -> Floats:
    """Synthesise a panel by one of the paper's mechanisms. NOT PRIVATE, whatever epsilon is.

    Parameters
    ----------
    values : array, shape (units, periods)
        Employment, NaN where a unit is not active.
    method : str
        One of the paper's five.
    epsilon : float
        What the paper would book for all years together.
    upper : float
        The public bound, and C_X of continuers.
    """
    checked_method(method)
    year = epsilon / values.shape[1]

    def lines_of(y: Floats, x: Floats | None, place: int) -> Floats:
        share = 1.0 if place == 0 else CONTINUERS_SHARE if x is not None else 1.0 - CONTINUERS_SHARE
        return draw_lines(y, x, method, year * share, upper, rng, steps)

    return synthesize_yearly(values, upper, lines_of, rng)


def draw_lines(
    y: Floats,
    x: Floats | None,
    method: str,
    epsilon: float,
    upper: float,
    rng: np.random.Generator,
    steps: int = STEPS,
    taus: Sequence[float] = YEARLY_TAUS,
) -> Floats:
    """Draw all quantiles of one model; return their coefficients by rising level."""
    # Imported here: importing this file must work without numba.
    from studies.published.quantile import draw_by_metropolis, frame

    column = _column(y, x, upper)
    known: dict[float, Floats] = {}
    for visit in yearly_visits(method, x is None, taus):
        setting = frame(column, visit, epsilon * visit.share, PUBLISHED, known, method.endswith("fixed"))
        start = known[visit.start] if visit.start is not None else _start(column, visit)
        known[visit.tau] = draw_by_metropolis(setting, visit, start, steps, rng, None).theta
    return np.array([known[tau] for tau in sorted(known)])


def yearly_visits(method: str, births: bool, taus: Sequence[float] = YEARLY_TAUS) -> list[Visit]:
    """List the draws of a model: shares of an explained column, step sizes by the kind of model."""
    explained = visits(method, "X2", taus)
    if not births:
        return explained
    alone = visits(method, "X1", taus)
    return [replace(a, scale=b.scale) for a, b in zip(explained, alone, strict=True)]


def _start(column: Column, visit: Visit) -> Floats:
    if visit.role != "median":
        return np.zeros(column.design.shape[0])
    predictors = column.predictors if column.predictors.shape[1] else None
    return np.asarray(quantile_regression(column.y, predictors, [visit.tau])[0])


def _column(y: Floats, x: Floats | None, upper: float) -> Column:
    design = np.ones((1, y.size)) if x is None else np.vstack([np.ones(y.size), x])
    held = corners(design.T)
    return Column(
        name="emp",
        y=np.ascontiguousarray(y),
        predictors=design[1:].T,
        design=design,
        instruments=design,
        weight=np.ones(len(design)),
        widest=1.0 if x is None else upper,
        held_median=held,
        held=held,
        bounds=(-_JITTER, upper + _JITTER),
    )
