"""Which rules of a schema a table breaks. The answer depends on single rows: it is confidential."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Columns, Flags, Floats
from quantail.frames.nesting import fitting
from quantail.frames.universes import (
    absent_value,
    is_missing,
    missing_together,
    missing_with,
    outside,
    ruled,
    universes,
)
from quantail.schema import Column, Schema
from quantail.schema.structure import Identity

_ROUNDING = 1e-9  # of a sum, beside half of its smallest step


def broken_rules(columns: Columns, schema: Schema) -> list[tuple[str, str]]:
    """Return the columns of a table that break a rule, each with the rule in words.

    `columns`: numbers (NaN where missing) and codes of labels, as `admit_all` returns them; rules about others are
    left out.
    """
    return [*_universes(columns, schema), *_nested(columns, schema), *_relations(columns, schema)]


def _universes(columns: Columns, schema: Schema) -> Iterator[tuple[str, str]]:
    for name, rule in universes(schema).items():
        if not {name, *rule.names} <= set(columns):
            continue
        column = schema.column(name)
        away, values = outside(rule, columns, schema), columns[name]
        kept = ruled(name, values, columns, schema)
        breaks = ~_same(kept, values)
        gone = missing_with(rule, columns, schema)
        if rule.partner is not None:
            breaks |= ~gone & is_missing(values, column)
        if rule.both_ways and column.universe:
            breaks |= ~away & ~gone & _same(values, np.asarray(absent_value(column, rule.outside)))
        if column.missing_with:
            together = missing_together(columns, schema)[column.missing_with]
            breaks |= ~_same(together, columns[column.missing_with])
        if breaks.any():
            yield name, "its universe" if column.universe else "missing_with"


def _nested(columns: Columns, schema: Schema) -> Iterator[tuple[str, str]]:
    for column in schema.columns:
        if column.within and {column.name, column.within} <= set(columns):
            fits = fitting(column, schema.column(column.within))
            if not fits[columns[column.within], columns[column.name]].all():
                yield column.name, f"within {column.within!r}"


def _relations(columns: Columns, schema: Schema) -> Iterator[tuple[str, str]]:
    for inequality in schema.inequalities:
        if not set(inequality.names) <= set(columns):
            continue
        part, total = (
            amounts(columns[name], schema.column(name)) for name in (inequality.part, inequality.total)
        )
        if (part > total).any():
            yield inequality.part, f"the [[inequality]] with {inequality.total!r}"
    for identity in schema.identities:
        if set(identity.names) <= set(columns) and _does_not_add_up(identity, columns, schema):
            yield identity.total, "its [[identity]]"


def _does_not_add_up(identity: Identity, columns: Columns, schema: Schema) -> bool:
    total = amounts(columns[identity.total], schema.column(identity.total))
    found = sum(amounts(columns[part], schema.column(part)) for part in identity.parts)
    allowed = schema.column(identity.total).lattice / 2 + _ROUNDING * np.abs(total)
    return bool((np.abs(total - found) > allowed).any())


def amounts(values: NDArray[Any], column: Column) -> Floats:
    """Return numbers, NaN where a code stands for a missing one."""
    return np.where(np.isin(values, column.missing_codes), np.nan, values)


def _same(first: NDArray[Any], second: NDArray[Any]) -> Flags:
    return np.asarray((first == second) | (np.isnan(first) & np.isnan(second)))
