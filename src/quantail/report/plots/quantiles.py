"""Quantiles of a column against each other: on the diagonal both tables agree."""

import numpy as np

from quantail.report.columns import Numbers
from quantail.report.markup import Child, Markup, element
from quantail.report.plots.canvas import Canvas, number
from quantail.report.plots.numbers import short

_OUTER = (0.001, 0.002, 0.005)
_NAMED = {0.5: "median", 0.9: "90%", 0.99: "99%", 0.999: "99.9%"}
_ROWS_BEYOND = 5  # a quantile with fewer rows beyond it is one row's value


def draw_quantiles(column: Numbers) -> Markup:
    """Draw the synthetic quantiles against the real ones, with some of them named."""
    levels = _levels(min(values.size for values in column.ordered))
    real, synth = (np.quantile(values, levels) for values in column.ordered)
    scale = column.scale
    canvas = Canvas(scale, scale, left=56)
    ends = [scale.low, scale.high]
    said = [f"{name} {short(x)} and {short(y)}" for _, name, x, y in _named(levels, real, synth)]
    label = f"Quantiles of {column.name}, real and synthetic: " + "; ".join(said) + "."
    return canvas.drawing(
        label,
        canvas.axes("real quantile", "synthetic quantile"),
        canvas.line(ends, ends, "reference"),
        canvas.dots(real, synth, "synthetic large"),
        *(_tag(canvas, name, x, y) for _, name, x, y in _named(levels, real, synth)),
    )


def _levels(rows: int) -> list[float]:
    least = _ROWS_BEYOND / rows
    tails = [level for level in _OUTER if level >= least]
    inner = [number / 100 for number in range(1, 100) if min(number, 100 - number) / 100 >= least]
    return [*tails, *(inner or [0.5]), *(1 - level for level in reversed(tails))]


def _named(levels: list[float], real: Child, synth: Child) -> list[tuple[float, str, float, float]]:
    every = zip(levels, np.asarray(real).tolist(), np.asarray(synth).tolist(), strict=True)
    return [(level, _NAMED[round(level, 6)], x, y) for level, x, y in every if round(level, 6) in _NAMED]


def _tag(canvas: Canvas, name: str, x: float, y: float) -> Markup:
    """Mark a quantile with a diamond and its name, on the side where there is room."""
    across, up = float(canvas.across(x)), float(canvas.up(y))
    right = across < 0.7 * canvas.width
    place = across + 9 if right else across - 9
    return element(
        "g",
        element(
            "path",
            d=f"M{number(across)} {number(up - 4.5)}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z",
            class_="mark synthetic",
        ),
        element(
            "text",
            name,
            x=number(place),
            y=number(up + (12 if right else -5)),
            class_="tick start" if right else "tick end",
        ),
    )
