"""The account that a run pays from: which ledger, made when, and what became of the charge."""

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from quantail.cli.console import note, warn
from quantail.errors import BudgetError, LedgerError, OptionError
from quantail.frames import Place, Where
from quantail.privacy.budget import Plan, as_decimal, parse_amount
from quantail.privacy.chain import Entry
from quantail.privacy.ledger import Ledger
from quantail.schema import Schema

BUSY_SECONDS = 10.0  # how long to wait for another process that holds the ledger


@dataclass(frozen=True)
class Account(Ledger):
    """A ledger that starts with its first charge, and remembers what this run charged, to mark it afterwards.

    Attributes
    ----------
    start : Fraction, optional
        Limit to start the ledger with if its file does not exist when something is charged; a run that ends
        before that leaves no empty ledger behind.
    charges : list of Entry
        What this run charged.
    """

    start: Fraction | None = None
    charges: list[Entry] = field(default_factory=list, compare=False)

    def charge(self, *args: Any, **named: Any) -> Entry:
        """Spend part of the budget, as `Ledger.charge` does."""
        starting = self.start is not None and not self.path.exists()
        if self.start is not None and starting:
            Ledger.create(self.path, self.dataset, self.start, self.unit)
        entry = super().charge(*args, **named)
        self.charges.append(entry)
        if starting:
            self._introduce()
        return entry

    def close(self, released: bool) -> None:
        """Note what became of the charges of this run; they stay spent either way."""
        for entry in self.charges:
            try:
                self.mark(entry, "released" if released else "failed")
            except LedgerError as error:  # the charge itself is safe: an unmarked one counts as spent
                warn(f"The charge stands, but could not be marked: {error}")

    def _introduce(self) -> None:
        limit = as_decimal(self.limit)
        note(f"Started the ledger {self.path} for data set {self.dataset!r}, limit {limit} {self.unit}.")
        if not self.left:
            note(
                "This release uses it up: a second one from these data will be refused until someone raises "
                f"the limit: quantail ledger raise {self.path} --limit ... --reason ..."
            )


def open_account(path: Path, schema: Schema, source: Where, plan: Plan, limit: str | None) -> Account:
    """Open the ledger of a data set, or prepare a new one with `limit`, by default what the plan costs."""
    if not path.exists():
        return _new_account(path, schema.name or Place.of(source).name, plan, limit)
    if limit is not None:
        raise OptionError(
            f"--limit is for a ledger that is created now, and {path} exists: "
            f"use `quantail ledger raise {path}` to raise its limit"
        )
    account = Account.open(path, busy_seconds=BUSY_SECONDS)
    if account.unit != plan.unit or schema.name not in ("", account.dataset):
        raise LedgerError(
            f"The ledger {path} is for data set {account.dataset!r} in {account.unit}, but this run is about "
            f"{schema.name or account.dataset!r} in {plan.unit}: use the ledger made for that, or start one"
        )
    return account


def _new_account(path: Path, dataset: str, plan: Plan, limit: str | None) -> Account:
    start = plan.cost if limit is None else parse_amount(limit, "--limit")
    if start < plan.cost:
        raise BudgetError(
            f"--limit {as_decimal(start)} is below what this release costs, {as_decimal(plan.cost)} "
            f"{plan.unit}: raise --limit or lower --epsilon"
        )
    if not path.parent.is_dir():
        raise LedgerError(f"the folder {path.parent} of the new ledger does not exist; create it first")
    return Account(path, dataset, plan.unit, BUSY_SECONDS, start)
