"""The account that a run pays from: which ledger, made only if asked for, and what became of the charge."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from quantail.cli.console import note, warn
from quantail.errors import BudgetError, LedgerError, LostChargeError, OptionError, SchemaError
from quantail.privacy.budget import Unit, as_decimal, parse_amount
from quantail.privacy.chain import Entry
from quantail.privacy.high_water import HighWaterMark
from quantail.privacy.ledger import Ledger
from quantail.schema import Schema

BUSY_SECONDS = 10.0  # how long to wait for another process that holds the ledger


@dataclass(frozen=True)
class Payment:
    """How a run pays, as it was typed."""

    ledger: Path | None = None  # the account; without one nobody keeps count
    # Start it with this run. An account never starts by itself: a mistyped path would be a fresh budget.
    new: bool = False
    limit: str | None = None  # limit of a new ledger; by default what the run costs
    # a high-water mark kept elsewhere: the ledger must agree with it, and it is moved forward
    mark: Path | None = None

    def __post_init__(self) -> None:
        if self.limit is not None:
            parse_amount(self.limit, "--limit")
        if self.ledger is None:
            for name, value in (("--new-ledger", self.new), ("--limit", self.limit), ("--mark", self.mark)):
                if value not in (None, False):
                    raise OptionError(f"{name} belongs to a ledger: add --ledger FILE")
        if self.limit is not None and not self.new:
            raise OptionError(
                "--limit is for a ledger that is started now: add --new-ledger, or raise the limit of one that "
                f"exists with `quantail ledger raise {self.ledger}`"
            )


NOBODY = Payment()  # nobody pays, or somebody keeps count elsewhere


@dataclass(frozen=True, repr=False)
class Account(Ledger):
    """A ledger that may start with its first charge, has its mark moved forward, and notes what became of charges."""

    # Limit to start the ledger with, when something is charged; a run that ends before that leaves no empty ledger
    # behind. None for a ledger that exists.
    start: Fraction | None = None
    marked: Path | None = None  # where the high-water mark is

    def charge(self, *args: Any, **named: Any) -> Entry:
        """Spend part of the budget, as `Ledger.charge` does."""
        starting = self.start is not None and not self.charges
        if self.start is not None and starting:
            Ledger.create(self.path, self.dataset, self.start, self.unit)
        entry = super().charge(*args, **named)
        if self.marked is not None:
            self.renew_mark(self.marked)
        if starting:
            self._introduce()
        return entry

    def note_release(self) -> None:
        """Note that what was paid for is published."""
        for entry in self.charges:
            try:
                self.mark(entry, "released")
                if self.marked is not None:
                    self.renew_mark(self.marked)
            except LostChargeError as error:
                raise LostChargeError(
                    f"The output was written, and at that moment the charge of record {entry.number} got lost: "
                    f"withhold the output. {error}"
                ) from None
            except LedgerError as error:  # the charge itself is safe: an unmarked one counts as spent
                warn(f"The charge stands, but what became of it could not be noted: {error}")

    def note_failure(self) -> None:
        """Note that nothing was published; what was charged stays spent."""
        for entry in self.charges:
            told = f"record {entry.number} is marked failed"
            try:
                self.mark(entry, "failed")
                if self.marked is not None:
                    self.renew_mark(self.marked)
            except LostChargeError:
                told = f"record {entry.number} is no longer in the ledger"
            except LedgerError:
                told = f"record {entry.number} could not be marked"
            amount = as_decimal(entry.amount or Fraction(0))
            warn(f"Charged {amount} {self.unit} to {self.path}, nothing released; {told}. It stays spent.")

    def _introduce(self) -> None:
        limit = as_decimal(self.limit)
        note(f"Started the ledger {self.path} for data set {self.dataset!r}, limit {limit} {self.unit}.")
        if not self.left:
            note(
                "This release uses it up: a second one from these data will be refused until someone raises "
                f"the limit: quantail ledger raise {self.path} --limit ... --by ... --reason ..."
            )


@contextmanager
def accounted(account: Account | None) -> Iterator[None]:
    """Note in the ledger what became of the charges made in the block: released, or failed if it raised an error."""
    try:
        yield
    except BaseException:
        if account is not None:
            account.note_failure()
        raise
    if account is not None:
        account.note_release()


def open_account(payment: Payment, schema: Schema, cost: Fraction, unit: Unit) -> Account | None:
    """Open the ledger of a data set, or prepare a new one if that was asked for; None if no ledger was named.

    `cost` and `unit`: what the release costs.

    Raises
    ------
    SchemaError
        If the schema does not say which data set it is about.
    LedgerError
        If there is no such ledger and none was to be started, if it is of other data, or contradicts its mark.
    """
    path = payment.ledger
    if path is None:
        return None
    if not schema.name:
        raise SchemaError(
            'the schema does not say which data set it is about; write name = "..." under [table], or give --name '
            f"where there is no schema: the name that the ledger {path} has"
        )
    if payment.new:
        return _new_account(path, payment, schema.name, cost, unit)
    if not path.exists():
        raise LedgerError(
            f"There is no ledger at {path}: check the path. If nothing was ever spent on data set {schema.name!r}, "
            f"start its account with `quantail ledger init {path} --dataset ... --limit ...`, or add --new-ledger "
            "(and --limit) to this command"
        )
    account = Account.open(path, busy_seconds=BUSY_SECONDS)
    account.require(schema.name, unit)
    if payment.mark is not None:
        _check_mark(account, payment.mark)
    return Account(path, account.dataset, account.unit, BUSY_SECONDS, marked=payment.mark)


def _new_account(path: Path, payment: Payment, dataset: str, cost: Fraction, unit: Unit) -> Account:
    if os.path.lexists(path):
        raise LedgerError(
            f"{path} exists already: leave out --new-ledger to pay from it, or name another file"
        )
    if payment.mark is not None and payment.mark.exists():
        raise LedgerError(
            f"The mark {payment.mark} says that this data set has an account already: bring back its ledger instead "
            "of starting a new one, or name a new file for the mark"
        )
    start = cost if payment.limit is None else parse_amount(payment.limit, "--limit")
    if start < cost:
        raise BudgetError(
            f"--limit {as_decimal(start)} is below what this release costs, {as_decimal(cost)} "
            f"{unit}: raise --limit or lower --epsilon"
        )
    for file, what in ((path, "new ledger"), (payment.mark, "mark")):
        if file is not None and not file.parent.is_dir():
            raise LedgerError(f"the folder {file.parent} of the {what} does not exist; create it first")
    return Account(path, dataset, unit, BUSY_SECONDS, start=start, marked=payment.mark)


def _check_mark(account: Ledger, path: Path) -> None:
    if not path.exists():
        raise LedgerError(
            f"There is no mark at {path}: check the path, or write a first one with "
            f"`quantail ledger export {account.path} --mark {path}`"
        )
    problems = account.verify(mark=HighWaterMark.load(path))
    if problems:
        raise LedgerError(
            f"The ledger {account.path} is not as the mark {path} has it, so nothing is charged to it: {problems[0]}. "
            "Bring back its newest copy; what is missing from that can be entered with `quantail ledger charge`"
        )
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise LedgerError(f"The mark {path} cannot be moved forward: get the right to write to its folder")
