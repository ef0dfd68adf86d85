"""Quantiles of a column against each other: on the diagonal both tables agree."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from quantail.arrays import Floats
from quantail.markup import Markup, element
from quantail.report.columns import Numbers
from quantail.report.plots.canvas import Canvas, diamond, number

_OUTER = (0.001, 0.002, 0.005)
_NAMED = {0.5: "median", 0.9: "90%", 0.99: "99%", 0.999: "99.9%"}
_ROWS_BEYOND = 5  # a quantile with fewer rows beyond it is one row's value


def draw_quantiles(column: Numbers) -> Markup:
    """Draw the synthetic quantiles against the real ones, with some of them named."""
    levels = _levels(min(values.size for values in column.ordered))
    real, synth = (np.quantile(values, levels) for values in column.ordered)
    ends = [min(real[0], synth[0]), max(real[-1], synth[-1])]
    scale = replace(column.scale, low=float(ends[0]), high=float(ends[1]))
    canvas = Canvas(scale, scale, left=56)
    named = _named(levels, real, synth)
    said = [f"{name} {column.written(x)} and {column.written(y)}" for name, x, y in named]
    label = f"Quantiles of {column.name}, real and synthetic: " + "; ".join(said) + "."
    return canvas.drawing(
        label,
        canvas.axes("real quantile", "synthetic quantile"),
        canvas.line(ends, ends, "reference"),
        canvas.dots(real, synth, "synthetic large"),
        *_tags(canvas, named),
    )


def _levels(rows: int) -> list[float]:
    least = _ROWS_BEYOND / rows
    tails = [level for level in _OUTER if level >= least]
    inner = [number / 100 for number in range(1, 100) if min(number, 100 - number) / 100 >= least]
    return [*tails, *(inner or [0.5]), *(1 - level for level in reversed(tails))]


def _named(levels: list[float], real: Floats, synth: Floats) -> list[tuple[str, float, float]]:
    every = zip(levels, real.tolist(), synth.tolist(), strict=True)
    return [(_NAMED[round(level, 6)], x, y) for level, x, y in every if round(level, 6) in _NAMED]


def _tags(canvas: Canvas, named: Sequence[tuple[str, float, float]]) -> list[Markup]:
    """Mark quantiles with diamonds, and name those whose names do not run into each other."""
    drawn: list[Markup] = []
    last = -np.inf, np.inf
    for name, x, y in named:
        across, up = float(canvas.across(x)), float(canvas.up(y))
        drawn.append(diamond(across, up, 4.5))
        if across - last[0] > 40 or last[1] - up > 13:
            # Left of its mark the name is clear of the diagonal; close to the axis it stands below, on the right, but
            # in the corner beside the mark, clear of the axis's own numbers.
            inside = across > canvas.left + 48
            low = up + 11 > canvas.height - canvas.bottom - 4
            place = (across - 9, up) if inside else (across + 9, up - 3 if low else up + 11)
            side = "end" if inside else "start"
            drawn.append(element("text", name, x=number(place[0]), y=number(place[1]), class_=f"tick {side}"))
            last = across, up
    return drawn
