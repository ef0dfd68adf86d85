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


def python_of(group: str, home: Path = HOME) -> Path:
    """Return the interpreter of a group, building its environment on first use."""
    if group == "own":
        return Path(sys.executable)
    python, done = home / group / "bin" / "python", home / group / ".installed"
    wanted = (REQUIREMENTS / f"{group}.txt").read_text()
    if done.exists() and done.read_text() == wanted:
        return python
    print(f"building the environment {group!r}", file=sys.stderr)
    _pass([sys.executable, "-m", "venv", str(home / group)])
    _pass([str(python), "-m", "pip", "install", "--quiet", "-r", str(REQUIREMENTS / f"{group}.txt")])
    done.write_text(wanted)
    return python


def _pass(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise NotInstalled(lines[-1] if lines else f"exit code {done.returncode}")
