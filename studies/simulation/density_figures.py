"""Density plots of X1, X2 and X3 for every method over the training data, as in the paper's appendix."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from quantail.examples import paper_split
from studies.figure_style import COLOURS, new_figure, save
from studies.journal import Row
from studies.paper_tables import base_of
from studies.simulation.profile import PROFILE_RANGE, density, outside, profile_edges, profile_of

_ACROSS = 4
_SMOOTHING = {"X1": 0.7, "X2": 2.5, "X3": 4.0}  # standard deviation of the kernel, in the column's unit
_HEADROOM = 1.6  # a spike higher than this times the data's peak is cut off, or nothing else could be seen


def draw_densities(rows: list[Row], seed: int, out: Path) -> list[Path]:
    """Draw density-X1.png, density-X2.png and density-X3.png of one replication.

    Parameters
    ----------
    rows : list of dict
        Rows of the journal with a profile, one per method.
    seed : int
        Seed of the replication's table.
    """
    train, _ = paper_split(seed)
    real = profile_of(train)
    return [_draw_column(name, rows, real, out / f"density-{name}.png") for name in PROFILE_RANGE]


def _draw_column(name: str, rows: list[Row], real: Mapping[str, list[int]], path: Path) -> Path:
    edges, width = profile_edges(name), _SMOOTHING[name]
    centres, truth = density(real[name], edges, width)
    across = 3 if len(rows) in (5, 6, 9) else min(len(rows), _ACROSS)  # no row of panels nearly empty
    down = -(-len(rows) // across)
    figure, axes = new_figure(
        down, across, (max(3.0 * across, 6.0), 2.1 * down + 0.4), sharex=True, sharey=True
    )
    top = _HEADROOM * float(truth.max())
    for axis, row in zip(axes.flat, rows, strict=False):
        _, made = density(row["profile"][name], edges, width)
        axis.fill_between(centres, truth, color="#C8C8C8", linewidth=0, label="training data")
        axis.plot(centres, made, color=COLOURS.get(base_of(row["method"]), "#444444"), linewidth=1.4)
        axis.set_title(row["method"], loc="left", fontsize=9, fontweight="bold")
        _remark(axis, outside(row["profile"][name]), bool(np.max(made) > top))
    for place, axis in enumerate(axes.flat):
        axis.set_visible(place < len(rows))
        axis.tick_params(labelbottom=place + across >= len(rows))
    axes.flat[0].set_ylim(0, top)
    axes.flat[0].set_xlim(centres[0], centres[-1])
    figure.supxlabel(
        f"Density of {name}: synthetic (line) over training data (grey), first replication", fontsize=9
    )
    save(figure, path)
    return path


def _remark(axis: Any, share: float, cut: bool) -> None:
    """Say what the panel cannot show: rows beyond its ends, spikes above its top."""
    words = []
    if share > 0.005:
        words.append(f"{share:.0%} of rows beyond")
    if cut:
        words.append("spikes cut off")
    axis.text(0.97, 0.93, "\n".join(words), transform=axis.transAxes, ha="right", va="top", fontsize=7.5)
