"""Where the confidential rows of a table are, by public groups: in memory, or in a source larger than memory.

A source is read again for every question, chunk by chunk; nothing of it is kept in between (`curves/rows.py`).
Groups are counted in a first pass, which also finds what does not fit the schema before anything is charged.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property, reduce
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.arrays import Integers
from quantail.curves import HeldRows, Rows
from quantail.curves.rows import Array, Ask, Chunk, Join
from quantail.errors import DataError, OptionError
from quantail.frames import confidential_columns, empty_release
from quantail.frames.encoding import content_order
from quantail.io import Source, library_kind
from quantail.release.confidential import Confidential
from quantail.schema import Schema, core_of

GroupKey = tuple[int, ...]


class TableRows(Confidential):
    """The confidential rows of a table."""

    sizes: dict[GroupKey, int]  # true number of rows of every public group, empty ones included

    @property
    def size(self) -> int:
        """Rows of the table; protected under add/remove."""
        return sum(self.sizes.values())

    @property
    def copied_rows(self) -> int:
        """Rows that a synthetic copy has; under add/remove before noise is added to their number."""
        return self.size

    def empty_copy(self) -> pa.Table:
        """Return a synthetic copy without rows."""
        return empty_release(self.schema)

    @abstractmethod
    def rows(self, pool: tuple[GroupKey, ...]) -> Rows:
        """Return the rows of some groups, in the order of the table."""

    @staticmethod
    def of(frame: Any, schema: Schema) -> "TableRows":
        """Read a frame, or look through a source."""
        return StreamedTable(frame, schema) if isinstance(frame, Source) else HeldTable(frame, schema)


class HeldTable(TableRows):
    """A table in memory; with public columns its rows are put in an order of their own, which is public."""

    def __init__(self, frame: Any, schema: Schema) -> None:
        self._columns, self.schema = in_public_order(confidential_columns(frame, schema), schema), schema
        counts = np.bincount(group_cells(self._columns, schema))
        self.library, self.sizes = library_kind(frame), _sizes(counts, schema)

    def rows(self, pool: tuple[GroupKey, ...]) -> Rows:
        """Return the rows of some groups."""
        if len(pool) == len(self.sizes):
            return HeldRows(self._columns)
        kept = np.sort(np.concatenate([self._members[cell] for cell in _cells_of(pool, self.sizes)]))
        return HeldRows({name: values[kept] for name, values in self._columns.items()})

    @cached_property
    def _members(self) -> list[Integers]:
        """Return the places of every group's rows."""
        order = np.argsort(group_cells(self._columns, self.schema), kind="stable")
        return np.split(order, np.cumsum(list(self.sizes.values()))[:-1])


class StreamedTable(TableRows):
    """A table in a source, larger than memory."""

    def __init__(self, source: Source, schema: Schema) -> None:
        if any(column.public for column in schema.columns):
            raise OptionError(
                "public columns are put in an order of their own, which takes the whole table; "
                "fit source.read(), or take public = true out of the schema"
            )
        self._source, self.schema, self.library = source, schema, "pyarrow"
        number = len(group_keys(schema))
        counts = np.zeros(number, dtype=np.int64)
        for table in _never_none(source):
            cells = group_cells(confidential_columns(table, schema), schema)
            counts += np.bincount(cells, minlength=number)
        self.sizes = _sizes(counts, schema)

    def rows(self, pool: tuple[GroupKey, ...]) -> Rows:
        """Return the rows of some groups."""
        cells = _cells_of(pool, self.sizes) if self.schema.by else None
        return StreamedRows(self._source, self.schema, sum(self.sizes[key] for key in pool), cells)


class StreamedRows(Rows):
    """Rows of a source, or those of some groups, read anew for every question."""

    def __init__(
        self, source: Source, schema: Schema, size: int, cells: list[int] | None = None, start: int = 0
    ) -> None:
        self._source, self._schema, self._cells = source, schema, cells
        self.size, self._start = size, start

    def combine(self, ask: Ask, join: Join) -> Any:
        """Ask chunk after chunk."""
        return reduce(join, map(ask, self._chunks()))

    def _chunks(self) -> Iterator[Chunk]:
        start = self._start
        for table in _never_none(self._source):
            columns: Mapping[str, Array] = confidential_columns(table, self._schema)
            if self._cells is not None:
                kept = np.isin(group_cells(columns, self._schema), self._cells)
                columns = {name: values[kept] for name, values in columns.items()}
            size = len(next(iter(columns.values())))
            yield Chunk(start, size, columns.__getitem__)
            start += size
        if start - self._start != self.size:
            raise DataError(
                "the table changed while it was read, which is done once for every question; "
                "fit a copy that nothing else writes to"
            )


def _never_none(source: Source) -> Iterator[pa.Table]:
    """Yield the chunks of a source; one without rows if there is none."""
    table = None
    for table in source.chunks():
        yield table
    if table is None:
        yield source.types.empty_table()


def in_public_order(columns: dict[str, NDArray[Any]], schema: Schema) -> dict[str, NDArray[Any]]:
    """Sort rows by their groups and public columns, if there are any, so that a fit does not depend on their order.

    A fit samples public rows by position. Rows that agree in all that is public stay as they come: they are alike
    to everything but the gate.
    """
    if not any(column.public for column in schema.columns):
        return columns
    parts = core_of(schema).parts
    public = [part for column in schema.columns if column.public for part in parts[column.name]]
    order = content_order([columns[name] for name in (*schema.by, *public)])
    return {name: values[order] for name, values in columns.items()}


def group_keys(schema: Schema) -> list[GroupKey]:
    """Return the category codes of every public group."""
    core = core_of(schema).schema
    return list(product(*(range(len(core.column(name).categories)) for name in schema.by)))


def group_cells(columns: Mapping[str, NDArray[Any]], schema: Schema) -> Integers:
    """Return the place of each row's group among all groups."""
    rows = len(next(iter(columns.values())))
    cells = np.zeros(rows, dtype=np.int64)
    core = core_of(schema).schema
    for name in schema.by:
        cells = cells * len(core.column(name).categories) + columns[name]
    return cells


def _sizes(counts: Integers, schema: Schema) -> dict[GroupKey, int]:
    keys = group_keys(schema)
    return dict(zip(keys, np.pad(counts, (0, len(keys) - counts.size)).tolist(), strict=True))


def _cells_of(pool: tuple[GroupKey, ...], sizes: Mapping[GroupKey, int]) -> list[int]:
    wanted = set(pool)
    return [cell for cell, key in enumerate(sizes) if key in wanted]
