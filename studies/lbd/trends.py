"""Figures of the panel study: gross employment by industry, job creation and net creation of all industries together.

Lines are means over seeds, bands one standard deviation, as in the paper's figures. An axis ends where the real curve
and the useful methods end; a method that mostly lies beyond it, or scatters over half of it, is named below the panel
and not drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.figure_style import new_figure, save
from studies.journal import Row
from studies.lbd.methods import published_base
from studies.lbd.runner import curves
from studies.lbd.standin import LBD_INDUSTRIES
from studies.lbd.standin.targets import YEARS
from studies.lbd.summary import pooled_rates, real_curves

Floats = NDArray[np.float64]

LOOKS: dict[str, dict[str, Any]] = {
    "pooled": {"color": "#0072B2", "linewidth": 2.4},
    "stepwise-varying": {"color": "#009E73"},
    "sandwich-varying": {"color": "#D55E00"},
    "stepwise-varying-published": {"color": "#009E73", "linestyle": "--"},
    "sandwich-varying-published": {"color": "#D55E00", "linestyle": "--"},
    "pistner": {"color": "#CC79A7", "linestyle": ":"},
    "quantreg": {"color": "#8C6D1F", "linestyle": ":"},
}
"""Methods that are drawn, as far as a study has them."""

_ROOM = 2.2  # how far above the real curve an axis may reach
_LINE = 90  # letters of a line below a panel
_MOSTLY = 0.7  # share of years that must lie inside
_NOTES = {
    "published": "as published (NOT PRIVATE)",
    "synlbd": "as on SynLBD (NOT PRIVATE)",
    "pistner": "pistner (no privacy)",
    "quantreg": "quantreg (no privacy)",
}


def draw_lbd_figures(rows: Sequence[Row], out: Path) -> list[Path]:
    """Draw both figures into a folder."""
    return [draw_gross(rows, out / "gross-employment.png"), draw_flows(rows, out / "job-creation.png")]


def draw_trend(real: Floats, made: Floats, title: str, path: Path) -> Path:
    """Draw gross employment, job creation and net creation of one synthetic panel beside the real one.

    Parameters
    ----------
    real, made : arrays, shape (units, periods)
        Employment 1976-2000, NaN where a unit is not active.
    title : str
        What is shown; it should say that the picture is internal.
    """
    figure, axes = new_figure(1, 3, (14.0, 4.0))
    names = ("Employment, thousands", "Job creation of continuers, %", "Net creation of continuers, %")
    pair = [curves(values) for values in (real, made)]
    lines = [(np.array(line["gross"]) / 1000, *pooled_rates([line])) for line in pair]
    for place, (axis, name) in enumerate(zip(axes.flat, names, strict=True)):
        years = YEARS if place == 0 else YEARS[1:]
        axis.plot(years, lines[0][place], color="#111111", marker="o", markersize=3, label="real (made up)")
        axis.plot(years, lines[1][place], label="synthetic", **LOOKS["pooled"])
        axis.set_title(name, fontsize=9.5)
        axis.grid(alpha=0.2)
    axes.flat[0].set_ylim(bottom=0)
    axes.flat[0].legend(frameon=False, fontsize=8.5)
    figure.suptitle(title, fontsize=10)
    save(figure, path)
    return path


def draw_gross(rows: Sequence[Row], path: Path) -> Path:
    """Draw gross employment, one panel per industry."""
    industries = list(dict.fromkeys(row["industry"] for row in rows))
    across = min(len(industries), 2)
    down = -(-len(industries) // across)
    figure, axes = new_figure(down, across, (6.6 * across, 3.7 * down + 0.8))
    for axis in list(axes.flat)[len(industries) :]:
        axis.set_visible(False)
    for axis, industry in zip(axes.flat, industries, strict=False):
        own = [row for row in rows if row["industry"] == industry]
        real = np.array([real_curves(row)["gross"] for row in _first_of_seed(own)]) / 1000
        lines = {m: np.array([row["gross"] for row in own if row["method"] == m]) / 1000 for m in _drawn(own)}
        _trends(axis, YEARS, real, lines, (0.0, _ROOM * float(real.max())))
        axis.set_title(f"SIC {industry}, {LBD_INDUSTRIES[industry]}: employment, thousands", fontsize=9.5)
    _legend(figure, axes)
    save(figure, path)
    return path


def draw_flows(rows: Sequence[Row], path: Path) -> Path:
    """Draw job creation and net creation of continuers, all industries of a seed pooled."""
    figure, axes = new_figure(1, 2, (13.2, 4.6))
    seeds = list(dict.fromkeys(row["seed"] for row in rows))
    real = _rates(rows, seeds, _drawn(rows)[0] if _drawn(rows) else rows[0]["method"], real=True)
    lines = {method: _rates(rows, seeds, method) for method in _drawn(rows)}
    for which, (axis, name) in enumerate(zip(axes.flat, ("Job creation", "Net creation"), strict=True)):
        low, high = float(real[which].min()), float(real[which].max())
        reach = max(high - low, 20.0)
        limits = (max(low - reach, 0.0) if which == 0 else low - reach, high + reach)
        _trends(axis, YEARS[1:], real[which], {m: pair[which] for m, pair in lines.items()}, limits)
        axis.set_title(f"{name} of continuers, industries together, %", fontsize=9.5)
    _legend(figure, axes)
    save(figure, path)
    return path


def _rates(
    rows: Sequence[Row], seeds: Sequence[int], method: str, real: bool = False
) -> tuple[Floats, Floats]:
    pairs = []
    for seed in seeds:
        own = [row for row in rows if row["seed"] == seed and row["method"] == method]
        if own:
            pairs.append(pooled_rates([real_curves(row) for row in own] if real else own))
    return np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])


def _trends(
    axis: Any, years: Sequence[int], real: Floats, lines: Mapping[str, Floats], limits: tuple[float, float]
) -> None:
    gone = []
    for method, runs in lines.items():
        mean, spread = runs.mean(axis=0), runs.std(axis=0)
        # A band wider than half of the frame would say no more than a line beyond it, and hide the others.
        inside = (mean >= limits[0]) & (mean <= limits[1]) & (2 * spread <= (limits[1] - limits[0]) / 2)
        if inside.mean() < _MOSTLY:
            gone.append(method)
            continue
        axis.plot(years, mean, label=_label(method), zorder=4 if method == "pooled" else 3, **LOOKS[method])
        axis.fill_between(
            years, mean - spread, mean + spread, color=LOOKS[method]["color"], alpha=0.12, linewidth=0
        )
    axis.plot(
        years,
        real.mean(axis=0),
        color="#111111",
        linewidth=1.8,
        marker="o",
        markersize=3,
        label="real (made up)",
    )
    axis.set_ylim(*limits)
    axis.grid(alpha=0.2)
    if gone:
        names = ", ".join(_label(method) for method in gone)
        axis.set_xlabel(
            fill(f"not drawn, beyond the frame or all over it: {names}", _LINE, break_on_hyphens=False),
            fontsize=8,
        )


def _label(method: str) -> str:
    base, setting = published_base(method)
    if setting is not None:
        return f"{base} {_NOTES['published' if setting == 'simulation' else setting]}"
    return _NOTES.get(method, method)


def _legend(figure: Any, axes: Any) -> None:
    found: dict[str, Any] = {}
    for axis in axes.flat:
        handles, labels = axis.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    columns = 2 if figure.get_size_inches()[0] < 8 else 4
    figure.legend(
        found.values(), found.keys(), loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5
    )


def _drawn(rows: Sequence[Row]) -> list[str]:
    present = {row["method"] for row in rows}
    return [method for method in LOOKS if method in present]


def _first_of_seed(rows: Sequence[Row]) -> list[Row]:
    return list({row["seed"]: row for row in rows}.values())
