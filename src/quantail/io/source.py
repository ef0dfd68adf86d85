"""A source of rows: a table somewhere else, read whole or in chunks that fit into memory.

Every kind of file and database is one `Source`. Readers quote cells in their messages, so none of their
errors is passed on: each is replaced, outside of the `except` block, by one of ours without a link to it.
"""

import errno
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TypeVar

import pyarrow as pa

from quantail.errors import DataError, OptionError, QuantailError
from quantail.io.place import Place

BATCH_ROWS = 65_536
WRITING_ADVICE = "check space and permissions, and that columns hold plain values"
_internal_log = logging.getLogger("quantail.internal")
_Outcome = TypeVar("_Outcome")


class Source(ABC):
    """A table in a file or database, not read yet; made by `open_source`.

    Attributes
    ----------
    place : Place
        Where it is; printing it shows no password.
    """

    advice: str = "get a fresh copy of it"

    def __init__(self, place: Place) -> None:
        self.place = place

    @property
    def types(self) -> pa.Schema:
        """Names and stored types of the columns, in order; nothing else of a self-describing file is read."""
        return self._guarded(self._types)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self.types.names)

    @property
    def rows(self) -> int | None:
        """Number of rows, or None if only reading them all would tell; it may be confidential."""
        return self._guarded(self._rows)

    def chunks(self, batch_rows: int = BATCH_ROWS) -> Iterator[pa.Table]:
        """Yield the rows in order as tables of at most `batch_rows` rows, all of the types in `types`.

        Can be called again for another pass. Only one chunk is in memory at a time.

        Raises
        ------
        DataError
            If the table cannot be read. Its content is never quoted.
        """
        if not isinstance(batch_rows, int) or isinstance(batch_rows, bool) or batch_rows < 1:
            raise OptionError("batch_rows must be a whole number of at least 1")
        return self._guarded_chunks(batch_rows)

    def read(self) -> pa.Table:
        """Read the whole table."""
        return self._guarded(self._read)

    @abstractmethod
    def _types(self) -> pa.Schema: ...

    @abstractmethod
    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        """Yield the rows in parts that fit into memory; `chunks` cuts those that are larger than asked for."""

    def _rows(self) -> int | None:
        return None

    def _read(self) -> pa.Table:
        return pa.concat_tables([self._types().empty_table(), *self._chunks(BATCH_ROWS)]).combine_chunks()

    def _guarded_chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        made = self._guarded(lambda: iter(self._chunks(batch_rows)))
        while (part := self._guarded(lambda: next(made, None))) is not None:
            for start in range(0, part.num_rows, batch_rows):
                yield part.slice(start, batch_rows)

    def _guarded(self, action: Callable[[], _Outcome]) -> _Outcome:
        return guarded(action, f"cannot read {self.place}", self.advice)


def guarded(
    action: Callable[[], _Outcome],
    failing: str,
    advice: str,
    trouble: str = "its content is damaged or not of the kind its name says",
) -> _Outcome:
    """Run something that may fail with any library's error, which is replaced by a DataError of ours."""
    try:
        return action()
    except QuantailError:
        raise
    except MemoryError:  # Arrow's own is one, too
        trouble = "it does not fit into memory"
    except OSError as error:
        # Arrow raises bare OSErrors for damaged files; those of the system carry a number.
        trouble = error.strerror if error.errno and error.strerror else trouble
        if error.errno in (errno.EACCES, errno.EPERM):
            advice = "get the right to use it, or a copy that you may use"
    except Exception:
        _internal_log.debug("CONFIDENTIAL %s", failing, exc_info=True)
    raise DataError(f"{failing}: {trouble}; {advice}")
