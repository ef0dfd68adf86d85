"""The report of the comparison: Markdown tables by size, where Quantail is behind, versions, and a figure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.catalogue import CATALOGUE, Entry
from benchmarks.peers.figure import draw
from benchmarks.peers.scores import MEASURES, better
from studies.simulation.methods import DEFAULT

OURS = f"quantail {DEFAULT}"
TITLES = ("pMSE WOI", "pMSE WI", "WRT", "KM", "int", "slope", "NRMSE X2", "NRMSE X3", "q99", "q99.9")
_COSTS = ("cpu_seconds", "peak_mb")


@dataclass(frozen=True)
class Line:
    """An entry at one size: its figures by table, and why there are none where it failed."""

    entry: Entry
    n: int
    figures: dict[int, dict[str, float]]
    failed: str | None

    @property
    def means(self) -> dict[str, float]:
        """Means over tables; empty if there are none."""
        return self.over(set(self.figures))

    def over(self, tables: set[int]) -> dict[str, float]:
        """Means over some of the tables."""
        if not tables:
            return {}
        return {m: float(np.mean([self.figures[t][m] for t in tables])) for m in (*MEASURES, *_COSTS)}


def write_report(path: Path) -> None:
    """Write `peers.md` and `peers.png` beside the results."""
    content = json.loads(path.read_text())
    lines = summarise(content["cells"])
    path.with_name("peers.md").write_text(page(content, lines))
    draw(lines, path.with_name("peers.png"))


def summarise(cells: Sequence[dict[str, Any]]) -> list[Line]:
    """Gather the cells of each entry and size, in the order of the catalogue."""
    lines = []
    for n in sorted({cell["n"] for cell in cells}):
        for entry in CATALOGUE.values():
            own = [cell for cell in cells if cell["n"] == n and cell["entry"] == entry.name]
            figures = {cell["seed"]: cell for cell in own if "failed" not in cell}
            failed = next((cell["failed"] for cell in own if "failed" in cell), None)
            if own:
                lines.append(Line(entry, n, figures, failed))
    return lines


def page(content: dict[str, Any], lines: Sequence[Line]) -> str:
    """Write the Markdown page."""
    machine = content["machine"]
    parts = [
        "# Peers side by side",
        f"The paper's simulation, epsilon {content['epsilon']:g} (delta {content['delta']:g} where a peer needs one), "
        "public bounds 0..1000, 0..1000, 0..2000. Means over tables; lower is better except KM (0 to 1000). int and "
        "slope in standard errors of the real fit; q99 and q99.9 are relative errors of the quantile, averaged over "
        "columns. CPU is fit plus sample, MB the peak of the process. Promises differ: add/remove is about half as "
        "strong as replace-one at the same number. Above 50,000 rows the eight measures look at 50,000 random rows.",
        f"Machine: {machine['cores']} cores (one thread per entry), {machine['memory_gb']:g} GB, {machine['cpu']}, "
        f"{machine['system']}, Python {machine['python']}. Made by `make bench`.",
        "![KM, slope, 99.9% quantile and CPU seconds of every entry](peers.png)",
    ]
    for n in sorted({line.n for line in lines}):
        here = [line for line in lines if line.n == n]
        parts += [f"## n = {n:,}", table(here), *behind(here)]
    return "\n\n".join([*parts, "## Versions", versions(content["cells"])]) + "\n"


def table(lines: Sequence[Line]) -> str:
    """Lay out one size as a table."""
    heads = ["entry", "promise", *TITLES, "CPU s", "MB", "tables"]
    rows = [heads, ["---"] * len(heads)]
    for line in lines:
        means, row = line.means, [line.entry.name, line.entry.promise]
        if means and line.failed:
            row[0] += f" (another table: {line.failed})"
        if means:
            row += [number(means[m]) for m in (*MEASURES, "cpu_seconds")]
            row += [f"{means['peak_mb']:.0f}", str(len(line.figures))]
        else:
            row += [str(line.failed), *[""] * (len(heads) - 3)]
        rows.append(row)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def number(value: float) -> str:
    """Write a figure with the digits that matter."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.4f}" if value < 0.01 else f"{value:.3f}" if value < 1 else f"{value:.1f}"


def behind(lines: Sequence[Line]) -> list[str]:
    """Say for each private entry how many times more CPU it took, and on which measures it beats our default.

    Both are averaged over the tables that both have seen.
    """
    default = next((line for line in lines if line.entry.name == OURS), None)
    told = []
    for line in lines:
        both = set(default.figures) & set(line.figures) if default else set()
        if not default or not both or not line.entry.private or line.entry.kind == "ours":
            continue
        ours, theirs = default.over(both), line.over(both)
        lost = [t for m, t in zip(MEASURES, TITLES, strict=True) if not better(m, ours[m], theirs[m])]
        verdict = f"ours is behind on {', '.join(lost)}" if lost else "ours is ahead on all ten"
        tables = f"in the mean of {len(both)} tables"
        ratio = theirs["cpu_seconds"] / ours["cpu_seconds"]
        note = "" if line.entry.dependence else " (columns drawn independently)"
        told.append(f"- {line.entry.name}{note}: {ratio:.3g} times our CPU seconds; {verdict} {tables}.")
    head = f"Against {OURS}, on the tables that both have seen:"
    return ["\n".join([head, "", *told])] if told else []


def versions(cells: Sequence[dict[str, Any]]) -> str:
    """List the versions behind each entry."""
    found: dict[str, str] = {}
    for cell in cells:
        if "versions" in cell:
            found[cell["entry"]] = ", ".join(f"{name} {v}" for name, v in cell["versions"].items())
    return "\n".join(f"- {name}: {text}" for name, text in found.items())
