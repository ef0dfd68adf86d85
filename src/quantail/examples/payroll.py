"""A made-up payroll table for the demo: every establishment in it is generated, none exists.

Employees follow a discretised lognormal body with a Pareto upper tail whose level depends on the sector;
yearly payroll is employees x a sector wage x an establishment effect, so the columns hang together and both
are heavy-tailed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from quantail.errors import OptionError
from quantail.schema import Column, Schema


class _Sector(NamedTuple):
    share: float
    median_employees: float
    wage: float  # dollars a year


_SECTORS = {
    "construction": _Sector(0.20, 5.0, 47_000.0),
    "manufacturing": _Sector(0.15, 14.0, 52_000.0),
    "retail": _Sector(0.30, 8.0, 27_000.0),
    "services": _Sector(0.35, 6.0, 41_000.0),
}
_TAIL_SHARE = 0.06
_TAIL_INDEX = 1.4
MAX_EMPLOYEES = 50_000
MAX_PAYROLL = 10_000_000_000.0


def payroll_example(n: int = 20_000, seed: int = 20_240) -> pa.Table:
    """Generate `n` fictitious establishments: sector, employees and yearly payroll in dollars.

    Examples
    --------
    >>> payroll_example(3).column_names
    ['sector', 'employees', 'payroll']
    """
    if n < 1:
        raise OptionError(
            "payroll_example: n must be at least 1; give the number of establishments to make up."
        )
    rng = np.random.default_rng(seed)
    names = list(_SECTORS)
    sector = rng.choice(len(names), size=n, p=[s.share for s in _SECTORS.values()])
    median = np.array([s.median_employees for s in _SECTORS.values()])[sector]
    wage = np.array([s.wage for s in _SECTORS.values()])[sector]

    size = median * rng.lognormal(0.0, 0.95, size=n)
    in_tail = rng.random(n) < _TAIL_SHARE
    size[in_tail] = 4.0 * median[in_tail] * (1.0 + rng.pareto(_TAIL_INDEX, size=int(in_tail.sum())))
    employees = np.clip(np.rint(size), 1, MAX_EMPLOYEES).astype(np.int64)

    # Larger establishments pay a little more a head, as published wage tables show.
    pay = employees**1.04 * wage * rng.lognormal(0.0, 0.35, size=n)
    payroll = np.round(np.clip(pay, 0.0, MAX_PAYROLL), 2)
    return pa.table({"sector": [names[i] for i in sector], "employees": employees, "payroll": payroll})


def payroll_schema() -> Schema:
    """Give the public facts of the payroll example, with a source for each."""
    return Schema(
        columns=(
            Column(
                name="sector",
                type="category",
                categories=tuple(_SECTORS),
                source="the four sectors of the (fictitious) register's code book",
            ),
            Column(
                name="employees",
                type="integer",
                lower=1,
                upper=MAX_EMPLOYEES,
                grid="log",
                source="the register holds employers only; no site is licensed for more than 50,000 staff",
            ),
            Column(
                name="payroll",
                type="numeric",
                lower=0,
                upper=MAX_PAYROLL,
                grid="log",
                decimals=2,
                source="dollars and cents; ten billion is far above the largest payroll ever published",
            ),
        ),
        unit="establishment",
        neighbours="replace-one",
        name="payroll-example",
    )
