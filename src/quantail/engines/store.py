"""A folder of released models in which every entry is decided once.

Two workers may come to the same group: one was thought lost and was not, or was lost after it had released. Whoever
writes first decides; the other throws its own answers away unseen and uses what it finds. Nothing of a release leaves
a worker before it stands here, complete and on disk (privacy/proofs/engines.md).
"""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from quantail.errors import EngineError


@dataclass(frozen=True)
class Store:
    """Released models by name, in a folder that all workers see."""

    folder: Path

    def find(self, name: str) -> str | None:
        """Return what was decided, or None."""
        try:
            return self._path(name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def decide(self, name: str, text: str) -> str:
        """Decide an entry unless it is decided; return what it is then."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix=".draft-", dir=self.folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            self._publish(draft, name)
        finally:
            os.unlink(draft)
        decided = self.find(name)
        assert decided is not None
        return decided

    def _publish(self, draft: str, name: str) -> None:
        try:
            os.link(draft, self._path(name))  # atomic, and refused if the name is taken
        except FileExistsError:
            return
        except OSError:
            raise EngineError(
                f"the folder {self.folder} is on a file system without hard links, on which a release cannot be "
                "decided once; choose another output folder"
            ) from None
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"
