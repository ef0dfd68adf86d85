"""Where the values of a column lie: two histograms on one axis, drawn from all rows."""

from dataclasses import replace

import numpy as np

from quantail.arrays import Floats
from quantail.markup import Markup
from quantail.report.columns import Numbers
from quantail.report.plots.canvas import Canvas
from quantail.report.plots.numbers import percent
from quantail.report.plots.scale import Scale

BINS = 48


def draw_density(column: Numbers) -> Markup:
    """Draw the shares of rows by value, the real table filled and the synthetic one dashed on top."""
    edges = _edges(column)
    heights = [_density(values, edges, column.scale) for values in column.ordered]
    top = max(float(height.max()) for height in heights)
    across = replace(column.scale, low=float(edges[0]), high=float(edges[-1]))
    canvas = Canvas(across, Scale(0.0, 1.08 * top))
    middle = [column.written(float(np.median(values))) for values in column.ordered]
    label = (
        f"Density of {column.name}. Median {middle[0]} in the real table, {middle[1]} in the synthetic one."
    )
    return canvas.drawing(
        label,
        canvas.axes(column.name, "share of rows", y_ticks=_shares(canvas.y)),
        canvas.area(edges, heights[0], "real", filled=True),
        canvas.area(edges, heights[1], "synthetic", filled=False),
    )


def _edges(column: Numbers) -> Floats:
    """Cells of equal width on the axis; between whole numbers where cells would be narrower than one."""
    edges = column.scale.value(np.linspace(0, 1, BINS + 1))
    if all(np.array_equal(values, np.rint(values)) for values in column.ordered):
        edges = np.unique(np.concatenate([[np.ceil(edges[0]) - 0.5], np.floor(edges[1:]) + 0.5]))
    edges[0] = min(edges[0], column.scale.low)
    edges[-1] = max(edges[-1], column.scale.high)
    return edges


def _density(values: Floats, edges: Floats, scale: Scale) -> Floats:
    """Share of rows in each cell, per width of a regular cell on the axis."""
    counts = np.diff(np.searchsorted(values, edges, side="left"))
    counts[-1] += np.count_nonzero(values == edges[-1])
    widths = np.diff(scale.place(edges)) * BINS
    return np.asarray(counts / values.size / widths)


def _shares(scale: Scale) -> list[tuple[float, str]]:
    return [(value, percent(value)) for value, _ in scale.ticks(4)]
