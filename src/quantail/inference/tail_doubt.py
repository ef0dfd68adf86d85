"""How much a tail may be other than the release says: reruns start from models whose tails are stretched or shrunk.

Few rows tell of a tail, so a mechanism draws it towards what is usual. A rerun that starts from the released model does
not see how far: its tail is usual already. So every rerun draws a power a, log-normal around 1, and starts from

    x -> t (x / t)^a    for x > t,    t the model's quantile with `SHARE` of the values above,

and its error is the distance from what the model says with the same tail. What the mechanism can tell of a tail it
finds again, and the error stays small; what it cannot tell becomes part of the error. (With normal errors and a normal
prior of that width the variance is that of the posterior.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.arrays import Columns
from quantail.inference.estimand import Estimand, Figure
from quantail.schema import Column, Schema

SHARE = 0.05
"""Values above the place where a tail is stretched: as many as Hill's index looks at."""

SPREAD = 0.28
"""Standard deviation of the log power: a tail of index 2 may be one of 1.5 or of 2.6 (docs/decisions/0014-tails.md)."""


@dataclass(frozen=True, eq=False)
class Tail:
    """A column whose tail may be stretched: public facts of it, and where its tail starts."""

    column: Column
    start: float

    def stretched(self, values: NDArray[Any], power: float) -> NDArray[Any]:
        """Return values with another tail, on the column's lattice and within its bounds; others stay as they are."""
        above = values > self.start  # not so for a missing value
        for kept in (*self.column.missing_codes, *self.column.atoms):
            above &= values != kept
        found = self.start * (values[above].astype(np.float64) / self.start) ** power
        changed = values.copy()
        changed[above] = np.clip(on_lattice(self.column, found), self.start, self.column.upper)
        return changed


def doubted_tails(
    schema: Schema, estimands: Sequence[Estimand], table: Columns, kept: frozenset[str] = frozenset()
) -> tuple[Tail, ...]:
    """Return the tails that questions rest on: of log-scaled numbers that no rule ties to other columns.

    Parameters
    ----------
    table : mapping
        A large table of the model itself.
    kept : set of str
        Columns that choose rows (`where`): other values would be other rows.
    """
    asked = {estimand.what.column for estimand in estimands if isinstance(estimand.what, Figure)} - kept
    tails = []
    for column in schema.columns if schema.panel is None else ():
        if column.name not in asked or column.grid != "log" or column.public or tied(schema, column):
            continue
        values = np.asarray(table[column.name], dtype=np.float64)
        positive = values[values > 0]
        if positive.size:
            tails.append(Tail(column, float(np.quantile(positive, 1 - SHARE))))
    return tuple(tails)


def stretch_table(table: pa.Table, tails: Sequence[Tail], powers: Sequence[float]) -> pa.Table:
    """Return a synthetic table with other tails; columns keep their types."""
    for tail, power in zip(tails, powers, strict=True):
        values = table[tail.column.name].combine_chunks().fill_null(0).to_numpy(zero_copy_only=False)
        table = changed_column(table, tail.column.name, tail.stretched(values, power))
    return table


def changed_column(table: pa.Table, name: str, values: NDArray[Any]) -> pa.Table:
    """Return a table with other values in a column, of its type; missing ones stay missing."""
    place = table.schema.get_field_index(name)
    old = table.column(place).combine_chunks()
    new = pa.array(values, mask=np.asarray(old.is_null())).cast(old.type)
    return table.set_column(place, table.schema.field(place), new)


def on_lattice(column: Column, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers with the decimals that a column has."""
    decimals = 0 if column.type == "integer" else column.decimals
    return values if decimals is None else np.round(values, decimals)


def stretch_columns(table: Columns, tails: Sequence[Tail], powers: Sequence[float]) -> Columns:
    """Return analysed columns with other tails."""
    changed: Mapping[str, NDArray[Any]] = {
        tail.column.name: tail.stretched(table[tail.column.name], power)
        for tail, power in zip(tails, powers, strict=True)
    }
    return {**table, **changed}


def tied(schema: Schema, column: Column) -> bool:
    """Say whether a rule, a universe or a heap would be broken if large values were others."""
    names = {name for rule in schema.identities for name in (rule.total, *rule.parts)}
    names |= {name for rule in schema.inequalities for name in (rule.total, rule.part)}
    named = any(column.name in other.universe for other in schema.columns)
    return (
        column.name in names or named or bool(column.heaps) or column.storage not in ("", "float64", "int64")
    )
