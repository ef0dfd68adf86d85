"""A business register, made up: the table that statistical offices have, with tails as heavy as theirs.

Sizes are Pareto of index 1.1; everything depends on industry and size. Payroll follows employees, turnover payroll
(missing in a part of the rows), exports are zero in most, profit has both signs, payroll is the sum of wages and
contributions. All names and numbers are fictitious.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from quantail.schema import Column, Identity, Schema

REGIONS = tuple(f"R{k:02d}" for k in range(1, 17))
INDUSTRIES = tuple(f"{k:02d}" for k in range(1, 81))
FORMS = ("sole", "partnership", "limited", "public")
_INDEX = 1.1
_FIRST_DAY, _DAYS = np.datetime64("1950-01-01"), 27_000


def business_table(n: int, rng: np.random.Generator) -> pa.Table:
    """Draw a register of n enterprises.

    Examples
    --------
    >>> business_table(5, np.random.default_rng(1)).num_rows
    5
    """
    region = _skewed(len(REGIONS), 0.7, n, rng)
    industry = _skewed(len(INDUSTRIES), 0.8, n, rng)
    kind = np.random.default_rng(80).normal(size=(4, len(INDUSTRIES)))[:, industry]
    size = rng.pareto(_INDEX, n) + 1
    employees = np.clip(np.round(size * np.exp(0.5 * kind[0])), 1, 2_000_000)
    pay = 32_000 * np.exp(0.25 * kind[1]) * employees**1.03 * rng.lognormal(0, 0.4, n)
    sold = 3.2 * np.exp(0.6 * kind[2]) * pay * rng.lognormal(0, 0.7, n)
    form = np.clip(np.searchsorted([0.4, 1.2, 3.4], np.log(employees) + rng.normal(0, 0.8, n)), 0, 3)
    age = np.clip(rng.exponential(5_500, n) * (0.6 + 0.2 * form), 0, _DAYS - 1).astype(np.int64)
    exporting = rng.random(n) < 1 / (1 + np.exp(3.2 - 0.5 * np.log(employees) - 0.8 * kind[3]))
    exports = np.where(exporting, sold * rng.beta(1.2, 3.0, n), 0.0)
    profit = sold * (0.05 + 0.12 * rng.standard_t(4, n))
    missing = rng.random(n) < 0.12
    wages = np.round(pay * rng.beta(40, 10, n), 2)
    return pa.table(
        {
            "region": np.array(REGIONS)[region],
            "industry": np.array(INDUSTRIES)[industry],
            "form": np.array(FORMS)[form],
            "founded": _FIRST_DAY + (_DAYS - 1 - age).astype("timedelta64[D]"),
            "employees": employees.astype(np.int64),
            "payroll": np.round(pay, 2),
            "turnover": pa.array(np.round(sold, 2), mask=missing),
            "exports": np.round(exports, 2),
            "profit": np.round(profit, 2),
            "wages": wages,
            "contributions": np.round(np.round(pay, 2) - wages, 2),
        }
    )


def business_schema(identity: bool = False) -> Schema:
    """Give the public facts of nine columns; with the identity of payroll instead of turnover, exports and profit."""
    columns = (
        Column("region", "category", categories=REGIONS, source="code book"),
        Column("industry", "category", categories=INDUSTRIES, source="code book"),
        Column("form", "category", categories=FORMS, source="code book"),
        Column("founded", "date", "1950-01-01", "2024-12-31", source="first and last day of the register"),
        Column("employees", "integer", 1, 10_000_000, grid="log", source="above any employer"),
        _amount("payroll"),
    )
    if identity:
        parts = (_amount("wages"), _amount("contributions"))
        together = (Identity("payroll", ("wages", "contributions")),)
        return Schema((*columns, *parts), "enterprise", name="business-identity", identities=together)
    more = (
        _amount("turnover", missing=True),
        _amount("exports", atoms=(0.0,)),
        Column("profit", "numeric", -1e12, 1e12, grid="log", decimals=2, source="above any enterprise"),
    )
    return Schema((*columns, *more), "enterprise", name="business")


def _amount(name: str, missing: bool = False, atoms: tuple[float, ...] = ()) -> Column:
    return Column(
        name,
        "numeric",
        0,
        1e12,
        grid="log",
        decimals=2,
        missing=missing,
        atoms=atoms,
        source="above any enterprise",
    )


def _skewed(number: int, power: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw codes whose shares fall with a power of their rank."""
    shares = np.arange(1, number + 1) ** -power
    return rng.choice(number, n, p=shares / shares.sum())
