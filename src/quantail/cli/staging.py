"""Several output files that appear together or not at all.

Every file is written into a hidden folder beside its place; only when all are complete do they move there.
Names are checked before any budget is spent, so that a charge is not lost to a typing error.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from quantail.errors import DataError

if TYPE_CHECKING:
    from quantail.frames import Where


def check_outputs(paths: Iterable[Path], inputs: "Iterable[Where]", force: bool = False) -> None:
    """Raise a DataError unless every path can be written and none is an input (a path or URL) or named twice."""
    from quantail.frames import Place

    files = (Place.of(given).path for given in inputs)
    taken = {path.resolve() for path in files if path is not None}
    for path in paths:
        if path.resolve() in taken:
            raise DataError(f"{path} is named twice, or is also an input; choose another output name")
        taken.add(path.resolve())
        _check_one(path, force)


def write_text(path: Path, text: str, force: bool = False) -> None:
    """Write one text file, completely or not at all."""
    check_outputs([path], [], force)
    with Staging([path]) as staging:
        staging.place(path).write_text(text, encoding="utf-8", newline="\n")
        staging.commit()


class Staging:
    """Hidden folders that hold the files of one run until all are complete.

    Parameters
    ----------
    paths : iterable of Path
        Where the files will go.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = tuple(paths)
        self._folders: dict[Path, Path] = {}

    def __enter__(self) -> Self:
        try:
            for path in self._paths:
                if path.parent not in self._folders:
                    made = tempfile.mkdtemp(prefix=".quantail-", dir=path.parent)
                    self._folders[path.parent] = Path(made)
        except OSError as error:
            self._clear()
            raise DataError(
                f"cannot write to the folder of {path}: {error.strerror}; choose a folder you may write to"
            ) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise DataError(
                f"cannot write the output: {error.strerror or 'the system refused'}; nothing was written, "
                "make room or choose another folder"
            ) from None

    def place(self, path: Path) -> Path:
        """Where to write the file that will end up at `path`."""
        return self._folders[path.parent] / path.name

    def commit(self) -> None:
        """Move every file to its place."""
        for path in self._paths:
            os.replace(self.place(path), path)

    def _clear(self) -> None:
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)


def _check_one(path: Path, force: bool) -> None:
    if path.is_dir():
        raise DataError(f"{path} is a folder; give the name of a file")
    if path.exists() and not force:
        raise DataError(f"{path} exists already; choose another name, or add --force to replace it")
    if not path.parent.is_dir():
        raise DataError(f"the folder {path.parent} does not exist; create it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise DataError(f"the folder {path.parent} cannot be written; choose one that you may write to")
