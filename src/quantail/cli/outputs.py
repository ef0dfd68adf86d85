"""What a run may write to, checked before any budget is spent: nothing that it reads, and no ledger whatsoever.

Files are compared by what they are, not by how they are spelled: links are followed, and two names of one file (hard
links, or letters in the other case on file systems that do not care) are one. The file of a database counts as well.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from quantail.errors import DataError
from quantail.ledger_header import is_ledger

if TYPE_CHECKING:
    from quantail.io import Where


def check_outputs(
    paths: Iterable[Path],
    inputs: "Iterable[Where | None]",
    force: bool = False,
    databases: Iterable[Path] = (),
) -> None:
    """Raise a DataError unless every path can be written, and none is an input, a ledger, or named twice.

    Parameters
    ----------
    paths : iterable of Path
        Files to write.
    inputs : iterable of path or URL
        What the run reads, and other files of it that must stay as they are; None for what was not named.
    force : bool
        Files that exist may be replaced.
    databases : iterable of Path
        Files of databases that get a table; they may exist.
    """
    from quantail.io import Place

    read = [path for given in inputs if given is not None and (path := Place.of(given).path) is not None]
    written: list[Path] = []
    for path in databases:
        _check_name(path, read, written)
        written.append(path)
    for path in paths:
        _check_name(path, read, written)
        _check_one(path, force)
        written.append(path)


def check_folder(folder: Path, inputs: "Iterable[Where | None]") -> None:
    """Raise a DataError if an output folder is an input, inside of one, or holds one."""
    from quantail.io import Place

    real = Path(os.path.realpath(folder))
    for given in inputs:
        path = None if given is None else Place.of(given).path
        other = None if path is None else Path(os.path.realpath(path))
        if other is not None and (real == other or other in real.parents or real in other.parents):
            raise DataError(f"{folder} is also an input, or lies inside of one; choose another output folder")


def same_file(one: Path, other: Path) -> bool:
    """Say whether two paths lead to the same place, whether there is a file yet or not.

    Examples
    --------
    >>> same_file(Path("a.csv"), Path("folder/../a.csv"))
    True
    """
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them does not exist
        return False


def _check_name(path: Path, read: list[Path], written: list[Path]) -> None:
    if any(same_file(path, other) for other in read):
        raise DataError(f"{path} is named twice, or is also an input; choose another output name")
    # Whether a file system tells PAY from pay shows only once there is a file, so both are not written at once.
    spelled = os.path.realpath(path).casefold()
    if any(same_file(path, other) or spelled == os.path.realpath(other).casefold() for other in written):
        raise DataError(f"{path} is named twice, or is also an input; choose another output name")
    if is_ledger(path):
        raise DataError(
            f"{path} is a ledger, to which nothing but charges is written; choose another output name"
        )


def _check_one(path: Path, force: bool) -> None:
    if path.is_dir():
        raise DataError(f"{path} is a folder; give the name of a file")
    if path.exists() and not force:
        raise DataError(f"{path} exists already; choose another name, or add --force to replace it")
    if not path.parent.is_dir():
        raise DataError(f"the folder {path.parent} does not exist; create it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise DataError(f"the folder {path.parent} cannot be written; choose one that you may write to")
