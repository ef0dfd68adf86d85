"""Several processes of this machine, by joblib."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from quantail.engines.engine import ATTEMPTS, Engine
from quantail.errors import EngineError
from quantail.io.extras import optional


class ProcessEngine(Engine):
    """Processes of this machine.

    Parameters
    ----------
    workers : int, optional
        How many; by default one for every processor.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._joblib = optional("joblib", "scale", "working in several processes", EngineError)
        self._workers = workers or -1

    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Do the work in processes; when one gets lost, what is not done yet is given to new ones."""
        left = dict(enumerate(items))
        for _ in range(ATTEMPTS):
            try:
                for place, result in self._round(work, list(left.items())):
                    del left[place]
                    yield place, result
                return
            except BrokenProcessPool:
                continue
        raise EngineError(
            f"processes were lost {ATTEMPTS} times, perhaps for want of memory; use fewer workers, or smaller "
            "partitions"
        )

    def _round(self, work: Callable[[Any], Any], items: list[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        parallel = self._joblib.Parallel(self._workers, return_as="generator_unordered", pre_dispatch="all")
        placed = self._joblib.delayed(_placed)
        done: Iterator[tuple[int, Any]] = parallel(placed(work, place, item) for place, item in items)
        return done


def _placed(work: Callable[[Any], Any], place: int, item: Any) -> tuple[int, Any]:
    return place, work(item)
