"""The simulation study of the paper (its section 4): one simulated table per replication, every method on it.

Methods: `ladder` (ours, differentially private), `quantreg` (the paper's non-private quantile regression, 49
quantiles), `fresh` (a new sample of the true model: what a perfect synthesizer would give).
The first `secure` replications of a private method use secure noise, the rest simulated noise of the same law.
"""

import json
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail._version import __version__
from quantail.datasets import PAPER_COLUMNS, paper_schema, paper_split, simulate_paper
from quantail.errors import OptionError
from quantail.evaluation import PAPER_MEASURES, evaluate_paper
from quantail.experiments.paper_tables import PAPER_TABLE
from quantail.quantiles.quantreg import PAPER_TAUS, synthesize_quantreg
from quantail.synthesis import TableSynthesizer

Table = dict[str, NDArray[np.float64]]
Summary = dict[str, dict[str, float | None]]
Task = tuple[str, str, int, int, bool]
DIGITS = {
    "pmse_woi": 4,
    "pmse_wi": 4,
    "wrt": 2,
    "km": 0,
    "int_diff": 2,
    "slope_diff": 2,
    "nrmse_x2": 3,
    "nrmse_x3": 3,
}
HIGHER_IS_BETTER = ("km",)


def _ladder(train: Table, epsilon: str, seed: int, secure: bool) -> Table:
    noise: dict[str, Any] = {"noise": "secure"} if secure else {"noise": "simulated", "seed": seed}
    model = TableSynthesizer(paper_schema(), epsilon, **noise).fit(pa.table(train))
    synthetic = model.sample(len(train["X1"]), seed=None if secure else seed)
    return {name: synthetic[name].to_numpy() for name in PAPER_COLUMNS}


def _quantreg(train: Table, epsilon: str, seed: int, secure: bool) -> Table:
    rng = np.random.default_rng([seed, 1])
    return synthesize_quantreg(train, list(PAPER_COLUMNS), PAPER_TAUS, rng, len(train["X1"]))


def _fresh(train: Table, epsilon: str, seed: int, secure: bool) -> Table:
    return simulate_paper(len(train["X1"]), np.random.default_rng([seed, 2]))


METHODS: dict[str, Callable[[Table, str, int, bool], Table]] = {
    "ladder": _ladder,
    "quantreg": _quantreg,
    "fresh": _fresh,
}
PRIVATE = ("ladder",)


def run_simulation(
    methods: list[str],
    epsilon: Fraction | float | str,
    replications: int,
    seed: int,
    out: Path,
    secure: int = 5,
    workers: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Summary]:
    """Run the study and write results.json, replications.json and table.md into `out`.

    Returns
    -------
    dict
        {method: {measure: {"mean": x, "se": y}}}; y is None for a single replication.
    """
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise OptionError(f"method {unknown[0]!r} is not known; use some of: {', '.join(METHODS)}")
    tasks: list[Task] = [
        (method, str(epsilon), seed + 1000 * r, r, r < secure and method in PRIVATE)
        for r in range(replications)
        for method in methods
    ]
    rows = _run_all(tasks, workers or os.cpu_count() or 1, progress)
    results = {method: summarise([row for row in rows if row["method"] == method]) for method in methods}
    facts = {"epsilon": str(epsilon), "replications": replications, "seed": seed, "secure": secure}
    facts |= {"version": __version__}
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "results.json", results)
    _write(out / "replications.json", {"settings": facts, "replications": rows})
    (out / "table.md").write_text(render(results, rows, facts), encoding="utf-8")
    return results


def replicate(task: Task) -> dict[str, Any]:
    """Run one method on one simulated table."""
    method, epsilon, seed, replication, secure = task
    train, test = paper_split(seed)
    synthetic = METHODS[method](train, epsilon, seed, secure)
    measures = evaluate_paper(train, synthetic, test, np.random.default_rng([seed, 3]))
    noise = ("secure" if secure else "simulated") if method in PRIVATE else "none"
    return {"method": method, "replication": replication, "seed": seed, "noise": noise, **measures}


def summarise(rows: list[dict[str, Any]]) -> Summary:
    """Return mean and standard error of every measure; a single replication has no standard error."""
    table = {name: np.array([row[name] for row in rows]) for name in PAPER_MEASURES}
    return {
        name: {
            "mean": float(values.mean()),
            "se": float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else None,
        }
        for name, values in table.items()
    }


def render(results: dict[str, Summary], rows: list[dict[str, Any]], facts: dict[str, Any]) -> str:
    """Return the study as Markdown: our means and standard errors, the worst replication, the paper's figures."""
    head = ["method", *PAPER_MEASURES]
    lines = [
        f"Simulation study, epsilon {facts['epsilon']}, {facts['replications']} replications, seed {facts['seed']}, "
        f"quantail {facts['version']}. Mean (standard error).",
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
    ]
    for method, result in results.items():
        cells = [f"{_shown(k, result[k]['mean'])} ({_shown(k, result[k]['se'], 1)})" for k in PAPER_MEASURES]
        lines.append(f"| **{method}** | " + " | ".join(cells) + " |")
        for kind in ("secure", "simulated"):
            part = [row for row in rows if row["method"] == method and row["noise"] == kind]
            if part and len(part) < facts["replications"]:
                means = summarise(part)
                label = f"{method}, {len(part)} on {kind} noise"
                lines.append(
                    f"| {label} | " + " | ".join(_shown(k, means[k]["mean"]) for k in PAPER_MEASURES) + " |"
                )
        lines.append(
            f"| {method}, worst | " + " | ".join(_worst(method, rows, k) for k in PAPER_MEASURES) + " |"
        )
    for method, paper in PAPER_TABLE.items():
        lines.append(f"| paper, {method} | " + " | ".join(_shown(k, paper[k]) for k in PAPER_MEASURES) + " |")
    return "\n".join([*lines, ""])


def _worst(method: str, rows: list[dict[str, Any]], measure: str) -> str:
    values = [row[measure] for row in rows if row["method"] == method]
    return _shown(measure, min(values) if measure in HIGHER_IS_BETTER else max(values))


def _shown(measure: str, value: float | None, more: int = 0) -> str:
    return "-" if value is None else f"{value:.{DIGITS[measure] + more}f}"


def _run_all(
    tasks: list[Task], workers: int, progress: Callable[[str, float], None] | None
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(workers) as pool:
        pending = [pool.submit(replicate, task) for task in tasks]
        for done in as_completed(pending):
            rows.append(done.result())
            if progress is not None:
                progress("replications", len(rows) / len(tasks))
    return sorted(rows, key=lambda row: (row["replication"], row["method"]))


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
