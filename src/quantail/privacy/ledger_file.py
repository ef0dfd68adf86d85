"""The file of a ledger: one SQLite table that only grows, opened for one transaction at a time.

Nothing here knows about budgets (`quantail.privacy.ledger`) or hashes (`quantail.privacy.chain`): rows in, rows out,
and every fault of the file or the disk turned into a LedgerError that says what to do.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from quantail.errors import LedgerError
from quantail.ledger_header import APPLICATION
from quantail.privacy.chain import FIELDS, GENESIS, Row

RESTORE = "Nothing can be charged to it: restore it from a backup, and verify it."

_FORMAT = 1
_APPEND_ONLY = "SELECT RAISE(ABORT, 'a Quantail ledger is append-only');"
_SCHEMA = {
    "record": """CREATE TABLE record (
        number INTEGER PRIMARY KEY,  -- 1, 2, 3, ...
        kind TEXT NOT NULL,          -- open, charge, mark, limit
        time TEXT NOT NULL,          -- UTC; for readers only, nothing depends on it
        dataset TEXT NOT NULL,
        unit TEXT NOT NULL,          -- epsilon or rho
        amount TEXT,                 -- numerator/denominator: a charge, or the limit from here on
        purpose TEXT NOT NULL,       -- of a charge; the reason for a new limit
        plan_hash TEXT NOT NULL,
        refers INTEGER,              -- the charge that a mark is about
        status TEXT NOT NULL,        -- of a mark: released or failed
        previous TEXT NOT NULL,
        hash TEXT NOT NULL)""",
    "record_kept": f"CREATE TRIGGER record_kept BEFORE DELETE ON record BEGIN {_APPEND_ONLY} END",
    "record_fixed": f"CREATE TRIGGER record_fixed BEFORE UPDATE ON record BEGIN {_APPEND_ONLY} END",
    # INSERT OR REPLACE deletes without firing the first trigger; a record may only follow the last one.
    "record_last": f"""CREATE TRIGGER record_last BEFORE INSERT ON record
        WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM record)
        OR NEW.previous IS NOT coalesce((SELECT hash FROM record ORDER BY number DESC LIMIT 1), '{GENESIS}')
        BEGIN {_APPEND_ONLY} END""",
}


def reserve(path: Path) -> None:
    """Make an empty file, or raise a LedgerError if there is one already, or what is left of one."""
    if os.path.lexists(f"{os.path.realpath(path)}-journal"):
        raise LedgerError(
            f"Beside {path} lies the journal of a ledger that was there before, and broke off in the middle of a "
            "charge: bring that ledger back from a backup, or name another file for a new ledger."
        )
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
    except FileExistsError as error:
        raise LedgerError(
            f"{path} exists already: open it, or name another file for a new ledger."
        ) from error
    except OSError as error:
        raise LedgerError(f"The ledger {path} cannot be created: {error.strerror}.") from error


def prepare(connection: sqlite3.Connection) -> None:
    """Make the table and its triggers in an empty file."""
    for statement in _SCHEMA.values():
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_FORMAT}")


@contextmanager
def transaction(
    path: Path, kind: Literal["DEFERRED", "IMMEDIATE"], busy_seconds: float
) -> Iterator[sqlite3.Connection]:
    """Work in one transaction: committed at the end, undone on any error."""
    # The journal is named after the path, so one file must have one path: links are followed, and hard links refused.
    real = Path(os.path.realpath(path))
    _require_file(path, real)
    try:
        address = f"{real.as_uri()}?mode=rw"  # rw: never creates a file
        with closing(
            sqlite3.connect(address, uri=True, timeout=busy_seconds, isolation_level=None)
        ) as connection:
            # A rollback journal (SQLite's default, DELETE), not WAL: one file to back up and no shared
            # memory, so network drives work; WAL gains nothing for a few writes a day. EXTRA goes beyond
            # FULL: it also syncs the folder once the journal is removed; a journal that came back after
            # a power cut would undo a charge that had been reported.
            for pragma in ("synchronous = EXTRA", "fullfsync = ON", "cell_size_check = ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute(f"BEGIN {kind}")
            yield connection
            connection.execute("COMMIT")
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the second: damaged text
        raise LedgerError(_explained(path, error, busy_seconds)) from error


def insert(connection: sqlite3.Connection, row: Row) -> None:
    """Append a record."""
    places = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO record ({', '.join(FIELDS)}) VALUES ({places})", row)


def read_rows(connection: sqlite3.Connection, path: Path) -> list[Row]:
    """Read all records as stored, after making sure that this is a ledger that we understand."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'record'").fetchone()[0]
    if application != APPLICATION or version < 1 or not tables:
        raise LedgerError(
            f"{path} is not a Quantail ledger (or it is empty or damaged): check the path, create a "
            "ledger in a new file, or restore this one from a backup."
        )
    if version > _FORMAT:
        raise LedgerError(f"The ledger {path} was written by a newer Quantail: upgrade Quantail to use it.")
    pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    if path.stat().st_size < pages * size:  # SQLite reads a missing end of the last page as zeros
        raise LedgerError(f"The ledger {path} is damaged: its end is missing. {RESTORE}")
    return connection.execute(f"SELECT {', '.join(FIELDS)} FROM record ORDER BY number").fetchall()


def file_problems(connection: sqlite3.Connection) -> list[str]:
    """Check what hashes cannot see: the pages of the file, and the triggers that make it append-only."""
    reports = connection.execute("PRAGMA quick_check(3)")
    problems = [f"SQLite reports: {line}" for (line,) in reports if line != "ok"]
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'"))
    if found != _SCHEMA:
        problems.append("its table or the triggers that make it append-only were changed")
    return problems


def _require_file(path: Path, real: Path) -> None:
    # The file is only looked at, never opened here: closing it again would drop the (POSIX) locks that SQLite
    # holds on it in other threads of this process.
    try:
        links = real.stat().st_nlink
    except FileNotFoundError as error:
        raise LedgerError(
            f"There is no ledger at {path}: check the path, or create the ledger first "
            "(`quantail ledger init`, or `--new-ledger` with the first release)."
        ) from error
    except OSError as error:
        raise LedgerError(f"The ledger {path} cannot be reached: {error.strerror}.") from error
    effective = os.access in os.supports_effective_ids
    if not real.is_file() or not os.access(real, os.R_OK, effective_ids=effective):
        raise LedgerError(
            f"The ledger {path} cannot be read: it must be a file that you have the right to read."
        )
    if links > 1:
        raise LedgerError(
            f"The ledger {path} has {links} names (hard links). A charge that breaks off under one of them can undo "
            "charges made under another: remove the other names, or replace them by symbolic links."
        )


def _explained(path: Path, error: Exception, busy_seconds: float) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF  # extended codes keep the general one in the low byte
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return (
            f"The ledger {path} is locked: another process has held it for {busy_seconds:g} seconds. "
            "Nothing was written; try again when it has finished."
        )
    if primary == sqlite3.SQLITE_NOTADB:
        return f"{path} is not a ledger (not an SQLite file): check the path, or restore it from a backup."
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return f"The ledger {path} cannot be written: get the right to write to the file and its folder."
    if primary in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return (
            f"The ledger {path} could not be read or written (disk full or faulty): make room, then see with "
            f"`quantail ledger show {path}` whether anything was charged."
        )
    return f"The ledger {path} is damaged or cannot be used. {RESTORE}"
