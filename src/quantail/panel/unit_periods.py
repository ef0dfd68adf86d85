"""The unit-periods of a panel in one flat line: the skeleton on which histories are laid.

A unit-period is one unit in one period from its entry to its exit. Units are sorted by falling length of life,
unit-periods by age first and unit second, so that the units still there at age k are the first `counts[k]` ones and a
whole age is a slice. A unit may be away in between; such unit-periods are in the line and count for nothing.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from quantail.arrays import Flags, Floats, Integers


@dataclass(frozen=True, eq=False)
class UnitPeriods:
    """UnitPeriods of n units within `periods` periods.

    Examples
    --------
    >>> unit_periods = UnitPeriods.of(np.array([0, 1]), np.array([0, 2]), 3)
    >>> unit_periods.place.tolist(), unit_periods.age.tolist()
    ([1, 0, 2], [0, 0, 1])
    """

    order: Integers  # place of each unit in the panel, units with the longest life first, shape (n,)
    length: Integers  # periods from entry to exit of each unit in that order, shape (n,)
    first: Integers  # place of the first active period, shape (n,)
    periods: int  # periods of the panel
    away: Flags | None = None  # where units are away between entry and exit

    @classmethod
    def of(cls, first: Integers, last: Integers, periods: int, active: Flags | None = None) -> "UnitPeriods":
        """Lay out units from place `first` to place `last`, both inclusive; `active` (n, T) is False in gaps."""
        length = last - first + 1
        order = np.argsort(-length, kind="stable")
        made = cls(order, length[order], first[order], periods)
        if active is None:
            return made
        return replace(made, away=~active[made.order[made.unit], made.place])

    @cached_property
    def there(self) -> Flags:
        """Whether the unit is active in the unit-period."""
        return np.ones(len(self), dtype=bool) if self.away is None else ~self.away

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
    def stock(self) -> Flags:
        """Whether the unit is there in the first period, so that its true age is unknown."""
        return np.asarray(self.first[self.unit] == 0)

    @cached_property
    def newborn(self) -> Flags:
        """Whether the unit-period is the first of a unit that entered after the first period."""
        return np.asarray((self.age == 0) & ~self.stock)

    @cached_property
    def censored(self) -> Flags:
        """Whether the unit is still there in the last period, so that its exit is unknown."""
        return np.asarray((self.first + self.length)[self.unit] == self.periods)

    def pairs(self, lag: int) -> tuple[Integers, Integers]:
        """Return where active unit-periods `lag` periods after an earlier one stand in the line, and those."""
        if lag >= self.counts.size:
            return np.arange(0), np.arange(0)
        later = np.arange(self.starts[lag], self.starts[-1])
        earlier = self.starts[self.age[later] - lag] + self.unit[later]
        if self.away is None:
            return later, earlier
        both = ~(self.away[later] | self.away[earlier])
        return later[both], earlier[both]

    def flat(self, values: Floats) -> Floats:
        """Take the line out of an array of shape (n, periods); 0 where there is no value, which counts for nothing."""
        line = values[self.order[self.unit], self.place]
        return np.asarray(np.where(np.isnan(line), 0.0, line))

    def lacking(self, values: Floats) -> Flags:
        """Say where a unit is active and an array of shape (n, periods) has no value."""
        return np.asarray(np.isnan(values[self.order[self.unit], self.place]) & self.there)

    def without(self, away: Flags) -> "UnitPeriods":
        """Return the same line with other gaps."""
        return replace(self, away=away)

    def unfold(self, line: Floats) -> Floats:
        """Put a line back into an array of shape (n, periods), NaN where units are not active."""
        values = np.full((self.order.size, self.periods), np.nan)
        values[self.order[self.unit], self.place] = np.where(self.there, line, np.nan)
        return values

    def part(self, most: int, rng: np.random.Generator) -> "UnitPeriods":
        """Return at most so many units drawn at random, for quicker simulation."""
        if self.order.size <= most:
            return self
        chosen = np.zeros(self.order.size, dtype=bool)
        chosen[rng.choice(self.order.size, most, replace=False)] = True
        away = None if self.away is None else self.away[chosen[self.unit]]
        return UnitPeriods(np.arange(most), self.length[chosen], self.first[chosen], self.periods, away)
