"""The figure of the ablation: one panel per measure, one line of dots per step, read from top to bottom."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studies.ablation.study import STEPS
from studies.figure_style import FALSE_COLOUR, TRUE_COLOUR, new_figure, save
from studies.paper_tables import Summary
from studies.simulation.measure_axis import finish_axis
from studies.simulation.summary import MEASURE_NAMES

_MARGIN = 1.3


def draw_ablation(results: Mapping[str, Summary], path: Path) -> Path:
    """Draw means with bars of one standard error; colour says whether the claimed epsilon is true."""
    height = 0.27 * len(results) + 0.8
    figure, axes = new_figure(2, 4, (14.0, 2 * height), sharey=True)
    places = list(range(len(results)))
    for axis, measure in zip(axes.flat, MEASURE_NAMES, strict=True):
        for place, (name, summary) in zip(places, results.items(), strict=True):
            _draw_dot(axis, place, summary[measure], STEPS[name].holds)
        means = [float(summary[measure]["mean"] or 0.0) for summary in results.values()]
        axis.plot(means, places, color="#999999", linewidth=0.8, zorder=0)
        finish_axis(axis, "x", measure, means, _MARGIN)
    labels = [f"{STEPS[name].title}  {place}" for place, name in zip(places, results, strict=True)]
    axes.flat[0].set_yticks(places, labels)
    axes.flat[0].set_ylim(len(results) - 0.5, -0.5)
    figure.legend(handles=_key(), loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    save(figure, path)
    return path


def _draw_dot(axis: Any, place: int, value: Mapping[str, float | None], holds: bool) -> None:
    look = {"color": TRUE_COLOUR, "fmt": "o"} if holds else {"color": FALSE_COLOUR, "fmt": "s"}
    axis.errorbar(value["mean"], place, xerr=value["se"] or 0.0, markersize=5, elinewidth=1.2, **look)


def _key() -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=FALSE_COLOUR, marker="s", linestyle="", label="claimed epsilon is not true"),
        Line2D(
            [],
            [],
            color=TRUE_COLOUR,
            marker="o",
            linestyle="",
            label="claimed epsilon is true (3 to 5: of exact draws)",
        ),
    ]
