"""Do honest intervals cover the truth? Regressions on simulated tables of populations that are known.

The populations are in `studies.populations`: the paper's, and two that do not suit the model. Every replication draws a
table, releases it, and asks both regressions of the synthetic table by `quantail.inference`; the table itself, which
nobody would see, gives the non-private intervals.

Files: replications.jsonl (the journal, with the estimates of every rerun), results.json, table.md.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.stats import norm

from quantail._version import __version__
from quantail.examples import paper_schema
from quantail.inference.estimand import Estimand
from quantail.inference.evidence import gather
from quantail.inference.interval import corrected
from quantail.inference.relation_doubt import doubted_interval
from quantail.privacy import parse_epsilon
from quantail.table import TableSynthesizer
from studies.journal import JOURNAL, Row, append, resume
from studies.parallel import Progress, computed
from studies.populations import POPULATIONS
from studies.simulation.study import epsilon_text, table_seed, write_json

Floats = NDArray[np.float64]

LEVEL = 0.95
_DIGITS = 12  # of what is kept: later ones depend on the order in which a machine adds up


@dataclass(frozen=True)
class CoverageTask:
    """One simulated table, its release, and the reruns of that."""

    replication: int
    seed: int
    epsilon: str
    reruns: int
    table: str = "paper"


def run_coverage(
    epsilon: str,
    replications: int,
    reruns: int,
    seed: int,
    out: Path,
    workers: int | None = None,
    progress: Progress | None = None,
    table: str = "paper",
) -> dict[str, dict[str, dict[str, float]]]:
    """Run the study, or what is left of it, and write its files into `out`.

    Parameters
    ----------
    table : str
        A key of `POPULATIONS`.

    Returns
    -------
    dict
        {formula: {term: {figure: value}}}, see `summarise_term`.
    """
    budget = epsilon_text(parse_epsilon(epsilon))
    settings = {
        "study": "coverage",
        "epsilon": budget,
        "reruns": reruns,
        "seed": seed,
        "quantail": __version__,
    }
    settings |= {} if table == "paper" else {"table": table}
    done = {row["replication"]: row for row in resume(out / JOURNAL, settings)}
    tasks = [CoverageTask(r, table_seed(seed, r), budget, reruns, table) for r in range(replications)]
    missing = [task for task in tasks if task.replication not in done]
    for row in computed(missing, replicate, workers or os.cpu_count() or 1):
        append(out / JOURNAL, row)
        done[row["replication"]] = row
        if progress is not None:
            finished = sum(task.replication in done for task in tasks)
            progress(f"{finished} of {replications}", finished / replications)
    return write_coverage([done[task.replication] for task in tasks], settings, out)


def write_coverage(
    rows: list[Row], settings: Mapping[str, Any], out: Path
) -> dict[str, dict[str, dict[str, float]]]:
    """Write the table of finished replications, made with these settings."""
    results = summarise_coverage(rows, settings.get("table", "paper"))
    write_json(out / "results.json", results)
    (out / "table.md").write_text(render_coverage(results, settings, len(rows)), encoding="utf-8")
    return results


def replicate(task: CoverageTask) -> Row:
    """Release one table and rerun the mechanism on what was released."""
    started = time.process_time()
    population = POPULATIONS[task.table]
    table, formulas = population.draw(task.seed), list(population.truth)
    noise, drawing, rerunning = np.random.SeedSequence([task.seed, 4]).generate_state(3).tolist()
    synthesizer = TableSynthesizer(paper_schema(), task.epsilon, noise="simulated", seed=noise)
    model = synthesizer.fit(pa.table(table))
    found = gather(model, model.sample(seed=drawing), formulas, task.reruns, seed=rerunning)
    original = [Estimand.parse(formula).on(table).answer(table) for formula in formulas]
    return {
        **vars(task),
        "original": np.concatenate([answer.estimates for answer in original]),
        "original_errors": np.concatenate([answer.naive_errors for answer in original]),
        "released": found.released,
        "released_errors": found.naive_errors,
        "model": found.truth,
        "rerun": found.reruns,
        "bent": found.bent,
        "seconds": round(time.process_time() - started, 1),
    }


def summarise_coverage(rows: list[Row], table: str = "paper") -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures of every coefficient."""
    truth = POPULATIONS[table].truth
    places = [(formula, term) for formula, terms in truth.items() for term in terms]
    results: dict[str, dict[str, dict[str, float]]] = {formula: {} for formula in truth}
    for place, (formula, term) in enumerate(places):
        results[formula][term] = summarise_term(rows, place, truth[formula][term])
    return results


def summarise_term(rows: list[Row], place: int, truth: float) -> dict[str, float]:
    """Return coverage, bias and width for one coefficient.

    Biases are means of the estimate minus the truth, in non-private standard errors; widths are means over those of
    the non-private interval.
    """

    def column(name: str) -> Floats:
        return np.array([row[name][place] for row in rows], dtype=np.float64)

    errors = [np.array([rerun[place] for rerun in row["rerun"]]) - row["model"][place] for row in rows]
    honest = [corrected(value, e, LEVEL) for value, e in zip(column("released"), errors, strict=True)]
    doubted = [
        doubted_interval(one, e, np.array([change[place] for change in row["bent"]]), LEVEL)
        for one, e, row in zip(honest, errors, rows, strict=True)
    ]
    doubted_reach = np.array([(high - low) / 2 for _, low, high in doubted])
    estimates = np.array([one.estimate for one in honest])
    reach = np.array([(one.high - one.low) / 2 for one in honest])
    z = float(norm.ppf((1 + LEVEL) / 2))
    naive, naive_reach = column("released"), z * column("released_errors")
    original, original_reach = column("original"), z * column("original_errors")
    error = float(column("original_errors").mean())
    spread = float(estimates.std(ddof=1)) / error if len(rows) > 1 else float("nan")
    found = {
        "truth": truth,
        "coverage": float(np.mean(np.abs(estimates - truth) <= reach)),
        "coverage doubted": float(np.mean(np.abs(estimates - truth) <= doubted_reach)),
        "coverage naive": float(np.mean(np.abs(naive - truth) <= naive_reach)),
        "coverage non-private": float(np.mean(np.abs(original - truth) <= original_reach)),
        "bias": float(estimates.mean() - truth) / error,
        "bias naive": float(naive.mean() - truth) / error,
        "bias error": spread / math.sqrt(len(rows)),
        "spread": spread,
        "width": float(np.median(reach) / np.median(original_reach)),
        "width doubted": float(np.median(doubted_reach) / np.median(original_reach)),
        "widest": float(reach.max() / np.median(original_reach)),
        "astray": float(sum(one.outlying for one in honest)),
    }
    return {name: float(f"{value:.{_DIGITS}g}") for name, value in found.items()}


def render_coverage(
    results: dict[str, dict[str, dict[str, float]]], settings: Mapping[str, Any], replications: int
) -> str:
    """Return the study as Markdown."""
    head = (
        "Coverage of 95% intervals for the population's coefficients: epsilon {epsilon}, {reruns} reruns a release, "
        "seed {seed}, quantail {quantail}, table {table}".format(**{"table": "paper", **settings})
    )
    lines = [
        f"{head}, {replications} replications of 5000 rows.",
        "",
        "Bias: mean of estimate minus truth, in non-private standard errors (in parentheses the standard error of that "
        "mean). Width: median, over that of non-private "
        "intervals. Doubted: intervals that allow for relations that bend or fan. Astray: reruns set aside, of all.",
        "",
        "| regression | term | truth | coverage | doubted | naive | non-private | bias | naive | width | doubted | "
        "widest | astray |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for formula, terms in results.items():
        for term, found in terms.items():
            shares = [
                f"{100 * found[name]:.1f}%"
                for name in ("coverage", "coverage doubted", "coverage naive", "coverage non-private")
            ]
            biases = [f"{found['bias']:+.2f} ({found['bias error']:.2f})", f"{found['bias naive']:+.2f}"]
            widths = [f"{found[name]:.1f}" for name in ("width", "width doubted", "widest")]
            cells = [
                formula,
                term,
                f"{found['truth']:g}",
                *shares,
                *biases,
                *widths,
                f"{found['astray']:.0f}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
