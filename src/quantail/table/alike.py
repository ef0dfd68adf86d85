"""Labels that no table tells apart are fitted as one: a list of a thousand costs what its frequent labels do.

Their factors are the same in every context, so that each keeps the part of their sum that stage one gave it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from quantail.arrays import Flags, Floats, Integers
from quantail.table.estimate import Margin, Observed
from quantail.table.law import adding
from quantail.table.shifted_base import ShiftedBase


@dataclass(frozen=True, eq=False)
class Alike:
    """Groups of cells.

    Attributes
    ----------
    group : array
        The group of every cell.
    first : array
        A cell of every group.
    """

    group: Integers
    first: Integers

    @classmethod
    def of(cls, tables: Sequence[Observed], forbidden: Flags | None) -> "Alike":
        """Group the cells that lie in one column of every table, and are forbidden to the same contexts."""
        marks = [table.cell for table in tables]
        if forbidden is not None:
            marks.append(np.unique(forbidden, axis=1, return_inverse=True)[1].ravel())
        _, first, group = np.unique(np.stack(marks), axis=1, return_index=True, return_inverse=True)
        return cls(group.ravel(), first)

    def base(self, base: ShiftedBase) -> ShiftedBase:
        """Return the base law of the groups; of a field without numbers, which nothing shifts."""
        return replace(base, implied=self._log_sums(base.implied), logs=self._log_sums(base.logs))

    def margin(self, margin: Margin) -> Margin:
        """Return what stage one said of the groups."""
        return replace(
            margin,
            counts=self._sums(margin.counts),
            deviation=np.sqrt(self._sums(margin.deviation**2)),
        )

    def table(self, table: Observed) -> Observed:
        """Return a table as the groups see it."""
        return replace(table, cell=table.cell[self.first])

    def _sums(self, values: Floats) -> Floats:
        """Add the last axis up to groups."""
        return np.asarray(values @ adding(self.group, self.first.size))

    def _log_sums(self, logs: Floats) -> Floats:
        return np.asarray(np.log(self._sums(np.exp(logs))))
