"""Rules of columns (`schema/universe.py`) on the rows of a table: what stands outside of a universe.

Everything here works row by row on columns as they are released: numbers (NaN where missing), codes of labels. So a
confidential row is made to keep the rules by itself, and what it becomes depends on that row and the schema alone.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Columns, Flags
from quantail.schema import Column, Schema
from quantail.schema.kinds import computed_columns, place_given_by, positioned_columns
from quantail.schema.universe import Universe, universe_of


@lru_cache(maxsize=64)
def universes(schema: Schema) -> dict[str, Universe]:
    """Return the rules of all columns that have one."""
    found = {column.name: universe_of(column) for column in schema.columns}
    return {name: rule for name, rule in found.items() if rule is not None}


@lru_cache(maxsize=64)
def conditioning(schema: Schema) -> frozenset[str]:
    """Return the columns that rules look at."""
    return frozenset(name for rule in universes(schema).values() for name in rule.names)


def followed(names: Collection[str], schema: Schema) -> frozenset[str]:
    """Return columns and all those that they follow from, by relations and by rules."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        if name in computed_columns(schema):
            identity = next(each for each in schema.identities if name in each.names)
            left += identity.names
        elif name in positioned_columns(schema):
            left += place_given_by(name, schema)
        if name in universes(schema):
            left += universes(schema)[name].names
    return frozenset(found)


def outside(rule: Universe, columns: Columns, schema: Schema) -> Flags:
    """Return which rows lie outside of a universe."""
    described = {name: schema.column(name) for name in rule.condition.names}
    return ~rule.condition.holds(columns, described)


def missing_with(rule: Universe, columns: Columns, schema: Schema) -> Flags:
    """Return which rows are missing with another column, of a column that has a universe besides."""
    if rule.partner is None:
        return np.zeros(next(iter(columns.values())).size, dtype=bool)
    described = {name: schema.column(name) for name in rule.partner.names}
    return ~rule.partner.holds(columns, described)


def ruled(name: str, values: NDArray[Any], columns: Columns, schema: Schema) -> NDArray[Any]:
    """Return a column with what its rule says outside of its universe, given the columns before it."""
    rule = universes(schema).get(name)
    if rule is None:
        return values
    column = schema.column(name)
    kept = np.where(outside(rule, columns, schema), absent_value(column, rule.outside), values)
    return np.where(missing_with(rule, columns, schema), absent_value(column, None), kept)


def absent_value(column: Column, outside: float | None) -> float | int:
    """Return what stands for a row outside of a universe: a number, NaN, or the code of a label."""
    if column.is_labelled:
        return len(column.labels) if outside is None else int(outside)
    return np.nan if outside is None else outside


def missing_together(columns: Columns, schema: Schema) -> Columns:
    """Return columns that share their missing rows: missing in one of them is missing in all."""
    pairs = [(column, schema.column(column.missing_with)) for column in schema.columns if column.missing_with]
    if not pairs:
        return columns
    found = dict(columns)
    for column, partner in reversed(
        sorted(pairs, key=lambda pair: schema.synthesis_order.index(pair[0].name))
    ):
        if column.name in found:
            gone = is_missing(found[column.name], column) & ~np.isin(
                found[partner.name], partner.missing_codes
            )
            found[partner.name] = np.where(gone, absent_value(partner, None), found[partner.name])
    return found


def is_missing(values: NDArray[Any], column: Column) -> Flags:
    """Return which values are missing; codes of missing values are values."""
    return np.asarray(values == len(column.labels) if column.is_labelled else np.isnan(values))
