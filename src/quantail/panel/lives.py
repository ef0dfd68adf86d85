"""When units enter and leave, in counts: everything that is asked about the lives of a panel whose skeleton is private.

A life is a pair of places (first, last) within T periods. A unit is counted once in each table: by the period of its
entry, by that of its exit, and by block of entry and band of duration. So replacing a unit's record moves a table by
at most 2, adding or removing one by 1 (proofs/skeleton.md). The same cells are linear functions of a table of expected
lives, which is how the model is fitted to the answers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.panel.tuning import DURATION_ENDS, ENTRY_BLOCKS, MOST_PLACES


@dataclass(frozen=True)
class LifeCells:
    """The cells of lives within so many periods.

    Examples
    --------
    >>> cells = LifeCells(3)
    >>> cells.entries(np.array([0, 0, 2]), np.array([0, 2, 2])).tolist()
    [2, 0, 1]
    """

    periods: int

    def entries(self, first: Integers, last: Integers) -> Integers:
        """Count units by the place of their entry."""
        return np.bincount(first, minlength=self.periods)

    def exits(self, first: Integers, last: Integers) -> Integers:
        """Count units by the place of their last period; the last cell holds those that are still there."""
        return np.bincount(last, minlength=self.periods)

    def durations(self, first: Integers, last: Integers) -> Integers:
        """Count units by block of entry and band of duration; those still there have a band of their own."""
        return np.bincount(self.band(first, last), minlength=self.blocks * self.bands)

    @property
    def bands(self) -> int:
        """Bands of duration, the one of units still there included."""
        return len(DURATION_ENDS) + 2

    @cached_property
    def block_starts(self) -> Integers:
        """First place of every block of entry: the first period alone, the others in parts of about equal length."""
        later = self.periods - 1
        parts = min(ENTRY_BLOCKS - 1, later)
        return np.array([0, *(1 + -(-later * part // parts) for part in range(parts))])

    @property
    def blocks(self) -> int:
        """Blocks of entry."""
        return self.block_starts.size

    def band(self, first: Integers, last: Integers) -> Integers:
        """Return the cell of lives in the table of durations."""
        block = np.searchsorted(self.block_starts, first, side="right") - 1
        band = np.searchsorted(DURATION_ENDS, last - first + 1, side="left")
        band = np.where(last == self.periods - 1, self.bands - 1, band)
        return np.asarray(block * self.bands + band)

    @cached_property
    def matrix(self) -> Floats:
        """Which lives each cell counts: entries, exits and durations (rows) by all pairs of places (columns)."""
        first, last = (places.ravel() for places in np.indices((self.periods, self.periods)))
        rows = [
            first[None, :] == np.arange(self.periods)[:, None],
            last[None, :] == np.arange(self.periods)[:, None],
        ]
        rows.append(self.band(first, last)[None, :] == np.arange(self.blocks * self.bands)[:, None])
        return np.concatenate(rows).astype(np.float64)

    def expected(self, lives: Floats) -> Floats:
        """Return all cells of a table of expected lives, shape (T, T): entries, exits and durations in one row."""
        return np.asarray(self.matrix @ lives.ravel())


@dataclass(frozen=True)
class CoarsePlaces:
    """Places of many periods put together, so that a panel of days has no more to ask about than one of years.

    The first and the last place stay by themselves: who is there from the start, and who is still there.

    Examples
    --------
    >>> CoarsePlaces(4).starts.tolist()
    [0, 1, 2, 3]
    """

    periods: int

    @cached_property
    def starts(self) -> Integers:
        """First place of every coarse place."""
        between = max(self.periods - 2, 0)
        parts = min(between, MOST_PLACES - 2)
        middle = [1 + -(-between * part // parts) for part in range(parts)]
        return np.array([0, *middle, self.periods - 1][: self.periods])

    @property
    def number(self) -> int:
        """How many coarse places there are."""
        return self.starts.size

    def coarse(self, place: Integers) -> Integers:
        """Return the coarse places of places."""
        return np.asarray(np.searchsorted(self.starts, place, side="right") - 1)

    def spread(self, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """Return places evenly spread within coarse ones; nobody leaves before entering."""
        if self.number == self.periods:
            return first, last
        wide = np.diff(self.starts, append=self.periods)
        even = (np.arange(first.size) * 0.6180339887498949) % 1.0
        other = (np.arange(first.size) * 0.7548776662466927) % 1.0
        entry = self.starts[first] + (even * wide[first]).astype(np.int64)
        exit_ = self.starts[last] + (other * wide[last]).astype(np.int64)
        return np.minimum(entry, exit_), np.maximum(entry, exit_)
