"""The journal of a study: one JSON line per finished replication, so that a killed run continues where it was.

The first line holds the settings that every row depends on; a folder never mixes rows of different settings. Lines
are flushed to disk one by one, so a kill can at most leave the last line half-written; that line is dropped.
"""

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantail.errors import DataError, OptionError

Row = dict[str, Any]
JOURNAL = "replications.jsonl"


def resume(path: Path, settings: Mapping[str, Any]) -> list[Row]:
    """Return the rows of an earlier run with the same settings; starts the journal if there is none."""
    whole = _without_half_line(path)
    if not whole:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_line({"settings": dict(settings)}))
        return []
    first, *rows = _parsed(path, whole)
    _check_settings(path, first.get("settings"), settings)
    return rows


def append(path: Path, row: Mapping[str, Any]) -> None:
    """Add one finished row and see it to the disk."""
    with path.open("ab") as file:
        file.write(_line(row))
        file.flush()
        os.fsync(file.fileno())


def read_journal(path: Path) -> tuple[Row, list[Row]]:
    """Return the settings and the rows of a journal, complete or not."""
    text = path.read_bytes() if path.exists() else b""
    whole = text[: text.rfind(b"\n") + 1]
    if not whole:
        raise DataError(f"{path} holds no study; name a folder that an experiment wrote")
    first, *rows = _parsed(path, whole)
    return first["settings"], rows


def _without_half_line(path: Path) -> bytes:
    """Cut what a kill left of an unfinished line, and return the rest."""
    text = path.read_bytes() if path.exists() else b""
    whole = text[: text.rfind(b"\n") + 1]
    if len(whole) < len(text):
        os.truncate(path, len(whole))
    return whole


def _parsed(path: Path, text: bytes) -> list[Row]:
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError as fault:
            raise DataError(
                f"{path}: line {number} is damaged; remove that line and run again, or choose another --out"
            ) from fault
        if not isinstance(row, dict) or (number == 1) != ("settings" in row):
            raise DataError(f"{path} is not a journal of replications; choose another --out")
        rows.append(row)
    return rows


def _check_settings(path: Path, found: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> None:
    found = found or {}
    for name in (*wanted, *(name for name in found if name not in wanted)):
        if found.get(name) != wanted.get(name):
            raise OptionError(
                f"{path.parent} holds a study with {name} {found.get(name)}, not {wanted.get(name)}; "
                "choose another folder with --out, or repeat the options of the first run to continue it"
            )


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(plain(content), allow_nan=False).encode() + b"\n"


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: arrays as lists, and None for what is not a finite number."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
