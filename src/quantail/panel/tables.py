"""The weighted tables that a panel's column is known by: everything private about it, in whole numbers.

Every unit has LATTICE points to give away. In each table it gives a part of them, in whole points, to each of its
active periods (or pairs of periods); parts depend on entry and exit alone and are rounded down, so they never add
up to more. A point goes to one cell, or counts with a factor between -1 and 1, rounded towards zero. So a unit's
contribution has an L1 norm of at most LATTICE: adding or removing a unit moves a table by at most LATTICE, replacing
its record by 2 LATTICE, or less where signs allow (`sensitivity_of`, proofs/panel.md). The same functions measure
simulated panels, which is how models are fitted to the released tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quantail.arrays import Flags, Floats, Integers
from quantail.curves.lookup import below_few
from quantail.panel.tuning import (
    AGE_KNOTS,
    GROWTH_ENDS,
    KNOT_WALK,
    LAG_SHARES,
    LAGS,
    LEFT_KNOTS,
    SIGN_TENTHS,
    SIZE_WALK,
)
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy.gate import Relation

LATTICE = 2**20
SENSITIVITY = 2 * LATTICE
SIGN = (
    SIGN_TENTHS * LATTICE // 10
)  # of a unit's points, for signs of growth; the rest is for the size of moves
GROWTH_SENSITIVITY = 2 * SIGN + (LATTICE - SIGN)


def sensitivity_of(word: str, relation: Relation, lives_are_public: bool, signed: bool = False) -> int:
    """Return how far one unit can move a table, in points (proofs/panel.md).

    Parameters
    ----------
    word : str
        The question.
    relation : {"replace-one", "add-remove"}
        What neighbouring panels are.
    lives_are_public : bool
        Whether entry and exit of a unit are the same in neighbouring panels.
    signed : bool
        Whether values of the column may be negative.
    """
    if relation == "add-remove" or word in ("unchanged", "tails") or (word == "sums" and not signed):
        return LATTICE
    if lives_are_public and word == "trends" and not signed:
        return LATTICE
    return GROWTH_SENSITIVITY if lives_are_public and word == "growth" else SENSITIVITY


@dataclass(frozen=True, eq=False)
class Track:
    """A column along the line of unit-periods: sizes on the modelling scale, and which are in the zero state.

    Sizes in the zero state are finite and never used.
    """

    size: Floats
    idle: Flags


@dataclass(frozen=True)
class PairCells:
    """Cells of pairs of sizes: classes of the earlier size by cells of growth, with zero and no change apart."""

    cuts: tuple[float, ...]  # where size classes are cut
    growth: tuple[float, ...]  # ends of growth cells, in rising order

    @classmethod
    def of(cls, cuts: Floats, unit: float) -> "PairCells":
        """Return the cells for given cuts and a unit of growth (1 on a logarithmic scale)."""
        up = unit * np.array(GROWTH_ENDS)
        ends = np.concatenate([-up[::-1], up])
        return cls(tuple(np.asarray(cuts).tolist()), tuple(ends.tolist()))

    @property
    def width(self) -> int:
        """Cells of a size class: to zero, no change, and every cell of growth."""
        return len(self.growth) + 3

    @property
    def number(self) -> int:
        """Cells of one lag: four from zero, and those of every size class."""
        return 4 + (len(self.cuts) + 1) * self.width


@dataclass(frozen=True, eq=False)
class LagPairs:
    """Pairs of active unit-periods so many periods apart: what is the same whatever sizes are."""

    later: Integers  # where they stand in the line
    earlier: Integers
    newborn: Flags  # whether the earlier one is the first of a unit that entered after the first period
    points: Integers  # what a unit gives to the pair


@dataclass(frozen=True, eq=False)
class Splines:
    """Families of linear splines over unit-periods: in each family a unit-period's factors sum to 1."""

    parts: tuple[tuple[Integers, Floats], ...]  # cells and factors, one entry per unit-period each
    starts: tuple[int, ...]  # the first cell of every chain of neighbouring cells
    number: int  # cells in all
    families: int  # how many families there are, which share the points of a unit
    walk: float = KNOT_WALK  # usual change of an effect from one knot to the next


def period_points(unit_periods: UnitPeriods) -> Integers:
    """Return the points that a unit gives to each of its unit-periods."""
    return (LATTICE // unit_periods.length)[unit_periods.unit] * unit_periods.there


def pair_points(unit_periods: UnitPeriods, lag: int) -> Integers:
    """Return the points that a unit gives to each of its pairs of unit-periods `lag` periods apart."""
    share = LAG_SHARES[LAGS.index(lag)]
    seen = sum(part * (unit_periods.length > other) for part, other in zip(LAG_SHARES, LAGS, strict=True))
    points = LATTICE * share // np.maximum(seen * np.maximum(unit_periods.length - lag, 1), 1)
    return np.asarray(points[unit_periods.unit[unit_periods.pairs(lag)[0]]])


def size_table(unit_periods: UnitPeriods, track: Track, edges: Floats) -> Integers:
    """Count sizes: zero for stocks in the first period, births in theirs and later unit-periods, then every cell."""
    cell = np.clip(np.searchsorted(edges, track.size, side="right") - 1, 0, len(edges) - 2)
    return _tally(
        np.where(track.idle, _kind(unit_periods), 3 + cell), period_points(unit_periods), len(edges) + 2
    )


def kind_points(unit_periods: UnitPeriods) -> Integers:
    """Return all points of stocks in the first period, births in theirs and later unit-periods."""
    return _tally(_kind(unit_periods), period_points(unit_periods), 3)


def _kind(unit_periods: UnitPeriods) -> Integers:
    return np.where(unit_periods.age > 0, 2, np.where(unit_periods.stock, 0, 1))


def lag_pairs(unit_periods: UnitPeriods) -> tuple[LagPairs, ...]:
    """Return the pairs of unit-periods at every lag of `LAGS`."""
    found = []
    for lag in LAGS:
        later, earlier = unit_periods.pairs(lag)
        newborn = (unit_periods.age[earlier] == 0) & ~unit_periods.stock[earlier]
        found.append(LagPairs(later, earlier, newborn, pair_points(unit_periods, lag)))
    return tuple(found)


def pair_table(pairs: Sequence[LagPairs], track: Track, cells: PairCells) -> Integers:
    """Count pairs of sizes at every lag, shape (lags, cells.number)."""
    table = np.zeros((len(pairs), cells.number), dtype=np.int64)
    for row, found in zip(table, pairs, strict=True):
        before, idle = track.size.take(found.earlier), track.idle.take(found.later)
        difference = track.size.take(found.later) - before
        grown = 2 + below_few(cells.growth, difference, equal=True)
        np.copyto(grown, 1, where=difference == 0.0)
        np.copyto(grown, 0, where=idle)
        cell = 4 + cells.width * below_few(cells.cuts, before, equal=True) + grown
        np.copyto(cell, 2 * found.newborn + idle, where=track.idle.take(found.earlier))
        row[:] = _tally(cell, found.points, cells.number)
    return table


def level(track: Track, centre: float, width: float) -> Floats:
    """Return how large each size is between -1 and 1: its bounded distance from a centre; 0 if idle."""
    return np.where(track.idle, 0.0, np.clip((track.size - centre) / width, -1.0, 1.0))


def year_table(unit_periods: UnitPeriods, levels: Floats) -> Integers:
    """Sum bounded levels for every period, births and all others apart, shape (2 * periods,)."""
    cell = unit_periods.place + unit_periods.periods * unit_periods.newborn
    return _tally(cell, np.trunc(levels * period_points(unit_periods)), 2 * unit_periods.periods)


def spline_table(unit_periods: UnitPeriods, levels: Floats, splines: Splines) -> Integers:
    """Sum bounded levels over linear splines, the points shared out among their families."""
    points = period_points(unit_periods) // splines.families
    table = np.zeros(splines.number, dtype=np.int64)
    for cell, factor in splines.parts:
        table += _tally(cell, np.trunc(levels * factor * points), splines.number)
    return table


def growth_table(unit_periods: UnitPeriods, track: Track, reach: float) -> Integers:
    """Sum signs and bounded sizes of growth by the later period, shape (2 * periods,).

    Pairs with an idle period count 0. A sign lies between -1 and 1 and has SIGN points of a unit, the size of a move
    lies between 0 and 1 (at `reach`) and has the rest: together they move by at most GROWTH_SENSITIVITY.
    """
    later, earlier = unit_periods.pairs(1)
    growth = track.size[later] - track.size[earlier]
    growth = np.where(track.idle[later] | track.idle[earlier], 0.0, growth)
    pairs = np.maximum(unit_periods.length - 1, 1)[unit_periods.unit[later]]
    place = unit_periods.place[later]
    signs = _tally(place, np.sign(growth) * (SIGN // pairs), unit_periods.periods)
    moves = np.trunc(np.minimum(np.abs(growth) / reach, 1.0) * ((LATTICE - SIGN) // pairs))
    return np.concatenate([signs, _tally(place, moves, unit_periods.periods)])


def unchanged_table(unit_periods: UnitPeriods, track: Track) -> Integers:
    """Count pairs of consecutive periods without change, zero states left out, weighted by `unchanged_points`.

    Points count or do not, so the count lies between 0 and LATTICE for any one unit.
    """
    later, earlier = unit_periods.pairs(1)
    same = (track.size[later] == track.size[earlier]) & ~track.idle[later] & ~track.idle[earlier]
    return np.array([unchanged_points(unit_periods)[same].sum()]).astype(np.int64)


def unchanged_points(unit_periods: UnitPeriods) -> Integers:
    """Return the points of each pair of consecutive periods in the count of those without change.

    As in `sum_points` long lives count as they do in the panel, so that the share is close to the panel's own.
    """
    pairs = np.maximum(unit_periods.length - 1, max(unit_periods.periods // 2, 1))
    return (LATTICE // pairs)[unit_periods.unit[unit_periods.pairs(1)[0]]]


def sum_table(values: Floats, cap: float, points: Integers) -> Integers:
    """Sum values up to a cap, in units of the cap, with points of `sum_points` or `trend_points`, shape (1,).

    If no value is negative, the sum of `sum_points` lies between 0 and LATTICE for any one unit.
    """
    # Whole numbers far below 2^53: their sum is exact in doubles.
    return np.array([np.trunc(np.clip(values / cap, -1.0, 1.0) * points).sum()]).astype(np.int64)


def excess_table(unit_periods: UnitPeriods, track: Track, start: float, reach: float) -> Integers:
    """Sum how far sizes lie above a start, up to a reach and in units of it, shape (1,).

    Factors lie between 0 and 1, so the sum lies between 0 and LATTICE for any one unit.
    """
    excess = np.where(track.idle, 0.0, np.clip((track.size - start) / reach, 0.0, 1.0))
    return np.array([np.trunc(excess * period_points(unit_periods)).sum()]).astype(np.int64)


def sum_points(unit_periods: UnitPeriods) -> Integers:
    """Return the points of each unit-period in the sum of values.

    UnitPeriods of units that live for at least half of the periods have equal points there, so that the sum is close to
    the panel's total.
    """
    points = LATTICE // np.maximum(unit_periods.length, (unit_periods.periods + 1) // 2)
    return np.asarray(points[unit_periods.unit] * unit_periods.there)


def trend_points(unit_periods: UnitPeriods) -> Integers:
    """Return the points of each unit-period in a trend: below zero in the first half, more the farther from the middle.

    Units that hold at least half of what there is to give have equal points, as in `sum_points`.
    """
    away = 2 * np.arange(unit_periods.periods) - (unit_periods.periods - 1)
    far = np.concatenate([[0], np.cumsum(np.abs(away))])
    held = far[unit_periods.first + unit_periods.length] - far[unit_periods.first]
    whole = np.maximum(held, max(-(-int(far[-1]) // 2), 1))[unit_periods.unit]
    points = LATTICE * np.abs(away)[unit_periods.place] // whole
    return np.asarray(np.sign(away)[unit_periods.place] * points * unit_periods.there)


def follower_table(
    unit_periods: UnitPeriods,
    lead_idle: Flags,
    own: Track,
    ratio: Track,
    own_edges: Floats,
    ratio_edges: Floats,
) -> Integers:
    """Count a column that follows another one: its zeros, ratios to it, and own sizes where the lead is idle.

    Cells: zero beside an active lead, zero beside an idle one, ratios, own sizes beside an idle lead.
    """
    ratios, sizes = len(ratio_edges) - 1, len(own_edges) - 1
    at = np.clip(np.searchsorted(ratio_edges, ratio.size, side="right") - 1, 0, ratios - 1)
    beside = np.clip(np.searchsorted(own_edges, own.size, side="right") - 1, 0, sizes - 1)
    cell = np.where(lead_idle, 2 + ratios + beside, 2 + at)
    cell = np.where(own.idle, lead_idle.astype(np.int64), cell)
    return _tally(cell, period_points(unit_periods), 2 + ratios + sizes)


def age_splines(unit_periods: UnitPeriods) -> Splines:
    """Return linear splines of age and of the periods left.

    Units that were there in the first period, of unknown age, have a cell of their own; so have the periods left of
    units that are still there in the last one.
    """
    stocks, first, censored = len(AGE_KNOTS), len(AGE_KNOTS) + 1, len(AGE_KNOTS) + 1 + len(LEFT_KNOTS)
    ages = [
        (np.where(unit_periods.stock, stocks, knot), np.where(unit_periods.stock, 0.5, factor))
        for knot, factor in spline_parts(
            unit_periods.age.astype(np.float64), np.array(AGE_KNOTS, dtype=np.float64)
        )
    ]
    lefts = [
        (
            np.where(unit_periods.censored, censored, first + knot),
            np.where(unit_periods.censored, 0.5, factor),
        )
        for knot, factor in spline_parts(
            unit_periods.left.astype(np.float64), np.array(LEFT_KNOTS, dtype=np.float64)
        )
    ]
    return Splines((*ages, *lefts), (0, stocks, first), censored + 1, 2)


def size_splines(track: Track, knots: Floats) -> Splines:
    """Return linear splines of another column's size; its idle unit-periods belong to the lowest knot."""
    size = np.where(track.idle, knots[0], track.size)
    return Splines(tuple(spline_parts(size, knots)), (0,), knots.size, 1, SIZE_WALK)


def spline_parts(values: Floats, knots: Floats) -> list[tuple[Integers, Floats]]:
    """Return the two neighbouring knots of each value and its factors; values beyond the ends belong to them."""
    values = np.clip(values, knots[0], knots[-1])
    low = np.clip(np.searchsorted(knots, values, side="right") - 1, 0, knots.size - 2)
    part = (values - knots[low]) / (knots[low + 1] - knots[low])
    return [(low, 1.0 - part), (low + 1, part)]


def _tally(cell: Integers, points: Integers | Floats, cells: int) -> Integers:
    # Sums of whole numbers far below 2^53 are exact in doubles, whatever their order.
    return np.bincount(cell, points, cells).astype(np.int64)
