"""An output folder that appears all at once, or not at all.

Everything is made in a hidden folder beside it. When it is complete, all its files get one time, that of the start of
the run (or their times would tell in which order, and how fast, groups were fitted), and one rename publishes it.
"""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from types import TracebackType

from quantail.engines.store import Store
from quantail.errors import DataError
from quantail.privacy import Ledger
from quantail.release.facts import Facts

Finish = Callable[[Facts, Path], None]
"""Puts a card, say, into the folder in the making; an error that it raises leaves nothing."""


class Publication:
    """An output folder in the making.

    Parameters
    ----------
    output : Path
        Where it will appear; it must not exist, or be empty.
    source : Path
        The folder of the confidential table, which must lie elsewhere.

    Raises
    ------
    DataError
        If nothing could be published there.
    """

    def __init__(self, output: Path, source: Path) -> None:
        self._output, self._source = output.resolve(), source.resolve()
        self._began = time.time_ns()
        self._work = self._output.with_name(f".{self._output.name}.{token_hex(8)}")

    def __enter__(self) -> Store:
        check_output_folder(self._output, self._source)
        store = Store(self._work)
        try:
            store.prepare()
        except OSError as error:
            raise DataError(
                f"cannot make a folder beside {self._output}: {error.strerror}; choose another output folder"
            ) from None
        try:
            store.dry_run()
        except BaseException:
            self._clear()
            raise
        return store

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()

    def publish(self, facts: Facts, finish: Finish | None, ledger: Ledger | None) -> None:
        """Let the folder appear, with what is said about it, and only if the charge is found in the ledger again."""
        release = Store(self._work).release
        if finish is not None:
            finish(facts, release)
        if ledger is not None:
            ledger.confirm()
        for path in [*release.rglob("*"), release]:
            os.utime(path, ns=(self._began, self._began))
        try:
            os.rename(release, self._output)
        except OSError as error:
            raise DataError(
                f"cannot publish the folder {self._output}: {error.strerror}; nothing was released"
            ) from None

    def _clear(self) -> None:
        # Under another name, it is out of reach of workers that are still at it.
        gone = self._work.with_name(f"{self._work.name}.gone")
        with suppress(FileNotFoundError):
            os.rename(self._work, gone)
        shutil.rmtree(gone, ignore_errors=True)


def check_output_folder(output: Path, source: Path) -> None:
    """Raise a DataError unless a release of `source` can be published as the folder `output`."""
    output, source = output.resolve(), source.resolve()
    if output == source or output in source.parents or source in output.parents:
        raise DataError(
            f"{output} and the confidential table lie in each other; choose an output folder elsewhere"
        )
    if not output.exists():
        return
    if not output.is_dir() or any(output.iterdir()):
        raise DataError(f"{output} exists already and is not an empty folder; choose another output folder")
    if os.path.ismount(output) or output == Path.cwd():
        raise DataError(f"{output} cannot be replaced by a new folder; choose a folder within it")
