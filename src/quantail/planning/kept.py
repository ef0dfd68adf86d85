"""Errors of made-up tables, kept in a file: they follow from public facts alone, so a plan that was tried out is known.

The key is a hash of everything that decides them, the program itself included; the file holds names of columns and
errors of made-up tables, nothing of any data. `QUANTAIL_CACHE` names the folder, or is "off".
"""

import hashlib
import json
import logging
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from quantail._version import __version__

Run = dict[tuple[str, str], float]
"""Errors of one made-up table, by column and measure."""

_log = logging.getLogger("quantail.planning")


def key_of(*facts: Any) -> str:
    """Return the hash of public facts and of the program's own files."""
    return hashlib.sha256(json.dumps([_program(), *map(str, facts)]).encode()).hexdigest()


def recall(key: str) -> list[Run] | None:
    """Return the errors that were kept under a key, or None if there are none, or none that can be read."""
    path = _path(key)
    if path is None or not path.exists():
        return None
    try:
        runs = json.loads(path.read_text(encoding="utf-8"))
        return [{(column, measure): float(error) for column, measure, error in run} for run in runs]
    except (OSError, ValueError, TypeError) as error:
        _log.info("kept errors cannot be read, and are computed again: %s", error)
        return None


def keep(key: str, runs: list[Run]) -> None:
    """Keep errors under a key; a folder that cannot be written is noted, and nothing else happens."""
    path = _path(key)
    if path is None:
        return
    content = json.dumps([[[*names, error] for names, error in run.items()] for run in runs])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            file.write(content)
        os.replace(file.name, path)
    except OSError as error:
        _log.info("errors of made-up tables are not kept: %s", error)


def _path(key: str) -> Path | None:
    folder = os.environ.get("QUANTAIL_CACHE", "")
    if folder == "off":
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME", "") or Path.home() / ".cache")
    return (Path(folder) if folder else home / "quantail") / f"plan-{key[:32]}.json"


@cache
def _program() -> str:
    """Return a word for the program as it is: version, and when its files were last changed."""
    files = Path(__file__).parents[1].rglob("*.py")
    return f"{__version__} {max(path.stat().st_mtime_ns for path in files)}"
