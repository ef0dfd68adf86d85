"""Where panels are simulated while a model is fitted to them: public spells, a draw of luck, and the size map.

The size map is the monotone function under which simulated sizes have the released distribution. It is found
anew for every simulation, so that whatever else a model does, its sizes are distributed as released.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quantail.panel.curve import Curve
from quantail.panel.latent import Draws, Dynamics, simulate
from quantail.panel.scale import PanelScale
from quantail.panel.tables import LATTICE, Hats, Track, spell_points
from quantail.panel.unit_periods import Spells

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Features = list[tuple[NDArray[np.int64], Floats]]

_KNOTS = 512
_FADE = 0.75  # how much of a cohort's effect is left after a period


@dataclass(frozen=True, eq=False)
class Stage:
    """A public skeleton with its luck.

    Attributes
    ----------
    spells : Spells
        All units, or a part of them drawn at random.
    hats : Hats
        Hat functions whose effects act on latent sizes.
    draws : Draws
        The luck.
    scale : PanelScale, optional
        Scale of the column, which rounds; None where sizes are ratios.
    ratio : float
        Units of the panel over units of this stage.
    idle : bool array, optional
        Which spells are in the zero state, if that is known.
    """

    spells: Spells
    hats: Hats
    draws: Draws
    scale: PanelScale | None
    ratio: float = 1.0
    idle: Flags | None = None

    @cached_property
    def points(self) -> Floats:
        """Points of every spell, as shares of a unit."""
        return spell_points(self.spells) / LATTICE

    @cached_property
    def features(self) -> Features:
        """Which effects act on each spell, and with which factor: period, hats, cohort of birth."""
        spells = self.spells
        cohort = np.where(spells.stock, 0.0, _FADE**spells.age)
        hats = [(spells.periods + cell, factor) for cell, factor in self.hats.parts]
        last = spells.periods + self.hats.number + spells.first[spells.unit]
        return [(spells.place, np.ones(len(spells))), *hats, (last, cohort)]

    @property
    def shifts(self) -> int:
        """How many effects act on latent sizes."""
        return 2 * self.spells.periods + self.hats.number

    @property
    def effects(self) -> int:
        """How many effects there are: shifts, one on the scale of shocks by period, one on the trend of the spread."""
        return self.shifts + self.spells.periods + 1

    @cached_property
    def trend(self) -> Floats:
        """Periods from -1 to 1."""
        return np.asarray(2.0 * self.spells.place / max(self.spells.periods - 1, 1) - 1.0)

    def simulate(self, dynamics: Dynamics, effects: Floats) -> Track:
        """Simulate latent sizes."""
        shifts, rest = effects[: self.shifts], effects[self.shifts :]
        unrest, spread = rest[self.spells.place], rest[-1] * self.trend
        acting = np.asarray(sum(factor * shifts[cell] for cell, factor in self.features))
        return simulate(self.spells, dynamics, acting, spread, unrest, self.draws, self.idle)

    def size_map(self, latent: Track, curve: Curve) -> tuple[Floats, Floats]:
        """Return knots of the map from latent sizes to sizes on the modelling scale."""
        there = ~latent.idle
        size, points = latent.size[there], self.points[there]
        if not size.size:
            return np.array([0.0, 1.0]), np.full(2, curve.centre)
        low, high = float(size.min()), float(size.max()) + 1e-9
        ends = np.linspace(low, high, _KNOTS + 1)
        cell = np.minimum(((size - low) * (_KNOTS / (high - low))).astype(np.int64), _KNOTS - 1)
        below = np.concatenate([[0.0], np.cumsum(np.bincount(cell, points, _KNOTS))])
        # The largest of n stands for the upper end of its n-th part, not for the end of the distribution.
        return ends, curve.at(below / below[-1] * (1.0 - 0.5 / size.size))

    def show(self, latent: Track, knots: tuple[Floats, Floats], shift: float | Floats = 0.0) -> Track:
        """Return what the column would show of latent sizes, moved by a shift."""
        size = np.interp(latent.size + shift, *knots)
        return Track(size if self.scale is None else self.scale.seen(size), latent.idle)

    def value(self, shown: Track) -> Floats:
        """Return sizes in the column's unit."""
        assert self.scale is not None
        return np.where(shown.idle, 0.0, self.scale.value(shown.size))
