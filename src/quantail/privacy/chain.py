"""The records of a ledger: a chain of hashes, and the account that they add up to.

Each record holds sha256(hash of the record before + its own content), so none can be changed, dropped or put
in between without breaking the chain. Nothing here touches a file: rows in, problems and a balance out.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Literal

from quantail.errors import BudgetError
from quantail.privacy.budget import Unit, parse_amount

Kind = Literal["open", "charge", "mark", "limit"]
Status = Literal["released", "failed"]
Row = tuple[Any, ...]

GENESIS = "0" * 64  # what the first record follows


@dataclass(frozen=True)
class Entry:
    """One record of a ledger.

    ``amount`` is the cost of a charge, the limit set by an "open" or "limit" record, and None for a mark;
    ``refers`` is the number of the charge that a mark is about, and ``status`` what became of it; of a charge,
    ``status`` says what neighbours differ in, such as "replace-one" (blank if that was not said). ``time`` (UTC) is
    for readers only, nothing depends on it.
    """

    number: int
    kind: Kind
    time: str
    dataset: str
    unit: Unit
    amount: Fraction | None
    purpose: str
    plan_hash: str
    refers: int | None
    status: str
    previous: str
    hash: str


FIELDS = tuple(field.name for field in fields(Entry))


@dataclass(frozen=True)
class Balance:
    """What replaying all records leads to."""

    entries: tuple[Entry, ...]
    limit: Fraction
    spent: Fraction


def digest(row: Sequence[Any]) -> str:
    """Hash the previous record's hash together with this record's content, in canonical JSON."""
    content = json.dumps(dict(zip(FIELDS[:-2], row[:-2], strict=True)), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256((row[-2] + content).encode()).hexdigest()


def following(
    entries: Sequence[Entry],
    kind: Kind,
    dataset: str,
    unit: Unit,
    *,
    amount: Fraction | None = None,
    purpose: str = "",
    plan_hash: str = "",
    refers: int | None = None,
    status: str = "",
) -> Row:
    """Write the record that comes after the given ones, as it is stored."""
    time = datetime.now(UTC).isoformat(timespec="seconds")
    stored = None if amount is None else f"{amount.numerator}/{amount.denominator}"
    previous = entries[-1].hash if entries else GENESIS
    account = (
        len(entries) + 1,
        kind,
        time,
        dataset,
        unit,
        stored,
        purpose,
        plan_hash,
        refers,
        status,
        previous,
    )
    return (*account, digest((*account, "")))


def read_entry(row: Row) -> Entry:
    """Turn a stored record into an entry; BudgetError when its amount is not a positive fraction."""
    values = dict(zip(FIELDS, row, strict=True))
    if values["amount"] is not None:
        values["amount"] = parse_amount(values["amount"], f"the amount of record {values['number']}")
    return Entry(**values)


def chain_problems(rows: Sequence[Row]) -> list[str]:
    """List the records whose number or hash does not follow from what is before them."""
    if not rows:
        return ["it has no records"]
    problems, previous = [], GENESIS
    for place, row in enumerate(rows, 1):
        if not all(value is None or isinstance(value, str | int) for value in row):
            problems.append(f"record {place} is unreadable")
        elif row[0] != place:
            problems.append(f"record {place} is missing or out of order")
        elif row[-2] != previous or row[-1] != digest(row):
            problems.append(f"record {place} was changed: its hash does not follow from its content")
        previous = str(row[-1])
    return problems


def replay(rows: Sequence[Row]) -> tuple[Balance | None, list[str]]:
    """Redo the account from an unbroken chain; a problem here means that something else wrote to it."""
    try:
        entries = tuple(read_entry(row) for row in rows)
    except BudgetError as error:
        return None, [str(error)]
    limit = spent = Fraction(0)
    problems, charges = [], set()
    for entry in entries:
        sound = (entry.dataset, entry.unit) == (entries[0].dataset, entries[0].unit)
        sound = sound and (entry.kind == "open") == (entry.number == 1)
        if entry.kind in ("open", "limit") and entry.amount is not None:
            sound, limit = sound and entry.amount > limit, entry.amount
        elif entry.kind == "charge" and entry.amount is not None:
            spent += entry.amount
            sound = sound and spent <= limit
            charges.add(entry.number)
        else:
            sound = sound and entry.kind == "mark" and entry.amount is None and entry.refers in charges
        if not sound:
            problems.append(f"record {entry.number} contradicts the records before it")
    return Balance(entries, limit, spent), problems
