"""The upper tail of a column: the share of rows above each value, on log-log axes.

A straight line is a Pareto tail. The curve begins at the median and ends at the largest row.
"""

import numpy as np

from quantail.arrays import Floats
from quantail.markup import Markup
from quantail.report.columns import Numbers
from quantail.report.plots.canvas import Canvas
from quantail.report.plots.numbers import short
from quantail.report.plots.scale import Scale

_POINTS = 90


def draw_tail(column: Numbers) -> Markup | None:
    """Draw both tails; None if the values above the medians are not positive, which a log axis needs."""
    if column.dated:
        return None
    real, synth = column.ordered
    curves = [_curve(values) for values in (real, synth)]
    starts = [xs[xs > 0].min(initial=np.inf) for xs, _ in curves]
    low, high = min(starts), max(real[-1], synth[-1])
    if not np.isfinite(low) or low >= high:
        return None
    smallest = 1 / max(real.size, synth.size)
    canvas = Canvas(Scale(low, high, "log"), Scale(smallest, 0.5, "log"), left=76)
    lines = [
        canvas.line(xs[xs > 0], ys[xs > 0], kind)
        for (xs, ys), kind in zip(curves, ("real", "synthetic"), strict=True)
    ]
    reached = [short(float(np.quantile(values, 0.99))) for values in (real, synth)]
    label = (
        f"Upper tail of {column.name}, log-log. One row in a hundred is above {reached[0]} in the real table, "
        f"above {reached[1]} in the synthetic one."
    )
    return canvas.drawing(label, canvas.axes(column.name, "rows above", y_ticks=_odds(smallest)), *lines)


def _curve(ordered: Floats) -> tuple[Floats, Floats]:
    """Values at ranks from the median to the top, evenly spaced in the logarithm of the rank."""
    n = ordered.size
    ranks = np.unique(np.geomspace(1, max(n // 2, 1), _POINTS).round().astype(int))
    return ordered[n - ranks], ranks / n


def _odds(smallest: float) -> list[tuple[float, str]]:
    powers = range(1, int(-np.log10(smallest) + 1e-9) + 1)
    every = 2 if len(powers) > 5 else 1
    return [
        (0.5, "1 in 2"),
        *((10.0**-k, f"1 in {short(10**k)}") for k in powers if k % every == 0 or k == 1),
    ]
