"""The simulation study of the paper (its section 4): one simulated table per replication, every method on it.

The first `secure` replications of a valid method use secure noise, the rest simulated noise of the same law. Files:
replications.jsonl (the journal), results.json and holdout.json (means and standard errors), table.md, density-*.png.
"""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from quantail._version import __version__
from quantail.privacy import as_decimal, parse_epsilon
from studies.figure_style import can_draw
from studies.journal import Row
from studies.paper_tables import Summary
from studies.parallel import Progress
from studies.simulation.methods import METHODS, chosen_methods, synthesize
from studies.simulation.runner import Task, run_tasks
from studies.simulation.summary import render, summarise_methods


def run_simulation(
    methods: list[str],
    epsilon: Fraction | float | str,
    replications: int,
    seed: int,
    out: Path,
    secure: int = 5,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Summary]:
    """Run the study, or what is left of it, and write its files into `out`.

    Parameters
    ----------
    methods : list of str
        Names and groups, see `studies.simulation.methods`.

    Returns
    -------
    dict
        {method: {measure: {"mean": x, "se": y}}}; y is None for a single replication.
    """
    names, epsilon = chosen_methods(methods), epsilon_text(parse_epsilon(epsilon))
    tasks = [
        Task(name, epsilon, r, table_seed(seed, r), METHODS[name].noise(r < secure))
        for r in range(replications)
        for name in names
    ]
    settings = {"study": "simulation", "epsilon": epsilon, "seed": seed, "secure": secure}
    settings |= {"quantail": __version__}
    rows = run_tasks(tasks, synthesize, out, settings, workers, progress)
    return write_study(rows, settings, out)


def write_study(rows: list[Row], settings: Mapping[str, Any], out: Path) -> dict[str, Summary]:
    """Write tables and figures of finished replications, made with these settings, whatever their order."""
    rows = sorted(rows, key=lambda row: (list(METHODS).index(row["method"]), row["replication"]))
    results = summarise_methods(rows)
    write_json(out / "results.json", results)
    write_json(out / "holdout.json", summarise_methods(rows, "holdout"))
    head = "Simulation study: epsilon {epsilon}, seed {seed}, quantail {quantail}.".format(**settings)
    (out / "table.md").write_text(render(rows, head), encoding="utf-8")
    if can_draw():
        from studies.simulation.density_figures import draw_densities

        first = [row for row in rows if row["replication"] == 0]
        draw_densities(first, table_seed(settings["seed"], 0), out)
    return results


def table_seed(seed: int, replication: int) -> int:
    """Return the seed of a replication's table, the same for every study and method."""
    return seed + 1000 * replication


def epsilon_text(epsilon: Fraction) -> str:
    """Return an epsilon as an exact number that reads well: a decimal where that is exact, or a fraction."""
    decimal = as_decimal(epsilon)
    return decimal if " " not in decimal else str(epsilon)


def write_json(path: Path, content: object) -> None:
    """Write readable JSON."""
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
