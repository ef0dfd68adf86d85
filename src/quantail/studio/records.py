"""What the studio keeps on disk: a hidden folder with a record of every run. Nothing in it is confidential.

A run has a folder of its own: what was asked, how far it is, how it ended. Whether it still goes on is told by a lock
that its process holds for as long as it lives, so that a killed one is known to be dead. Lock and record outlive the
server: one that is started later shows the same runs, and can cancel them.
"""

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from quantail.errors import DataError
from quantail.studio.folder import Folder

STATE_FOLDER = ".quantail-studio"
_KILLED = "The run ended without a word: it was killed, or ran out of memory."
_ID = re.compile(r"[0-9a-f]{32}")

State = Literal["running", "done", "failed", "cancelled", "killed"]


@dataclass(frozen=True)
class Run:
    """One run as it stands."""

    id: str
    request: Mapping[str, Any]  # what was asked; `kind` says of whom: release, report, draw, plan
    state: State  # a killed run ended without a word
    # step, fraction: what is worked on, and the share of the work that is done
    step: str = ""
    fraction: float = 0.0
    message: str = ""  # how it ended, if it ended
    files: tuple[str, ...] = ()  # what it wrote
    can_cancel: bool = True

    @property
    def kind(self) -> str:
        """What kind of work it is."""
        return str(self.request.get("kind", ""))


@dataclass(frozen=True)
class Records:
    """The studio's own files in a folder."""

    home: Path

    @classmethod
    def of(cls, folder: Folder) -> "Records":
        """Open the records of a folder, or start them."""
        home = folder.root / STATE_FOLDER
        try:
            for part in (home, home / "runs", home / "plans"):
                if part.is_symlink():
                    raise DataError(f"{part} must be a folder and no link; move it away")
                part.mkdir(mode=0o700, exist_ok=True)
            (home / ".gitignore").write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise DataError(
                f"the studio cannot write to {folder.root} ({error.strerror}); start it in a folder of yours"
            ) from None
        return cls(home)

    def ids(self) -> list[str]:
        """List all runs, the latest first."""
        found = [path for path in (self.home / "runs").iterdir() if _ID.fullmatch(path.name)]
        return [path.name for path in sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)]

    def count(self, kind: str) -> int:
        """Count the runs of a kind, whatever became of them."""
        requests = (read_json(self.folder_of(run) / "request.json") for run in self.ids())
        return sum(request is not None and request.get("kind") == kind for request in requests)

    def folder_of(self, run: str) -> Path:
        """Where a run keeps its record."""
        if not _ID.fullmatch(run):
            raise DataError("there is no such run; choose one that is listed")
        return self.home / "runs" / run

    def exists(self, run: str) -> bool:
        """Say whether a run was started."""
        return (self.folder_of(run) / "request.json").exists()

    def read(self, run: str) -> Run:
        """Read how a run stands."""
        place = self.folder_of(run)
        request = read_json(place / "request.json")
        if request is None:
            raise DataError("there is no such run; choose one that is listed")
        outcome = read_json(place / "outcome.json")
        if outcome is None and not _is_held(place / "lock"):
            outcome = read_json(place / "outcome.json")  # it may have ended in between
            if outcome is None:
                return Run(run, request, "killed", message=_KILLED)
        if outcome is not None:
            state = outcome.get("state")
            listed = outcome.get("files", ())
            files = tuple(map(str, listed)) if isinstance(listed, list) else ()
            ended: State = state if state in ("done", "cancelled") else "failed"
            return Run(run, request, ended, "", 1.0, str(outcome.get("message", "")), files)
        told = read_json(place / "progress.json") or {}
        step, done = str(told.get("step", "starting")), told.get("fraction")
        fraction = float(done) if isinstance(done, int | float) else 0.0
        cancel = bool(told.get("can_cancel", True)) and not (place / "cancel").exists()
        return Run(run, request, "running", step, fraction, can_cancel=cancel)

    def cancel(self, run: str) -> None:
        """Ask a run to stop; it does so at its next step."""
        self.read(run)
        (self.folder_of(run) / "cancel").touch()


@contextmanager
def locked(path: Path) -> Iterator[int | None]:
    """Open a file with a lock on it, or give None if another process holds it; a child may inherit what is given."""
    held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield held
    finally:
        os.close(held)  # a child that inherited it still holds the lock


def _is_held(path: Path) -> bool:
    try:
        seen = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(seen, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(seen)
    return False


def read_json(path: Path) -> dict[str, Any] | None:
    """Read a record, or return None if there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a record in one step, so that nobody reads half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(name, path)
