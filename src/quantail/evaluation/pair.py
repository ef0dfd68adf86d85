"""Two tables (and a holdout) read and checked for comparison, with what several measures need of them.

Without a schema every column is compared: numbers and dates as numbers, anything else as labels. With the schema
of a panel, rows are a unit's active periods and columns its confidential values, in public bounds. Missing values are
allowed, and so are codes that the schema declares to mean one; infinite values are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats, Integers
from quantail.errors import DataError
from quantail.evaluation.reading import (
    is_missing,
    is_numeric,
    label_codes,
    raw_columns,
    require_columns,
    require_same_columns,
)
from quantail.evaluation.regressions import Regression
from quantail.frames import confidential_panel
from quantail.schema import Column, Schema

Table = dict[str, NDArray[Any]]

MOST_LEVELS = 20
"""A label column gives at most this many 0/1 predictors, for its most frequent labels."""


@dataclass(frozen=True)
class Pair:
    """Two tables with the same columns: numbers as floats, NaN where missing; labels as they are.

    `panels` holds, for a panel, the real and synthetic histories of each column, shape (units, periods),
    `regressions` what was asked for by formulas, and `sizeless` the columns that are not measured from zero: dates, and
    numbers such as years, whose lower bound is above half of the upper one.
    """

    real: Table
    synth: Table
    numeric: tuple[str, ...]
    labels: tuple[str, ...]
    holdout: Table | None = None
    panels: tuple[tuple[str, Floats, Floats], ...] = ()
    regressions: tuple[Regression, ...] = ()
    sizeless: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """All columns compared, in the real table's order."""
        return tuple(self.real)

    @property
    def n_real(self) -> int:
        """Rows of the real table."""
        return len(next(iter(self.real.values())))

    @property
    def n_synth(self) -> int:
        """Rows of the synthetic table."""
        return len(next(iter(self.synth.values())))

    def known(self, name: str) -> tuple[Floats, Floats]:
        """Give the known values of a numeric column."""
        left, right = (table[name][~np.isnan(table[name])] for table in (self.real, self.synth))
        if not left.size or not right.size:
            raise DataError(f"column {name} has no known value in one of the tables.")
        return left, right

    @cached_property
    def codes(self) -> dict[str, tuple[Integers, Integers]]:
        """Labels of both tables as numbers."""
        coded = {name: label_codes(self.real[name], self.synth[name]) for name in self.labels}
        return {name: (left, right) for name, (left, right) in coded.items()}

    @property
    def crossable(self) -> int:
        """How many of the first predictors come from numeric columns."""
        absent = [
            np.isnan(self.real[name]).any() or np.isnan(self.synth[name]).any() for name in self.numeric
        ]
        return len(absent) + sum(map(int, absent))

    @cached_property
    def predictors(self) -> tuple[Floats, Floats]:
        """Both tables as numbers without missing values, for regressions of the origin of a row.

        A missing number becomes the mean of the known ones, and a 0/1 column says that it was missing; labels
        become 0/1 columns, the most frequent `MOST_LEVELS` of them but one.
        """
        columns: list[Floats] = []
        for name in self.numeric:
            values = np.concatenate([self.real[name], self.synth[name]])
            absent = np.isnan(values)
            if absent.any():
                values = np.where(absent, values[~absent].mean() if not absent.all() else 0.0, values)
                columns.append(absent.astype(float))
            columns.append(values)
        for name in self.labels:
            code = np.concatenate(self.codes[name])
            frequent = np.argsort(-np.bincount(code), kind="stable")
            columns += [
                (code == level).astype(float) for level in frequent[: min(MOST_LEVELS, frequent.size - 1)]
            ]
        stacked = np.column_stack(columns) if columns else np.zeros((self.n_real + self.n_synth, 0))
        return stacked[: self.n_real], stacked[self.n_real :]


def read_pair(real: Any, synth: Any, holdout: Any, schema: Schema | None) -> Pair:
    """Read and check the tables; a broken holdout is an error, not a skipped measure."""
    if schema is not None and schema.panel is not None:
        return _panel_pair(real, synth, holdout, schema)
    left, right = raw_columns(real, "real", schema), raw_columns(synth, "synthetic", schema)
    unseen = None if holdout is None else raw_columns(holdout, "holdout", schema)
    names = _names(left, right, schema)
    if unseen is not None:
        require_columns(unseen, names, "holdout")
    labels = tuple(name for name in names if _holds_labels(left, right, unseen, name, schema))
    numeric = tuple(name for name in names if name not in labels)
    tables = [
        None if table is None else _taken(table, names, numeric, role)
        for table, role in ((left, "real"), (right, "synthetic"), (unseen, "holdout"))
    ]
    assert tables[0] is not None and tables[1] is not None
    declared = () if schema is None else schema.columns
    sizeless = frozenset(column.name for column in declared if _is_sizeless(column))
    return Pair(tables[0], tables[1], numeric, labels, tables[2], sizeless=sizeless)


def _is_sizeless(column: Column) -> bool:
    return column.is_dated or (column.upper is not None and 2 * (column.lower or 0.0) > column.upper > 0)


def _panel_pair(real: Any, synth: Any, holdout: Any, schema: Schema) -> Pair:
    panels = [
        None if frame is None else confidential_panel(frame, schema) for frame in (real, synth, holdout)
    ]
    # A row is a unit in a period that it is there: what is missing in one column may be known in another.
    tables = [
        {} if panel is None else {name: history[panel.active] for name, history in panel.values.items()}
        for panel in panels
    ]
    assert panels[0] is not None and panels[1] is not None
    pairs = tuple((name, values, panels[1].values[name]) for name, values in panels[0].values.items())
    return Pair(tables[0], tables[1], tuple(tables[0]), (), tables[2] or None, pairs)


def _names(left: Table, right: Table, schema: Schema | None) -> list[str]:
    if schema is None:
        require_same_columns(list(left), list(right))
        return list(left)
    names = [column.name for column in schema.columns]
    require_columns(left, names, "real")
    require_columns(right, names, "synthetic")
    return names


def _holds_labels(left: Table, right: Table, unseen: Table | None, name: str, schema: Schema | None) -> bool:
    if schema is not None and name in [c.name for c in schema.columns if c.is_labelled]:
        return True
    # A column without any known value has no type, and goes with the others.
    columns = [table[name] for table in (left, right, unseen) if table is not None]
    kinds = {is_numeric(values) for values in columns if not is_missing(values).all()}
    if len(kinds) > 1:
        raise DataError(
            f"column {name} is numeric in one table and not in the other; write both in the same type."
        )
    return kinds == {False}


def _taken(table: Table, names: list[str], numeric: tuple[str, ...], role: str) -> Table:
    taken = {name: table[name].astype(float) if name in numeric else table[name] for name in names}
    for name in numeric:
        if np.isinf(taken[name]).any():
            raise DataError(f"column {name} of the {role} table has infinite values; remove or replace them.")
    return taken
