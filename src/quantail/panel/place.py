"""Where units lie on a wide scale, before anything finer is asked about them: the window that most of them are in.

Public bounds may span thirty log units, sizes or ratios a few. So the first question is which of many overlapping
windows holds most units, each counted by its mean over the periods in which it has a size. A unit moves the count of a
window by at most 1, whatever its record (proofs/panel.md), so the answer is right as soon as epsilon times the units is
above some 20, whatever the bounds and the unit of measure. Everything finer is then asked around it.
"""

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.panel.tables import LATTICE, Track
from quantail.panel.tuning import MEAN_REACH, WINDOW, WINDOW_STEP
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy.gate import Selection


def unit_means(unit_periods: UnitPeriods, track: Track) -> Floats:
    """Return the mean size of every unit over periods that are not idle; NaN if there are none."""
    usable = (unit_periods.there & ~track.idle).astype(np.float64)
    units = unit_periods.order.size
    number = np.bincount(unit_periods.unit, usable, units)
    total = np.bincount(unit_periods.unit, usable * track.size, units)
    return np.where(number > 0, total / np.maximum(number, 1.0), np.nan)


def windows(low: float, high: float) -> Floats:
    """Return where windows start that cover a range.

    Examples
    --------
    >>> windows(0.0, 3.0).tolist()
    [-0.5, 0.0, 0.5, 1.0, 1.5]
    """
    return np.asarray(np.arange(low - WINDOW / 4, max(high - WINDOW / 2, low), WINDOW_STEP))


def window_counts(means: Floats, starts: Floats) -> Integers:
    """Count units by window; a unit is in all windows that hold its mean, and in none if it has no mean."""
    inside = (means[:, None] >= starts) & (means[:, None] < starts + WINDOW)
    return np.asarray(inside.sum(axis=0), dtype=np.int64)


def window_selection(means: Floats, starts: Floats) -> Selection:
    """Return the question which window holds most units."""
    return Selection(window_counts(means, starts), sensitivity=1)


def mean_table(means: Floats, centre: float, reach: float = MEAN_REACH) -> Integers:
    """Sum bounded distances of units from a centre, in points of LATTICE, shape (1,)."""
    near = np.clip((means - centre) / reach, -1.0, 1.0)
    return np.array([np.trunc(LATTICE * np.where(np.isnan(means), 0.0, near)).sum()]).astype(np.int64)
