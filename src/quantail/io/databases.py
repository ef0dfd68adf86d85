"""Tables in SQLite, DuckDB and PostgreSQL: read in parts through one cursor, written in one transaction.

Written once, over the calls that their drivers share (`execute`, `commit`, `close`); what differs is said by
the `Dialect` of each.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, cast

import pyarrow as pa

from quantail.errors import DataError
from quantail.io.dialects import DIALECTS, quoted_table, refused_ledger
from quantail.io.native import decoded
from quantail.io.place import Place
from quantail.io.source import WRITING_ADVICE, Source, guarded
from quantail.ledger_header import is_ledger


class DatabaseSource(Source):
    """A table or view in a database, which is opened for reading only."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._dialect = DIALECTS[place.scheme]
        self.advice = self._dialect.advice

    def _types(self) -> pa.Schema:
        with closing(self._dialect.connect(self.place, True)) as connection:
            return self._dialect.types(connection, self.place)

    def _rows(self) -> int | None:
        with closing(self._dialect.connect(self.place, True)) as connection:
            counted = connection.execute(f"SELECT COUNT(*) FROM {quoted_table(self.place)}").fetchone()
        return cast(int, counted[0])

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        with closing(self._dialect.connect(self.place, True)) as connection:
            types = self._dialect.types(connection, self.place)
            yield from self._dialect.rows(connection, self.place, types, batch_rows)


def has_table(place: Place) -> bool:
    """Say whether a database holds a table already."""
    dialect = DIALECTS[place.scheme]

    def look() -> bool:
        with closing(dialect.connect(place, True)) as connection:
            return dialect.has(connection, place)

    return guarded(look, f"cannot open {place}", WRITING_ADVICE)


def exists_already(place: Place) -> DataError:
    """Say that a table is not replaced unless asked for."""
    return DataError(f"the table of {place} exists already; choose another name, or ask to overwrite it")


@contextmanager
def database_tables(
    tables: Sequence[tuple[pa.Table, Place]], overwrite: bool = False, keep: bool = True
) -> Iterator[None]:
    """Write tables into one database, in one transaction that is committed when the block has ended without an error.

    Files that belong to the tables can take their names in the block: all appear, or nothing does.

    Parameters
    ----------
    tables : sequence of table and Place
        All in the same database.
    overwrite : bool
        Replace tables that exist; otherwise that is a DataError.
    keep : bool
        If not, nothing is committed: whatever the database refuses has shown, and nothing has changed.
    """
    place = tables[0][1]
    if place.path is not None and is_ledger(place.path):
        raise refused_ledger(place)
    words = (f"cannot write {place}", WRITING_ADVICE, "the table cannot be stored in this database")
    is_new = place.path is not None and not place.path.exists()
    is_kept = False
    try:
        with closing(guarded(lambda: DIALECTS[place.scheme].connect(place, False), *words)) as connection:
            guarded(lambda: _create(connection, tables, overwrite), *words)
            yield
            if keep:
                guarded(connection.commit, *words)
                is_kept = True
    finally:
        if is_new and not is_kept and place.path is not None:  # a database without a table is no output
            for path in (place.path, place.path.with_name(f"{place.path.name}.wal")):
                path.unlink(missing_ok=True)


def _create(connection: Any, tables: Sequence[tuple[pa.Table, Place]], overwrite: bool) -> None:
    for table, place in tables:
        dialect, name = DIALECTS[place.scheme], quoted_table(place)
        if dialect.has(connection, place):
            if not overwrite:
                raise exists_already(place)
            connection.execute(f"DROP TABLE {name}")
        dialect.fill(connection, name, decoded(table))
