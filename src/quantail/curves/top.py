"""The top of a number, set right where synthetic values are drawn: a monotone map that keeps ranks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quantail.arrays import Floats
from quantail.curves.cap import capped
from quantail.curves.scale import Scale
from quantail.curves.tuning import (
    KNOTS_PER_HALVING,
    LONGEST_TABLES,
    OUTERMOST_ROW,
    STEEPEST_MAP,
)


@dataclass(frozen=True)
class Top:
    """A map of values on the modelling scale: as they are up to the first knot, then linear between knots."""

    # knots, values: what the model implies, and what it becomes
    knots: tuple[float, ...]
    values: tuple[float, ...]
    slope: float  # how steep the map is beyond the last knot
    highest: float  # no value is beyond this

    def __post_init__(self) -> None:
        """Refuse a map that falls, as a damaged file may hold."""
        rising = all(np.diff(self.knots) > 0) and all(np.diff(self.values) >= 0)
        if not self.knots or len(self.knots) != len(self.values) or not rising or not self.slope >= 0:
            raise ValueError("a top that does not rise")

    def __call__(self, y: Floats) -> Floats:
        """Map values."""
        knots = np.asarray(self.knots)
        inside = np.interp(y, knots, self.values)
        beyond = inside + self.slope * np.maximum(y - knots[-1], 0.0)
        return np.where(y <= knots[0], y, np.minimum(beyond, self.highest))

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        knots, values = list(self.knots), list(self.values)
        return {"knots": knots, "values": values, "slope": self.slope, "highest": self.highest}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "Top":
        """Rebuild a map from `to_dict`."""
        return cls(tuple(form["knots"]), tuple(form["values"]), form["slope"], form["highest"])


@dataclass(frozen=True, eq=False)
class Implied:
    """What a model implies for a column: simulated values beyond an atom at its lowest value, or above zero.

    Of a column on both sides of zero each side has a tail of its own, however many rows lie on the other.
    """

    ordered: Floats  # ascending, on the modelling scale
    share: float  # simulated rows among them, out of those that have a number
    scale: Scale

    @classmethod
    def of(cls, simulated: Floats, scale: Scale) -> "Implied":
        """Sort simulated values of rows that have a number."""
        _, atom = scale.lowest_cell if scale.lower >= 0 else scale.zero_cell
        beyond = simulated[simulated > atom]
        return cls(np.sort(beyond), beyond.size / max(simulated.size, 1), scale)

    def modelled(self, levels: Floats) -> Floats:
        """Return quantiles on the modelling scale."""
        return np.asarray(np.quantile(self.ordered, levels, method="hazen"))

    def quantile(self, levels: Floats) -> Floats:
        """Return quantiles in the column's unit, none negative."""
        return np.maximum(self.scale.unfolded(self.modelled(levels)), 0.0)

    def top_levels(self, share: float) -> Floats:
        """Return levels from 1 - share on, ever closer to 1, up to the highest simulated row."""
        rarest = min(OUTERMOST_ROW / self.ordered.size, share / 2)
        number = max(round(KNOTS_PER_HALVING * np.log2(share / rarest)), 2)
        return np.asarray(1 - np.geomspace(share, rarest, number))


def fit_cap(implied: Implied, rows: float, known: float = 0.0, released: float = 1.0) -> Top | None:
    """Return the map that holds a column to its cap; None where the model keeps to it by itself.

    Up to the level `known` counts tell where rows are, and the cap says nothing; beyond the level `released`, that of
    the last released quantile, it says more.

    Examples
    --------
    >>> scale = Scale(log=True, step=1.0, lower=0.0, upper=1e12, crossover=1.0)
    >>> even = (np.arange(4096) + 0.5) / 4096
    >>> fit_cap(Implied.of(scale.forward(100 * (1 - even) ** -0.5), scale), 4096) is None
    True
    >>> fit_cap(Implied.of(scale.forward(100 * (1 - even) ** -2.0), scale), 4096) is None
    False
    """
    levels = implied.top_levels(0.5)
    found = implied.quantile(levels)
    limit = capped(implied.quantile, levels, implied.scale.crossover, known, released)
    if np.all(found <= limit):
        return None
    (highest,) = capped(implied.quantile, rarest_level(rows), implied.scale.crossover, known, released)
    return top_of(implied, levels, np.minimum(found, limit), float(highest))


def rarest_level(rows: float) -> Floats:
    """Return the level beyond which no value is drawn: one row in a few tables of so many.

    What lies further out would be the luck of one synthetic row, and it would decide the total.
    """
    return np.array([1 - 1 / (LONGEST_TABLES * max(rows, 1.0))])


def top_of(implied: Implied, levels: Floats, wanted: Floats, highest: float) -> Top:
    """Return the map that turns implied quantiles at levels into wanted ones, which are in the column's unit."""
    knots = implied.modelled(levels)
    values = np.maximum.accumulate(implied.scale.forward(wanted))
    first = int(np.argmax(np.abs(values - knots) > 1e-9))
    start = max(first - 1, 0)
    knots, values = knots[start:], values[start:]
    values[0] = min(values[0], knots[0])
    rising = np.concatenate([[True], np.diff(knots) > 0])
    knots, values = knots[rising], values[rising]
    (end,) = implied.scale.forward(np.array([highest]))
    slope = _outer_slope(knots, values)
    return Top(tuple(knots.tolist()), tuple(values.tolist()), slope, max(float(end), float(values[0])))


def _outer_slope(knots: Floats, values: Floats) -> float:
    """Return how steep a map goes on: as over its last few halvings, within limits."""
    back = max(knots.size - 2 * KNOTS_PER_HALVING, 0)
    run = knots[-1] - knots[back]
    return float(np.clip((values[-1] - values[back]) / run, 0.0, STEEPEST_MAP)) if run > 0 else 0.0
