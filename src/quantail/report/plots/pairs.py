"""Two columns against each other: a sample of rows, and quantiles of one given the other from all rows."""

import numpy as np

from quantail.arrays import Floats
from quantail.markup import Markup, element
from quantail.report.association import Pair
from quantail.report.columns import Labels, Numbers
from quantail.report.plots.canvas import Canvas, clipped
from quantail.report.plots.numbers import plain
from quantail.report.plots.scale import Scale
from quantail.report.plots.shares import draw_shares

SHOWN_ROWS = 500
_CELLS = 12
_LEVELS = (0.1, 0.5, 0.9)
_ROW = 34


def draw_pair(pair: Pair) -> list[Markup]:
    """Draw a pair of columns of any kind: one or two drawings."""
    first, second = pair.first, pair.second
    if isinstance(first, Numbers) and isinstance(second, Numbers):
        return _clouds(pair, first, second)
    if isinstance(first, Labels) and isinstance(second, Labels):
        return [_cells(first, second)]
    labels, numbers = (first, second) if isinstance(first, Labels) else (second, first)
    assert isinstance(labels, Labels) and isinstance(numbers, Numbers)
    return [_intervals(labels, numbers)]


def _clouds(pair: Pair, first: Numbers, second: Numbers) -> list[Markup]:
    """Draw the real and the synthetic rows on the same axes, with the real quantile lines on both."""
    canvas = Canvas(first.scale, second.scale, width=300, height=240, top=24)
    edges = np.unique(np.quantile(first.ordered[0], np.linspace(0, 1, _CELLS + 1)))
    drawings = []
    for title, side, strength in (("Real", "real", pair.real), ("Synthetic", "synth", pair.synth)):
        x, y = getattr(first, side), getattr(second, side)
        kind = "real" if side == "real" else "synthetic"
        lines = [canvas.line(*line, kind) for line in _given(x, y, edges)]
        if side == "synth":
            lines = [
                canvas.line(*line, "real thin") for line in _given(first.real, second.real, edges)
            ] + lines
        heading = element(
            "text", f"{title}, rank correlation {plain(strength, 2)}", x="50", y="14", class_="title"
        )
        label = f"{title} rows: {second.name} against {first.name}. Rank correlation {plain(strength, 2)}."
        drawings.append(
            canvas.drawing(
                label,
                heading,
                canvas.axes(clipped(first.name, 34), clipped(second.name, 26)),
                canvas.dots(*_sample(x, y), kind),
                *lines,
            )
        )
    return drawings


def _sample(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    # A fixed stream: the same tables give the same picture.
    shown = np.random.default_rng(0).choice(known, min(SHOWN_ROWS, known.size), replace=False)
    return x[shown], y[shown]


def _given(x: Floats, y: Floats, edges: Floats) -> list[tuple[Floats, Floats]]:
    """Quantiles of y in cells of x with nearly equal numbers of real rows, one line for each level."""
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    cell = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, max(edges.size - 2, 0))
    middle, lines = [], []
    for place in range(max(edges.size - 1, 1)):
        inside = cell == place
        if np.count_nonzero(inside) >= 10:
            middle.append(float(np.median(x[inside])))
            lines.append(np.quantile(y[inside], _LEVELS))
    return [(np.array(middle), np.array(line)) for line in zip(*lines, strict=True)]


def _intervals(labels: Labels, numbers: Numbers) -> Markup:
    """Draw the middle 80% and the median of a number for every label."""
    count = len(labels.labels)
    rows = Scale(count - 0.5, -0.5)
    canvas = Canvas(numbers.scale, rows, height=_ROW * count + 52, left=124, top=4)
    marks, said = [], []
    for place, label in enumerate(labels.labels):
        height = float(canvas.up(place))
        marks.append(canvas.row_name(label, height))
        medians = []
        for side, kind, shift in (("real", "real", -6), ("synth", "synthetic", 6)):
            values = getattr(numbers, side)[getattr(labels, side) == place]
            values = values[np.isfinite(values)]
            medians.append(numbers.written(float(np.median(values))) if values.size else "none")
            if values.size:
                marks.append(canvas.interval(np.quantile(values, _LEVELS), height + shift, kind))
        said.append(f"{label} {medians[0]} and {medians[1]}")
    label = f"Medians of {numbers.name} by {labels.name}, real and synthetic: " + "; ".join(said) + "."
    return canvas.drawing(label, canvas.axes(clipped(numbers.name, 34), "", None, ()), *marks)


def _cells(first: Labels, second: Labels) -> Markup:
    """Draw the shares of the most frequent combinations of two labels."""
    width = len(second.labels)
    joint = [
        np.bincount(a * width + b, minlength=len(first.labels) * width) / a.size
        for a, b in ((first.real, second.real), (first.synth, second.synth))
    ]
    shown = np.argsort(-joint[0], kind="stable")[:_CELLS]
    names = [
        f"{clipped(first.labels[cell // width], 8)} and {clipped(second.labels[cell % width], 8)}"
        for cell in shown
    ]
    return draw_shares(f"{first.name} and {second.name}", names, joint[0][shown], joint[1][shown])
