"""The ledger: what has been spent on one data set, append-only, in one SQLite file.

A charge is durable before it returns, and is made before data are read; nothing is ever refunded. The records
form a chain of hashes (`quantail.privacy.chain`).

What it protects against: accidents. Two runs at once, a killed process, a damaged file, an overspent budget,
a record changed by mistake. It does not stop an administrator who edits the file: the chain betrays a record
that was changed, and a head kept elsewhere (each release card carries one) a chain cut short or made anew.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Self, get_args

from quantail.errors import BudgetError, LedgerError
from quantail.privacy.budget import Unit, as_decimal, parse_epsilon
from quantail.privacy.chain import (
    FIELDS,
    GENESIS,
    Balance,
    Entry,
    Kind,
    Row,
    Status,
    chain_problems,
    following,
    read_entry,
    replay,
)

_APPLICATION = 0x51544C47  # "QTLG", in the file's header
_FORMAT = 1
_RESTORE = "Nothing can be charged to it: restore it from a backup, and verify it."

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


@dataclass(frozen=True)
class Ledger:
    """The account of one data set; made by `Ledger.create` or `Ledger.open`.

    It holds no open file: every operation opens the file, works in one transaction and closes it, so that a
    ledger can be shared by threads and processes.
    """

    path: Path
    dataset: str
    unit: Unit
    busy_seconds: float = 10.0

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        dataset: str,
        limit: int | float | str | Fraction,
        unit: Unit = "epsilon",
        *,
        busy_seconds: float = 10.0,
    ) -> Self:
        """Start the ledger of a data set, with the most that may ever be spent on it.

        Raises
        ------
        LedgerError
            When the file exists (nothing is overwritten) or cannot be written.
        """
        total = parse_epsilon(limit, "the limit of the ledger")
        if unit not in get_args(Unit):
            raise LedgerError('The unit of a ledger is "epsilon" (pure DP) or "rho" (zCDP).')
        ledger = cls(Path(path), _worded(dataset, "data set name"), unit, busy_seconds)
        try:
            os.close(os.open(ledger.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
        except FileExistsError as error:
            raise LedgerError(
                f"{path} exists already: open it, or name another file for a new ledger."
            ) from error
        except OSError as error:
            raise LedgerError(f"The ledger {path} cannot be created: {error.strerror}.") from error
        try:
            with ledger._transaction("IMMEDIATE") as connection:
                for statement in _SCHEMA.values():
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {_FORMAT}")
                ledger._append(connection, (), "open", amount=total)
        except LedgerError:
            ledger.path.unlink(missing_ok=True)  # it is ours, and empty
            raise
        return ledger

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, busy_seconds: float = 10.0) -> Self:
        """Open an existing ledger; `verify` says whether its records are sound.

        Raises
        ------
        LedgerError
            When it is missing, unreadable, locked, damaged, no Quantail ledger, or of a newer format.
        """
        unknown = cls(Path(path), "", "epsilon", busy_seconds)
        with unknown._transaction() as connection:
            rows = _rows(connection, unknown.path)
        if not rows or rows[0][4] not in get_args(Unit):
            raise LedgerError(f"{path} is damaged: its first record is missing or unreadable. {_RESTORE}")
        return cls(Path(path), str(rows[0][3]), rows[0][4], busy_seconds)

    def charge(
        self,
        amount: Fraction,
        purpose: str,
        plan_hash: str,
        *,
        dataset: str | None = None,
        unit: Unit | None = None,
    ) -> Entry:
        """Spend part of the budget; when this returns, the charge is on disk. There is no refund.

        Parameters
        ----------
        amount : Fraction
            What the plan costs in all.
        purpose : str
            What it is for: public words, no confidential value.
        plan_hash : str
            ``Plan.hash()`` of the plan that is paid for.
        dataset, unit : str, optional
            What the caller believes this ledger to be about; refused when it is not.

        Raises
        ------
        BudgetError
            When it would overspend; nothing is charged then.
        LedgerError
            When the ledger is locked, damaged, or about other data or another unit.
        """
        cost = parse_epsilon(amount, "the amount to charge")
        if dataset not in (None, self.dataset) or unit not in (None, self.unit):
            raise LedgerError(
                f"The ledger {self.path} is for data set {self.dataset!r} in {self.unit}, but the charge is "
                f"for {dataset or self.dataset!r} in {unit or self.unit}: use the ledger made for that."
            )
        with self._transaction("IMMEDIATE") as connection:
            balance = self._balance(connection)
            if balance.spent + cost > balance.limit:
                left = balance.limit - balance.spent
                raise BudgetError(
                    f"The budget of data set {self.dataset!r} does not cover this ({self.unit}): "
                    f"limit {as_decimal(balance.limit)}, spent {as_decimal(balance.spent)}, "
                    f"left {as_decimal(left)}, asked {as_decimal(cost)}. Nothing was charged. "
                    "Ask for no more than what is left, or have the limit raised for a stated reason."
                )
            words = {"purpose": _worded(purpose, "purpose"), "plan_hash": _worded(plan_hash, "plan hash")}
            return self._append(connection, balance.entries, "charge", amount=cost, **words)

    def mark(self, entry: Entry, status: Status) -> Entry:
        """Note what became of a charge; the amount stays spent whatever it was."""
        if status not in get_args(Status):
            raise LedgerError('A charge is marked as "released" or "failed", nothing else.')
        with self._transaction("IMMEDIATE") as connection:
            balance = self._balance(connection)
            if entry.kind != "charge" or entry not in balance.entries:
                raise LedgerError(
                    f"Only a charge of the ledger {self.path} can be marked in it: pass that charge."
                )
            return self._append(connection, balance.entries, "mark", refers=entry.number, status=status)

    def raise_limit(self, new_limit: int | float | str | Fraction, reason: str) -> Entry:
        """Allow more to be spent from now on; the old limit and the reason stay on record."""
        limit = parse_epsilon(new_limit, "the new limit")
        with self._transaction("IMMEDIATE") as connection:
            balance = self._balance(connection)
            if limit <= balance.limit:
                raise BudgetError(
                    f"The limit is {as_decimal(balance.limit)} and can only be raised, "
                    f"not set to {as_decimal(limit)}: give a larger one."
                )
            words = _worded(reason, "reason")
            return self._append(connection, balance.entries, "limit", amount=limit, purpose=words)

    @property
    def limit(self) -> Fraction:
        """The most that may be spent in all."""
        return self._state().limit

    @property
    def spent(self) -> Fraction:
        """The sum of all charges, failed runs included."""
        return self._state().spent

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        state = self._state()
        return state.limit - state.spent

    def entries(self) -> tuple[Entry, ...]:
        """List all records, oldest first."""
        return self._state().entries

    def head(self) -> str:
        """Give the hash of the last record, to be kept outside (the release card carries it)."""
        return self._state().entries[-1].hash

    def verify(self, known_head: str | None = None) -> list[str]:
        """Recompute the chain and the account, and list what is wrong (nothing, if all is well).

        Parameters
        ----------
        known_head : str, optional
            A head kept elsewhere, for instance on a release card; it must occur in the chain.
        """
        with self._transaction() as connection:
            rows = _rows(connection, self.path)
            problems = _file_problems(connection) + chain_problems(rows)
        problems = problems or replay(rows)[1]
        if known_head is not None and known_head not in [row[-1] for row in rows]:
            problems.append(
                "the head kept elsewhere does not occur: records were cut off, or the ledger made anew"
            )
        return problems

    def _state(self) -> Balance:
        with self._transaction() as connection:
            return self._balance(connection)

    def _balance(self, connection: sqlite3.Connection) -> Balance:
        """Replay all records; a ledger that does not add up is good for nothing but `verify`."""
        rows = _rows(connection, self.path)
        problems = _file_problems(connection) + chain_problems(rows)
        balance = None
        if not problems:
            balance, problems = replay(rows)
        if balance is None or problems:
            raise LedgerError(f"The ledger {self.path} is damaged: {problems[0]}. {_RESTORE}")
        if (balance.entries[0].dataset, balance.entries[0].unit) != (self.dataset, self.unit):
            raise LedgerError(
                f"The file {self.path} was replaced by another ledger meanwhile: open it again."
            )
        return balance

    def _append(
        self, connection: sqlite3.Connection, entries: tuple[Entry, ...], kind: Kind, **content: Any
    ) -> Entry:
        row = following(entries, kind, self.dataset, self.unit, **content)
        places = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO record ({', '.join(FIELDS)}) VALUES ({places})", row)
        return read_entry(row)

    @contextmanager
    def _transaction(
        self, kind: Literal["DEFERRED", "IMMEDIATE"] = "DEFERRED"
    ) -> Iterator[sqlite3.Connection]:
        """Work in one transaction: committed at the end, undone on any error."""
        _require_file(self.path)
        try:
            address = f"{self.path.absolute().as_uri()}?mode=rw"  # rw: never creates a file
            with closing(
                sqlite3.connect(address, uri=True, timeout=self.busy_seconds, isolation_level=None)
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
            raise LedgerError(_explained(self.path, error, self.busy_seconds)) from error


def _worded(text: object, what: str) -> str:
    if isinstance(text, str) and text.strip() and text.isprintable():
        return text
    raise LedgerError(
        f"The {what} of a ledger record must be one line of text: say it in a few public words."
    )


def _require_file(path: Path) -> None:
    # The file is only looked at, never opened here: closing it again would drop the (POSIX) locks that SQLite
    # holds on it in other threads of this process.
    try:
        path.stat()
    except FileNotFoundError as error:
        raise LedgerError(
            f"There is no ledger at {path}: check the path, or create the ledger first."
        ) from error
    except OSError as error:
        raise LedgerError(f"The ledger {path} cannot be reached: {error.strerror}.") from error
    effective = os.access in os.supports_effective_ids
    if not path.is_file() or not os.access(path, os.R_OK, effective_ids=effective):
        raise LedgerError(
            f"The ledger {path} cannot be read: it must be a file that you have the right to read."
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
        return f"The ledger {path} could not be read or written (disk full or faulty): make room."
    return f"The ledger {path} is damaged or cannot be used. {_RESTORE}"


def _rows(connection: sqlite3.Connection, path: Path) -> list[Row]:
    """Read all records as stored, after making sure that this is a ledger that we understand."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'record'").fetchone()[0]
    if application != _APPLICATION or version < 1 or not tables:
        raise LedgerError(
            f"{path} is not a Quantail ledger (or it is empty or damaged): check the path, create a "
            "ledger in a new file, or restore this one from a backup."
        )
    if version > _FORMAT:
        raise LedgerError(f"The ledger {path} was written by a newer Quantail: upgrade Quantail to use it.")
    pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    if path.stat().st_size < pages * size:  # SQLite reads a missing end of the last page as zeros
        raise LedgerError(f"The ledger {path} is damaged: its end is missing. {_RESTORE}")
    return connection.execute(f"SELECT {', '.join(FIELDS)} FROM record ORDER BY number").fetchall()


def _file_problems(connection: sqlite3.Connection) -> list[str]:
    """Check what hashes cannot see: the pages of the file, and the triggers that make it append-only."""
    reports = connection.execute("PRAGMA quick_check(3)")
    problems = [f"SQLite reports: {line}" for (line,) in reports if line != "ok"]
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'"))
    if found != _SCHEMA:
        problems.append("its table or the triggers that make it append-only were changed")
    return problems
