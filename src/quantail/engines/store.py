"""The files of a release in the making, each of which is decided once.

Two workers may come to the same group: one was thought lost and was not, or was lost after it had released. Whoever
writes first decides; the other throws its own answers away unseen and uses what it finds. Nothing of a release leaves
a worker before it stands here, complete and on disk (privacy/proofs/engines.md). Drafts lie in a folder of their own,
which is never published: not even a worker killed with half a file leaves anything of an attempt that did not count.

The driver makes all folders. A worker that comes after the driver has ended, and taken them away, can write nothing.
"""

import os
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from quantail.errors import EngineError


@dataclass(frozen=True)
class Store:
    """Files by their names within the release, in a folder that all workers see."""

    folder: Path

    @property
    def release(self) -> Path:
        """The folder that will be published."""
        return self.folder / "release"

    @property
    def drafts(self) -> Path:
        """Where files are written before they are decided."""
        return self.folder / "drafts"

    def path(self, name: str | Path) -> Path:
        """Return where a file is, if it is decided."""
        return self.release / name

    def prepare(self, names: Iterable[str | Path] = ()) -> None:
        """Make the folders of files that will be decided; done by the driver."""
        for folder in (self.drafts, self.release, *(self.path(name).parent for name in names)):
            folder.mkdir(parents=True, exist_ok=True)

    def dry_run(self) -> None:
        """Raise an EngineError unless files can be decided here."""
        self.decide("dry-run", lambda draft: draft.touch())
        self.path("dry-run").unlink()

    def decide(self, name: str | Path, write: Callable[[Path], object]) -> None:
        """Decide a file, unless it is decided: the first one to be complete stays.

        Parameters
        ----------
        name : str or Path
            Its place within the release.
        write : callable
            Writes a file at the path that it is given; not called if nothing is left to decide.
        """
        if self.path(name).exists():
            return
        draft = self.drafts / secrets.token_hex(16)
        try:
            write(draft)
            _sync(draft)
            self._link(draft, self.path(name))
        except OSError as error:
            trouble = error.strerror or "the system refused"
        else:
            trouble = ""
        finally:
            draft.unlink(missing_ok=True)
        if trouble:
            raise EngineError(
                f"cannot write to {self.folder.parent}: {trouble}; make room, or choose another folder"
            )

    def _link(self, draft: Path, path: Path) -> None:
        try:
            os.link(draft, path)  # atomic, and refused if the name is taken
        except FileExistsError:
            return
        except OSError:
            raise EngineError(
                f"the folder {self.folder.parent} is on a file system without hard links, on which a release cannot be "
                "decided once; choose another output folder"
            ) from None
        _sync(path.parent)


def _sync(path: Path) -> None:
    """Have a file, or the names in a folder, on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
