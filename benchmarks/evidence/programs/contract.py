"""What a tool's program is given and hands back. Imported in the tools' environments: needs pandas, never quantail.

A result is a list of figures: which table, which figure, its value, and where the tool has one its 95% interval.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Figures = Iterator[dict[str, Any]]


@dataclass(frozen=True)
class Job:
    """A folder of CSV files, and what job.json says about them."""

    folder: Path
    facts: dict[str, Any]

    @property
    def categories(self) -> list[str]:
        """Columns of labels."""
        return list(self.facts["categories"])

    def table(self, name: str) -> pd.DataFrame:
        """Read a table; labels are text just as written."""
        labels = dict.fromkeys(self.facts.get("categories", ()), "str")
        return pd.read_csv(self.folder / f"{name}.csv", dtype=labels)


def figure(name: str, value: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    """Return one figure."""
    ends = {} if low is None or high is None else {"low": round(float(low), 5), "high": round(float(high), 5)}
    return {"figure": name, "value": round(float(value), 5), **ends}


def run(judge: Callable[[Job, str], Figures], package: str) -> None:
    """Judge every table of the job folder that the command line names, and write result.json there."""
    folder, result = Path(sys.argv[1]), Path(sys.argv[2])
    job = Job(folder, json.loads((folder / "job.json").read_text(encoding="utf-8")))
    found = []
    for name in job.facts["judged"]:
        np.random.seed(1)  # noqa: NPY002 - tools that draw from numpy's global state
        found += [{"table": name, **each} for each in judge(job, name)]
    versions = {package: version(package), "python": platform.python_version()}
    result.write_text(json.dumps({"versions": versions, "figures": found}), encoding="utf-8")
