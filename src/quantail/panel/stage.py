"""Where panels are simulated while a model is fitted to them: public unit-periods, common random numbers, size map.

The size map is the monotone function under which simulated sizes have the released distribution. It is found
anew for every simulation, so that whatever else a model does, its sizes are distributed as released.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quantail.arrays import Flags, Floats, Integers
from quantail.panel.curve import Curve, Line
from quantail.panel.latent import Draws, Dynamics, simulate
from quantail.panel.scale import PanelScale
from quantail.panel.size_map import SizeMap
from quantail.panel.tables import LATTICE, LagPairs, Splines, Track, lag_pairs, period_points, sum_points
from quantail.panel.tuning import COHORT_FADE, SIZE_MAP_KNOTS
from quantail.panel.unit_periods import UnitPeriods

Features = list[tuple[Integers, Floats]]


@dataclass(frozen=True, eq=False)
class Stage:
    """Public unit-periods with the random numbers of their simulation."""

    unit_periods: UnitPeriods  # all units, or a part of them drawn at random
    splines: Splines  # linear splines whose effects act on latent sizes
    draws: Draws  # the random numbers, drawn once for all simulations on this stage (common random numbers)
    scale: PanelScale | None  # scale of the column, which rounds; None where sizes are ratios
    ratio: float = 1.0  # units of the panel over units of this stage
    idle: Flags | None = None  # which unit-periods are in the zero state, if that is known

    @cached_property
    def points(self) -> Floats:
        """Points of every unit-period, as shares of a unit."""
        return period_points(self.unit_periods) / LATTICE

    @cached_property
    def pairs(self) -> tuple[LagPairs, ...]:
        """Pairs of unit-periods at every lag."""
        return lag_pairs(self.unit_periods)

    @cached_property
    def features(self) -> Features:
        """Which effects act on each unit-period, and with which factor: period, splines, cohort of birth."""
        unit_periods = self.unit_periods
        cohort = np.where(unit_periods.stock, 0.0, COHORT_FADE**unit_periods.age)
        splines = [(unit_periods.periods + cell, factor) for cell, factor in self.splines.parts]
        last = unit_periods.periods + self.splines.number + unit_periods.first[unit_periods.unit]
        return [(unit_periods.place, np.ones(len(unit_periods))), *splines, (last, cohort)]

    @property
    def shifts(self) -> int:
        """How many effects act on latent sizes."""
        return 2 * self.unit_periods.periods + self.splines.number

    @property
    def effects(self) -> int:
        """How many effects there are: shifts, one on the scale of shocks by period, one on the trend of the spread."""
        return self.shifts + self.unit_periods.periods + 1

    @cached_property
    def trend(self) -> Floats:
        """Periods from -1 to 1."""
        periods = self.unit_periods.periods
        return np.asarray(2.0 * np.arange(periods) / max(periods - 1, 1) - 1.0)

    def simulate(self, dynamics: Dynamics, effects: Floats) -> Track:
        """Simulate latent sizes."""
        shifts, rest = effects[: self.shifts], effects[self.shifts :]
        place = self.unit_periods.place
        unrest, spread = np.exp(rest[:-1])[place], np.exp(rest[-1] * self.trend)[place]
        acting = np.asarray(sum(factor * shifts[cell] for cell, factor in self.features))
        return simulate(self.unit_periods, dynamics, acting, spread, unrest, self.draws, self.idle)

    def size_map(self, latent: Track, curve: Curve) -> SizeMap:
        """Return the map from latent sizes to sizes on the modelling scale."""
        there = ~latent.idle
        size, points = latent.size[there], self.points[there]
        if not points.any():  # nobody has a size: all are in the zero state, away or missing
            return SizeMap(np.array([0.0, 1.0]), np.full(2, curve.centre))
        low, high = float(size.min()), float(size.max()) + 1e-9
        ends = np.linspace(low, high, SIZE_MAP_KNOTS + 1)
        cell = np.minimum(
            ((size - low) * (SIZE_MAP_KNOTS / (high - low))).astype(np.int64), SIZE_MAP_KNOTS - 1
        )
        below = np.concatenate([[0.0], np.cumsum(np.bincount(cell, points, SIZE_MAP_KNOTS))])
        # The largest of n stands for the upper end of its n-th part, not for the end of the distribution.
        return SizeMap(ends, curve.at(below / below[-1] * (1.0 - 0.5 / size.size)))

    def capped_total(self, latent: Track, cap: float) -> Callable[[Line], float]:
        """Return how the capped sum of values, in units of the cap, depends on the curve that sizes have.

        Sizes keep their order under every curve: what is summed up are levels, denser towards the top.
        """
        there = np.flatnonzero(~latent.idle)
        order = there[np.argsort(latent.size[there])]
        below = np.cumsum(self.points[order])
        levels = (below - 0.5 * self.points[order]) / max(float(self.points[order].sum()), 1e-9)
        ends = 1.0 - np.concatenate([np.linspace(1.0, 0.2, 80), np.geomspace(0.19, 1e-6, 200)])
        cell = np.searchsorted(ends, levels, side="right")
        points = sum_points(self.unit_periods)[order] * (self.ratio / LATTICE)
        weights, sums = (np.bincount(cell, w, ends.size + 1) for w in (points, points * levels))
        middles, scale = sums / np.maximum(weights, 1e-300), self.scale
        assert scale is not None
        return lambda line: float(weights @ np.clip(scale.value(line.at(middles)) / cap, -1.0, 1.0))

    def show(self, latent: Track, sizes: SizeMap, shift: float | Floats = 0.0) -> Track:
        """Return what the column would show of latent sizes, moved by a shift."""
        size = sizes.at(latent.size + shift)
        return Track(size if self.scale is None else self.scale.seen(size), latent.idle)

    def value(self, shown: Track) -> Floats:
        """Return sizes in the column's unit."""
        assert self.scale is not None
        return np.where(shown.idle, 0.0, self.scale.value(shown.size))
