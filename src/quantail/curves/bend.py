"""A bend: how the median and the spread of a residual change along one predictor (local ladders, DESIGN 4.3).

The predictor is cut into K bins at its released quantiles (or into its categories). In each bin a three-rung ladder
releases the 20, 50 and 80 percent quantiles of the residual; bins hold disjoint rows, so they share the budget.
Against the released overall quantiles this gives, per bin, a shift of the median and two log ratios of spread, each
shrunk towards no change by its known noise (James-Stein), so that where nothing bends the bend disappears.

Applied to a residual r around the overall median M:   e = M + (r - M - shift(x)) / spread(x),
with shift and log spread linear between bin centres, and separate spreads below and above the median: e is
increasing in r, so quantiles never cross.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves.ladder import climb, count_blocks
from quantail.curves.rows import Vector
from quantail.privacy import Gate, Plan

Floats = NDArray[np.float64]

LEVELS = (Fraction(1, 5), Fraction(1, 2), Fraction(4, 5))
_MOST_STRETCH = np.log(20.0)


@dataclass(frozen=True)
class Bend:
    """Shifts and spreads along one predictor.

    Attributes
    ----------
    centres : tuple of float
        Bin centres of a numeric predictor, or the category codes.
    shift, below, above : tuple of float
        Per bin: shift of the median, log spread below and above it.
    middle : float
        The overall median that spreads are measured from.
    steps : bool
        True for categories: each row takes its own bin's values, nothing is interpolated.
    """

    centres: tuple[float, ...]
    shift: tuple[float, ...]
    below: tuple[float, ...]
    above: tuple[float, ...]
    middle: float
    steps: bool

    def flatten(self, residual: Floats, x: Floats) -> Floats:
        """Take the bend out of a residual."""
        shift, below, above = self._at(x)
        r = residual - self.middle - shift
        return np.asarray(self.middle + r * np.exp(-np.where(r < 0, below, above)))

    def restore(self, flat: Floats, x: Floats) -> Floats:
        """Put the bend back (the inverse of `flatten`)."""
        shift, below, above = self._at(x)
        r = flat - self.middle
        return np.asarray(self.middle + shift + r * np.exp(np.where(r < 0, below, above)))

    def _at(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        tables = (self.shift, self.below, self.above)
        if self.steps:
            codes = x.astype(np.int64)
            a, b, c = (np.asarray(table)[codes] for table in tables)
        else:
            a, b, c = (np.interp(x, self.centres, table) for table in tables)
        return a, b, c

    def spread_over(self, places: NDArray[np.int64]) -> "Bend":
        """Return the bend of more categories: those at a place of this bend have its effect, others (-1) have none."""
        tables = (np.append(table, 0.0)[places] for table in (self.shift, self.below, self.above))
        shift, below, above = (tuple(table.tolist()) for table in tables)
        codes = tuple(np.arange(places.size, dtype=np.float64).tolist())
        return Bend(codes, shift, below, above, self.middle, self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in vars(self).items()}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> "Bend":
        """Rebuild a bend from `to_dict`."""
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in form.items()}
        return cls(**fields)


def draw_bend(
    gate: Gate,
    leaves: Sequence[Plan],
    residual: Vector | Floats,
    bins: Vector | NDArray[np.int64],
    expected: Floats,
    centres: Floats,
    overall: Floats,
    grid: Floats,
    noise_rows: float,
    steps: bool,
) -> Bend:
    """Release a bend.

    Parameters
    ----------
    residual, bins : Vector or array
        Confidential residuals and the bin of each row.
    expected : array
        Public expected number of rows per bin, used to judge the noise only.
    overall : array
        Released overall quantiles of the residual at `LEVELS`.
    noise_rows : float
        Scale of the noise of one selection, in rows.
    """
    count = partial(count_blocks, blocks=expected.size, grid=grid)
    cells = Vector.of(residual).total(count, Vector.of(bins))
    local = climb(gate, leaves, cells, LEVELS, grid)
    low, middle, high = overall
    # Released quantiles may coincide (an atom), but nothing is narrower than a step between candidates.
    span = max(float(high - low), float(np.diff(grid).min()) if grid.size > 1 else 1.0)
    # One row is worth this much at the median, in units of the residual.
    per_row = span / (0.6 * expected)
    deviation = np.sqrt(noise_rows**2 + expected / 4) * per_row
    shift = _shrunk(local[:, 1] - middle, deviation, expected)
    sides = (
        np.log(_spread(local[:, 1] - local[:, 0], span) / _spread(middle - low, span)),
        np.log(_spread(local[:, 2] - local[:, 1], span) / _spread(high - middle, span)),
    )
    noise = 2.0 * np.sqrt(2 * noise_rows**2 + 0.21 * expected) / (0.3 * expected)
    below, above = (np.clip(_shrunk(side, noise, expected), -_MOST_STRETCH, _MOST_STRETCH) for side in sides)
    return Bend(
        tuple(centres.tolist()),
        tuple(shift.tolist()),
        tuple(below.tolist()),
        tuple(above.tolist()),
        middle=float(middle),
        steps=steps,
    )


def _spread(gap: Floats, overall: float) -> Floats:
    return np.maximum(gap, overall * 0.01)


def _shrunk(effect: Floats, deviation: Floats, weight: Floats) -> Floats:
    """Return effects around their common mean, shrunk by what noise alone could explain.

    Two standard deviations of chi^2 are granted to the noise, so that a bend appears only where there is one.
    """
    mean = float(np.average(effect, weights=weight))
    chi = float(np.sum(((effect - mean) / deviation) ** 2))
    freedom = max(effect.size - 1, 1)
    kept = max(0.0, 1.0 - (freedom + 2 * np.sqrt(2 * freedom)) / max(chi, 1e-12))
    return np.asarray(kept * (effect - mean))
