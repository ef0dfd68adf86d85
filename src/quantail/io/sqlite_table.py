"""Tables in SQLite files. SQLite lets any value stand in any column; what a column declares is what counts."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import ClassVar, cast
from urllib.parse import quote

import pyarrow as pa

from quantail.errors import DataError
from quantail.io.databases import (
    SQL_TYPES,
    Writing,
    column_list,
    exists_already,
    quoted,
    quoted_table,
)
from quantail.io.dictionaries import decoded
from quantail.io.place import Place
from quantail.io.source import Source
from quantail.ledger_header import APPLICATION

_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)\s*\(\s*(\d{1,2})\s*(?:,\s*(\d{1,2})\s*)?\)")
# Words that a declared type may hold, in the order that they are looked for; other types are read as text.
_DECLARED = (
    ("BOOL", pa.bool_()),
    ("DATETIME", pa.timestamp("us")),
    ("TIMESTAMP", pa.timestamp("us")),
    ("DATE", pa.date32()),
    ("SMALLINT", pa.int16()),
    ("INT", pa.int64()),
    ("CHAR", pa.string()),
    ("TEXT", pa.string()),
    ("REAL", pa.float64()),
    ("FLOA", pa.float64()),
    ("DOUB", pa.float64()),
    ("NUMERIC", pa.float64()),
    ("DECIMAL", pa.float64()),
)
_BATCH = 10_000


class SqliteSource(Source):
    """A table or view in a SQLite file, opened for reading only."""

    advice: ClassVar[str] = "the file must be a SQLite database and hold the table that the URL names"

    def _types(self) -> pa.Schema:
        with closing(_connect(self.place)) as connection:
            listed = connection.execute(f"PRAGMA table_info({quoted(self.place.table)})").fetchall()
        if not listed:
            raise DataError(f"cannot read {self.place}: there is no such table; check its name")
        return pa.schema([pa.field(column[1], _arrow_type(column[2])) for column in listed])

    def _rows(self) -> int | None:
        with closing(_connect(self.place)) as connection:
            counted = connection.execute(f"SELECT COUNT(*) FROM {quoted_table(self.place)}").fetchone()
        return cast(int, counted[0])

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        types = self._types()
        names = ", ".join(map(quoted, types.names))
        with closing(_connect(self.place)) as connection:
            cursor = connection.execute(f"SELECT {names} FROM {quoted_table(self.place)}")
            while rows := cursor.fetchmany(batch_rows):
                arrays = [_column(list(v), f) for v, f in zip(zip(*rows, strict=True), types, strict=True)]
                yield pa.Table.from_arrays(arrays, schema=types)


class SqliteWriting(Writing):
    """Tables written into a SQLite file; a ledger is refused, whatever its name."""

    def __init__(self, place: Place) -> None:
        self._connection = sqlite3.connect(cast(str, place.path), isolation_level=None)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            if self._connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION:
                raise DataError(f"{place.path} is a ledger, to which nothing but charges is written")
        except BaseException:
            self._connection.close()
            raise

    def put(self, table: pa.Table, place: Place, overwrite: bool) -> None:
        """Write one table."""
        table, name = decoded(table), quoted_table(place)
        marks = ", ".join("?" * table.num_columns)
        stored = _storable(table)
        if self._connection.execute(f"PRAGMA table_info({quoted(place.table)})").fetchall():
            if not overwrite:
                raise exists_already(place)
            self._connection.execute(f"DROP TABLE {name}")
        self._connection.execute(f"CREATE TABLE {name} ({column_list(table.schema, SQL_TYPES)})")
        for batch in stored.to_batches(_BATCH):
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            self._connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)

    def commit(self) -> None:
        """Make all tables appear."""
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file; what was not committed is undone."""
        self._connection.close()


def sqlite_has_table(place: Place) -> bool:
    """Say whether the database holds the table already."""
    with closing(_connect(place)) as connection:
        return bool(connection.execute(f"PRAGMA table_info({quoted(place.table)})").fetchall())


def _connect(place: Place) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(place.path))}?mode=ro", uri=True)


def _arrow_type(declared: str) -> pa.DataType:
    decimal = _DECIMAL.search(declared.upper())
    if decimal is not None and int(decimal[2] or 0) <= int(decimal[1]) <= 38:
        return pa.decimal128(int(decimal[1]), int(decimal[2] or 0))
    return next((type_ for word, type_ in _DECLARED if word in declared.upper()), pa.string())


def _column(values: list[object], field: pa.Field) -> pa.Array:
    type_ = field.type
    try:
        if pa.types.is_decimal(type_) or pa.types.is_floating(type_):
            return pa.array(values, pa.float64()).cast(type_, safe=False)
        if pa.types.is_boolean(type_):
            return pa.array(values, pa.int64()).cast(type_)
        if pa.types.is_temporal(type_):
            return pa.array(values, pa.string()).cast(type_)
        return pa.array(values, type_)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        pass  # the message quotes the value
    raise DataError(
        f"column {field.name!r} holds values that are not of its declared type; correct the table"
    )


def _storable(table: pa.Table) -> pa.Table:
    """Turn what SQLite has no type for into what it stores: dates as text, decimals as numbers."""
    for index, field in enumerate(table.schema):
        column = table.column(index)
        if pa.types.is_temporal(field.type):
            table = table.set_column(index, field.name, column.cast(pa.string()))
        elif pa.types.is_decimal(field.type):
            table = table.set_column(index, field.name, column.cast(pa.float64()))
    return table
