"""The next period of synthetic units, learnt from the transitions that the released panel shows already.

How units move was paid for when the panel was first released. A unit of the last period takes over what happened to
units like it (of similar size, last growth and age) in earlier periods, its donors: leaving, or growing by as much.
Which of them is chosen is tilted, by exp(tilt x growth), until bounded sums over the new period meet the answers as far
as these are to be believed. All of it is post-processing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy.spatial import cKDTree

from quantail.arrays import Flags, Floats, Integers
from quantail.frames import PanelData
from quantail.panel.period import Answer
from quantail.panel.scale import PanelScale
from quantail.panel.tuning import (
    AGE_WEIGHT,
    DONOR_JITTER,
    DONORS,
    IDLE_WEIGHT,
    LARGE_STAGE,
    LARGEST_TILT,
    STOCK_AGE,
    TILT_REACH,
    TILT_ROUNDS,
    TILT_STEPS,
    USUAL_SHIFT,
)


@dataclass(frozen=True, eq=False)
class Histories:
    """The first column of a released panel on its scale, with who is there and who in the zero state, shape (n, T)."""

    there: Flags
    size: Floats
    idle: Flags

    @classmethod
    def of(cls, data: PanelData) -> "Histories":
        """Read them off a released panel."""
        column = data.schema.histories[0]
        values = data.values[column.name]
        track = PanelScale.of(column).track(np.nan_to_num(values))
        return cls(~np.isnan(values), np.where(track.idle, 0.0, track.size), track.idle)

    @cached_property
    def first(self) -> Integers:
        """Place of each unit's entry."""
        return np.asarray(self.there.argmax(axis=1))

    @cached_property
    def spread(self) -> float:
        """Standard deviation of sizes."""
        sizes = self.size[self.there & ~self.idle]
        return max(float(sizes.std()), 1e-6) if sizes.size else 1.0

    def features(self, unit: Integers, place: Integers) -> Floats:
        """Return by what units are alike: size, growth since the period before, age, zero state."""
        size, earlier = self.size[unit, place], np.maximum(place - 1, 0)
        before = np.where(self.there[unit, earlier], self.size[unit, earlier], size)
        age = place - self.first[unit] + np.where(self.first[unit] == 0, STOCK_AGE, 0)
        idle = IDLE_WEIGHT * self.idle[unit, place]
        return np.column_stack(
            [size / self.spread, (size - before) / self.spread, AGE_WEIGHT * np.log1p(age), idle]
        )


@dataclass(frozen=True, eq=False)
class Donors:
    """Transitions of the released panel that are like those to come."""

    histories: Histories
    units: Integers  # who is there in the last released period, by place in the panel, shape (m,)
    # unit, place: their donors, and the period from which each goes on, shape (m, DONORS)
    unit: Integers
    place: Integers

    @classmethod
    def of(cls, histories: Histories, rng: np.random.Generator) -> "Donors":
        """Find the nearest transitions; ties are broken at random."""
        unit, place = np.nonzero(histories.there[:, :-1])
        if unit.size > LARGE_STAGE:
            chosen = rng.choice(unit.size, LARGE_STAGE, replace=False)
            unit, place = unit[chosen], place[chosen]
        units = np.flatnonzero(histories.there[:, -1])
        if not unit.size or not units.size:
            none = np.zeros((0, DONORS), dtype=np.int64)
            return cls(histories, units[:0], none, none)
        known = histories.features(unit, place)
        wanted = histories.features(units, np.full(units.size, histories.there.shape[1] - 1))
        known = known + rng.normal(0.0, DONOR_JITTER, known.shape)
        near = cKDTree(known).query(wanted, min(DONORS, unit.size))[1].reshape(units.size, -1)
        return cls(histories, units, unit[near], place[near])

    @cached_property
    def stays(self) -> Flags:
        """Whether a donor was there in its next period."""
        return np.asarray(self.histories.there[self.unit, self.place + 1])

    def staying(self, number: int, rng: np.random.Generator) -> "Donors":
        """Keep so many units; those whose donors left are likelier to be left out."""
        # A handful of donors makes nobody certain to stay or to leave.
        chance = (1.0 + (~self.stays).sum(axis=1)) / (2.0 + self.stays.shape[1])
        many = self.units.size
        if not many:
            return self
        gone = rng.choice(many, many - number, replace=False, p=chance / chance.sum())
        kept = np.setdiff1d(np.arange(many), gone)
        return replace(self, units=self.units[kept], unit=self.unit[kept], place=self.place[kept])

    @cached_property
    def after(self) -> Integers:
        """Place of the donor's next period; of the same one if it left."""
        return np.where(self.stays, self.place + 1, self.place)

    def at(self, chosen: Integers) -> "Followed":
        """Return the donor of each unit, by its number."""
        who = [part[np.arange(chosen.size), chosen] for part in (self.unit, self.place, self.after)]
        return Followed(self.units, who[0], who[1], who[2])


@dataclass(frozen=True, eq=False)
class Followed:
    """Units that continue, the donor of each, and the periods between which it moved."""

    units: Integers
    donor: Integers
    place: Integers
    after: Integers


@dataclass(frozen=True, eq=False)
class Candidates:
    """What may become of every unit that continues: the next size after each of its donors, from low to high."""

    # size, growth, weight: next sizes (-inf in the zero state), bounded growth, and 0 for donors that left, shape
    # (m, DONORS)
    size: Floats
    growth: Floats
    weight: Floats
    donor: Integers  # number of the donor, shape (m, DONORS)
    luck: Floats  # random numbers that choose, the same under every tilt, shape (m,)
    own: Floats  # sizes in the last released period, shape (m,)
    spread: float  # standard deviation of sizes, the unit of growth

    @classmethod
    def of(cls, donors: Donors, rng: np.random.Generator) -> "Candidates":
        """Move every unit as each of its donors moved."""
        seen, unit, place, stays = donors.histories, donors.unit, donors.place, donors.stays
        own = seen.size[donors.units, -1][:, None]
        after = donors.after
        moves = ~(seen.idle[unit, place] | seen.idle[unit, after])
        growth = np.where(moves, seen.size[unit, after] - seen.size[unit, place], 0.0)
        # Out of the zero state a unit takes over its donor's size, within it there is none.
        size = np.where(seen.idle[donors.units, -1][:, None], seen.size[unit, after], own + growth)
        size = np.where(seen.idle[unit, after], -np.inf, size)
        weight = np.where(stays.any(axis=1, keepdims=True), stays, True).astype(np.float64)
        order = np.argsort(size, axis=1, kind="stable")
        growth = np.clip(growth / seen.spread, -TILT_REACH, TILT_REACH)
        size, growth, weight = (np.take_along_axis(part, order, axis=1) for part in (size, growth, weight))
        # A golden-ratio sequence is even on every stretch of neighbours, so that luck moves the few large units little.
        even, luck = (rng.random() + np.arange(len(size)) * 0.6180339887498949) % 1.0, np.empty(len(size))
        luck[np.argsort(own[:, 0], kind="stable")] = even
        return cls(size, growth, weight, order, luck, own[:, 0], seen.spread)

    def chosen(self, tilt: Floats) -> Integers:
        """Return the place of each unit's candidate, given a tilt for each."""
        tilted, moves = self.weight * np.exp(tilt[:, None] * self.growth), self.growth != 0.0
        # Who does not change is as frequent under every tilt.
        whole = (tilted * moves).sum(axis=1, keepdims=True)
        kept = (self.weight * moves).sum(axis=1, keepdims=True) / np.where(whole > 0, whole, 1.0)
        reached = np.cumsum(np.where(moves, tilted * kept, self.weight), axis=1)
        wanted = (self.luck * reached[:, -1])[:, None]
        return np.asarray(np.minimum((reached <= wanted).sum(axis=1), reached.shape[1] - 1))

    def grown(self, tilt: Floats) -> tuple[Floats, Floats]:
        """Return next sizes and growth of all units."""
        at = np.arange(self.luck.size), self.chosen(tilt)
        return self.size[at], self.growth[at]

    def donors(self, tilt: Floats) -> Integers:
        """Return the number of the donor that each unit follows."""
        return self.donor[np.arange(self.luck.size), self.chosen(tilt)]


@dataclass(frozen=True, eq=False)
class Tilting:
    """The search for tilts under which the new period meets its answers.

    One tilt is common to all units, and meets the capped total. Another one of large units alone keeps what lies above
    the cap, which was not asked for, at the share that it has in the released panel: without it a few units that happen
    to grow would run away over the years.
    """

    candidates: Candidates  # of the units that continue
    scale: PanelScale  # of the first column
    total: Answer  # what was released
    born: Floats  # values of units that are new, which stay as they are
    above: float  # what lies above the cap in the released panel, over what lies below

    def found(self) -> Floats:
        """Return the tilt of every unit."""
        large = np.abs(next_values(self.scale, self.candidates.own)) > self.total.width / 2
        common = lean = 0.0
        if not large.size:
            return np.zeros(0)
        usual = float(self.candidates.grown(np.zeros(large.size))[1].mean())
        for _ in range(TILT_ROUNDS):
            if large.any():
                lean = _bisected(partial(self._excess, np.full(large.size, common), large))
            common = _bisected(partial(self._pull, np.where(large, lean, 0.0), usual))
        return np.asarray(common + lean * large)

    def _values(self, size: Floats) -> Floats:
        return np.concatenate([next_values(self.scale, size), self.born])

    def _excess(self, common: Floats, large: Flags, lean: float) -> float:
        """Return what lies above the cap, less what is expected there."""
        values = np.abs(self._values(self.candidates.grown(common + lean * large)[0]))
        below = np.minimum(values, self.total.width).sum()
        return float(values.sum() - below - self.above * below)

    def _pull(self, lean: Floats, usual: float, common: float) -> float:
        """Return how much a common shift downwards would better the fit; a usual shift speaks against a large one."""
        size, growth = self.candidates.grown(lean + common)
        terms = self.total.terms(self._values(size))
        inside = np.abs(terms) < 1.0  # a shift of sizes by their spread moves all who are not at a bound
        moved = np.abs(terms[inside]).sum() if self.scale.scale.log else inside.sum() / self.total.width
        slope = self.candidates.spread * moved
        pull = (terms.sum() - self.total.sum) * slope / self.total.deviation**2
        return float(pull + (growth.mean() - usual) / USUAL_SHIFT**2)


def _bisected(pull: Callable[[float], float]) -> float:
    """Return the tilt at which an increasing function is zero, within bounds."""
    low, high = -LARGEST_TILT, LARGEST_TILT
    for _ in range(TILT_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if pull(middle) < 0 else (low, middle)
    return (low + high) / 2


def above_cap(values: Floats, cap: float) -> float:
    """Return what released values have above a cap, over what they have below."""
    values = np.abs(values[~np.isnan(values)])
    below = float(np.minimum(values, cap).sum())
    return (float(values.sum()) - below) / below if below > 0 else 0.0


def next_values(scale: PanelScale, size: Floats) -> Floats:
    """Return values of next sizes; 0 in the zero state."""
    idle = np.isinf(size)
    return np.where(idle, 0.0, scale.value(np.where(idle, 0.0, size)))
