"""The figure of the comparison: utility against CPU seconds at the smallest size, and CPU seconds by rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quantail.experiments.figure_style import new_figure, save

if TYPE_CHECKING:
    from benchmarks.peers.report import Line

# Okabe and Ito's colours, told apart by colour-blind readers; the marker says the same again.
_LOOKS = {
    "ours": ("#0072B2", "o", "Quantail"),
    "peer": ("#D55E00", "s", "private peers"),
    "simple": ("#E69F00", "^", "simple private baselines"),
    "published": ("#CC79A7", "D", "as published, not private"),
    "reference": ("#666666", "v", "not private"),
}
_LEAST = 0.001  # CPU seconds below which the clock says nothing


def draw(lines: Sequence[Line], path: Path) -> None:
    """Draw the figure."""
    done = [line for line in lines if line.means]
    if not done:
        return
    figure, axes = new_figure(1, 2, (12.0, 5.0))
    _utility(axes[0, 0], [line for line in done if line.n == min(other.n for other in done)])
    _growth(axes[0, 1], done)
    save(figure, path)


def _utility(axis: Any, lines: Sequence[Line]) -> None:
    for kind, (colour, marker, label) in _LOOKS.items():
        own = [line for line in lines if line.entry.kind == kind]
        seconds = [max(line.means["cpu_seconds"], _LEAST) for line in own]
        axis.scatter(seconds, [line.means["km"] for line in own], c=colour, marker=marker, label=label)
        for line, x in zip(own, seconds, strict=True):
            axis.annotate(
                line.entry.name, (x, line.means["km"]), (3, 3), textcoords="offset points", fontsize=6
            )
    axis.set(xscale="log", xlabel="CPU seconds, fit and sample", ylabel="KM (1000 is best)", ylim=(0, 1020))
    axis.set_title(f"n = {lines[0].n:,}")
    axis.legend(fontsize=7, loc="lower left")


def _growth(axis: Any, lines: Sequence[Line]) -> None:
    for name in dict.fromkeys(line.entry.name for line in lines if line.entry.kind != "reference"):
        own = [line for line in lines if line.entry.name == name]
        colour, marker, _ = _LOOKS[own[0].entry.kind]
        seconds = [max(line.means["cpu_seconds"], _LEAST) for line in own]
        axis.plot([line.n for line in own], seconds, color=colour, marker=marker, lw=0.8, ms=4)
        axis.annotate(name, (own[-1].n, seconds[-1]), (4, 0), textcoords="offset points", fontsize=6)
    axis.set(xscale="log", yscale="log", xlabel="rows", ylabel="CPU seconds, fit and sample")
    axis.margins(x=0.35)
    axis.set_title("CPU seconds by rows")
