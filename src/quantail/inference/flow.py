"""Flows of a panel as something to estimate: rates of `quantail.flows`, averaged over periods or period by period."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quantail.arrays import Columns, Floats, Integers
from quantail.errors import DataError, OptionError
from quantail.evaluation import Histories, flows_of
from quantail.evaluation.business_dynamics import RATES
from quantail.inference.jackknife import jackknife_errors
from quantail.inference.unit_periods import PERIOD, UNIT, before


@dataclass(frozen=True)
class Flow:
    """All rates of a column's flows, means over periods; or one rate, period by period.

    Examples
    --------
    >>> Flow("emp", "exit_rate").rate
    'exit_rate'
    """

    column: str
    rate: str = ""

    def __post_init__(self) -> None:
        if self.rate and self.rate not in RATES:
            raise OptionError(f"flows({self.column}, {self.rate}): rates are {', '.join(RATES)}")

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of unit-periods that are needed."""
        return (self.column, before(self.column), UNIT, PERIOD)

    def terms(self, table: Columns) -> tuple[str, ...]:
        """Name the estimates that a table gives."""
        periods = np.unique(self._needed(table)[PERIOD]).astype(int)[1:].tolist()
        return tuple(f"{self.rate} {period}" for period in periods) if self.rate else RATES

    def estimates(self, table: Columns, terms: tuple[str, ...]) -> Floats:
        """Compute them on a table; NaN for a period in which nothing was active."""
        rows = self._needed(table)
        unit = np.unique(rows[UNIT], return_inverse=True)[1]
        return self._computed(unit, rows, np.arange(unit.max() + 1 if unit.size else 0), terms)

    def naive_errors(self, table: Columns, terms: tuple[str, ...]) -> Floats:
        """Compute standard errors by leaving out blocks of units in turn."""
        rows = self._needed(table)
        unit = np.unique(rows[UNIT], return_inverse=True)[1]
        return jackknife_errors(int(unit.max()) + 1, lambda kept: self._computed(unit, rows, kept, terms))

    def _computed(self, unit: Integers, rows: Columns, kept: Integers, terms: tuple[str, ...]) -> Floats:
        place = (rows[PERIOD] - rows[PERIOD].min()).astype(np.int64)
        values = np.full((int(unit.max()) + 1, int(place.max()) + 1), np.nan)
        values[unit, place] = rows[self.column]
        periods = int(rows[PERIOD].min()) + np.arange(values.shape[1])
        table = flows_of(Histories(periods, values[kept], {}))
        if not self.rate:
            return np.array([table[name].to_numpy().mean() for name in RATES])
        known = dict(zip(table["period"].to_pylist(), table[self.rate].to_pylist(), strict=True))
        return np.array([known.get(int(term.rpartition(" ")[2]), np.nan) for term in terms])

    def _needed(self, table: Columns) -> Columns:
        if UNIT not in table or self.column not in table:
            raise DataError(
                f"flows({self.column}): flows are those of a column of a panel; name one of its numbers, or ask for "
                "means and quantiles of a table"
            )
        return table
