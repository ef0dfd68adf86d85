"""The rows that a question is about: those of a synthetic table, or panel, in which a condition holds (`where`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Flags, Integers
from quantail.errors import DataError
from quantail.frames.rules import Problem, admit_column
from quantail.io.native import open_frame
from quantail.schema import Column, Schema
from quantail.schema.condition import Condition
from quantail.table.conditional import read_where

WHERE = "(where)"
"""The column of a table to be analysed that says in which rows the condition holds."""

PANEL_FACTS = ("period", "size", "growth", "age")
"""What is known of a unit in a period beside the columns of a panel (`unit_periods`)."""

_WIDEST = 1e18


@dataclass(frozen=True)
class Subset:
    """Rows in which a condition holds, of any table of a schema; of a panel, units in periods."""

    text: str
    condition: Condition
    columns: Mapping[str, Column]  # the columns that the condition looks at

    @classmethod
    def of(cls, text: str, schema: Schema) -> Subset:
        """Read a condition, or raise an OptionError that says how to write one.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from quantail.examples import payroll_schema
        >>> few = Subset.of("employees < 10", payroll_schema())
        >>> few.rows(pa.table({"employees": [3, 12]})).tolist()
        [True, False]
        """
        facts = () if schema.panel is None else PANEL_FACTS
        known = {name: Column(name, "numeric", -_WIDEST, _WIDEST) for name in facts}
        known |= {column.name: column for column in schema.columns}
        condition = read_where(text, known)
        return cls(text, condition, {name: known[name] for name in condition.names})

    def rows(self, frame: Any) -> Flags:
        """Return in which rows of a released table it holds."""
        table = open_frame(frame)
        found: dict[str, NDArray[Any]] = {}
        for name, column in self.columns.items():
            outcome = admit_column(table, column)
            if isinstance(outcome, Problem):
                raise DataError(f"where {self.text!r}: {outcome}")
            found[name] = outcome
        return self.condition.holds(found, self.columns)

    def unit_periods(self, rows: Mapping[str, NDArray[Any]]) -> Flags:
        """Return in which units and periods of a released panel it holds; exits have no labels, so none is chosen."""
        found = {
            name: _codes(rows[name], column.labels) if column.is_labelled else rows[name]
            for name, column in self.columns.items()
        }
        return self.condition.holds(found, self.columns)


def _codes(labels: NDArray[Any], known: Sequence[str]) -> Integers:
    number = {label: code for code, label in enumerate(known)}
    return np.array([number.get(label, len(known)) for label in labels], dtype=np.int64)


def chosen(table: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    """Return the rows of a table that are asked about."""
    if WHERE not in table:
        return table
    holds = table[WHERE]
    if not holds.any():
        raise DataError("where: no row of the table meets the condition; ask for a wider one")
    return {name: values[holds] for name, values in table.items() if name != WHERE}
