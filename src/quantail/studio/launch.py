"""Start the process of a run: one at a time of every kind, and never twice for one click.

A run has an identity that is made of what was asked and of how things stood when the page was shown. Its folder can be
made once, so whatever asks for the same run again (a second tab, a reload, an impatient click) is led to the first.
"""

import hashlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quantail.errors import OptionError
from quantail.studio.records import Records, locked, write_json

_PATIENCE = 60.0  # seconds until a plan that was cancelled has stopped, on a busy machine


class BusyError(OptionError):
    """Something of the kind is running already."""


def run_id(request: Mapping[str, Any], *state: object) -> str:
    """Return the identity of a run: the same for the same request in the same state of things."""
    content = json.dumps([request, [str(part) for part in state]], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Launcher:
    """Starts runs."""

    records: Records
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def start(self, run: str, request: Mapping[str, Any]) -> None:
        """Start a run, unless it was started before.

        Raises a BusyError if another one of its kind is running; nothing was started then.
        """
        with self._lock:
            if self.records.exists(run):
                return
            with locked(self.records.home / f"{request['kind']}.lock") as alone:
                if alone is None:
                    raise BusyError(
                        f"A {request['kind']} is running already, and one is run at a time; wait for it, or cancel it"
                    )
                place = self.records.folder_of(run)
                place.mkdir(mode=0o700)
                write_json(place / "request.json", request)
                with locked(place / "lock") as own:
                    assert own is not None  # the folder is new
                    _spawn(place, (alone, own))

    def replace(self, run: str, request: Mapping[str, Any]) -> None:
        """Start a run after stopping others of its kind."""
        for other in self.records.ids():
            found = self.records.read(other)
            if other != run and found.kind == request["kind"] and found.state == "running":
                self.records.cancel(other)
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                return self.start(run, request)
            except BusyError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)


def _spawn(place: Path, locks: tuple[int, int]) -> None:
    # -P: a file called numpy.py in the folder of a table is no module. What the process says may quote anything, so
    # nobody listens. In a session of its own it outlives a server that is killed.
    command = [sys.executable, "-P", "-m", "quantail.studio.work", str(place), *map(str, locks)]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdin=nothing, stdout=nothing, stderr=nothing, pass_fds=locks, start_new_session=True
    )
    (place / "pid").write_text(f"{process.pid}\n", encoding="ascii")  # for people who want to look at it
    threading.Thread(target=process.wait, daemon=True).start()  # clears it away when it has ended
