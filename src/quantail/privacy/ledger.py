"""The ledger: what has been spent on one data set, append-only, in one SQLite file.

A charge is durable before it returns, and is made before data are read; nothing is ever refunded. The records
form a chain of hashes (`quantail.privacy.chain`). Before what a charge paid for is published, the file is opened
anew and the charge must be found in it (`Ledger.confirm`).

What it protects against: accidents. Two runs at once, a killed process, a damaged file, an overspent budget,
a record changed by mistake, a file copied back while a run goes on. It does not stop an administrator who edits
the file: the chain betrays a record that was changed, and a head kept elsewhere (each release card carries one) or
a mark (`quantail.privacy.high_water`) a chain cut short or made anew.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Self, get_args

from quantail.errors import BudgetError, LedgerError, LostChargeError
from quantail.privacy import ledger_file
from quantail.privacy.budget import Unit, as_decimal, parse_amount
from quantail.privacy.chain import Balance, Entry, Kind, Status, chain_problems, following, read_entry, replay
from quantail.privacy.high_water import HighWaterMark, write_mark
from quantail.privacy.ledger_file import RESTORE

ELSEWHERE = "spent elsewhere"  # in place of a plan's hash, for what other programs spent


@dataclass(frozen=True)
class Ledger:
    """The account of one data set; made by `Ledger.create` or `Ledger.open`.

    It holds no open file: every operation opens the file, works in one transaction and closes it, so that a
    ledger can be shared by threads and processes. `charges` are those made through this object.
    """

    path: Path
    dataset: str
    unit: Unit
    busy_seconds: float = 10.0
    charges: list[Entry] = field(default_factory=list, compare=False, repr=False)

    def __repr__(self) -> str:
        """Say in a line whose account it is; the file is not read."""
        from quantail.privacy.notebook import ledger_line

        return ledger_line(self)

    def _repr_html_(self) -> str:
        from quantail.privacy.notebook import ledger_html

        return ledger_html(self)

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
        total = parse_amount(limit, "the limit of the ledger")
        if unit not in get_args(Unit):
            raise LedgerError('The unit of a ledger is "epsilon" (pure DP) or "rho" (zCDP).')
        ledger = cls(Path(path), _worded(dataset, "data set name"), unit, busy_seconds)
        ledger_file.reserve(ledger.path)
        try:
            with ledger._transaction("IMMEDIATE") as connection:
                ledger_file.prepare(connection)
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
            rows = ledger_file.read_rows(connection, unknown.path)
        if not rows or rows[0][4] not in get_args(Unit):
            raise LedgerError(f"{path} is damaged: its first record is missing or unreadable. {RESTORE}")
        return cls(Path(path), str(rows[0][3]), rows[0][4], busy_seconds)

    def charge(
        self,
        amount: Fraction,
        purpose: str,
        plan_hash: str,
        *,
        dataset: str | None = None,
        unit: Unit | None = None,
        neighbours: str = "",
    ) -> Entry:
        """Spend part of the budget; when this returns, the charge is on disk. There is no refund.

        Parameters
        ----------
        amount : Fraction
            What the plan costs in all.
        purpose : str
            What it is for: public words, no confidential value.
        plan_hash : str
            ``Terms.hash()`` of the release that is paid for.
        dataset, unit : str, optional
            What the caller believes this ledger to be about; refused when it is not, or when it is blank.
        neighbours : str
            Which tables the promise tells not apart, such as "replace-one"; epsilons of different promises do not add
            up, so it is refused beside charges for others.

        Raises
        ------
        BudgetError
            When it would overspend; nothing is charged then.
        LedgerError
            When the ledger is locked, damaged, or about other data, another unit or other neighbours.
        """
        cost = parse_amount(amount, "the amount to charge")
        self.require(self.dataset if dataset is None else dataset, unit or self.unit)
        with self._transaction("IMMEDIATE") as connection:
            balance = self._balance(connection)
            self._require_found(balance, self.charges)
            self._require_alike(balance, neighbours)
            if balance.spent + cost > balance.limit:
                left = balance.limit - balance.spent
                raise BudgetError(
                    f"The budget of data set {self.dataset!r} does not cover this ({self.unit}): "
                    f"limit {as_decimal(balance.limit)}, spent {as_decimal(balance.spent)}, "
                    f"left {as_decimal(left)}, asked {as_decimal(cost)}. Nothing was charged. "
                    "Ask for no more than what is left, or have the limit raised for a stated reason."
                )
            words = {"purpose": _worded(purpose, "purpose"), "plan_hash": _worded(plan_hash, "plan hash")}
            entry = self._append(
                connection, balance.entries, "charge", amount=cost, status=neighbours, **words
            )
        self.charges.append(entry)
        return entry

    def require(self, dataset: str, unit: Unit) -> None:
        """Raise a LedgerError unless this is the ledger of a data set, in a unit.

        Examples
        --------
        >>> Ledger(Path("payroll.ledger"), "payroll", "epsilon").require("payroll", "epsilon")
        """
        if not dataset:
            raise LedgerError(
                f"The ledger {self.path} is for data set {self.dataset!r}, but the schema does not say of what "
                f'data set it is: write name = "..." under its [table], the name that the ledger has.'
            )
        if (dataset, unit) != (self.dataset, self.unit):
            raise LedgerError(
                f"The ledger {self.path} is for data set {self.dataset!r} in {self.unit}, but the charge is "
                f"for {dataset!r} in {unit}: use the ledger made for that."
            )

    def confirm(self, *entries: Entry) -> Balance:
        """Open the file anew and find all charges made through this object, and those given, in it.

        Call it before what they paid for is published.

        Returns
        -------
        Balance
            All records, as they are in the file now.

        Raises
        ------
        LostChargeError
            When a charge is not there, or the ledger cannot be read: nothing may be published then.
        """
        try:
            balance = self._state()
        except LedgerError as error:
            raise LostChargeError(
                f"What was charged cannot be found again, so nothing may be published. {error}"
            ) from error
        self._require_found(balance, [*self.charges, *entries])
        return balance

    def mark(self, entry: Entry, status: Status) -> Entry:
        """Note what became of a charge; the amount stays spent whatever it was."""
        if status not in get_args(Status):
            raise LedgerError('A charge is marked as "released" or "failed", nothing else.')
        with self._transaction("IMMEDIATE") as connection:
            balance = self._balance(connection)
            if entry.kind != "charge" or entry not in balance.entries:
                raise LostChargeError(
                    f"Only a charge of the ledger {self.path} can be marked in it, and record {entry.number} "
                    "is none, or none any more: the file may have been copied back from an older copy."
                )
            return self._append(connection, balance.entries, "mark", refers=entry.number, status=status)

    def raise_limit(self, new_limit: int | float | str | Fraction, reason: str, *, by: str) -> Entry:
        """Allow more to be spent from now on; the old limit, the reason and who decided stay on record."""
        limit = parse_amount(new_limit, "the new limit")
        with self._transaction("IMMEDIATE") as connection:
            balance = self._balance(connection)
            if limit <= balance.limit:
                raise BudgetError(
                    f"The limit is {as_decimal(balance.limit)} and can only be raised, "
                    f"not set to {as_decimal(limit)}: give a larger one."
                )
            words = f"by {_worded(by, 'person who decides')}: {_worded(reason, 'reason')}"
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

    def high_water(self) -> HighWaterMark:
        """Give how far the ledger has come, to be kept elsewhere and passed to `verify` later on."""
        return HighWaterMark.of(self._state())

    def renew_mark(self, path: str | os.PathLike[str]) -> HighWaterMark:
        """Move the mark in a file forward to the present end of the ledger; a file that is missing is made.

        Raises
        ------
        LedgerError
            When the ledger contradicts the mark that is there, which then stays as it is.
        """
        # No other process can charge or renew meanwhile, so a mark never goes back.
        with self._transaction("IMMEDIATE") as connection:
            mark = HighWaterMark.of(self._balance(connection))
            if os.path.lexists(path):
                rows = ledger_file.read_rows(connection, self.path)
                problems = HighWaterMark.load(Path(path)).problems(rows)
                if problems:
                    raise LedgerError(f"The ledger {self.path} contradicts the mark {path}: {problems[0]}.")
            write_mark(mark, Path(path))
        return mark

    def verify(self, known_head: str | None = None, mark: HighWaterMark | None = None) -> list[str]:
        """Recompute the chain and the account, and list what is wrong (nothing, if all is well).

        Parameters
        ----------
        known_head : str, optional
            A head kept elsewhere, for instance on a release card; it must occur in the chain.
        mark : HighWaterMark, optional
            How far the ledger had come at an earlier time; shows that a file was copied back from a backup.
        """
        with self._transaction() as connection:
            rows = ledger_file.read_rows(connection, self.path)
            problems = ledger_file.file_problems(connection) + chain_problems(rows)
        problems = problems or replay(rows)[1]
        if known_head is not None and known_head not in [row[-1] for row in rows]:
            problems.append(
                "the head kept elsewhere does not occur: records were cut off, or the ledger made anew"
            )
        return problems + (mark.problems(rows) if mark is not None else [])

    def _state(self) -> Balance:
        with self._transaction() as connection:
            return self._balance(connection)

    def _balance(self, connection: sqlite3.Connection) -> Balance:
        """Replay all records; a ledger that does not add up is good for nothing but `verify`."""
        rows = ledger_file.read_rows(connection, self.path)
        problems = ledger_file.file_problems(connection) + chain_problems(rows)
        balance = None
        if not problems:
            balance, problems = replay(rows)
        if balance is None or problems:
            raise LedgerError(f"The ledger {self.path} is damaged: {problems[0]}. {RESTORE}")
        if (balance.entries[0].dataset, balance.entries[0].unit) != (self.dataset, self.unit):
            raise LedgerError(
                f"The file {self.path} was replaced by another ledger meanwhile: open it again."
            )
        return balance

    def _require_found(self, balance: Balance, entries: Iterable[Entry]) -> None:
        held = {entry.hash for entry in balance.entries}
        for entry in entries:
            if entry.hash not in held:
                raise LostChargeError(
                    f"The charge of record {entry.number} is missing from the ledger {self.path}: the file was "
                    "replaced by another, or by an older copy of itself, as sync tools and backups do, and ends at "
                    f"record {len(balance.entries)}. Nothing may be published. Keep the ledger where no program copies "
                    "it back, bring back its newest copy, and enter there what that does not have "
                    "(`quantail ledger charge`)."
                )

    def _require_alike(self, balance: Balance, neighbours: str) -> None:
        """Raise a LedgerError unless all charges that say so are for the same kind of neighbours."""
        for entry in balance.entries:
            if entry.kind == "charge" and neighbours and entry.status not in ("", neighbours):
                raise LedgerError(
                    f"Record {entry.number} of the ledger {self.path} was charged for {entry.status} neighbours, and "
                    f"this is for {neighbours} ones: epsilons of both do not add up to a promise. Nothing was charged. "
                    "Keep to one kind of neighbours for a data set. If both must be, pay without this ledger and enter "
                    "by hand what the release costs under its neighbours (`quantail ledger charge`): an add-remove "
                    "epsilon counts twice among replace-one ones."
                )

    def _append(
        self, connection: sqlite3.Connection, entries: tuple[Entry, ...], kind: Kind, **content: Any
    ) -> Entry:
        row = following(entries, kind, self.dataset, self.unit, **content)
        ledger_file.insert(connection, row)
        return read_entry(row)

    @contextmanager
    def _transaction(
        self, kind: Literal["DEFERRED", "IMMEDIATE"] = "DEFERRED"
    ) -> Iterator[sqlite3.Connection]:
        with ledger_file.transaction(self.path, kind, self.busy_seconds) as connection:
            yield connection


def _worded(text: object, what: str) -> str:
    if isinstance(text, str) and text.strip() and text.isprintable():
        return text
    raise LedgerError(
        f"The {what} of a ledger record must be one line of text: say it in a few public words."
    )
