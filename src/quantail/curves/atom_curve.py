"""The quantile function of a column with an atom at its lowest value (zeros). Post-processing: costs nothing.

Quantiles in the cell of the column's lowest value, with all others far above, say that many rows have it. They tell
nothing of the other rows: the curve (`curve.py`) is fitted to the quantiles beyond, and the rows in the atom are taken
to reach halfway, on the logistic scale, from the last level in it to the first beyond.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit, logit

from quantail.arrays import Floats
from quantail.curves.curve import Curve, StepCurve, fit_curve
from quantail.curves.scale import Scale
from quantail.curves.tuning import ALONE, FEWEST_BEYOND


@dataclass(frozen=True)
class AtomCurve:
    """The quantile function of a column that has an atom at its lowest value."""

    share: float  # share of the rows in the atom
    # low, high: ends of the atom's cell, over which its rows are spread
    low: float
    high: float
    rest: Curve  # quantile function of the other rows
    apart: bool = False  # whether the other rows lie far above, so that the atom is no number among numbers

    def __call__(self, u: Floats) -> Floats:
        """Return the quantiles at levels u in (0, 1)."""
        within = self.low + (self.high - self.low) * u / self.share
        beyond = self.beyond(np.maximum(u - self.share, 0.0) / (1 - self.share))
        return np.where(u <= self.share, within, beyond)

    def beyond(self, u: Floats) -> Floats:
        """Return quantiles of the other rows: a lower tail that would reach into the atom is spread above it."""
        levels, values = self.rest.levels, self.rest.values
        first = int(np.argmax(np.asarray(values) > self.high))
        floor = np.interp(u, [0.0, levels[first]], [self.high, values[first]])
        return np.maximum(self.rest(u), floor)

    def bounded(self, ends: tuple[float, float], inner: tuple[float, float]) -> "AtomCurve":
        """Return the curve with tails that end above the atom and at the upper bound (as `Curve.bounded`)."""
        return replace(self, rest=self.rest.bounded((self.high, ends[1]), (self.high, inner[1])))

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {
            "kind": "atom",
            "share": self.share,
            "low": self.low,
            "high": self.high,
            "rest": self.rest.to_dict(),
            "apart": self.apart,
        }

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> "AtomCurve":
        """Rebuild a curve from `to_dict`."""
        return cls(form["share"], form["low"], form["high"], Curve.from_dict(form["rest"]), form["apart"])


AnyCurve = Curve | AtomCurve | StepCurve


def fit_atom_curve(
    levels: Floats, quantiles: Floats, rows: int, noise_rows: float, scale: Scale
) -> Curve | AtomCurve:
    """Fit a curve to released quantiles of a column by itself, which may have an atom at its lowest value."""
    low, high = scale.lowest_cell
    (near,) = scale.forward(np.array([scale.lower + scale.step * ALONE]))
    heaped = int(np.count_nonzero(quantiles <= high))
    if not 0 < heaped <= levels.size - FEWEST_BEYOND or quantiles[heaped] <= near:
        return fit_curve(levels, quantiles, rows, noise_rows, scale.least, scale.log)
    share = float(expit(logit(levels[heaped - 1 : heaped + 1]).mean()))
    beyond = (levels[heaped:] - share) / (1 - share)
    others = max(round(rows * (1 - share)), 1)
    rest = fit_curve(beyond, quantiles[heaped:], others, noise_rows, scale.least, scale.log)
    return AtomCurve(share, low, high, rest)


def curve_from_dict(form: dict[str, Any]) -> AnyCurve:
    """Rebuild any kind of curve."""
    if form["kind"] == "atom":
        return AtomCurve.from_dict(form)
    return StepCurve.from_dict(form) if form["kind"] == "cells" else Curve.from_dict(form)
