"""A confidential table or panel that was found to fit its schema, before anything is charged or asked."""

from abc import ABC, abstractmethod

import pyarrow as pa

from quantail.io import Kind
from quantail.schema import Schema


class Confidential(ABC):
    """Rows or histories behind the border; made by a synthesizer's `read`, and given to its fits."""

    schema: Schema  # what it was checked against
    library: Kind  # what it came in

    def __repr__(self) -> str:
        """Say what it is; nothing that it holds, nor how much."""
        return f"<{type(self).__name__}: confidential, read by {self.schema!r}>"

    @property
    @abstractmethod
    def size(self) -> int:
        """Rows of a table, protected under add/remove; or units of a panel, which are public."""

    @property
    @abstractmethod
    def copied_rows(self) -> int:
        """Rows that a synthetic copy has; protected where the size is."""

    @abstractmethod
    def empty_copy(self) -> pa.Table:
        """Return a synthetic copy without rows: what it will look like, before anything is asked or paid for."""
