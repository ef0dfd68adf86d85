"""The released model of a column made of quantile lines, as in the paper: frozen, JSON in and out.

With x the values of earlier columns on their modelling scales,

    m(x) = base + sum_k slope_k (x_k - centre_k)                      the median plane
    v(x) = (m(x) - low) / (high - low), cut off at 0 and 1            the index, low and high released
    line_tau(x) = m(x) + (1 - v) at_low_tau + v at_high_tau           cut off at the public bounds

Fixed slopes are at_low = at_high. Two lines are in order for every x if their offsets are in order at both ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from quantail.arrays import Floats
from quantail.curves import Scale
from quantail.curves.balanced import balanced_uniform
from quantail.curves.slope import Slope
from quantail.orders.levels import level_weights
from quantail.orders.lines import line_values
from quantail.orders.settings import STORED, Draw, read_draw


@dataclass(frozen=True)
class LinesModel:
    """The released lines of a numeric or integer column."""

    name: str
    scale: Scale
    base: float
    slopes: tuple[Slope, ...]
    # low, high: predictions of the median plane where the index is 0 and 1
    low: float
    high: float
    taus: tuple[float, ...]  # levels in rising order
    # at_low, at_high: offsets of the lines from the median plane at both ends of the index
    at_low: tuple[float, ...]
    at_high: tuple[float, ...]
    # "quantiles" picks a line at random, as likely as the stretch between the midpoints to its neighbours
    # (Pistner); "interpolate" draws a uniform level and goes straight from line to line, and no farther than the
    # outermost ones (Huckett and Larsen)
    draw: Draw

    def __post_init__(self) -> None:
        """Refuse a model whose parts do not fit together."""
        if not len(self.taus) == len(self.at_low) == len(self.at_high) > 0 or not self.low < self.high:
            raise ValueError("lines do not fit together")
        if not all(a < b for a, b in pairwise((0.0, *self.taus, 1.0))):
            raise ValueError("levels are not in rising order between 0 and 1")

    def centre(self, earlier: Mapping[str, Floats], n: int) -> Floats:
        """Return the median plane at values of earlier columns."""
        return np.asarray(self.base + explained(self.slopes, earlier, n))

    def index(self, centre: Floats) -> Floats:
        """Return the index of predictions of the median plane."""
        return np.clip((centre - self.low) / (self.high - self.low), 0.0, 1.0)

    def lines(self, earlier: Mapping[str, Floats], n: int) -> Floats:
        """Return every line at values of earlier columns, an array (levels, n)."""
        centre = self.centre(earlier, n)
        offsets = np.column_stack([self.at_low, self.at_high])[:, None, :]
        return self._bounded(centre + line_values(offsets, self.index(centre)))

    def build(self, u: Floats, earlier: Mapping[str, Floats]) -> Floats:
        """Return values on the modelling scale from uniform draws."""
        centre = self.centre(earlier, u.size)
        place = self._places(u)
        ends = [np.interp(place, np.arange(len(self.taus)), at) for at in (self.at_low, self.at_high)]
        return self._bounded(centre + line_values(np.column_stack(ends), self.index(centre)))

    def _places(self, u: Floats) -> Floats:
        """Return which line each draw falls on, or how far it lies between two of them."""
        if self.draw == "interpolate":
            return np.interp(u, self.taus, np.arange(len(self.taus)))
        ends = np.cumsum(level_weights(self.taus, "midpoint"))
        places = np.searchsorted(ends[:-1], u, side="right")
        return places.astype(np.float64)

    def _bounded(self, values: Floats) -> Floats:
        low, high = self.scale.ends
        return np.clip(values, low, high)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {
            "name": self.name,
            "kind": "lines",
            "scale": vars(self.scale),
            "base": self.base,
            "slopes": [vars(slope) for slope in self.slopes],
            "low": self.low,
            "high": self.high,
            "taus": list(self.taus),
            "at_low": list(self.at_low),
            "at_high": list(self.at_high),
            "draw": STORED.get(self.draw, self.draw),
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "LinesModel":
        """Rebuild a column from `to_dict`."""
        if form["kind"] != "lines":
            raise ValueError("not a column of lines")
        return cls(
            form["name"],
            Scale(**form["scale"]),
            form["base"],
            tuple(Slope(**slope) for slope in form["slopes"]),
            form["low"],
            form["high"],
            tuple(form["taus"]),
            tuple(form["at_low"]),
            tuple(form["at_high"]),
            read_draw(form["draw"]),
        )


def explained(slopes: Sequence[Slope], earlier: Mapping[str, Floats], n: int) -> Floats:
    """Return what slopes explain, row by row: the same numbers for private and for synthetic rows of one kind."""
    total = np.zeros(n)
    for slope in slopes:
        total = total + slope.slope * (earlier[slope.on] - slope.centre)
    return total


def draw_lines(
    columns: Sequence[LinesModel], n: int, rng: np.random.Generator, balanced: bool = False
) -> dict[str, Floats]:
    """Draw n synthetic rows on the modelling scales: post-processing, free of charge."""
    uniform = balanced_uniform(len(columns), n, rng) if balanced else rng.random((len(columns), n))
    values: dict[str, Floats] = {}
    for column, u in zip(columns, uniform, strict=True):
        values[column.name] = column.build(u, values)
    return values
