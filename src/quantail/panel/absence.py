"""Absence: units that are away between entry and exit, and values that are missing while a unit is there.

Both are two-state chains along a unit's life, known by one table: absent or not in the first period, and the four kinds
of steps from one period to the next. A unit gives LATTICE points away in it, the same to every step, so it moves the
table by at most LATTICE if it is put in or taken out and by twice that if its record is another (proofs/panel.md).
"""

from dataclasses import dataclass

import numpy as np

from quantail.arrays import Flags, Floats, Integers
from quantail.panel.dynamics import share_of
from quantail.panel.tables import LATTICE
from quantail.panel.tuning import USUAL_ABSENCE_STAY
from quantail.panel.unit_periods import UnitPeriods


@dataclass(frozen=True)
class Absence:
    """A chain of absence."""

    first: float  # chance to be absent in the first period
    # leave, stay: chance to be absent after a period of presence, and after one of absence
    leave: float
    stay: float

    @classmethod
    def of(cls, table: Floats, deviation: float, usual: tuple[float, float]) -> "Absence":
        """Read the chances off a released table, shrunk by its noise towards a usual share (and its spread).

        Examples
        --------
        >>> steps = np.array([90.0, 10.0, 760.0, 40.0, 40.0, 10.0])
        >>> known, noise = Absence.of(steps, 1e-9, (0.05, 0.1)), Absence.of(steps, 1e9, (0.05, 0.1))
        >>> round(known.first, 3), round(known.leave, 3), round(known.stay, 3), round(noise.first, 3)
        (0.1, 0.05, 0.2, 0.05)
        """
        (there, absent), steps = table[:2], table[2:].reshape(2, 2)
        share, spread = usual
        first = _shrunk(absent, there + absent, deviation, usual)
        usual = share * (1.0 - USUAL_ABSENCE_STAY), spread * (1.0 - USUAL_ABSENCE_STAY)
        leave = _shrunk(steps[0, 1], steps[0].sum(), deviation, usual)
        return cls(first, leave, share_of(steps[1, 1], steps[1].sum(), USUAL_ABSENCE_STAY, deviation))


def _shrunk(part: float, whole: float, deviation: float, usual: tuple[float, float]) -> float:
    """Return the share of a noisy part, shrunk towards a usual one by how far shares are from that."""
    (middle, spread), noise = usual, deviation / max(whole, deviation)
    trust = spread**2 / (spread**2 + noise**2)
    return float(np.clip(middle + trust * (part / max(whole, deviation) - middle), 0.0, 0.95))


def gap_table(unit_periods: UnitPeriods) -> Integers:
    """Count steps into, within and out of gaps; the last step is left out, since a unit is there in its last period."""
    assert unit_periods.away is not None
    whole = UnitPeriods(unit_periods.order, unit_periods.length, unit_periods.first, unit_periods.periods)
    return _table(whole, unit_periods.away, whole.left > 0)


def missing_table(unit_periods: UnitPeriods, missing: Flags) -> Integers:
    """Count steps into, within and out of missing values, among periods in which the unit is active."""
    return _table(unit_periods, missing, unit_periods.there)


def _table(unit_periods: UnitPeriods, absent: Flags, counted: Flags) -> Integers:
    points = (LATTICE // unit_periods.length)[unit_periods.unit]
    first = slice(0, unit_periods.order.size)
    later, earlier = unit_periods.pairs(1)
    later, earlier = later[counted[later]], earlier[counted[later]]
    table = np.bincount(absent[first], points[first] * counted[first], 2)
    steps = np.bincount(2 * absent[earlier] + absent[later], points[later], 4)
    return np.concatenate([table, steps]).astype(np.int64)


def draw_absence(
    chain: Absence, unit_periods: UnitPeriods, rng: np.random.Generator, ends: bool = True
) -> Flags:
    """Draw who is absent when; without `ends` nobody is in the first and last period."""
    absent = np.zeros(len(unit_periods), dtype=bool)
    luck, starts = rng.random(absent.size), unit_periods.starts
    absent[: unit_periods.order.size] = luck[: unit_periods.order.size] < (chain.first if ends else 0.0)
    for age in range(1, unit_periods.counts.size):
        now = slice(starts[age], starts[age + 1])
        before = absent[starts[age - 1] : starts[age - 1] + unit_periods.counts[age]]
        absent[now] = luck[now] < np.where(before, chain.stay, chain.leave)
    return absent if ends else absent & (unit_periods.left > 0)
