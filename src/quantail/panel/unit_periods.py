"""The active unit-periods of a panel in one flat line: the public skeleton on which histories are laid.

A unit-period is one unit in one of its active periods. Units are sorted by falling length of life, unit-periods by
age first and unit second, so that the units still active at age k are the first `counts[k]` ones and a whole age is a
slice. Everything here follows from entry and exit, which are public.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UnitPeriods:
    """UnitPeriods of n units within `periods` periods.

    Attributes
    ----------
    order : int64 array, shape (n,)
        Place of each unit in the panel, units with the longest life first.
    length : int64 array, shape (n,)
        Active periods of each unit in that order.
    first : int64 array, shape (n,)
        Place of the first active period.
    periods : int
        Periods of the panel.

    Examples
    --------
    >>> unit_periods = UnitPeriods.of(np.array([0, 1]), np.array([0, 2]), 3)
    >>> unit_periods.place.tolist(), unit_periods.age.tolist()
    ([1, 0, 2], [0, 0, 1])
    """

    order: Integers
    length: Integers
    first: Integers
    periods: int

    @classmethod
    def of(cls, first: Integers, last: Integers, periods: int) -> "UnitPeriods":
        """Lay out units active from place `first` to place `last`, both inclusive."""
        length = last - first + 1
        order = np.argsort(-length, kind="stable")
        return cls(order, length[order], first[order], periods)

    def __len__(self) -> int:
        """Count the unit_periods."""
        return int(self.length.sum())

    @cached_property
    def counts(self) -> Integers:
        """Units still active at age 0, 1, ..."""
        longest = int(self.length[0]) if self.length.size else 0
        # Lengths fall, so a count is where they drop to the age.
        return np.searchsorted(-self.length, -np.arange(longest), side="left").astype(np.int64)

    @cached_property
    def starts(self) -> Integers:
        """Where each age starts in the line, and its end."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def unit(self) -> Integers:
        """Number of each unit-period's unit, in the order of falling length."""
        return np.concatenate([np.arange(count) for count in self.counts] or [np.arange(0)])

    @cached_property
    def age(self) -> Integers:
        """Periods since the unit's first one."""
        return np.repeat(np.arange(self.counts.size), self.counts)

    @cached_property
    def place(self) -> Integers:
        """Place of each unit-period's period in the panel."""
        return self.first[self.unit] + self.age

    @cached_property
    def left(self) -> Integers:
        """Periods left until the unit's last one."""
        return self.length[self.unit] - 1 - self.age

    @cached_property
    def stock(self) -> NDArray[np.bool_]:
        """Whether the unit is there in the first period, so that its true age is unknown."""
        return np.asarray(self.first[self.unit] == 0)

    @cached_property
    def newborn(self) -> NDArray[np.bool_]:
        """Whether the unit-period is the first of a unit that entered after the first period."""
        return np.asarray((self.age == 0) & ~self.stock)

    @cached_property
    def censored(self) -> NDArray[np.bool_]:
        """Whether the unit is still there in the last period, so that its exit is unknown."""
        return np.asarray((self.first + self.length)[self.unit] == self.periods)

    def pairs(self, lag: int) -> tuple[Integers, Integers]:
        """Return where unit-periods `lag` periods after an earlier one stand in the line, and the earlier ones."""
        if lag >= self.counts.size:
            return np.arange(0), np.arange(0)
        later = np.arange(self.starts[lag], self.starts[-1])
        return later, self.starts[self.age[later] - lag] + self.unit[later]

    def flat(self, values: Floats) -> Floats:
        """Take the line out of an array of shape (n, periods)."""
        return np.asarray(values[self.order[self.unit], self.place])

    def unfold(self, line: Floats) -> Floats:
        """Put a line back into an array of shape (n, periods), NaN where units are not active."""
        values = np.full((self.order.size, self.periods), np.nan)
        values[self.order[self.unit], self.place] = line
        return values

    def part(self, most: int, rng: np.random.Generator) -> "UnitPeriods":
        """Return at most so many units drawn at random, for quicker simulation."""
        if self.order.size <= most:
            return self
        chosen = np.sort(rng.choice(self.order.size, most, replace=False))
        return UnitPeriods(np.arange(most), self.length[chosen], self.first[chosen], self.periods)
