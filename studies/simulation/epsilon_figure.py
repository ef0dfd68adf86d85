"""The figure of the epsilon curves: eight panels, one per measure; a line per method, level lines for references."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from studies.figure_style import line_look, new_figure, save
from studies.paper_tables import Summary
from studies.simulation.measure_axis import finish_axis
from studies.simulation.summary import MEASURE_NAMES

_MARGIN = 1.25


def draw_epsilon_curves(curves: Mapping[str, Mapping[str, Summary]], path: Path) -> Path:
    """Draw means with bars of one standard error against epsilon."""
    figure, axes = new_figure(2, 4, (14.0, 7.2), sharex=True)
    epsilons = sorted({Fraction(e) for points in curves.values() for e in points if e != "none"})
    for axis, measure in zip(axes.flat, MEASURE_NAMES, strict=True):
        for method, points in curves.items():
            _draw_line(axis, method, measure, points)
        means = [summary[measure]["mean"] for points in curves.values() for summary in points.values()]
        _finish(axis, measure, epsilons, [mean for mean in means if mean])
    handles, labels = axes.flat[0].get_legend_handles_labels()
    for axis in axes[-1]:
        axis.set_xlabel("epsilon")
    columns = min(len(labels), 5)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
    save(figure, path)
    return path


def _draw_line(axis: Any, method: str, measure: str, points: Mapping[str, Summary]) -> None:
    look = line_look(method)
    if "none" in points:
        axis.axhline(points["none"][measure]["mean"], label=f"{method} (no privacy)", **look)
        return
    x = [float(Fraction(epsilon)) for epsilon in points]
    y = [summary[measure]["mean"] for summary in points.values()]
    spread = [summary[measure]["se"] or 0.0 for summary in points.values()]
    axis.errorbar(x, y, yerr=spread, label=method, capsize=0, elinewidth=0.9, **look)


def _finish(axis: Any, measure: str, epsilons: list[Fraction], means: list[float]) -> None:
    finish_axis(axis, "y", measure, means, _MARGIN)
    if epsilons:
        axis.set_xscale("log")
        axis.set_xlim(float(epsilons[0]) / _MARGIN, float(epsilons[-1]) * _MARGIN)
        axis.set_xticks([float(e) for e in epsilons], [f"{float(e):g}" for e in epsilons])
        axis.xaxis.minorticks_off()
