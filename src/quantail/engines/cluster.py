"""The workers of a Dask cluster.

Workers must have this package, and see the folders of input and output under the same names as the driver. Whoever can
reach the scheduler can run code on the workers that read confidential rows: keep it on a closed network.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from quantail.engines.engine import ATTEMPTS, Engine
from quantail.errors import EngineError
from quantail.io.extras import optional

CONNECT_SECONDS = 20


class DaskEngine(Engine):
    """Workers of a Dask cluster.

    Parameters
    ----------
    scheduler : str
        Address of the scheduler, such as tcp://host:8786.
    """

    def __init__(self, scheduler: str) -> None:
        self._dask = distributed = optional("distributed", "scale", "a Dask cluster", EngineError)
        try:
            self._client = distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError):
            raise EngineError(
                f"no Dask scheduler answers at {scheduler}; start one, or correct the address"
            ) from None

    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Do the work on the cluster; what a lost worker had is given to others by the scheduler."""
        futures = self._client.map(work, list(items), pure=False)
        places = {future.key: place for place, future in enumerate(futures)}
        try:
            for future in self._dask.as_completed(futures, loop=self._client.loop):
                yield places[future.key], self._result(future)
        finally:
            self._client.cancel(futures)

    def close(self) -> None:
        """Leave the cluster; it stays as it is."""
        self._client.close()

    def _result(self, future: Any) -> Any:
        try:
            return future.result()
        except (self._dask.KilledWorker, self._dask.CancelledError):
            raise EngineError(
                f"workers that were given the same work got lost {ATTEMPTS} times or more, perhaps for want of "
                "memory; give workers more of it, or make partitions smaller"
            ) from None
