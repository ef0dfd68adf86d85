"""Coefficients of a regression on both tables, with their 95% intervals.

Coefficients differ in size, so each is drawn as its distance from the real estimate, in standard errors of the
real fit: real intervals reach from -1.96 to 1.96, and a synthetic one that overlaps them says the same.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from quantail.markup import Child, Markup, element
from quantail.report.plots.canvas import Canvas, number
from quantail.report.plots.scale import Scale

_ROW, _WIDE = 30, 1.96
_LINEAR = 12.0  # beyond as many standard errors the axis is logarithmic
_FAR = 1e6


class Estimate(NamedTuple):
    """A coefficient, and its standard error, on the real and on the synthetic table."""

    term: str
    real: float
    real_error: float
    synth: float
    synth_error: float

    @property
    def shift(self) -> float:
        """How far the synthetic estimate is from the real one, in real standard errors."""
        return (self.synth - self.real) / self.real_error

    @property
    def reach(self) -> float:
        """Half the synthetic interval, in real standard errors."""
        return _WIDE * self.synth_error / self.real_error


def draw_forest(response: str, estimates: Sequence[Estimate]) -> Markup:
    """Draw one row per coefficient: a disc for the real estimate, a diamond for the synthetic one."""
    ends = [abs(e.shift) + e.reach for e in estimates]
    far = min(max([2.5, *ends]), _FAR) * 1.05
    x = Scale(-far, far) if far <= _LINEAR else Scale(-far, far, "signed", 2.0)
    rows = Scale(len(estimates) - 0.5, -0.5)
    canvas = Canvas(x, rows, height=_ROW * len(estimates) + 52, left=124, top=4)
    said = "; ".join(f"{e.term} {e.shift:+.1f}" for e in estimates)
    zero = number(float(canvas.across(0.0)))
    return canvas.drawing(
        f"Coefficients of {response}: synthetic minus real, in standard errors of the real fit: {said}.",
        canvas.axes("shift, in real standard errors", "", None, ()),
        element("path", d=f"M{zero} 4V{number(canvas.height - canvas.bottom)}", class_="line reference"),
        *(_row(canvas, place, estimate) for place, estimate in enumerate(estimates)),
    )


def _row(canvas: Canvas, place: int, estimate: Estimate) -> Markup:
    up = float(canvas.up(place))
    limit = canvas.x.high
    parts: list[Child] = [canvas.row_name(estimate.term, up)]
    for middle, reach, height, kind in (
        (0.0, _WIDE, up - 5, "real"),
        (estimate.shift, estimate.reach, up + 5, "synthetic"),
    ):
        ends = np.clip([middle - reach, middle, middle + reach], -limit, limit)
        parts.append(canvas.interval(ends, height, kind))
    return element("g", *parts)
