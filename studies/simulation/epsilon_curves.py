"""Epsilon curves: each of the eight measures against epsilon, for every method, in one figure.

Shares the runner and the methods of the simulation study. References do not depend on epsilon: they run once and
are drawn as level lines. Files: replications.jsonl, results.json, table.md, epsilon-curves.png.
"""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from quantail._version import __version__
from studies.figure_style import can_draw
from studies.journal import Row
from studies.paper_measures import PAPER_MEASURES
from studies.paper_tables import Summary
from studies.parallel import Progress
from studies.simulation.methods import METHODS, chosen_methods, synthesize
from studies.simulation.runner import Task, run_tasks
from studies.simulation.study import epsilon_text, table_seed, write_json
from studies.simulation.summary import markdown, summarise

NO_EPSILON = "none"
Curves = dict[str, dict[str, Summary]]


def run_epsilon_curves(
    methods: list[str],
    epsilons: list[Fraction],
    replications: int,
    seed: int,
    out: Path,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Curves:
    """Run the study, or what is left of it, and write its files into `out`.

    Returns
    -------
    dict
        {method: {epsilon: {measure: {"mean": x, "se": y}}}}; references have the single epsilon "none".
    """
    names = chosen_methods(methods)
    tasks = [
        Task(name, epsilon, r, table_seed(seed, r), METHODS[name].noise(secure=False))
        for r in range(replications)
        for name in names
        for epsilon in _epsilons_of(name, epsilons)
    ]
    settings = {"study": "epsilon-curves", "seed": seed, "quantail": __version__}
    return write_curves(run_tasks(tasks, synthesize, out, settings, workers, progress), settings, out)


def write_curves(rows: list[Row], settings: Mapping[str, Any], out: Path) -> Curves:
    """Write table and figure of finished replications, made with these settings, whatever their order."""
    curves = curves_of(sorted(rows, key=lambda row: list(METHODS).index(row["method"])))
    write_json(out / "results.json", curves)
    replications = 1 + max(row["replication"] for row in rows)
    (out / "table.md").write_text(render_curves(curves, replications, settings), encoding="utf-8")
    if can_draw():
        from studies.simulation.epsilon_figure import draw_epsilon_curves

        draw_epsilon_curves(curves, out / "epsilon-curves.png")
    return curves


def curves_of(rows: list[Row]) -> Curves:
    """Return the summary of every method at every epsilon, epsilons rising."""
    curves: Curves = {}
    for method in dict.fromkeys(row["method"] for row in rows):
        own = [row for row in rows if row["method"] == method]
        epsilons = sorted({row["epsilon"] for row in own}, key=_size)
        curves[method] = {e: summarise([row for row in own if row["epsilon"] == e]) for e in epsilons}
    return curves


def render_curves(curves: Curves, replications: int, settings: Mapping[str, Any]) -> str:
    """Return the curves as one Markdown table."""
    lines = [
        (f"{method}, epsilon {epsilon}" if epsilon != NO_EPSILON else method, summary)
        for method, points in curves.items()
        for epsilon, summary in points.items()
    ]
    head = f"Epsilon curves: {replications} replications, seed {settings['seed']}, quantail {settings['quantail']}."
    return f"{head} Mean (standard error).\n\n{markdown(lines, PAPER_MEASURES)}\n"


def _epsilons_of(method: str, epsilons: list[Fraction]) -> list[str]:
    if METHODS[method].group == "reference":
        return [NO_EPSILON]
    return [epsilon_text(epsilon) for epsilon in epsilons]


def _size(epsilon: str) -> Fraction:
    return Fraction(0) if epsilon == NO_EPSILON else Fraction(epsilon)
