"""Runs tasks in several processes; each result is handed over as soon as it is there."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from studies.journal import Row

Progress = Callable[[str, float], None]
"""Is told what was finished, and which share of the whole that makes."""

_Task = TypeVar("_Task")


def computed(tasks: Sequence[_Task], work: Callable[[_Task], Row], workers: int) -> Iterator[Row]:
    """Yield the row of every task as it is finished.

    Parameters
    ----------
    work : callable
        Importable, so that other processes find it.
    """
    if workers == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    pool = ProcessPoolExecutor(min(workers, len(tasks)))
    try:
        pending = [pool.submit(work, task) for task in tasks]
        yield from (future.result() for future in as_completed(pending))
    finally:  # after a fault or an interrupt nothing more is begun
        pool.shutdown(cancel_futures=True)
