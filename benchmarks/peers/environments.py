"""Environments of the peers: one per group that can live together, `.venv-bench/GROUP`, never the project's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".venv-bench"
REQUIREMENTS = Path(__file__).parent / "requirements"


class NotInstalled(Exception):
    """A peer's environment could not be built; the message is the last line of pip's complaint."""


def is_built(group: str, home: Path = HOME) -> bool:
    """Say whether the environment of a group is there, as today's requirements have it."""
    done = home / group / ".installed"
    wanted = REQUIREMENTS / f"{group}.txt"
    return group == "own" or (done.exists() and done.read_text() == wanted.read_text())


def python_of(group: str, home: Path = HOME) -> Path:
    """Return the interpreter of a group, building its environment on first use."""
    if group == "own":
        return Path(sys.executable)
    python = home / group / "bin" / "python"
    if is_built(group, home):
        return python
    print(f"building the environment {group!r}", file=sys.stderr)
    _pass([sys.executable, "-m", "venv", str(home / group)])
    _pass([str(python), "-m", "pip", "install", "--quiet", "-r", str(REQUIREMENTS / f"{group}.txt")])
    (home / group / ".installed").write_text((REQUIREMENTS / f"{group}.txt").read_text())
    return python


def _pass(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise NotInstalled(lines[-1] if lines else f"exit code {done.returncode}")
