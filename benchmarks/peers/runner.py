"""Run one adapter as a program of its own, within a limit of CPU seconds, and say how it ended."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.peers.contract import RESULT, SYNTH
from benchmarks.peers.environments import ROOT

WALL_PER_CPU = 20  # a busy machine may take so many times longer than the CPU seconds allowed
_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
_XLA = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def run_adapter(python: Path, module: str, folder: Path, cpu_limit: int) -> dict[str, Any]:
    """Return the adapter's own result, or {"failed": why} when it did not end well."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 5))

    surroundings = (
        os.environ | _ONE_THREAD | {"XLA_FLAGS": _XLA, "PYTHONPATH": str(ROOT), "TQDM_DISABLE": "1"}
    )
    for stale in (SYNTH, RESULT):
        (folder / stale).unlink(missing_ok=True)
    try:
        ended = subprocess.run(
            [str(python), "-m", module, str(folder)],
            cwd=ROOT,
            env=surroundings,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=WALL_PER_CPU * cpu_limit,
            preexec_fn=limited,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not finished within {WALL_PER_CPU * cpu_limit} seconds"}
    if ended.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"failed": f"not finished within {cpu_limit} CPU seconds"}
    if ended.returncode or not (folder / SYNTH).exists():
        return {"failed": last_line(ended.stderr) or f"exit code {ended.returncode}"}
    return dict(json.loads((folder / RESULT).read_text()))


def last_line(text: str) -> str:
    """Return the last line that says something, without the machine's own paths, cut to a table's width."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].replace(str(ROOT), "")[:300] if lines else ""
