"""An engine does work on many items, somewhere, in any order.

Workers may get lost, so work may be done more than once: it must be of a kind where that makes no difference (whole
numbers that depend on their input alone, or a result that is decided once, see `store`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Literal, Self, get_args

from quantail.errors import OptionError

EngineName = Literal["local", "processes", "dask"]
ATTEMPTS = 3  # times that work is tried when workers get lost


class Engine(ABC):
    """Where work is done."""

    @abstractmethod
    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Do the work on every item; yields the place of an item and its result, as they are done.

        An error of the work is raised here. If the caller stops asking, what has not begun is cancelled.
        """

    def close(self) -> None:  # noqa: B027 - most engines have nothing to give back
        """Give back what the engine holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class LocalEngine(Engine):
    """The process itself, one item after the other."""

    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Do the work here."""
        for place, item in enumerate(items):
            yield place, work(item)


def engine_of(name: str, scheduler: str | None = None, workers: int | None = None) -> Engine:
    """Return an engine by its name.

    Parameters
    ----------
    name : {"local", "processes", "dask"}
        This process, several processes of this machine, or the workers of a Dask cluster.
    scheduler : str, optional
        With "dask": the address of its scheduler, such as tcp://host:8786.
    workers : int, optional
        With "processes": how many; by default one for every processor.
    """
    if name not in get_args(EngineName):
        raise OptionError(f"engine {name!r} is not known; use one of: {', '.join(get_args(EngineName))}")
    if (scheduler is not None) != (name == "dask"):
        raise OptionError("the scheduler's address goes with the dask engine and only with it")
    if workers is not None and (name != "processes" or workers < 1):
        raise OptionError("the number of workers (at least 1) goes with the processes engine only")
    if scheduler is not None:
        from quantail.engines.cluster import DaskEngine

        return DaskEngine(scheduler)
    if name == "processes":
        from quantail.engines.processes import ProcessEngine

        return ProcessEngine(workers)
    return LocalEngine()
