"""Runs the panel study: every method on every industry and seed, each finished one written to the journal at once."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.evaluation import gross_employment
from quantail.schema import Column, Panel, Schema
from studies.journal import JOURNAL, Row, append, resume
from studies.lbd.methods import Case, synthesize_panel
from studies.lbd.panel_measures import active_marginals, evaluate_panel
from studies.lbd.standin import lbd_industry
from studies.parallel import Progress, computed

Floats = NDArray[np.float64]

UPPER = 2000
"""The paper's public bound of employment."""


@dataclass(frozen=True)
class PanelTask:
    """One method on one industry, made up anew from its seed.

    Attributes
    ----------
    epsilon : str
        The whole budget of the industry, as an exact number.
    noise : str
        "secure", "simulated" (seeded, same law) or "none".
    """

    industry: int
    variant: str
    method: str
    epsilon: str
    seed: int
    noise: str

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells tasks of one study apart."""
        return self.industry, self.method, self.epsilon, self.seed


def lbd_schema() -> Schema:
    """Return what is public about an industry: entry, exit, and the paper's bound.

    The grid is logarithmic. With it the valid year-by-year methods lose less than on the paper's linear scale.
    """
    column = Column("emp", "integer", 0, UPPER, grid="log", source="Tran, Reimherr and Slavković (2023)")
    known = (
        "made up for studies; in the SynLBD, ids, entry and exit are public by decision of the Census Bureau"
    )
    panel = Panel("lbdnum", "firstyear", "lastyear", 1976, 2000, source=known, synthesis="partial")
    return Schema((column,), "establishment", name="LBD-like industry", panel=panel)


@lru_cache(maxsize=2)
def industry_case(industry: int, seed: int, variant: str) -> Case:
    """Make up an industry."""
    return Case.of(lbd_industry(industry, seed, variant), lbd_schema())


def run_panel_tasks(
    tasks: list[PanelTask],
    out: Path,
    settings: Mapping[str, Any],
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Row]:
    """Run what the journal in `out` does not hold yet, and return the rows of all tasks in their order."""
    path = out / JOURNAL
    done = {_key(row): row for row in resume(path, settings)}
    missing = [task for task in tasks if task.key not in done]
    finished = len(tasks) - len(missing)
    for row in computed(missing, run_task, workers or os.cpu_count() or 1):
        append(path, row)
        done[_key(row)] = row
        finished += 1
        if progress is not None:
            progress(
                f"{finished} of {len(tasks)}: SIC {row['industry']}, {row['method']}", finished / len(tasks)
            )
    return [done[task.key] for task in tasks]


def run_task(task: PanelTask) -> Row:
    """Synthesise one industry by one method, and measure it."""
    case = industry_case(task.industry, task.seed, task.variant)
    started = time.process_time()
    made = synthesize_panel(case, task.method, task.epsilon, task.seed, task.noise)
    seconds = round(time.process_time() - started, 2)
    return {**vars(task), **measured(case.values, made, task.seed), **curves(made), "seconds": seconds}


def measured(real: Floats, made: Floats, seed: int) -> dict[str, float]:
    """Return every measure; `km` counts units active in all three years, as the authors did.

    `km_rounded` is the same after rounding, which changes methods only that leave fractions.
    """
    found = evaluate_panel(real, made, seed=seed)
    found["km_inactive_bin"] = found.pop("km")
    found["km"] = found.pop("km_active")
    found["km_rounded"] = active_marginals(real, np.rint(made), seed=seed)
    return found


def curves(values: Floats) -> dict[str, list[float]]:
    """Return gross employment by year, and created, destroyed and mean jobs of continuers, which can be added up."""
    before, after = values[:, :-1], values[:, 1:]
    both = ~np.isnan(before) & ~np.isnan(after)
    before, after = np.where(both, before, 0.0), np.where(both, after, 0.0)
    change = after - before
    parts = {
        "gross": gross_employment(values),
        "created": np.maximum(change, 0).sum(axis=0),
        "destroyed": np.maximum(-change, 0).sum(axis=0),
        "jobs": (after + before).sum(axis=0) / 2,
    }
    return {name: [round(float(number), 1) for number in line] for name, line in parts.items()}


def _key(row: Row) -> tuple[Any, ...]:
    return row["industry"], row["method"], row["epsilon"], row["seed"]
