"""The figure of the comparison: utility, tails and CPU seconds of every entry at every size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studies.figure_style import new_figure, save

if TYPE_CHECKING:
    from benchmarks.peers.report import Line

# Okabe and Ito's colours, told apart by colour-blind readers; the marker says the same again.
_LOOKS = {
    "ours": ("#0072B2", "o"),
    "peer": ("#D55E00", "s"),
    "simple": ("#E69F00", "^"),
    "published": ("#CC79A7", "D"),
    "reference": ("#666666", "v"),
}
_PANELS = (
    ("km", "KM (1000 is best)", "linear"),
    ("slope_diff", "slope, standard errors off", "log"),
    ("q99.9", "99.9% quantile, relative error", "log"),
    ("cpu_seconds", "CPU seconds, fit and sample", "log"),
)
_LEAST = 0.001  # CPU seconds below which the clock says nothing
_SIZES = (28.0, 60.0, 110.0)  # of markers, by rows of the table


def draw(lines: Sequence[Line], path: Path) -> None:
    """Draw the figure: one row for each entry, one panel for each figure, larger marks for larger tables."""
    done = [line for line in lines if line.means]
    if not done:
        return
    names = list(dict.fromkeys(line.entry.name for line in done))[::-1]
    figure, axes = new_figure(1, len(_PANELS), (12.0, 1.2 + 0.24 * len(names)), sharey=True)
    for axis, (measure, label, scale) in zip(axes[0], _PANELS, strict=True):
        for size, n in zip(_SIZES, sorted({line.n for line in done}), strict=False):
            for line in (line for line in done if line.n == n):
                colour, marker = _LOOKS[line.entry.kind]
                x = max(line.means[measure], _LEAST)
                axis.scatter(
                    x, names.index(line.entry.name), size, marker=marker, facecolors="none", edgecolors=colour
                )
        axis.set(xscale=scale, xlabel=label)
        axis.grid(axis="y", lw=0.3)
    axes[0, 0].set_yticks(range(len(names)), names, fontsize=8)
    axes[0, 0].set_xlim(0, 1030)
    sizes = ", ".join(f"{n:,}" for n in sorted({line.n for line in done}))
    figure.suptitle(f"Small to large marks: {sizes} rows. Blue: Quantail.", fontsize=9)
    save(figure, path)
