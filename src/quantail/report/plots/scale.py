"""From values to places along an axis: linear, logarithmic, or logarithmic in both directions around zero.

Heavy-tailed columns are unreadable on a linear axis, and many hold zeros or negative values that a logarithm
cannot place. The signed scale is asinh(value / width): linear within `width` of zero, logarithmic beyond.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from quantail.arrays import Floats
from quantail.evaluation.tails import is_heavy
from quantail.report.plots.numbers import day, short

Kind = Literal["linear", "log", "signed", "date"]

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """An axis from `low` to `high`."""

    # low, high: ends in the unit of the values; equal ends are spread a little
    low: float
    high: float
    kind: Kind = "linear"  # a log axis needs positive ends; dates are seconds since 1970
    width: float = 1.0  # signed axes only: what counts as close to zero

    def __post_init__(self) -> None:
        if self.low == self.high:
            shift = abs(self.low) * 0.1 or 1.0
            object.__setattr__(self, "low", self.low - shift)
            object.__setattr__(self, "high", self.high + shift)

    def place(self, values: ArrayLike) -> Floats:
        """Give the places of values, 0 at the low end and 1 at the high end; beyond them, what is beyond."""
        low, high = self._bend(np.array([self.low, self.high]))
        return np.asarray((self._bend(np.asarray(values, dtype=float)) - low) / (high - low))

    def value(self, places: ArrayLike) -> Floats:
        """Give the values at places between 0 and 1."""
        low, high = self._bend(np.array([self.low, self.high]))
        bent = low + np.asarray(places, dtype=float) * (high - low)
        if self.kind == "log":
            return np.asarray(np.exp(bent))
        return np.asarray(np.sinh(bent) * self.width if self.kind == "signed" else bent)

    def ticks(self, most: int = 5) -> list[tuple[float, str]]:
        """List at most `most` round values within the axis, with their labels."""
        if self.kind == "date":
            return _date_ticks(self.low, self.high, most)
        if self.kind == "linear":
            return _linear_ticks(self.low, self.high, most)
        values = _powers(self, most) if self.kind == "log" else _signed_powers(self, most)
        if len(values) < 2:  # less than a power of ten between the ends
            return [tick for tick in _linear_ticks(self.low, self.high, most) if self._holds(tick[0])]
        return [(value, short(value)) for value in values]

    def _holds(self, value: float) -> bool:
        return self.kind != "log" or value > 0

    def _bend(self, values: Floats) -> Floats:
        if self.kind == "log":
            return np.asarray(np.log(np.maximum(values, np.finfo(float).tiny)))
        return np.asarray(np.arcsinh(values / self.width) if self.kind == "signed" else values)


def fitting(values: Floats, heavy: bool | None = None) -> Scale:
    """Choose an axis for a column: logarithmic if its tail is long (or `heavy` says so), linear otherwise."""
    low, high = float(values.min()), float(values.max())
    if not (is_heavy(values) if heavy is None else heavy) or low == high:
        return Scale(low, high)
    if low > 0:
        return Scale(low, high, "log")
    sizes = np.abs(values[values != 0])
    # Ten percent of the values that are not zero lie in the linear part.
    return Scale(low, high, "signed", float(np.quantile(sizes, 0.1)))


def _linear_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in _STEPS if power * factor >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [number * step for number in range(first, last + 1)]
    digits = 3 + max(0, math.ceil(math.log10(max(map(abs, values), default=1.0) / step or 1.0)) - 2)
    return [(value, short(value, digits)) for value in values]


def _date_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """First days of years, or of months within a few years, or else moments evenly apart."""
    ends = np.array([low, high]).astype("datetime64[s]")
    for unit, steps in (("Y", (100, 50, 20, 10, 5, 2, 1)), ("M", (6, 3, 1))):
        first, last = (ends.astype(f"datetime64[{unit}]").astype(int) + 1).tolist()
        for step in reversed(steps):
            marks = [mark for mark in range(first, last) if mark % step == 0]
            if 2 <= len(marks) <= most:
                dates = np.array(marks).astype(f"datetime64[{unit}]")
                return list(
                    zip(dates.astype("datetime64[s]").astype(float).tolist(), map(str, dates), strict=True)
                )
    return [(value, day(value)) for value in np.linspace(low, high, 3).tolist()]


def _powers(scale: Scale, most: int) -> list[float]:
    first, last = (math.log10(end) for end in (scale.low, scale.high))
    exponents = range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)
    every = -(-len(exponents) // most) or 1
    chosen = [10.0**exponent for exponent in exponents if exponent % every == 0]
    if len(exponents) == 1 or (len(chosen) < 3 and last - first < 2.5):
        fine = [10.0**e * f for e in range(math.floor(first), math.floor(last) + 1) for f in (1, 2, 5)]
        chosen = [value for value in fine if scale.low <= value <= scale.high]
        chosen = chosen if len(chosen) <= most + 1 else chosen[:: -(-len(chosen) // most)]
    return chosen


def _signed_powers(scale: Scale, most: int) -> list[float]:
    """Zero and powers of ten on both sides, none too close to its neighbour."""
    top = math.floor(math.log10(max(abs(scale.low), abs(scale.high), scale.width)) + 1e-9)
    bottom = math.floor(math.log10(scale.width))
    sizes = [10.0**exponent for exponent in range(top, bottom - 1, -1)]
    wanted = sorted((sign * size for size in sizes for sign in (1, -1)), key=lambda value: -abs(value))
    gap = 1 / (most + 1)
    chosen: list[float] = [0.0] if scale.low <= 0 <= scale.high else []
    for value in (value for value in wanted if scale.low <= value <= scale.high):
        if all(abs(scale.place(value) - scale.place(other)) >= gap for other in chosen):
            chosen.append(value)
    return sorted(chosen)
