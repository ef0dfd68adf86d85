"""A ledger's last record at some time: kept elsewhere, it shows that a file was copied back from a backup.

A backup is a sound ledger: its chain is unbroken and its sums are right, only the last charges are missing. Nothing in
the file shows that. A mark kept on another disk, in a lab book or with the auditors does: the ledger must still hold
the marked record, under the same number and with the same hash, which covers all records before it.
"""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self, get_args

from quantail.errors import LedgerError
from quantail.privacy.budget import Unit
from quantail.privacy.chain import Balance, Row

_LONGEST = 2**16  # characters of a mark; a file that is longer is something else
_HASH = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class HighWaterMark:
    """The last record of a ledger at some time."""

    # dataset, unit: what the ledger is about
    dataset: str
    unit: Unit
    number: int  # how many records it had
    head: str  # the hash of the last one
    spent: str  # what had been spent, for readers; the hash covers it

    def __post_init__(self) -> None:
        whole = isinstance(self.number, int) and not isinstance(self.number, bool) and self.number > 0
        texts = all(isinstance(text, str) for text in (self.dataset, self.unit, self.head, self.spent))
        if not (whole and texts and self.unit in get_args(Unit) and _HASH.fullmatch(self.head)):
            raise LedgerError(
                "This is not the mark of a ledger: write one with `quantail ledger export --mark`."
            )

    @classmethod
    def of(cls, balance: Balance) -> Self:
        """Mark the present end of a ledger."""
        last = balance.entries[-1]
        return cls(last.dataset, last.unit, last.number, last.hash, str(balance.spent))

    def problems(self, rows: Sequence[Row]) -> list[str]:
        """List how the records of a ledger contradict the mark."""
        if rows and tuple(rows[0][3:5]) != (self.dataset, self.unit):
            return [f"the mark is of another ledger, of data set {self.dataset!r} in {self.unit}"]
        if len(rows) < self.number:
            return [
                f"it ends at record {len(rows)}, but had {self.number} when it was marked: it was copied back from "
                f"a backup or cut short, and what was spent after record {len(rows)} is missing from it"
            ]
        if rows[self.number - 1][-1] != self.head:
            return [
                f"its record {self.number} is not the one that was marked: it was copied back from a backup and "
                "charged since, or made anew, and charges are missing from it"
            ]
        return []

    def to_text(self) -> str:
        """Write the mark as JSON."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a mark that `to_text` wrote, or raise a LedgerError."""
        try:
            with Path(path).open(encoding="utf-8") as file:
                text = file.read(_LONGEST + 1)
            content = json.loads(text) if len(text) <= _LONGEST else None
        except OSError as error:
            raise LedgerError(f"The mark {path} cannot be read: {error.strerror}.") from error
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict) or set(content) != set(cls.__dataclass_fields__):
            raise LedgerError(
                f"{path} is not the mark of a ledger: write one with `quantail ledger export LEDGER --mark FILE`."
            )
        return cls(**content)


def write_mark(mark: HighWaterMark, path: Path) -> None:
    """Write a mark to a file in one step, so that what is there is the old mark or the new one, whole."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            with draft.open("x", encoding="utf-8", newline="\n") as file:
                file.write(mark.to_text())
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError(
            f"The mark {path} cannot be written: {error.strerror}; choose a folder that you may write to."
        ) from error
