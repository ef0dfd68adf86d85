"""Run tasks in worker processes and hand back results as they end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def results_of(run: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """Yield each task's result when it is ready; one worker means no other process."""
    if workers <= 1:
        yield from map(run, tasks)
        return
    # One thread per worker, or the linear algebra of each would claim every core. Fresh processes, because a
    # fork would copy the locks of pyarrow's threads in whatever state they are.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(run, task) for task in tasks]):
            yield future.result()
