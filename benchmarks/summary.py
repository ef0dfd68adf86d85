"""The Markdown table of the bench of shapes.

A contest is one (shape, n, epsilon): each method's mean over tables, Quantail against baseline. A draw (both
exact on a quantile of small integers) counts as ahead; a failed run of Quantail counts as behind. Where one
table in ten goes astray the mean over tables says little else, so the medians are compared as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measures import HIGHER_IS_BETTER

Record = dict[str, Any]
MEASURES = ("pmse_wi", "km", "q99", "pmse_woi")
TITLES = {"pmse_wi": "pMSE WI", "km": "KM", "q99": "q99 error", "pmse_woi": "pMSE WOI"}
WORST = 25
LEVEL_RATIO, LEVEL_POINTS = 1.5, 10.0


OURS = ("tables", "ladder")
"""Names of Quantail's default method in results, the present one first."""


@dataclass(frozen=True)
class Contest:
    """What every method has on one shape, size and budget, table by table; NaN where a run failed."""

    shape: str
    n: int
    epsilon: float
    found: dict[str, dict[str, list[float]]]
    ours: str = "tables"

    def value(self, method: str, measure: str) -> float:
        """Return the mean of one method, NaN where it was not run."""
        return float(np.mean(self.found.get(method, {}).get(measure, [np.nan])))

    def middle(self, method: str, measure: str) -> float:
        """Return the median of one method."""
        return float(np.median(self.found[method][measure]))

    def ahead(self, measure: str) -> bool:
        """Say whether Quantail is at least as good as the baseline."""
        return _no_worse(self.value(self.ours, measure), self.value("baseline", measure), measure)

    def ahead_in_the_middle(self, measure: str) -> bool:
        """Say the same of the median table."""
        return _no_worse(self.middle(self.ours, measure), self.middle("baseline", measure), measure)

    def level_with_fresh(self, measure: str) -> bool:
        """Say whether Quantail is about as good as a fresh sample, where being ahead is luck."""
        ours, best = self.value(self.ours, measure), self.value("fresh", measure)
        return ours >= best - LEVEL_POINTS if measure in HIGHER_IS_BETTER else ours <= LEVEL_RATIO * best

    def lag(self, measure: str) -> float:
        """Return how far behind: a ratio of losses above 1 (for KM, of the distances to 1000)."""
        ours, theirs = self.value(self.ours, measure), self.value("baseline", measure)
        if measure in HIGHER_IS_BETTER:
            ours, theirs = 1000 - ours, 1000 - theirs
        return float("inf") if np.isnan(ours) else ours / max(theirs, 1e-12)


def _no_worse(ours: float, theirs: float, measure: str) -> bool:
    return ours >= theirs if measure in HIGHER_IS_BETTER else ours <= theirs


def by_method(records: Iterable[Record]) -> dict[str, dict[str, list[float]]]:
    """Collect each measure of each method, one number a table; NaN for a run that failed."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for measure in MEASURES:
            found[str(record["method"])][measure].append(record.get(measure, np.nan))
    return {method: dict(values) for method, values in found.items()}


def contests(records: Sequence[Record]) -> list[Contest]:
    """Pair Quantail and baseline cell by cell, with the references that do not depend on epsilon."""
    groups: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    for record in records:
        groups[(record["shape"], record["n"], record["epsilon"])].append(record)
    found = []
    for (shape, n, epsilon), rows in groups.items():
        methods = {r["method"] for r in rows}
        ours = next((name for name in OURS if name in methods), None)
        if epsilon is None or ours is None or "baseline" not in methods:
            continue
        rows = rows + groups.get((shape, n, None), [])
        found.append(Contest(shape, n, epsilon, by_method(rows), ours))
    return sorted(found, key=lambda c: (c.shape, c.n, c.epsilon))


def share(won: Sequence[bool]) -> str:
    return f"{100 * np.mean(won):.0f}%" if won else "-"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def number(value: float, measure: str) -> str:
    if np.isnan(value):
        return "-"
    return f"{value:.0f}" if measure == "km" else f"{value:.3g}" if measure == "q99" else f"{value:.5f}"


def middle(rows: Sequence[Contest], method: str, measure: str) -> str:
    values = np.array([c.value(method, measure) for c in rows])
    values = values[~np.isnan(values)]
    return number(float(np.median(values)) if values.size else float("nan"), measure)


def overall(all_contests: Sequence[Contest]) -> list[str]:
    """Shares and medians over all contests."""
    names = (all_contests[0].ours, "baseline", "quantreg", "fresh")
    head = ["measure", f"{names[0]} ahead of baseline", "by medians", "ahead, or level with a fresh sample"]
    head += [f"median {m}" for m in names]
    rows = []
    for measure in MEASURES:
        ahead = share([c.ahead(measure) for c in all_contests])
        by_medians = share([c.ahead_in_the_middle(measure) for c in all_contests])
        either = share([c.ahead(measure) or c.level_with_fresh(measure) for c in all_contests])
        medians = [middle(all_contests, name, measure) for name in names]
        rows.append([TITLES[measure], ahead, by_medians, either, *medians])
    return table(head, rows)


def broken_down(all_contests: Sequence[Contest], name: str) -> list[str]:
    """Share ahead, then the medians of Quantail / baseline, by shape, size or epsilon."""
    keys = sorted({getattr(c, name) for c in all_contests})
    head = [name, "cells", *(f"{TITLES[m]} ahead" for m in MEASURES)]
    ours = all_contests[0].ours
    head += [f"{TITLES[m]}, {ours} / baseline" for m in MEASURES[:3]]
    rows = []
    for key in keys:
        part = [c for c in all_contests if getattr(c, name) == key]
        shares = [share([c.ahead(m) for c in part]) for m in MEASURES]
        medians = [f"{middle(part, ours, m)} / {middle(part, 'baseline', m)}" for m in MEASURES[:3]]
        label = f"{key:,}" if isinstance(key, int) else f"{key:g}" if isinstance(key, float) else key
        rows.append([label, str(len(part)), *shares, *medians])
    return table(head, rows)


def worst(all_contests: Sequence[Contest]) -> list[str]:
    """List the cells where Quantail is furthest behind, one table for the three headline measures."""
    behind = [(c.lag(m), c, m) for c in all_contests for m in MEASURES[:3] if not c.ahead(m)]
    behind.sort(key=lambda item: -item[0])
    head = [
        "shape",
        "n",
        "epsilon",
        "measure",
        all_contests[0].ours,
        "baseline",
        "fresh",
        "times the baseline's loss",
    ]
    rows = [
        [c.shape, f"{c.n:,}", f"{c.epsilon:g}", TITLES[m]]
        + [number(c.value(method, m), m) for method in (c.ours, "baseline", "fresh")]
        + [f"{lag:.2f}"]
        for lag, c, m in behind[:WORST]
    ]
    return [
        f"{len(behind)} of {len(all_contests) * 3} contests on the three measures are lost.",
        "",
        *table(head, rows),
    ]


def preamble(cells: int, seeds: int, sizes: str, ours: str = OURS[0]) -> list[str]:
    """Say what was run and how the numbers are to be read."""
    earlier = [
        f"**These cells are of an earlier default method, `{ours}`, which is no longer in the package**: today's",
        "has not been run on all of them yet. It has two stages in place of one: figures below need not hold for it.",
        "",
    ]
    return [
        *(earlier if ours != OURS[0] else ()),
        f"{cells} cells (shape, n, epsilon), means over up to {seeds} tables each ({sizes}), simulated noise, wide",
        f"public bounds. {ours.capitalize()} and baseline are pure epsilon-DP with replace-one neighbours; the",
        "baseline is thresholded asinh-spaced histograms joined by a noisy Gaussian copula",
        "(`benchmarks/baseline.py`). pMSE and KM look at 50,000 rows at most; `quantreg` (not private) is",
        "fitted with 19 levels on 5,000 rows at most. q99 error: distance of the 99% quantiles over the",
        "real distance from median to 99% quantile, mean over columns. *Level with a fresh sample*: a",
        f"loss of at most {LEVEL_RATIO:g} times that of a new draw of the truth (KM: at most",
        f"{LEVEL_POINTS:g} points below it). Made by `python -m benchmarks.shapes_bench`; compared with",
        "the real rows, hence not a private output. *By medians*: the median table of each cell, where a table",
        "that goes astray, of either method, does not count.",
    ]


def tables_by_size(records: Iterable[Record]) -> str:
    """Say how many tables of each size there are."""
    tables: dict[int, set[int]] = defaultdict(set)
    for record in records:
        tables[record["n"]].add(record["seed"])
    return ", ".join(f"{len(seeds)} at n {n:,}" for n, seeds in sorted(tables.items()))


def write_summary(records: Sequence[Record], path: Path) -> None:
    """Write the Markdown page."""
    found = contests(records)
    seeds = len({r["seed"] for r in records})
    failures = [r for r in records if "error" in r]
    lines = ["# Bench of shapes", ""]
    ours = found[0].ours if found else OURS[0]
    lines += [*preamble(len(found), seeds, tables_by_size(records), ours), ""]
    if not found:
        lines += ["No cell has both Quantail and the baseline yet.", ""]
    else:
        lines += [*overall(found), "## By epsilon", "", *broken_down(found, "epsilon")]
        lines += ["## By size", "", *broken_down(found, "n"), "## By shape", "", *broken_down(found, "shape")]
        lines += ["## Worst cells", "", *worst(found)]
    if failures:
        lines += ["## Failed runs", ""]
        keys = ("method", "shape", "n", "epsilon", "error")
        lines += table(keys, [[str(r[k]) for k in keys] for r in failures])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines).rstrip() + "\n")
