"""Where units lie on a wide scale, before anything finer is asked about them: the window that most of them are in.

Public bounds may span thirty log units, sizes or ratios a few. So the first question is which of many overlapping
windows holds most units, each counted by its mean over the periods in which it has a size. A unit moves the count of a
window by at most 1, whatever its record (proofs/panel.md), so the answer is right as soon as epsilon times the units is
above some 20, whatever the bounds and the unit of measure. Everything finer is then asked around it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.panel.tables import LATTICE, Track
from quantail.panel.tuning import FARTHEST_CENTRE, MEAN_REACH, PLACED_UNITS
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import Plan
from quantail.privacy.gate import Selection


def unit_means(unit_periods: UnitPeriods, track: Track) -> Floats:
    """Return the mean size of every unit over periods that are not idle; NaN if there are none."""
    usable = (unit_periods.there & ~track.idle).astype(np.float64)
    units = unit_periods.order.size
    number = np.bincount(unit_periods.unit, usable, units)
    total = np.bincount(unit_periods.unit, usable * track.size, units)
    return np.where(number > 0, total / np.maximum(number, 1.0), np.nan)


def windows(low: float, high: float, width: float) -> Floats:
    """Return where windows of a width start that cover a range.

    Examples
    --------
    >>> windows(0.0, 3.0, 2.0).tolist()
    [-0.5, 0.0, 0.5, 1.0, 1.5]
    """
    return np.asarray(np.arange(low - width / 4, max(high - width / 2, low), width / 4))


def window_counts(means: Floats, starts: Floats, width: float) -> Integers:
    """Count units by window; a unit is in all windows that hold its mean, and in none if it has no mean."""
    inside = (means[:, None] >= starts) & (means[:, None] < starts + width)
    return np.asarray(inside.sum(axis=0), dtype=np.int64)


def window_selection(means: Floats, starts: Floats, width: float) -> Selection:
    """Return the question which window holds most units."""
    return Selection(window_counts(means, starts, width), sensitivity=1)


def mean_table(means: Floats, centre: float, reach: float = MEAN_REACH) -> Integers:
    """Sum bounded distances of units from a centre, in points of LATTICE, shape (1,)."""
    near = np.clip((means - centre) / reach, -1.0, 1.0)
    return np.array([np.trunc(LATTICE * np.where(np.isnan(means), 0.0, near)).sum()]).astype(np.int64)


@dataclass(frozen=True)
class Located:
    """Where units lie, as released: the mean of their bounded distances from the middle of a window.

    Examples
    --------
    >>> sizes = np.random.default_rng(1).normal(1.0, 1.0, 10_000)
    >>> found = Located(0.0, 1.25, float(np.clip(sizes / 1.25, -1.0, 1.0).mean()))
    >>> round(found.centre, 1), round(found.shift(sizes - 1.0), 1)
    (0.7, 1.0)
    """

    # middle, reach: of the window, and how far from it distances are bounded
    middle: float
    reach: float
    mean: float  # in units of the reach

    @property
    def centre(self) -> float:
        """The mean of bounded sizes: short of that of sizes which spread far, or to one side."""
        return self.middle + self.reach * self.mean

    def among(self, share: float) -> "Located":
        """Return the same of that share of the units; the others, which have no size, counted as the middle."""
        return Located(self.middle, self.reach, float(np.clip(self.mean / share, -1.0, 1.0)))

    def shift(self, sizes: Floats) -> float:
        """Return by how much to move sizes for the mean of their bounded distances to be as released."""
        middle = float(np.median(sizes))
        return self._found(lambda centre: float(self._bounded(sizes + centre - middle).mean())) - middle

    def law(self, kind: Callable[[float], Floats], edges: Floats) -> Floats:
        """Return the weights of cells under a law of some centre, with the released mean of bounded distances."""
        bounded = self._bounded((edges[1:] + edges[:-1]) / 2)
        return kind(self._found(lambda centre: float(kind(centre) @ bounded)))

    def _bounded(self, sizes: Floats) -> Floats:
        return np.clip((sizes - self.middle) / self.reach, -1.0, 1.0)

    def _found(self, made: Callable[[float], float]) -> float:
        low, high = self.middle - FARTHEST_CENTRE * self.reach, self.middle + FARTHEST_CENTRE * self.reach
        for _ in range(24):
            tried = (low + high) / 2
            low, high = (tried, high) if made(tried) < self.mean else (low, tried)
        return (low + high) / 2


def unplaced(plan: Plan, units: int, groups: Mapping[str, int]) -> tuple[str, ...]:
    """Return the columns of which a plan asks too little to find where values lie, given the units of each group."""
    units = groups.get(plan.name, units)
    if any(leaf.name == "place" and leaf.cost * units < PLACED_UNITS for leaf in plan.children):
        return (plan.name,)
    found = (name for part in plan.children for name in unplaced(part, units, groups))
    return tuple(dict.fromkeys(found))
