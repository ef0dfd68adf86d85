"""The page of the comparison on whole tables: one table each, and where Quantail is behind at the same promise."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.catalogue import Entry
from benchmarks.peers.report import number
from benchmarks.summary import table

MEASURES = {
    "k_marginal": "KM",
    "nist": "NIST score",
    "pmse_ratio": "pMSE ratio",
    "pmse_ratio_interactions": "pMSE ratio, interactions",
    "auc": "AUC",
    "total_error": "total",
    "top_1_share": "top 1%",
    "quantile_error_99": "q99",
    "quantile_error_99.9": "q99.9",
    "cpu_seconds": "CPU s",
}
HIGHER_IS_BETTER = frozenset({"k_marginal", "nist"})
TITLES = {
    "business": "A made-up business register, 30,000 x 9, Pareto index 1.1, bounds far above any firm.",
    "nist-demo": "NIST's national excerpt, demographic columns, 27,253 x 10.",
    "nist-ind": "The same, industry columns, 27,253 x 9.",
    "nist-fam": "The same, family columns, 27,253 x 11.",
    "cps1988": "Wages of the Current Population Survey 1988, 28,155 x 7; round figures are declared to Quantail.",
    "diamonds": "Prices and sizes of diamonds, 53,940 x 10: bounded, light tails, strong dependence.",
}
HEAD = """Epsilon 1; delta 1e-6 where the promise has one. Medians over runs (real tables: over seeds), in brackets the
worst. KM: tables of three columns, 1000 is best; the NIST score is that of its board (pairs of columns, within
areas). pMSE ratio: 1 is what an independent sample has on average, larger is worse. AUC: gradient boosting telling real
rows from synthetic, 0.5 is not at all. Totals and quantiles: relative errors; top 1%: the error of its share of the
total; means over the columns of amounts. CPU is fit and draw.

Peers model tables of counts, and each is given the same public cells: labels, missing values, atoms and codes as they
are, whole numbers of at most 128 values one by one, other numbers in 32 equal steps of the scale that the schema names
(64 where it has two sides). A value is drawn evenly within its cell: *cells of the real rows* is what that alone costs,
with exact counts. Other cells would give the peers other figures, and each was run with one setting. AIM has all pairs
of columns as its workload. smartnoise lists its labels from the rows, which its promise does not cover. Quantail is
given the schema; its noise is simulated, of the same law. *Another sample*: businesses drawn anew, elsewhere as many of
the real rows drawn with replacement."""
Cell = Mapping[str, Any]
Catalogue = Mapping[str, Entry]


def write_page(path: Path, catalogue: Catalogue) -> None:
    """Write the page beside the results."""
    content = json.loads(path.read_text(encoding="utf-8"))
    parts = ["# Peers on whole tables", HEAD, run_facts(content)]
    for name, title in TITLES.items():
        cells = [cell for cell in content["cells"] if cell["table"] == name]
        if cells:
            parts += [f"## {name}", title, lines_of(cells, catalogue), not_run(cells, catalogue)]
            parts.append(behind(cells, catalogue))
    path.with_suffix(".md").write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")


def run_facts(content: Mapping[str, Any]) -> str:
    """Say on what machine it was run, with which versions."""
    machine = content["machine"]
    found = {}
    for cell in content["cells"]:
        if cell.get("versions"):
            name = cell["entry"].split()[0]
            found[name] = ", ".join(f"{package} {v}" for package, v in cell["versions"].items())
    versions = "; ".join(f"{name}: {text}" for name, text in found.items())
    return (
        f"Machine: {machine['cores']} cores (one thread each), {machine['memory_gb']:g} GB, {machine['cpu']}, "
        f"{machine['system']}. {versions}. Made by `python -m benchmarks.whole_tables_bench`; compared with the "
        "real rows, not private."
    )


def lines_of(cells: Sequence[Cell], catalogue: Catalogue) -> str:
    """Lay out one table: an entry a line, median and worst over runs."""
    shown = [name for name in MEASURES if any(name in cell for cell in cells)]
    rows = []
    for entry in catalogue.values():
        own = [cell for cell in cells if cell["entry"] == entry.name]
        done = [cell for cell in own if "failed" not in cell]
        if done:
            rows.append([entry.name, entry.promise, *(_cell(name, done) for name in shown), str(len(done))])
        elif own:
            rows.append([entry.name, entry.promise, own[0]["failed"], *[""] * len(shown)])
    heads = ["entry", "promise", *(MEASURES[name] for name in shown), "runs"]
    return "\n".join(table(heads, rows)).rstrip()


def not_run(cells: Sequence[Cell], catalogue: Catalogue) -> str:
    """Name the entries that have no run on a table yet."""
    absent = [name for name in catalogue if all(cell["entry"] != name for cell in cells)]
    return f"Not run yet: {', '.join(absent)}." if absent else ""


def _cell(measure: str, done: Sequence[Cell]) -> str:
    values = [cell[measure] for cell in done if measure in cell]
    if not values:
        return ""
    middle, worst = float(np.median(values)), min(values) if _higher(measure) else max(values)
    alone = len(values) == 1 or measure == "cpu_seconds"
    return number(middle) if alone else f"{number(middle)} ({number(worst)})"


def behind(cells: Sequence[Cell], catalogue: Catalogue) -> str:
    """Say for each peer on which measures it beats Quantail with the same promise, in the median of common runs."""
    told = []
    for entry in catalogue.values():
        ours = at_promise(entry.promise, catalogue)
        if entry.kind != "peer" or ours is None:
            continue
        seeds = _runs(cells, ours).keys() & _runs(cells, entry).keys()
        if not seeds:
            continue
        own, theirs = (medians(cells, one, seeds) for one in (ours, entry))
        lost = [
            title
            for m, title in MEASURES.items()
            if m in own and m in theirs and _worse(m, own[m], theirs[m])
        ]
        verdict = f"ours is behind on {', '.join(lost)}" if lost else "ours is ahead on all"
        ratio = theirs["cpu_seconds"] / max(own["cpu_seconds"], 1e-3)
        told.append(f"- {entry.name}: {ratio:.3g} times our CPU seconds; {verdict}.")
    head = "At the same promise, medians of the runs that both have:"
    return "\n".join([head, "", *told]) if told else ""


def summary_lines(cells: Sequence[Cell], catalogue: Catalogue) -> tuple[list[str], list[list[str]]]:
    """Return heads and lines of a short table: ours, and the best of all peers in each column, by table and promise."""
    shown = [name for name in MEASURES if name != "quantile_error_99.9"]
    lines = []
    for name in TITLES:
        here = [cell for cell in cells if cell["table"] == name]
        for ours in (entry for entry in catalogue.values() if entry.kind == "ours"):
            peers = [e for e in catalogue.values() if e.kind == "peer" and e.promise == ours.promise]
            found = [medians(here, peer) for peer in peers if _runs(here, peer)]
            own = medians(here, ours)
            if not own or not found:
                continue
            best = {m: (max if _higher(m) else min)(f[m] for f in found if m in f) for m in own}
            for label, figures in (
                ("**Quantail**", own),
                (f"best of the peers ({len(found)})", best),
            ):
                lines.append(
                    [name, ours.promise, label, *(number(figures[m]) if m in figures else "" for m in shown)]
                )
    return ["table", "promise", "", *(MEASURES[m] for m in shown)], lines


def at_promise(promise: str, catalogue: Catalogue) -> Entry | None:
    """Return our entry with a promise, if there is one."""
    return next((e for e in catalogue.values() if e.kind == "ours" and e.promise == promise), None)


def medians(cells: Sequence[Cell], entry: Entry, seeds: set[int] | None = None) -> dict[str, float]:
    """Return the median of each measure over the runs of an entry; empty if there are none."""
    runs = [cell for seed, cell in _runs(cells, entry).items() if seeds is None or seed in seeds]
    values = {m: [cell[m] for cell in runs if m in cell] for m in MEASURES}
    return {m: float(np.median(each)) for m, each in values.items() if each}


def _runs(cells: Sequence[Cell], entry: Entry) -> dict[int, Cell]:
    return {c["seed"]: c for c in cells if c["entry"] == entry.name and "failed" not in c}


def _higher(measure: str) -> bool:
    return measure in HIGHER_IS_BETTER


def _worse(measure: str, ours: float, theirs: float) -> bool:
    return ours < theirs if _higher(measure) else ours > theirs
