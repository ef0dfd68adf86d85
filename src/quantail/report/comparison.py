"""One picture that compares a synthetic table with the real one, column by column.

It draws confidential rows, so it is internal, and says so in its title.
"""

from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from quantail.errors import OptionError
from quantail.schema import Column, Schema

TITLE = "INTERNAL: drawn from confidential rows, not differentially private"
_REAL, _SYNTH = "#555555", "#d1495b"
_BINS = 40


def draw_comparison(real: Any, synth: Any, schema: Schema, path: str | Path) -> None:
    """Write a PNG: for numbers a histogram and the upper tail on log-log axes, for categories bars.

    Parameters
    ----------
    real, synth : pandas, polars or pyarrow table
        The two tables; both hold the schema's columns.
    schema : Schema
        Which columns to draw, and on which scale.
    path : str or Path
        The picture to write.

    Raises
    ------
    OptionError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError("pictures need matplotlib; install quantail[experiments]") from None
    count = len(schema.columns)
    figure = Figure(figsize=(9, 2.7 * count), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(count, 2, squeeze=False)
    for (left, right), column in zip(axes, schema.columns, strict=True):
        pair = _values(real, column.name), _values(synth, column.name)
        if column.type == "category":
            _draw_bars(left, *pair, column)
            right.set_axis_off()
        else:
            _draw_histogram(left, *pair, column)
            _draw_tail(right, *pair, column)
    axes[0][0].legend()
    figure.suptitle(TITLE, fontsize=10)
    figure.savefig(path, dpi=110, format="png")


def _values(frame: Any, name: str) -> NDArray[Any]:
    values: NDArray[Any] = nw.from_native(frame, eager_only=True).get_column(name).to_numpy()
    return values


def _draw_bars(axes: Any, real: NDArray[Any], synth: NDArray[Any], column: Column) -> None:
    places = np.arange(len(column.categories))
    for values, colour, label, shift in ((real, _REAL, "real", -0.2), (synth, _SYNTH, "synthetic", 0.2)):
        texts = values.astype(str)
        shares = [float(np.mean(texts == category)) for category in column.categories]
        axes.bar(places + shift, shares, width=0.4, color=colour, label=label)
    axes.set_xticks(places, column.categories, fontsize=8)
    axes.set_ylabel("share")
    axes.set_title(column.name)


def _draw_histogram(axes: Any, real: NDArray[Any], synth: NDArray[Any], column: Column) -> None:
    edges = _edges(real, synth, column)
    for values, colour, label in ((real, _REAL, "real"), (synth, _SYNTH, "synthetic")):
        weights = np.full(values.shape, 1.0 / max(values.size, 1))
        axes.hist(values, bins=edges, weights=weights, histtype="step", color=colour, label=label)
    if edges[0] > 0 and column.grid == "log":
        axes.set_xscale("log")
    axes.set_ylabel("share")
    axes.set_title(column.name)


def _edges(real: NDArray[Any], synth: NDArray[Any], column: Column) -> NDArray[np.float64]:
    pooled = np.concatenate([real, synth]).astype(np.float64)
    if column.grid == "log":
        above = pooled[pooled > 0]
        if above.size and above.min() < above.max():
            edges = np.geomspace(above.min(), above.max(), _BINS)
            # Whole numbers in between edges would leave gaps where bins are narrower than one.
            return np.unique(np.ceil(edges)) - 0.5 if column.type == "integer" else edges
    return np.linspace(pooled.min(), max(pooled.max(), pooled.min() + 1.0), _BINS)


def _draw_tail(axes: Any, real: NDArray[Any], synth: NDArray[Any], column: Column) -> None:
    """Share of rows above each value: a straight line downwards is a Pareto tail."""
    axes.set_title(f"{column.name}, upper tail")
    if not (np.concatenate([real, synth]) > 0).any():
        return  # nothing to show on a log axis
    for values, colour in ((real, _REAL), (synth, _SYNTH)):
        ordered = np.sort(values.astype(np.float64))
        above = 1.0 - np.arange(ordered.size) / max(ordered.size, 1)
        shown = ordered > 0
        axes.plot(ordered[shown], above[shown], color=colour, drawstyle="steps-post")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylabel("share of rows above")
