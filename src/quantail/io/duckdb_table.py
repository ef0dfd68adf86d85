"""Tables in DuckDB files, read and written as Arrow."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, ClassVar, cast

import pyarrow as pa

from quantail.io.databases import Writing, exists_already, quoted_table, table_parts
from quantail.io.dictionaries import decoded
from quantail.io.extras import optional
from quantail.io.place import Place
from quantail.io.source import Source

# A name that is no table of the file must not be looked for among Python's variables or as a file.
_CLOSED = {"python_enable_replacements": False, "enable_external_access": False}


class DuckdbSource(Source):
    """A table or view in a DuckDB file, opened for reading only."""

    advice: ClassVar[str] = (
        "the file must be a DuckDB database that this version reads and nobody writes to, "
        "and hold the table that the URL names"
    )

    def _types(self) -> pa.Schema:
        with closing(connect(self.place, read_only=True)) as connection:
            return _reader(connection.sql(f"SELECT * FROM {quoted_table(self.place)} LIMIT 0"), 1).schema

    def _rows(self) -> int | None:
        with closing(connect(self.place, read_only=True)) as connection:
            counted = connection.execute(f"SELECT COUNT(*) FROM {quoted_table(self.place)}").fetchone()
        return cast(int, counted[0])

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        with closing(connect(self.place, read_only=True)) as connection:
            rows = connection.sql(f"SELECT * FROM {quoted_table(self.place)}")
            for batch in _reader(rows, batch_rows):
                for start in range(0, batch.num_rows, batch_rows):
                    yield pa.Table.from_batches([batch.slice(start, batch_rows)])


class DuckdbWriting(Writing):
    """Tables written into a DuckDB file."""

    def __init__(self, place: Place) -> None:
        self._connection = connect(place, read_only=False)
        self._connection.begin()

    def put(self, table: pa.Table, place: Place, overwrite: bool) -> None:
        """Write one table."""
        name = quoted_table(place)
        if _is_there(self._connection, place):
            if not overwrite:
                raise exists_already(place)
            self._connection.execute(f"DROP TABLE {name}")
        self._connection.register("quantail_synthetic_rows", decoded(table))
        self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM quantail_synthetic_rows")
        self._connection.unregister("quantail_synthetic_rows")

    def commit(self) -> None:
        """Make all tables appear."""
        self._connection.commit()

    def close(self) -> None:
        """Close the file; what was not committed is undone."""
        self._connection.close()


def duckdb_has_table(place: Place) -> bool:
    """Say whether the database holds the table already."""
    with closing(connect(place, read_only=True)) as connection:
        return _is_there(connection, place)


def connect(place: Place, read_only: bool) -> Any:
    """Open the file of a DuckDB database."""
    duckdb = optional("duckdb", "databases", "a table in DuckDB")
    return duckdb.connect(str(place.path), read_only=read_only, config=_CLOSED)


def _reader(relation: Any, batch_rows: int) -> Any:
    # The method was renamed in the course of DuckDB's versions.
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return read(batch_rows)


def _is_there(connection: Any, place: Place) -> bool:
    *schema, table = table_parts(place)
    question = "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?"
    return connection.execute(question, [*(schema or ["main"]), table]).fetchone() is not None
