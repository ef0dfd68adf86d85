"""The paper's mechanisms on a business panel, year by year, by chains of the authors' kind. NOT PRIVATE.

A year is booked epsilon / years: three quarters for continuers, a quarter for births (all of it in the first year).
Shares as in the authors' code for this application, in every model; chains of 1000 steps, the median started at the
non-private fit. Lines are held at the confidential rows. Two settings:

    simulation   step sizes of X1 for births and of X2 for continuers; C_X the bound of employment (1 for births)
    synlbd       the step sizes of the authors' script for SIC 178, and C_X the largest predictor of the rows, as an
                 earlier version of their functions had it (the script passes none)

The script names one size for fixed slopes and a pair for varying ones; the pair is read here as (main, inner)
quantiles. It names none for KNG, which keeps those of the simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quantail.evaluation.quantile_regression import quantile_regression
from quantail.orders.yearly.settings import YEARLY_TAUS
from studies.lbd.yearly import synthesize_yearly
from studies.published.column import Column, corners
from studies.published.density import PUBLISHED
from studies.published.orders import Visit, checked_method, visits

Floats = NDArray[np.float64]

CONTINUERS_SHARE = 0.75
STEPS = 1000
_JITTER = 1.0  # employment is moved by up to this much, so lines may lie as far below zero

# Proposal scale of (main, inner) quantiles on SynLBD, in the first year and in the others.
_SYNLBD_SCALES = {
    "fixed": ((0.05, 0.05), (5e-4, 5e-4)),
    "varying": ((0.1, 0.05), (1e-3, 5e-4)),
}

Setting = Literal["simulation", "synlbd"]


def synthesize_published_yearly(
    values: Floats,
    method: str,
    epsilon: float,
    upper: float,
    rng: np.random.Generator,
    steps: int = STEPS,
    setting: Setting = "simulation",
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
        The public bound.
    setting : str
        Step sizes and C_X: see above.
    """
    checked_method(method)
    year = epsilon / values.shape[1]

    def lines_of(y: Floats, x: Floats | None, place: int) -> Floats:
        share = 1.0 if place == 0 else CONTINUERS_SHARE if x is not None else 1.0 - CONTINUERS_SHARE
        plan = yearly_visits(method, x is None, place == 0, setting)
        widest = upper if x is None or setting == "simulation" else float(x.max(initial=1.0))
        return draw_lines(_column(y, x, upper, widest), plan, method, year * share, rng, steps)

    return synthesize_yearly(values, upper, lines_of, rng)


def draw_lines(
    column: Column,
    plan: Sequence[Visit],
    method: str,
    epsilon: float,
    rng: np.random.Generator,
    steps: int = STEPS,
) -> Floats:
    """Draw all quantiles of one model; return their coefficients by rising level."""
    # Imported here: importing this file must work without numba.
    from studies.published.quantile import draw_by_metropolis, frame

    known: dict[float, Floats] = {}
    for visit in plan:
        setting = frame(column, visit, epsilon * visit.share, PUBLISHED, known, method.endswith("fixed"))
        start = known[visit.start] if visit.start is not None else _start(column, visit)
        known[visit.tau] = draw_by_metropolis(setting, visit, start, steps, rng, None).theta
    return np.array([known[tau] for tau in sorted(known)])


def yearly_visits(
    method: str,
    births: bool,
    first_year: bool = False,
    setting: Setting = "simulation",
    taus: Sequence[float] = YEARLY_TAUS,
) -> list[Visit]:
    """List the draws of a model: shares of an explained column, step sizes by the kind of model."""
    explained = visits(method, "X2", taus)
    slopes = method.partition("-")[2]
    if setting == "synlbd" and slopes:
        main, inner = _SYNLBD_SCALES[slopes][0 if first_year else 1]
        sizes = {"main": main, "inner": inner}
        return [replace(visit, scale=sizes.get(visit.role, visit.scale)) for visit in explained]
    if not births:
        return explained
    alone = visits(method, "X1", taus)
    return [replace(a, scale=b.scale) for a, b in zip(explained, alone, strict=True)]


def _start(column: Column, visit: Visit) -> Floats:
    if visit.role != "median":
        return np.zeros(column.design.shape[0])
    predictors = column.predictors if column.predictors.shape[1] else None
    return np.asarray(quantile_regression(column.y, predictors, [visit.tau])[0])


def _column(y: Floats, x: Floats | None, upper: float, widest: float) -> Column:
    design = np.ones((1, y.size)) if x is None else np.vstack([np.ones(y.size), x])
    held = corners(design.T)
    return Column(
        name="emp",
        y=np.ascontiguousarray(y),
        predictors=design[1:].T,
        design=design,
        instruments=design,
        weight=np.ones(len(design)),
        widest=1.0 if x is None else widest,
        held_median=held,
        held=held,
        bounds=(-_JITTER, upper + _JITTER),
    )
