"""Shares of labels: a disc for the real table and a diamond for the synthetic one, joined by a line."""

from collections.abc import Sequence

import numpy as np

from quantail.arrays import Floats
from quantail.markup import Markup, element
from quantail.report.columns import OTHER
from quantail.report.plots.canvas import Canvas, diamond, disc, number
from quantail.report.plots.numbers import percent
from quantail.report.plots.scale import Scale

_ROW = 22
_FAR = 3  # so many times the largest label, "all others" would press the labels together


def draw_shares(name: str, labels: Sequence[str], real: Floats, synth: Floats) -> Markup:
    """Draw one line per label, in the order given."""
    height = _ROW * len(labels) + 52
    shares = np.maximum(real, synth)
    named = shares[[label != OTHER for label in labels]]
    largest = float(named.max() if named.size and shares.max() > _FAR * named.max() > 0 else shares.max())
    rows = Scale(len(labels) - 0.5, -0.5)
    canvas = Canvas(Scale(0.0, 1.05 * largest or 1.0), rows, height=height, left=124, top=4)
    ticks = [(value, percent(value)) for value, _ in canvas.x.ticks(4)]
    marks = [
        _row(canvas, place, label, *pair)
        for place, (label, pair) in enumerate(
            zip(labels, zip(real.tolist(), synth.tolist(), strict=True), strict=True)
        )
    ]
    said = "; ".join(
        f"{label} {percent(x)} and {percent(y)}" for label, x, y in zip(labels, real, synth, strict=True)
    )
    return canvas.drawing(
        f"Shares of {name}, real and synthetic: {said}.",
        canvas.axes("share of rows", "", ticks, ()),
        *marks,
    )


def _row(canvas: Canvas, place: int, label: str, real: float, synth: float) -> Markup:
    up = float(canvas.up(place))
    name = canvas.row_name(label, up)
    if max(real, synth) > canvas.x.high:
        said = f"{percent(real)} real, {percent(synth)} synthetic: off this axis"
        said_here = element("text", said, x=number(canvas.left + 8), y=number(up + 4), class_="tick")
        return element("g", name, said_here)
    left, right = float(canvas.across(real)), float(canvas.across(synth))
    return element(
        "g",
        name,
        element("path", d=f"M{number(left)} {number(up)}H{number(right)}", class_="line reference"),
        disc(left, up - 2.5),
        diamond(right, up + 2.5, 4.5),
    )
