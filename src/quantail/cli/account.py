"""The account that a run pays from: which ledger, made when, and what became of the charge."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quantail.cli.console import note, warn
from quantail.errors import LedgerError, OptionError
from quantail.privacy.budget import Plan, as_decimal
from quantail.privacy.chain import Entry
from quantail.privacy.ledger import Ledger
from quantail.schema import Schema

BUSY_SECONDS = 10.0  # how long to wait for another process that holds the ledger


@dataclass(frozen=True)
class Account(Ledger):
    """A ledger that remembers what this run charged to it, so that the charge can be marked afterwards."""

    charges: list[Entry] = field(default_factory=list, compare=False)

    def charge(self, *args: Any, **named: Any) -> Entry:
        """Spend part of the budget, as `Ledger.charge` does."""
        entry = super().charge(*args, **named)
        self.charges.append(entry)
        return entry

    def close(self, released: bool) -> None:
        """Note what became of the charges of this run; they stay spent either way."""
        for entry in self.charges:
            try:
                self.mark(entry, "released" if released else "failed")
            except LedgerError as error:  # the charge itself is safe: an unmarked one counts as spent
                warn(f"The charge stands, but could not be marked: {error}")


def open_account(path: Path, schema: Schema, source: Path, plan: Plan, limit: str | None) -> Account:
    """Open the ledger of a data set, or start it with `limit`, by default with just what the plan costs."""
    if not path.exists():
        return _started(path, schema.name or source.stem, plan, limit)
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


def _started(path: Path, dataset: str, plan: Plan, limit: str | None) -> Account:
    account = Account.create(path, dataset, plan.cost if limit is None else limit, plan.unit)
    note(
        f"Started the ledger {path} for data set {dataset!r}, limit {as_decimal(account.limit)} {plan.unit}."
    )
    if limit is None:
        note(
            "A second release from these data will be refused until someone raises the limit: "
            f"quantail ledger raise {path} --limit ... --reason ..."
        )
    return account
