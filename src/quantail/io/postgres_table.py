"""Tables on a PostgreSQL server, moved by COPY: one statement, one snapshot, no row held as Python objects.

A password belongs into PGPASSWORD, a .pgpass file or a service file, which libpq reads by itself; a URL may
hold one, too. Messages of the driver are never passed on: they may quote names and cells.
"""

from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any, ClassVar, cast

import pyarrow as pa
import pyarrow.csv

from quantail.errors import DataError
from quantail.io.databases import Writing, column_list, exists_already, quoted, quoted_table
from quantail.io.dictionaries import decoded
from quantail.io.extras import optional
from quantail.io.place import Place
from quantail.io.source import Source

# Types by their fixed object identifiers; others, such as enumerations, are read as text.
_ARROW_TYPES = {
    16: pa.bool_(),
    20: pa.int64(),
    21: pa.int16(),
    23: pa.int32(),
    700: pa.float32(),
    701: pa.float64(),
    1082: pa.date32(),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", "UTC"),
}
_NUMERIC = 1700
_MOST_DIGITS = 38
_SECONDS_TO_CONNECT = 15
_BATCH = 50_000
_PARSE = pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)


class PostgresSource(Source):
    """A table or view on a PostgreSQL server, read in a transaction that can change nothing."""

    advice: ClassVar[str] = "check host, port, database, table, user, password and permissions"

    def _types(self) -> pa.Schema:
        with connect(self.place, read_only=True) as connection:
            return self._described(connection)

    def _rows(self) -> int | None:
        with connect(self.place, read_only=True) as connection:
            counted = connection.execute(f"SELECT COUNT(*) FROM {quoted_table(self.place)}").fetchone()
        return cast(int, counted[0])

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        with connect(self.place, read_only=True) as connection:
            types = self._described(connection)
            # Text and other types as text: a CHAR column then loses the blanks it is padded with.
            names = ", ".join(
                quoted(field.name) + ("::text" if pa.types.is_string(field.type) else "") for field in types
            )
            statement = f"COPY (SELECT {names} FROM {quoted_table(self.place)}) TO STDOUT (FORMAT csv)"
            with connection.cursor().copy(statement) as stream:
                lines: list[bytes] = []
                for line in stream:  # the server sends one message for each row
                    lines.append(bytes(line))
                    if len(lines) == batch_rows:
                        yield _parsed(lines, types)
                        lines = []
                if lines:
                    yield _parsed(lines, types)

    def _described(self, connection: Any) -> pa.Schema:
        cursor = connection.execute(f"SELECT * FROM {quoted_table(self.place)} LIMIT 0")
        return pa.schema([pa.field(column.name, _arrow_type(column)) for column in cursor.description])


class PostgresWriting(Writing):
    """Tables written to a PostgreSQL server."""

    def __init__(self, place: Place) -> None:
        self._connection = connect(place, read_only=False)

    def put(self, table: pa.Table, place: Place, overwrite: bool) -> None:
        """Write one table."""
        table, name = decoded(table), quoted_table(place)
        if _is_there(self._connection, place):
            if not overwrite:
                raise exists_already(place)
            self._connection.execute(f"DROP TABLE {name}")
        self._connection.execute(f"CREATE TABLE {name} ({column_list(table.schema)})")
        with self._connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)") as stream:
            for batch in table.to_batches(_BATCH):
                text = BytesIO()
                pa.csv.write_csv(batch, text, pa.csv.WriteOptions(include_header=False))
                stream.write(text.getvalue())

    def commit(self) -> None:
        """Make all tables appear."""
        self._connection.commit()

    def close(self) -> None:
        """Leave the server; what was not committed is undone."""
        self._connection.close()


def postgres_has_table(place: Place) -> bool:
    """Say whether the database holds the table already."""
    with connect(place, read_only=True) as connection:
        return _is_there(connection, place)


def connect(place: Place, read_only: bool) -> Any:
    """Connect to a server; the block that uses the connection is one transaction."""
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


def _is_there(connection: Any, place: Place) -> bool:
    found = connection.execute("SELECT to_regclass(%s)", [quoted_table(place)]).fetchone()
    return found[0] is not None


def _arrow_type(column: Any) -> pa.DataType:
    if column.type_code == _NUMERIC:
        digits, scale = column.precision, column.scale
        fits = digits is not None and 0 <= (scale or 0) <= digits <= _MOST_DIGITS
        return pa.decimal128(digits, scale or 0) if fits else pa.float64()
    return _ARROW_TYPES.get(column.type_code, pa.string())


def _parsed(lines: list[bytes], types: pa.Schema) -> pa.Table:
    return pa.csv.read_csv(
        pa.BufferReader(b"".join(lines)),
        pa.csv.ReadOptions(column_names=types.names, use_threads=False),
        _PARSE,
        pa.csv.ConvertOptions(
            column_types=types,
            null_values=[""],
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
