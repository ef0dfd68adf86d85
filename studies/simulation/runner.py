"""Runs a study: every task once, in parallel, each finished one written to the journal at once.

A task is one method on one simulated table at one epsilon. All randomness of a task comes from its own seed (secure
noise apart), so results depend neither on the number of workers nor on how often a run was killed and continued.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.examples import paper_split
from studies.journal import JOURNAL, Row, append, resume
from studies.paper_measures import evaluate_paper
from studies.parallel import Progress, computed
from studies.simulation.profile import profile_of
from studies.simulation.swap_test import swap_ratio

Table = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Task:
    """One method on one simulated table.

    Attributes
    ----------
    epsilon : str
        The whole budget, as an exact number.
    noise : str
        "secure", "simulated" (seeded, same law) or "none".
    """

    method: str
    epsilon: str
    replication: int
    seed: int
    noise: str

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells tasks of one study apart."""
        return self.method, self.epsilon, self.replication


Make = Callable[[Task, Table], tuple[Table, Mapping[str, Any]]]


def run_tasks(
    tasks: list[Task],
    make: Make,
    out: Path,
    settings: Mapping[str, Any],
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Row]:
    """Run what the journal in `out` does not hold yet, and return the rows of all tasks in their order.

    Parameters
    ----------
    make : callable
        Makes the synthetic table of a task, with diagnostics; importable, so that other processes find it.
    settings : mapping
        What every row depends on; a folder with other settings is refused.
    """
    path = out / JOURNAL
    done = {key_of(row): row for row in resume(path, settings)}
    missing = [task for task in tasks if task.key not in done]
    finished = len(tasks) - len(missing)
    for row in computed(missing, partial(replicate, make=make), workers or os.cpu_count() or 1):
        append(path, row)
        done[key_of(row)] = row
        finished += 1
        if progress is not None:
            progress(f"{finished} of {len(tasks)}", finished / len(tasks))
    return [done[task.key] for task in tasks]


def replicate(task: Task, make: Make) -> Row:
    """Run one task: simulate the table, synthesize it, measure against training rows and against the holdout."""
    train, test = paper_split(task.seed)
    started = time.process_time()
    synthetic, diagnostics = make(task, train)
    seconds = time.process_time() - started
    row: Row = {**vars(task), **evaluate_paper(train, synthetic, test, np.random.default_rng([task.seed, 3]))}
    row["holdout"] = evaluate_paper(test, synthetic, test, np.random.default_rng([task.seed, 3]))
    row["wrt_swap"] = swap_ratio(train, synthetic, np.random.default_rng([task.seed, 4]))
    row["seconds"] = round(seconds, 2)
    row["diagnostics"] = dict(diagnostics)
    if task.replication == 0:
        row["profile"] = profile_of(synthetic)
    return row


def key_of(row: Row) -> tuple[str, str, int]:
    """Return the key of the task that a row belongs to."""
    return row["method"], row["epsilon"], row["replication"]
