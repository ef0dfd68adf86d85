"""A made-up panel for the demo and the documentation: workplaces of an industry, 2001-2015, none of which exists.

The log size of a workplace is a permanent part (normal, with an exponential upper tail) plus an AR(1) plus the
industry's trend; payroll is employees x a wage of the year x the workplace's own wage.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from quantail.arrays import Floats, Integers
from quantail.errors import OptionError
from quantail.schema import Column, Layout, Panel, Schema

YEARS = tuple(range(2001, 2016))
MAX_STAFF = 5_000
MAX_PAY = 1_000_000
_THERE_AT_START = 0.45
_CLOSING = 0.07  # chance to close at the end of a year
_IDLE = 0.04  # chance of a year without staff
_PERSISTENCE = 0.8
_TREND = 0.01  # growth of sizes a year
_WAGE, _WAGE_GROWTH = 32.0, 0.025  # thousand dollars a year


def industry_example(n: int = 8_000, seed: int = 2_015, layout: Layout = "wide") -> pa.Table:
    """Generate `n` fictitious workplaces: staff and payroll of every year in which each is open.

    Parameters
    ----------
    n : int
        How many workplaces.
    seed : int
        The same number of workplaces and the same seed always give the same table.
    layout : {"wide", "long"}
        One row for each workplace, or for each workplace and year.

    Returns
    -------
    pyarrow.Table
        Wide: columns site, opened and closed (the first and the last year), staff_2001..staff_2015, and
        pay_2001..pay_2015 in thousand dollars; null in years in which a workplace is not open, and 0 in years without
        staff. Long: columns site, year, opened, closed, staff and pay.

    Examples
    --------
    >>> industry_example(3).column_names[:4]
    ['site', 'opened', 'closed', 'staff_2001']
    """
    if n < 1:
        raise OptionError("industry_example: n must be at least 1; give the number of workplaces to make up.")
    rng = np.random.default_rng(seed)
    opened, closed = _lives(n, rng)
    staff = _staff(n, rng)
    pay = _pay(staff, rng)
    if layout == "long":
        return _long(opened, closed, staff, pay)
    columns: dict[str, object] = {"site": np.arange(1, n + 1), "opened": opened, "closed": closed}
    for name, values in (("staff", staff), ("pay", pay)):
        for place, year in enumerate(YEARS):
            columns[f"{name}_{year}"] = pa.array(values[place], mask=(year < opened) | (year > closed))
    return pa.table(columns)


def industry_schema(layout: Layout = "wide") -> Schema:
    """Give the public facts of the industry: when workplaces open and close, and bounds of staff and payroll.

    Examples
    --------
    >>> industry_schema().panel.unit
    'site'
    """
    staff = Column(
        "staff", "integer", 0, MAX_STAFF, grid="log", source="no (fictitious) licence is for more than 5,000"
    )
    pay = Column(
        "pay", "integer", 0, MAX_PAY, grid="log", source="thousand dollars; far above any published payroll"
    )
    known = "the (fictitious) register of licences lists every site with its years"
    time = "year" if layout == "long" else ""
    panel = Panel("site", "opened", "closed", YEARS[0], YEARS[-1], layout, time, known)
    return Schema((staff, pay), "workplace", name="industry-example", panel=panel)


def _long(opened: Integers, closed: Integers, staff: Integers, pay: Integers) -> pa.Table:
    years = np.array(YEARS)
    site, place = np.nonzero((years >= opened[:, None]) & (years <= closed[:, None]))
    values = {"staff": staff[place, site], "pay": pay[place, site]}
    return pa.table(
        {"site": site + 1, "year": years[place], "opened": opened[site], "closed": closed[site], **values}
    )


def _lives(n: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    start = np.where(rng.random(n) < _THERE_AT_START, YEARS[0], rng.integers(YEARS[1], YEARS[-1] + 1, size=n))
    return start, np.minimum(start + rng.geometric(_CLOSING, size=n) - 1, YEARS[-1])


def _staff(n: int, rng: np.random.Generator) -> Integers:
    """Draw sizes by year (rows) and workplace."""
    own = (
        1.6 + rng.normal(0.0, 0.9, size=n) + np.where(rng.random(n) < 0.15, rng.exponential(0.7, size=n), 0.0)
    )
    moving = rng.laplace(0.0, 0.35, size=n)
    sizes = []
    for place in range(len(YEARS)):
        sizes.append(own + moving + _TREND * place)
        moving = _PERSISTENCE * moving + rng.laplace(0.0, 0.15, size=n)
    whole = np.clip(np.rint(np.exp(sizes)), 1, MAX_STAFF).astype(np.int64)
    return np.where(rng.random(whole.shape) < _IDLE, 0, whole)


def _pay(staff: Integers, rng: np.random.Generator) -> Integers:
    years, n = staff.shape
    wage = _WAGE * np.exp(_WAGE_GROWTH * np.arange(years))[:, None] * rng.lognormal(0.0, 0.25, size=n)
    pay: Floats = np.rint(staff * wage * rng.lognormal(0.0, 0.1, size=staff.shape))
    return np.clip(pay, 0, MAX_PAY).astype(np.int64)
