"""Nested codes (`schema/nesting.py`) on the rows of a table: which belong together, row by row."""

import numpy as np

from quantail.arrays import Columns, Flags, Integers
from quantail.schema import Column, Schema
from quantail.schema.nesting import ANYWHERE, parents_of


def belonging(column: Column, parent: Column) -> Integers:
    """Return the code of the parent that every code belongs to; a missing label, the last, may stand everywhere."""
    return np.array([*parents_of(column, parent), *[ANYWHERE] * column.missing], dtype=np.int64)


def fitting(column: Column, parent: Column) -> Flags:
    """Return which codes of a column (along the second axis) go with every code of its parent.

    Examples
    --------
    >>> state = Column("state", "category", categories=("GA", "FL"))
    >>> fitting(Column("county", "category", categories=("GA1", "FL1"), within="state", missing=True), state).tolist()
    [[True, False, True], [False, True, True]]
    """
    own, places = belonging(column, parent), np.arange(len(parent.labels) + parent.missing)
    return np.asarray((own == places[:, None]) | (own == ANYWHERE))


def finer_decides(columns: Columns, schema: Schema) -> Columns:
    """Return columns in which every label belongs to what its row says of the coarser column.

    Where it does not, the finer code decides, unless the coarser one is public and kept as it is.
    """
    nested = [column for column in schema.columns if column.within and column.name in columns]
    if not nested:
        return columns
    found, order = dict(columns), schema.synthesis_order
    for column in sorted(nested, key=lambda each: -order.index(each.name)):
        parent = schema.column(column.within)
        if not parent.public:
            implied = belonging(column, parent)[found[column.name]]
            found[parent.name] = np.where(implied == ANYWHERE, found[parent.name], implied)
    return found
