"""What SQLite, DuckDB and PostgreSQL each do in their own way; `databases` does what they have in common.

Drivers quote names, users and cells in their messages, so none is passed on. A password belongs into PGPASSWORD, a
.pgpass file or a service file, which libpq reads by itself; a URL may hold one, too.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any, cast

import pyarrow as pa
import pyarrow.csv

from quantail.errors import DataError
from quantail.io.extras import optional
from quantail.io.place import Place
from quantail.io.sql_types import postgres_type, sql_type, sqlite_type
from quantail.ledger_header import APPLICATION

_BATCH = 50_000  # rows sent to a database at a time
_SECONDS_TO_CONNECT = 15


@dataclass(frozen=True)
class Dialect:
    """What one kind of database does in its own way."""

    advice: str  # what to look at if a table cannot be read
    # opens the database of a place for reading only, or for writing with a transaction begun
    connect: Callable[[Place, bool], Any]
    has: Callable[[Any, Place], bool]  # says whether a connection knows the table of a place
    types: Callable[[Any, Place], pa.Schema]  # names and declared types of a table's columns
    # yields the rows of a table, given these types and the size of a batch
    rows: Callable[[Any, Place, pa.Schema, int], Iterator[pa.Table]]
    fill: Callable[[Any, str, pa.Table], None]  # creates a table of a quoted name and fills it


def quoted(name: str) -> str:
    """Write a name so that a database takes it as one, whatever it holds."""
    if "\0" in name:
        raise DataError("a name holds a character that no database accepts; rename the column or table")
    return '"' + name.replace('"', '""') + '"'


def quoted_table(place: Place) -> str:
    """Write the name of a table, after that of its schema if it has one."""
    return ".".join(quoted(part) for part in _parts(place))


def _parts(place: Place) -> list[str]:
    """Split "schema.table"; SQLite knows no schemas, so a dot belongs to the name there."""
    return [place.table] if place.scheme == "sqlite" else place.table.split(".", 1)


def _declared(types: pa.Schema) -> str:
    return ", ".join(f"{quoted(field.name)} {sql_type(field)}" for field in types)


def refused_ledger(place: Place) -> DataError:
    """Say that a file is a ledger, whatever its name."""
    return DataError(f"{place.path} is a ledger, to which nothing but charges is written")


def _fetched(
    cursor: Any, types: pa.Schema, size: int, array: Callable[[list[Any], pa.Field], pa.Array]
) -> Iterator[pa.Table]:
    while rows := cursor.fetchmany(size):
        columns = zip(zip(*rows, strict=True), types, strict=True)
        yield pa.Table.from_arrays([array(list(values), field) for values, field in columns], schema=types)


# SQLite lets any value stand in any column; what a column declares is what counts.


def _sqlite(place: Place, read_only: bool) -> sqlite3.Connection:
    mode = "ro" if read_only else "rwc"
    address = f"{place.file.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    if not read_only:
        try:
            connection.execute("BEGIN IMMEDIATE")
            # From here on the file cannot become a ledger, as it may have after its header was looked at.
            if connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION:
                raise refused_ledger(place)
        except BaseException:
            connection.close()
            raise
    return connection


def _sqlite_columns(connection: Any, place: Place) -> list[tuple[str, str]]:
    listed = connection.execute("SELECT name, type FROM pragma_table_info(?)", [place.table])
    return cast(list[tuple[str, str]], listed.fetchall())


def _sqlite_types(connection: Any, place: Place) -> pa.Schema:
    columns = _sqlite_columns(connection, place)
    if not columns:
        raise DataError(f"cannot read {place}: there is no such table; check its name")
    return pa.schema([pa.field(name, sqlite_type(declared)) for name, declared in columns])


def _sqlite_rows(connection: Any, place: Place, types: pa.Schema, size: int) -> Iterator[pa.Table]:
    names = ", ".join(map(quoted, types.names))
    return _fetched(
        connection.execute(f"SELECT {names} FROM {quoted_table(place)}"), types, size, _sqlite_array
    )


def _sqlite_array(values: list[Any], field: pa.Field) -> pa.Array:
    type_ = field.type
    try:
        if pa.types.is_decimal(type_) or pa.types.is_floating(type_):
            return pa.array(values, pa.float64()).cast(type_, safe=False)
        if pa.types.is_boolean(type_):
            return pa.array(values, pa.int64()).cast(type_)
        return pa.array(values, pa.string() if pa.types.is_temporal(type_) else type_).cast(type_)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        pass  # the message quotes the value
    raise DataError(
        f"column {field.name!r} holds values that are not of its declared type; correct the table"
    )


def _sqlite_fill(connection: Any, name: str, table: pa.Table) -> None:
    connection.execute(f"CREATE TABLE {name} ({_declared(table.schema)})")
    marks = ", ".join("?" * table.num_columns)
    for batch in table.to_batches(_BATCH):
        rows = zip(*(_sqlite_values(column) for column in batch.columns), strict=True)
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)


def _sqlite_values(column: pa.Array) -> list[Any]:
    """Return what SQLite has no type for as what it stores: dates as text, decimals as numbers."""
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.string())
    elif pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return cast(list[Any], column.to_pylist())


# DuckDB reads and writes Arrow tables.


def _duckdb(place: Place, read_only: bool) -> Any:
    duckdb = optional("duckdb", "databases", "a table in DuckDB")
    # A name that is no table of the file must not be looked for among Python's variables or as a file.
    closed = {"python_enable_replacements": False, "enable_external_access": False}
    connection = duckdb.connect(str(place.path), read_only=read_only, config=closed)
    return connection if read_only else connection.begin()


def _duckdb_has(connection: Any, place: Place) -> bool:
    *schema, table = _parts(place)
    # As DuckDB compares names: without regard to case.
    found = connection.execute(
        "SELECT 1 FROM information_schema.tables "
        "WHERE lower(table_schema) = lower(?) AND lower(table_name) = lower(?)",
        [*(schema or ["main"]), table],
    )
    return found.fetchone() is not None


def _duckdb_reader(connection: Any, statement: str, size: int) -> Any:
    relation = connection.sql(statement)
    # The method was renamed in the course of DuckDB's versions.
    return (getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader)(size)


def _duckdb_types(connection: Any, place: Place) -> pa.Schema:
    return _duckdb_reader(connection, f"SELECT * FROM {quoted_table(place)} LIMIT 0", 1).schema


def _duckdb_rows(connection: Any, place: Place, _: pa.Schema, size: int) -> Iterator[pa.Table]:
    reader = _duckdb_reader(connection, f"SELECT * FROM {quoted_table(place)}", size)
    return (pa.Table.from_batches([batch]) for batch in reader)


def _duckdb_fill(connection: Any, name: str, table: pa.Table) -> None:
    connection.register("quantail_synthetic_rows", table)
    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM quantail_synthetic_rows")
    connection.unregister("quantail_synthetic_rows")


# PostgreSQL reads from a cursor on the server, and writes with COPY.


def _postgres(place: Place, read_only: bool) -> Any:
    psycopg = optional("psycopg", "databases", "a table in PostgreSQL")
    connection = None
    with suppress(psycopg.Error):  # its message may name users and addresses
        connection = psycopg.connect(
            place.url,
            connect_timeout=_SECONDS_TO_CONNECT,
            options="-c datestyle=ISO -c timezone=UTC -c client_encoding=UTF8 -c extra_float_digits=3",
        )
    if connection is None:
        advice = "check host, port, database, user and password, and that the server runs"
        raise DataError(f"cannot connect to {place}: the server cannot be reached or refuses; {advice}")
    connection.read_only = read_only
    return connection


def _postgres_has(connection: Any, place: Place) -> bool:
    found = connection.execute("SELECT to_regclass(%s)", [quoted_table(place)]).fetchone()
    return found[0] is not None


def _postgres_types(connection: Any, place: Place) -> pa.Schema:
    cursor = connection.execute(f"SELECT * FROM {quoted_table(place)} LIMIT 0")
    return pa.schema([pa.field(column.name, postgres_type(column)) for column in cursor.description])


def _postgres_rows(connection: Any, place: Place, types: pa.Schema, size: int) -> Iterator[pa.Table]:
    # What is no number or date, as text: a CHAR column then loses the blanks it is padded with.
    casts = {pa.string(): "::text", pa.float64(): "::float8"}
    names = ", ".join(quoted(field.name) + casts.get(field.type, "") for field in types)
    with connection.cursor("quantail_rows", binary=True) as cursor:  # having a name, it stays on the server
        cursor.execute(f"SELECT {names} FROM {quoted_table(place)}")
        yield from _fetched(cursor, types, size, lambda values, field: pa.array(values, field.type))


def _postgres_fill(connection: Any, name: str, table: pa.Table) -> None:
    connection.execute(f"CREATE TABLE {name} ({_declared(table.schema)})")
    with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)") as stream:
        for batch in table.to_batches(_BATCH):
            text = BytesIO()
            pa.csv.write_csv(batch, text, pa.csv.WriteOptions(include_header=False))
            stream.write(text.getvalue())


DIALECTS: Mapping[str, Dialect] = {
    "sqlite": Dialect(
        "the file must be a SQLite database and hold the table that the URL names",
        _sqlite,
        lambda connection, place: bool(_sqlite_columns(connection, place)),
        _sqlite_types,
        _sqlite_rows,
        _sqlite_fill,
    ),
    "duckdb": Dialect(
        "the file must be a DuckDB database that this version reads and nobody writes to, "
        "and hold the table that the URL names",
        _duckdb,
        _duckdb_has,
        _duckdb_types,
        _duckdb_rows,
        _duckdb_fill,
    ),
    "postgresql": Dialect(
        "check host, port, database, table, user, password and permissions",
        _postgres,
        _postgres_has,
        _postgres_types,
        _postgres_rows,
        _postgres_fill,
    ),
}
