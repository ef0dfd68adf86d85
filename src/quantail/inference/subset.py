"""The rows that a question is about: those of a synthetic table in which a condition holds (`where`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError, OptionError
from quantail.frames.rules import Problem, admit_column
from quantail.io.native import open_frame
from quantail.schema import Schema
from quantail.table.conditional import RowCondition

WHERE = "(where)"
"""The column of a table to be analysed that says in which rows the condition holds."""


@dataclass(frozen=True)
class Subset:
    """Rows in which a condition holds, of any table of a schema."""

    condition: RowCondition

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
        if schema.panel is not None:
            raise OptionError("where chooses rows of a table; rows of a panel belong together in units")
        return cls(RowCondition.of(text, schema))

    def rows(self, frame: Any) -> NDArray[np.bool_]:
        """Return in which rows of a released table it holds."""
        table, schema = open_frame(frame), self.condition.schema
        columns = {name: schema.column(name) for name in self.condition.condition.names}
        found: dict[str, NDArray[Any]] = {}
        for name, column in columns.items():
            outcome = admit_column(table, column)
            if isinstance(outcome, Problem):
                raise DataError(f"where {self.condition.text!r}: {outcome}")
            found[name] = outcome
        return self.condition.condition.holds(found, columns)


def chosen(table: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    """Return the rows of a table that are asked about."""
    if WHERE not in table:
        return table
    holds = table[WHERE]
    if not holds.any():
        raise DataError("where: no row of the table meets the condition; ask for a wider one")
    return {name: values[holds] for name, values in table.items() if name != WHERE}
