"""Whether plans are honest: how often realised errors lie in the band that `quantail plan` stated beforehand.

For each cell (schema, rows, epsilon, shape) a band is stated from made-up tables and simulated noise. Then 100 fresh
tables are made up, released with *secure* noise, and their errors looked up in the band. Over all columns and measures
nine in ten should be inside, or a few more. Bands of 5 tables, the default of the command line, are judged too: 19 of
them, from disjoint tables.

Files: replications.jsonl (a line for each cell, so that a killed run continues), results.json and table.md.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantail._version import __version__
from quantail.examples import paper_schema, payroll_schema
from quantail.planning import read_shape, simulate_table
from quantail.planning.band import band_of
from quantail.planning.deviations import deviations
from quantail.planning.expectation import try_out
from quantail.planning.tuning import LEVELS, TABLES
from quantail.schema import Schema
from quantail.table import TableSynthesizer
from studies.journal import JOURNAL, Row, append, resume

STATED, SMALL, REALISED = 95, TABLES, 100
SMALL_COVERAGE = f"coverage of bands of {SMALL}"
_FRESH = 2_000_000  # seeds of realised tables begin here

Errors = dict[tuple[str, str], float]


@dataclass(frozen=True)
class Cell:
    """What is planned for."""

    name: str
    schema: Schema
    rows: int
    epsilon: str
    shape: str


CELLS = (
    Cell("paper", paper_schema(), 1000, "1", "exponential"),
    Cell("paper", paper_schema(), 2000, "0.25", "lognormal"),
    Cell("payroll", payroll_schema(), 1000, "1", "lognormal"),
    Cell("payroll", payroll_schema(), 500, "5", "pareto:1.5"),
)


def stated_errors(cell: Cell, tables: int = STATED) -> list[Errors]:
    """Return the errors that bands are made of."""
    shape = read_shape(cell.shape)
    return [try_out(cell.schema, cell.rows, cell.epsilon, shape, (0, table)) for table in range(tables)]


def realised_errors(cell: Cell, tables: int = REALISED) -> list[Errors]:
    """Return the errors of fresh tables that were released with secure noise."""
    found = []
    for table in range(tables):
        rng = np.random.default_rng(_FRESH + table)
        original = simulate_table(cell.schema, cell.rows, read_shape(cell.shape), rng)
        model = TableSynthesizer(cell.schema, cell.epsilon).fit(original, ledger=False)
        found.append(deviations(cell.schema, original, model.sample(), LEVELS))
    return found


def coverage(stated: Sequence[Errors], realised: Sequence[Errors]) -> dict[tuple[str, str], float]:
    """Return the share of realised errors inside the stated band, by column and measure."""
    bands = {key: band_of([errors[key] for errors in stated]) for key in stated[0]}
    return {key: float(np.mean([band.holds(e[key]) for e in realised])) for key, band in bands.items()}


def judge(cell: Cell) -> Row:
    """Return one line of the result, with the errors of its first made-up table: those come out again."""
    started = time.process_time()
    stated, realised = stated_errors(cell), realised_errors(cell)
    each = coverage(stated, realised)
    parts = [stated[start : start + SMALL] for start in range(0, STATED - SMALL + 1, SMALL)]
    small = [np.mean(list(coverage(part, realised).values())) for part in parts]
    return facts_of(cell) | {
        "coverage": float(np.mean(list(each.values()))),
        SMALL_COVERAGE: float(np.mean(small)),
        "by measure": by_name(each),
        "first": by_name(stated[0]),
        "seconds": round(time.process_time() - started, 1),
    }


def facts_of(cell: Cell) -> Row:
    """Return what tells cells apart."""
    return {"cell": cell.name, "rows": cell.rows, "epsilon": cell.epsilon, "shape": cell.shape}


def by_name(errors: Errors) -> dict[str, float]:
    """Return errors by column and measure in one text."""
    return {f"{column} {measure}": value for (column, measure), value in errors.items()}


def write_honesty(lines: Sequence[Row], settings: Mapping[str, Any], folder: Path) -> None:
    """Write the result as JSON and as a Markdown table."""
    order = [facts_of(cell) for cell in CELLS]
    lines = sorted(lines, key=lambda line: order.index({name: line[name] for name in order[0]}))
    (folder / "results.json").write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
    head = ["cell", "rows", "epsilon", "shape", "coverage", SMALL_COVERAGE, "least", "most"]
    text = [
        "# Are plans honest?",
        "",
        f"How often errors of {REALISED} fresh tables, released with secure noise, lie in the 90% band that was stated",
        f"beforehand from {STATED} made-up tables (or from {SMALL}, the default); all columns and measures of a cell",
        "together, then the least and the most of any single one. Made by",
        "`python -m studies plan-honesty --out studies/results/plan-honesty`.",
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
    ]
    for line in lines:
        each = line["by measure"].values()
        shares = [line["coverage"], line[SMALL_COVERAGE], min(each), max(each)]
        cells = [str(line[name]) for name in head[:4]] + [f"{share:.1%}" for share in shares]
        text.append("| " + " | ".join(cells) + " |")
    overall = [float(np.mean([line[name] for line in lines])) for name in head[4:6]]
    text.append(f"| all | | | | {overall[0]:.1%} | {overall[1]:.1%} | | |")
    (folder / "table.md").write_text("\n".join(text) + "\n", encoding="utf-8")


def run_plan_honesty(out: Path) -> None:
    """Judge every cell that the journal in `out` does not hold yet, and write the result."""
    settings = {"study": "plan-honesty", "quantail": __version__}
    lines = resume(out / JOURNAL, settings)
    for cell in CELLS:
        if not any(facts_of(cell).items() <= line.items() for line in lines):
            lines.append(judge(cell))
            append(out / JOURNAL, lines[-1])
    write_honesty(lines, settings, out)
