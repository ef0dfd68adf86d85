"""How units of a panel grow, stay and leave: the trends that users of business data look at.

A panel is an array e of shape (units, periods), NaN where a unit is not active; a zero is a value, not absence.
`PanelData.values["emp"]` is such an array; panels of several industries are pooled by stacking them. With
Z_t = sum (e_t + e_{t-1}) / 2 (Davis, Haltiwanger and Schuh 1996, as in the paper's section on SynLBD):

    job creation     sum max(0, e_t - e_{t-1}) / Z_t
    job destruction  sum max(0, e_{t-1} - e_t) / Z_t      (the paper writes it with min, so with a minus sign)
    net creation     job creation - job destruction

As the authors did, on units present in both years; `business_dynamics` has the rates with births and deaths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from quantail.arrays import Floats
from quantail.errors import DataError

# Symmetric growth lies between -2 and 2; from zero, to zero and no change are cells of their own.
GROWTH_EDGES = (-2.0, -1.0, -0.5, -0.25, -0.1, 0.0, 0.1, 0.25, 0.5, 1.0, 2.0)
_ATOMS = (-2.0, 0.0, 2.0)


class JobFlows(NamedTuple):
    """Rates of every period but the first, as shares of the average of this and last period's total."""

    creation: Floats
    destruction: Floats
    net: Floats


def histories(values: ArrayLike) -> Floats:
    """Check and return a panel as floats of shape (units, periods)."""
    array = np.asarray(values, dtype=float)
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError("a panel must have the shape (units, periods); give one row per unit")
    if np.isinf(array).any():
        raise DataError("a panel holds infinite values; only finite ones and NaN (not active) have a meaning")
    return array


def gross_employment(values: ArrayLike) -> Floats:
    """Total of every period, shape (periods,).

    Examples
    --------
    >>> gross_employment([[1, 2], [3, float("nan")]])
    array([4., 2.])
    """
    return np.asarray(np.nansum(histories(values), axis=0))


def job_flows(values: ArrayLike) -> JobFlows:
    """Job creation, destruction and net creation rates of continuers, in every period but the first.

    `values`, shape (units, periods): employment, NaN where a unit is not active. A period without any jobs on
    either side has rates of 0.

    Examples
    --------
    >>> job_flows([[10, 14], [10, 4], [float("nan"), 2]]).net.round(3)
    array([-0.105])
    """
    before, after = _pairs(histories(values))
    both = ~np.isnan(before) & ~np.isnan(after)
    before, after = np.where(both, before, 0.0), np.where(both, after, 0.0)
    change = after - before
    base = (after + before).sum(axis=0) / 2
    scale = np.divide(1.0, base, out=np.zeros_like(base), where=base > 0)
    creation = np.maximum(change, 0).sum(axis=0) * scale
    destruction = np.maximum(-change, 0).sum(axis=0) * scale
    return JobFlows(creation, destruction, creation - destruction)


def growth_rates(values: ArrayLike) -> Floats:
    """Symmetric growth 2 (e_t - e_{t-1}) / (e_t + e_{t-1}) of all continuers in all periods, one flat array.

    It lies between -2 (to zero) and 2 (from zero); staying at zero is no growth. Negative sizes, which only a
    faulty synthesis has, count as zero.
    """
    before, after = (np.maximum(size, 0) for size in _continuers(histories(values)))
    total = before + after
    return np.asarray(np.divide(2 * (after - before), total, out=np.zeros_like(total), where=total > 0))


def growth_shares(values: ArrayLike) -> Floats:
    """Shares of continuers by growth: to zero, cells between `GROWTH_EDGES` with no change apart, from zero."""
    growth = growth_rates(values)
    # Edges below plus atoms reached: an atom and the open cells on its two sides get different numbers.
    cell = np.searchsorted(GROWTH_EDGES, growth, side="left") + np.searchsorted(_ATOMS, growth, side="right")
    count = len(GROWTH_EDGES) + len(_ATOMS) - 1
    return np.bincount(cell - 1, minlength=count) / max(growth.size, 1)


def unchanged_share(values: ArrayLike) -> float:
    """Share of continuers whose size is exactly that of the period before (0 if there are no continuers)."""
    before, after = _continuers(histories(values))
    return float(np.mean(before == after)) if before.size else 0.0


def survival(values: ArrayLike) -> Floats:
    """Share of births still active a periods later, a = 0, 1, ...; shape (periods - 1,).

    Births are units that enter after the first period: the age of the others is not known. At each age only
    births old enough to have been seen at that age count; NaN where there are none.

    Examples
    --------
    >>> nan = float("nan")
    >>> survival([[1, 1, 1], [nan, 1, nan], [nan, 1, 1], [nan, nan, 1]])
    array([1. , 0.5])
    """
    active = ~np.isnan(histories(values))
    active = active[active.any(axis=1)]
    periods = active.shape[1]
    entry = active.argmax(axis=1)
    exit_ = periods - 1 - active[:, ::-1].argmax(axis=1)
    born = entry > 0
    life, seen = (exit_ - entry)[born], (periods - 1 - entry)[born]
    ages = np.arange(periods - 1)
    alive = (life[:, None] >= ages).sum(axis=0).astype(float)
    at_risk = (seen[:, None] >= ages).sum(axis=0)
    return np.asarray(np.divide(alive, at_risk, out=np.full(ages.size, np.nan), where=at_risk > 0))


def _pairs(array: Floats) -> tuple[Floats, Floats]:
    return array[:, :-1], array[:, 1:]


def _continuers(array: Floats) -> tuple[Floats, Floats]:
    before, after = _pairs(array)
    both = ~np.isnan(before) & ~np.isnan(after)
    return before[both], after[both]
