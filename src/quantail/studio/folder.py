"""The folder that the studio was started in: every name that a page sends leads to a file in it, or nowhere.

Links are followed before the comparison, so that a link out of the folder leads nowhere either. Hidden files, such as
the studio's own records, have no name here.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from quantail.errors import DataError
from quantail.io.files import FORMATS
from quantail.ledger_header import is_ledger
from quantail.schema.column_rules import is_encodable

CARD, CARD_PAGE, REPORT_PAGE = ".card.json", ".card.html", "report.html"
LONGEST_NAME = 255  # bytes that file systems allow
MOST_FILES, MOST_DEPTH = 2000, 3  # a folder with more than that is no place to work in
_SCHEMA_BYTES, _MODEL_BYTES = 1 << 20, 200


class OutsideError(DataError):
    """A name does not lead to a file of the folder."""


@dataclass(frozen=True)
class Contents:
    """Names of the files of a folder, by what they are; cut short where there are too many of them."""

    tables: tuple[str, ...]
    schemas: tuple[str, ...]
    ledgers: tuple[str, ...]
    releases: tuple[str, ...]
    models: tuple[str, ...]
    reports: tuple[str, ...]
    is_cut: bool = False


@dataclass(frozen=True)
class Folder:
    """A folder, without links on the way to it.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = Folder.of(mkdtemp())
    >>> folder.place("../secrets.csv")
    Traceback (most recent call last):
    ...
    quantail.studio.folder.OutsideError: '../secrets.csv' is not a file of this folder; choose one that is listed
    """

    root: Path

    @classmethod
    def of(cls, path: str | Path) -> "Folder":
        """Take a folder that exists."""
        root = Path(path).resolve()
        if not root.is_dir():
            raise DataError(f"{path} is no folder; name the folder that holds your table")
        return cls(root)

    def place(self, name: str) -> Path:
        """Where a name leads, whether there is a file yet or not; an OutsideError if that is not in the folder."""
        if not name:
            raise OutsideError("no file was chosen; choose one of each that the form asks for")
        refused = OutsideError(f"{name[:200]!r} is not a file of this folder; choose one that is listed")
        if "\0" in name or not is_encodable(name) or Path(name).is_absolute():
            raise refused
        if any(part.startswith(".") for part in name.split("/")) or len(name.encode()) > LONGEST_NAME:
            raise refused
        try:
            found = (self.root / name).resolve()
        except (OSError, RuntimeError):  # a link that leads to itself
            raise refused from None
        if not found.is_relative_to(self.root):
            raise refused
        if any(part.startswith(".") for part in found.relative_to(self.root).parts):
            raise refused
        return found

    def file(self, name: str) -> Path:
        """Where a file is that exists."""
        path = self.place(name)
        if not path.is_file():
            raise OutsideError(f"{name[:200]!r} is not a file of this folder; choose one that is listed")
        return path

    def new_file(self, name: str) -> Path:
        """Where a file will be that does not exist yet, in a folder that does."""
        path = self.place(name.strip())
        if os.path.lexists(path):
            raise DataError(f"{name.strip()} exists already; choose another name, nothing is ever replaced")
        if not path.parent.is_dir():
            raise DataError(f"{name.strip()} would be in a folder that does not exist; create it first")
        return path

    def name_of(self, path: Path) -> str:
        """Return the name by which pages speak of a file."""
        return path.relative_to(self.root).as_posix()

    def contents(self) -> Contents:
        """List the files of the folder by what they are; no row of a table is read for that."""
        found = list(islice(self._names(self.root, 0), MOST_FILES + 1))
        names = sorted(found[:MOST_FILES])
        releases = tuple(name for name in names if name.endswith(CARD))
        released = {name.removesuffix(CARD) for name in releases}
        tables = [name for name in names if Path(name).suffix.lower() in FORMATS]
        return Contents(
            tables=tuple(name for name in tables if _unnumbered(name) not in released),
            schemas=tuple(name for name in names if name.endswith(".toml") and self._is_schema(name)),
            ledgers=tuple(name for name in names if is_ledger(self.root / name)),
            releases=releases,
            models=tuple(name for name in names if name.endswith(".json") and self._is_model(name)),
            reports=tuple(name for name in names if name.endswith(REPORT_PAGE)),
            is_cut=len(found) > MOST_FILES,
        )

    def _names(self, folder: Path, depth: int) -> Iterator[str]:
        """List files, those of the folder itself before those of folders in it."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:  # a folder that may not be read has no files for us
            return
        shown = [entry for entry in entries if not entry.name.startswith(".") and is_encodable(entry.name)]
        inner = [Path(entry.path) for entry in shown if entry.is_dir(follow_symlinks=False)]
        for entry in shown:
            name = self.name_of(Path(entry.path))
            if not entry.is_dir(follow_symlinks=False) and self._is_inside(name):
                yield name
        for path in inner if depth < MOST_DEPTH else ():
            yield from self._names(path, depth + 1)

    def _is_inside(self, name: str) -> bool:
        try:
            return self.place(name).is_file()
        except OutsideError:
            return False

    def _is_schema(self, name: str) -> bool:
        return b"[[column]]" in self._start(name, _SCHEMA_BYTES)

    def _is_model(self, name: str) -> bool:
        start = self._start(name, _MODEL_BYTES)
        return b'"format":' in start and b'"notice":' in start and not name.endswith(CARD)

    def _start(self, name: str, size: int) -> bytes:
        try:
            with (self.root / name).open("rb") as file:
                return file.read(size)
        except OSError:
            return b""


def _unnumbered(name: str) -> str:
    """Return the name of the release that a table may belong to: out for out.csv, and for out-2.csv."""
    stem = name.removesuffix(Path(name).suffix)
    first, dash, number = stem.rpartition("-")
    return first if dash and number.isdecimal() else stem
