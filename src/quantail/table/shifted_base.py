"""The base law of a number as tables shift it: logarithms of its cells, with their derivative, for a fit by gradients.

A table that ends in a number says of every group of rows how its cells are filled. Where a label moves what slopes
leave over, one shift of the base law says so for all cells at once, and within them; factors are left with the rest.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quantail.table.forward import FieldSampler
from quantail.table.law import Contexts

Floats = NDArray[np.float64]

_POINTS = 1001
_BEYOND = 6.0  # spreads of the law that shifts may reach beyond what slopes do


@dataclass(frozen=True, eq=False)
class ShiftedBase:
    """Logarithms of the base law in the cells of every context.

    Attributes
    ----------
    implied : array
        What it is on average, without shifts.
    eta : array
        What slopes add in every context.
    grid : array
        Even points to which the law may be shifted; empty if no table shifts it.
    logs : array
        A row for every point of the grid, linear between them; without a grid a row for every context.
    spread : float
        Spread of the base law: the unit of shifts.
    """

    implied: Floats
    eta: Floats
    grid: Floats
    logs: Floats
    spread: float

    @classmethod
    def of(cls, sampler: FieldSampler, moving: bool) -> "ShiftedBase":
        """Tabulate the base law of a field, for every bin of eta; `moving` says whether tables may shift it.

        No table changes what it says: once is enough for all rounds of a fit.
        """
        implied, centres = sampler.implied_logs(), np.asarray(sampler.law.centres)
        if not moving or sampler.base is None:
            return cls(implied, centres, np.zeros(0), sampler.shifted_logs(centres), 1.0)
        spread = sampler.base.width
        grid = np.linspace(centres.min() - _BEYOND * spread, centres.max() + _BEYOND * spread, _POINTS)
        return cls(implied, centres, grid, sampler.shifted_logs(grid), spread)

    def seen_in(self, contexts: Contexts) -> "ShiftedBase":
        """Return the base law of all bins as contexts see it."""
        bins = contexts.bins
        return replace(self, eta=self.eta[bins], logs=self.logs if self.grid.size else self.logs[bins])

    @cached_property
    def tilts(self) -> Floats:
        """Logarithms of cells over their average, the same in every step of a fit."""
        return self.logs - self.implied

    @cached_property
    def steps(self) -> Floats:
        """How they change from a point of the grid to the next."""
        return np.diff(self.logs, axis=0)

    def tilt(self, shifts: Floats) -> tuple[Floats, Floats | None]:
        """Return, for every context, logarithms of cells over their average, and how they change with its shift.

        None in place of the second where no table shifts the law.
        """
        if not self.grid.size:
            return self.tilts, None
        step = self.grid[1] - self.grid[0]
        place = (self.eta + shifts - self.grid[0]) / step
        place = np.minimum(np.maximum(place, 0.0), self.grid.size - 1.001)
        index = place.astype(np.int64)
        change = self.steps.take(index, axis=0, mode="clip")
        tilt = change * (place - index)[:, None]
        tilt += self.tilts.take(index, axis=0, mode="clip")
        change /= step
        return tilt, change
