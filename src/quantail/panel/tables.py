"""The weighted tables that a panel's column is known by: everything private about it, in whole numbers.

Every unit has LATTICE points to give away. In each table it gives a part of them, in whole points, to each of its
active periods (or pairs of periods); parts depend on entry and exit alone and are rounded down, so they never add
up to more. A point goes to one cell, or counts with a factor between -1 and 1, rounded towards zero. So a unit's
contribution has an L1 norm of at most LATTICE, and replacing its history moves a table by at most
SENSITIVITY = 2 LATTICE (proofs/panel.md). The same functions measure simulated panels, which is how models are
fitted to the released tables.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantail.panel.unit_periods import Spells

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

LATTICE = 2**20
SENSITIVITY = 2 * LATTICE
SIGN = 7 * LATTICE // 10  # of a unit's points, for signs of growth; the rest is for the size of moves
GROWTH_SENSITIVITY = 2 * SIGN + (LATTICE - SIGN)

LAGS = (1, 2, 4, 8, 16)
_LAG_SHARES = (7, 3, 3, 3, 2)  # of a unit's points, among the lags that it lives to see
_GROWTH = (0.06, 0.15, 0.3, 0.55, 1.0, 1.8)  # ends of growth cells, up and down, in units of growth
_AGE_KNOTS = (0, 1, 2, 4, 8, 16)
_LEFT_KNOTS = (0, 1, 3, 8)


@dataclass(frozen=True, eq=False)
class Track:
    """A column along the line of spells: sizes on the modelling scale, and which spells are in the zero state.

    Sizes of the latter are finite and never used.
    """

    size: Floats
    idle: Flags


@dataclass(frozen=True)
class PairCells:
    """Cells of pairs of sizes: classes of the earlier size by cells of growth, with zero and no change apart.

    Attributes
    ----------
    cuts : tuple of float
        Where size classes are cut.
    growth : tuple of float
        Ends of growth cells, in rising order.
    """

    cuts: tuple[float, ...]
    growth: tuple[float, ...]

    @classmethod
    def of(cls, cuts: Floats, unit: float) -> "PairCells":
        """Return the cells for given cuts and a unit of growth (1 on a logarithmic scale)."""
        up = unit * np.array(_GROWTH)
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
class Hats:
    """Families of hat functions over spells: in each family a spell's factors sum to 1.

    Attributes
    ----------
    parts : tuple of pairs
        Cells and factors, one entry per spell each.
    starts : tuple of int
        The first cell of every chain of neighbouring cells.
    number : int
        Cells in all.
    families : int
        How many families there are, which share the points of a unit.
    """

    parts: tuple[tuple[Integers, Floats], ...]
    starts: tuple[int, ...]
    number: int
    families: int


def spell_points(spells: Spells) -> Integers:
    """Return the points that a unit gives to each of its spells."""
    return (LATTICE // spells.length)[spells.unit]


def pair_points(spells: Spells, lag: int) -> Integers:
    """Return the points that a unit gives to each of its pairs of spells `lag` periods apart."""
    share = _LAG_SHARES[LAGS.index(lag)]
    seen = sum(part * (spells.length > other) for part, other in zip(_LAG_SHARES, LAGS, strict=True))
    points = LATTICE * share // np.maximum(seen * np.maximum(spells.length - lag, 1), 1)
    return np.asarray(points[spells.unit[spells.pairs(lag)[0]]])


def size_table(spells: Spells, track: Track, edges: Floats) -> Integers:
    """Count sizes: zero for stocks in the first period, births in theirs and later spells, then every cell."""
    cell = np.clip(np.searchsorted(edges, track.size, side="right") - 1, 0, len(edges) - 2)
    return _tally(np.where(track.idle, _kind(spells), 3 + cell), spell_points(spells), len(edges) + 2)


def kind_points(spells: Spells) -> Integers:
    """Return all points of stocks in the first period, births in theirs and later spells; they are public."""
    return _tally(_kind(spells), spell_points(spells), 3)


def _kind(spells: Spells) -> Integers:
    return np.where(spells.age > 0, 2, np.where(spells.stock, 0, 1))


def pair_table(spells: Spells, track: Track, cells: PairCells) -> Integers:
    """Count pairs of sizes at every lag of `LAGS`, shape (lags, cells.number)."""
    table = np.zeros((len(LAGS), cells.number), dtype=np.int64)
    for row, lag in zip(table, LAGS, strict=True):
        later, earlier = spells.pairs(lag)
        difference = track.size[later] - track.size[earlier]
        grown = np.where(difference == 0.0, 1, 2 + np.searchsorted(cells.growth, difference, side="right"))
        grown = np.where(track.idle[later], 0, grown)
        cell = 4 + cells.width * np.searchsorted(cells.cuts, track.size[earlier], side="right") + grown
        newborn = (spells.age[earlier] == 0) & ~spells.stock[earlier]
        cell = np.where(track.idle[earlier], 2 * newborn + track.idle[later], cell)
        row[:] = _tally(cell, pair_points(spells, lag), cells.number)
    return table


def level(track: Track, centre: float, width: float) -> Floats:
    """Return how large each size is between -1 and 1: its bounded distance from a centre; 0 if idle."""
    return np.where(track.idle, 0.0, np.clip((track.size - centre) / width, -1.0, 1.0))


def year_table(spells: Spells, levels: Floats) -> Integers:
    """Sum bounded levels for every period, births and all others apart, shape (2 * periods,)."""
    cell = spells.place + spells.periods * spells.newborn
    return _tally(cell, np.trunc(levels * spell_points(spells)), 2 * spells.periods)


def hat_table(spells: Spells, levels: Floats, hats: Hats) -> Integers:
    """Sum bounded levels over hat functions, the points shared out among their families."""
    points = spell_points(spells) // hats.families
    table = np.zeros(hats.number, dtype=np.int64)
    for cell, factor in hats.parts:
        table += _tally(cell, np.trunc(levels * factor * points), hats.number)
    return table


def growth_table(spells: Spells, track: Track, reach: float) -> Integers:
    """Sum signs and bounded sizes of growth by the later period, shape (2 * periods,).

    Pairs with an idle period count 0. A sign lies between -1 and 1 and has SIGN points of a unit, the size of a move
    lies between 0 and 1 (at `reach`) and has the rest: together they move by at most GROWTH_SENSITIVITY.
    """
    later, earlier = spells.pairs(1)
    growth = track.size[later] - track.size[earlier]
    growth = np.where(track.idle[later] | track.idle[earlier], 0.0, growth)
    pairs = np.maximum(spells.length - 1, 1)[spells.unit[later]]
    place = spells.place[later]
    signs = _tally(place, np.sign(growth) * (SIGN // pairs), spells.periods)
    moves = np.trunc(np.minimum(np.abs(growth) / reach, 1.0) * ((LATTICE - SIGN) // pairs))
    return np.concatenate([signs, _tally(place, moves, spells.periods)])


def stay_table(spells: Spells, track: Track) -> Integers:
    """Count pairs of consecutive periods without change, idle ones left out, with points of `stay_points`, shape (1,).

    Points are public and count or do not, so a history moves the count by at most LATTICE.
    """
    later, earlier = spells.pairs(1)
    same = (track.size[later] == track.size[earlier]) & ~track.idle[later] & ~track.idle[earlier]
    return np.array([stay_points(spells)[same].sum()]).astype(np.int64)


def stay_points(spells: Spells) -> Integers:
    """Return the points of each pair of consecutive periods in the count of those without change.

    As in `sum_points` long lives count as they do in the panel, so that the share is close to the panel's own.
    """
    pairs = np.maximum(spells.length - 1, max(spells.periods // 2, 1))
    return (LATTICE // pairs)[spells.unit[spells.pairs(1)[0]]]


def sum_table(values: Floats, cap: float, points: Integers) -> Integers:
    """Sum values up to a cap, in units of the cap, with points of `sum_points` or `trend_points`, shape (1,).

    If no value is negative, a history moves the sum by at most LATTICE.
    """
    # Whole numbers far below 2^53: their sum is exact in doubles.
    return np.array([np.trunc(np.clip(values / cap, -1.0, 1.0) * points).sum()]).astype(np.int64)


def sum_points(spells: Spells) -> Integers:
    """Return the points of each spell in the sum of values.

    Spells of units that live for at least half of the periods have equal points there, so that the sum is close to
    the panel's total.
    """
    return (LATTICE // np.maximum(spells.length, (spells.periods + 1) // 2))[spells.unit]


def trend_points(spells: Spells) -> Integers:
    """Return the points of each spell in a trend: below zero in the first half, more the farther from the middle.

    Units that hold at least half of what there is to give have equal points, as in `sum_points`.
    """
    away = 2 * np.arange(spells.periods) - (spells.periods - 1)
    far = np.concatenate([[0], np.cumsum(np.abs(away))])
    held = far[spells.first + spells.length] - far[spells.first]
    whole = np.maximum(held, max(-(-int(far[-1]) // 2), 1))[spells.unit]
    return np.asarray(np.sign(away)[spells.place] * (LATTICE * np.abs(away)[spells.place] // whole))


def follower_table(
    spells: Spells, lead_idle: Flags, own: Track, ratio: Track, own_edges: Floats, ratio_edges: Floats
) -> Integers:
    """Count a column that follows another one: its zeros, ratios to it, and own sizes where the lead is idle.

    Cells: zero beside an active lead, zero beside an idle one, ratios, own sizes beside an idle lead.
    """
    ratios, sizes = len(ratio_edges) - 1, len(own_edges) - 1
    at = np.clip(np.searchsorted(ratio_edges, ratio.size, side="right") - 1, 0, ratios - 1)
    beside = np.clip(np.searchsorted(own_edges, own.size, side="right") - 1, 0, sizes - 1)
    cell = np.where(lead_idle, 2 + ratios + beside, 2 + at)
    cell = np.where(own.idle, lead_idle.astype(np.int64), cell)
    return _tally(cell, spell_points(spells), 2 + ratios + sizes)


def age_hats(spells: Spells) -> Hats:
    """Return hat functions of age and of the periods left.

    Units that were there in the first period, of unknown age, have a cell of their own; so have the periods left of
    units that are still there in the last one.
    """
    stocks, first, censored = len(_AGE_KNOTS), len(_AGE_KNOTS) + 1, len(_AGE_KNOTS) + 1 + len(_LEFT_KNOTS)
    ages = [
        (np.where(spells.stock, stocks, knot), np.where(spells.stock, 0.5, factor))
        for knot, factor in hat_parts(spells.age.astype(np.float64), np.array(_AGE_KNOTS, dtype=np.float64))
    ]
    lefts = [
        (np.where(spells.censored, censored, first + knot), np.where(spells.censored, 0.5, factor))
        for knot, factor in hat_parts(spells.left.astype(np.float64), np.array(_LEFT_KNOTS, dtype=np.float64))
    ]
    return Hats((*ages, *lefts), (0, stocks, first), censored + 1, 2)


def size_hats(track: Track, knots: Floats) -> Hats:
    """Return hat functions of another column's size; its idle spells belong to the lowest knot."""
    size = np.where(track.idle, knots[0], track.size)
    return Hats(tuple(hat_parts(size, knots)), (0,), knots.size, 1)


def hat_parts(values: Floats, knots: Floats) -> list[tuple[Integers, Floats]]:
    """Return the two neighbouring knots of each value and its factors; values beyond the ends belong to them."""
    values = np.clip(values, knots[0], knots[-1])
    low = np.clip(np.searchsorted(knots, values, side="right") - 1, 0, knots.size - 2)
    part = (values - knots[low]) / (knots[low + 1] - knots[low])
    return [(low, 1.0 - part), (low + 1, part)]


def _tally(cell: Integers, points: Integers | Floats, cells: int) -> Integers:
    # Sums of whole numbers far below 2^53 are exact in doubles, whatever their order.
    return np.bincount(cell, points, cells).astype(np.int64)
