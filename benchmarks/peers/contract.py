"""The contract of an adapter: what it is given, what it hands back, and how it is measured.

Imported in the peers' environments: needs numpy, pandas and pyarrow, never quantail. CPU seconds are user and system
time of `make` (fit and sample), child processes included, imports not; memory is the peak of the whole process.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

TRAIN, JOB, SYNTH, RESULT = "train.parquet", "job.json", "synth.parquet", "result.json"
Arrays = Mapping[str, Any]


@dataclass(frozen=True)
class Job:
    """A table to imitate: its rows, their public bounds, the budget, rows wanted, a seed, options of the peer."""

    train: dict[str, np.ndarray]
    bounds: dict[str, tuple[float, float]]
    epsilon: float
    delta: float
    rows: int
    seed: int
    options: dict[str, Any]

    def matrix(self) -> np.ndarray:
        """Return the rows as an array (rows, columns)."""
        return np.column_stack(list(self.train.values()))

    def log_frame(self) -> Any:
        """Return log(1 + value above the lower bound) as a pandas frame: what a careful user gives linear bins."""
        import pandas as pd

        return pd.DataFrame({name: np.log1p(v - self.bounds[name][0]) for name, v in self.train.items()})

    def log_bounds(self) -> dict[str, tuple[float, float]]:
        """Return the public bounds on the scale of `log_frame`."""
        return {name: (0.0, float(np.log1p(high - low))) for name, (low, high) in self.bounds.items()}

    def from_log(self, rows: Arrays) -> dict[str, np.ndarray]:
        """Take rows on the scale of `log_frame` back to the columns' own."""
        return {name: low + np.expm1(np.asarray(rows[name])) for name, (low, _) in self.bounds.items()}


def write_job(folder: Path, train: Arrays, facts: Mapping[str, Any]) -> None:
    """Write a job folder; `facts` are the fields of `Job` besides the rows."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(dict(train)), folder / TRAIN)
    (folder / JOB).write_text(json.dumps(facts))


def read_job(folder: Path) -> Job:
    """Read a job folder."""
    facts = json.loads((folder / JOB).read_text())
    facts["bounds"] = {name: (float(low), float(high)) for name, (low, high) in facts["bounds"].items()}
    table = pq.read_table(folder / TRAIN)
    return Job({name: table.column(name).to_numpy() for name in table.column_names}, **facts)


def run(make: Callable[[Job], Arrays], *packages: str) -> None:
    """Run an adapter on the job folder named on the command line, and write what it made and what it cost.

    `packages` are the distributions whose versions belong in the results.
    """
    folder = Path(sys.argv[1])
    job = read_job(folder)
    np.random.seed(job.seed)  # noqa: NPY002 - peers that draw from numpy's global state
    imported = cpu_seconds()
    made = make(job)
    spent = cpu_seconds() - imported
    result = {
        "cpu_seconds": round(spent, 3),
        "import_seconds": round(imported, 3),
        "peak_mb": round(peak_mb()),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
    }
    rows = {
        name: np.clip(np.asarray(made[name], dtype=float), low, high)
        for name, (low, high) in job.bounds.items()
    }
    pq.write_table(pa.table(rows), folder / SYNTH)
    (folder / RESULT).write_text(json.dumps(result))


def cpu_seconds() -> float:
    """Return user and system time of this process and of its children that ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def peak_mb() -> float:
    """Return the peak resident memory of this process in megabytes."""
    # On Linux ru_maxrss survives exec and may be the parent's; VmHWM is this program's own.
    if os.path.exists("/proc/self/status"):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
