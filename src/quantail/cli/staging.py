"""Several output files that appear together or not at all.

Every file is written into a hidden folder beside its place; only when all are complete do they move there, and if one
of these moves fails, those before it are taken back. A process that is killed between two moves leaves whole files
only: those that had moved, and the others in the hidden folder. Files are moved in the order in which they are named.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from quantail.cli.outputs import check_outputs
from quantail.errors import DataError


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
        self._moved: list[Path] = []

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
        if error is not None:
            self._take_back()
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
        """Move every file to its place; an error in the rest of the block takes them back."""
        for path in self._paths:
            if path.exists():
                _keep(path, self._kept(path))
            self._moved.append(path)
            os.replace(self.place(path), path)

    def _kept(self, path: Path) -> Path:
        """Where the file is kept that was at `path` before."""
        return self._folders[path.parent] / f"{path.name}.before"

    def _take_back(self) -> None:
        stuck = []
        for path in reversed(self._moved):
            try:
                if self._kept(path).exists():
                    os.replace(self._kept(path), path)
                elif not self.place(path).exists():  # otherwise it never came that far
                    path.unlink(missing_ok=True)
            except OSError:
                stuck.append(path)
        if stuck:  # hidden folders stay: they hold what was there before
            listed = ", ".join(map(str, stuck))
            raise DataError(f"the run failed, and could not take back {listed}; remove what it wrote there")

    def _clear(self) -> None:
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)


def write_text(path: Path, text: str, force: bool = False) -> None:
    """Write one text file, completely or not at all."""
    check_outputs([path], [], force)
    with Staging([path]) as staging:
        staging.place(path).write_text(text, encoding="utf-8", newline="\n")
        staging.commit()


def _keep(path: Path, kept: Path) -> None:
    """Give a file a second name; the first is then replaced in one step, so that there always is a whole file."""
    try:
        os.link(path, kept)
    except OSError:  # a file system without hard links
        shutil.copy2(path, kept)
