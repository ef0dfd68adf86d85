"""A statistic of the analyst's own: a function of a frame that gives a number, or several by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from quantail.arrays import Columns, Floats
from quantail.errors import OptionError
from quantail.inference.jackknife import jackknife_errors
from quantail.io.native import Kind

Function = Callable[[Any], float | Mapping[str, float]]


@dataclass(frozen=True)
class Statistic:
    """A function of a frame, and the library whose frames it is given.

    Examples
    --------
    >>> import polars
    >>> spread = Statistic(lambda frame: {"range": frame["pay"].max() - frame["pay"].min()}, "polars")
    >>> table = {"pay": np.array([1.0, 3.0, 8.0])}
    >>> spread.estimates(table, spread.terms(table))
    array([7.])
    """

    function: Function
    library: Kind

    @property
    def name(self) -> str:
        """What the function is called."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def terms(self, table: Columns) -> tuple[str, ...]:
        """Name the estimates that it gives of a table."""
        return tuple(self._values(table))

    def estimates(self, table: Columns, terms: tuple[str, ...]) -> Floats:
        """Compute them on a table; NaN for one that it does not give there."""
        values = self._values(table)
        return np.array([values.get(term, np.nan) for term in terms])

    def naive_errors(self, table: Columns, terms: tuple[str, ...]) -> Floats:
        """Compute standard errors by leaving out blocks of rows in turn."""
        return jackknife_errors(
            next(iter(table.values())).size,
            lambda kept: self.estimates({name: values[kept] for name, values in table.items()}, terms),
        )

    def _values(self, table: Columns) -> dict[str, float]:
        found = self.function(nw.from_dict(dict(table), backend=self.library).to_native())
        try:
            if isinstance(found, Mapping):
                return {str(name): float(value) for name, value in found.items()}
            return {self.name: float(found)}
        except (TypeError, ValueError):
            raise OptionError(
                f"{self.name} gave no number; it must return a number, or numbers by name: {{'ratio': 0.5}}"
            ) from None
