"""Run the methods on real public tables: wages of the 1988 CPS, and Paycheck Protection loans in Georgia.

    python -m benchmarks.real_data --data ../shared/data --epsilons 0.25,1 --seeds 10

Bounds are what one would declare before seeing the rows. Writes a JSON file and a Markdown page; a table
whose file is absent is skipped with a message. The comparison looks at the real rows: not a private output.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.generators import integer, numeric
from benchmarks.methods import METHODS, PRIVATE, Job, available
from benchmarks.summary import table
from benchmarks.workers import results_of
from quantail.evaluation import k_marginal
from quantail.schema import Schema
from studies.paper_measures import pmse

ROOT = Path(__file__).resolve().parents[1]
LEVELS = (0.9, 0.95, 0.99)
Task = tuple[str, Path, str, float | None, int]
GOALS = "Goals at epsilon 1: pMSE WOI below .001, KM above 850, 90/95/99% quantiles within 5/7/15%."


@dataclass(frozen=True)
class RealTable:
    """A real file and what is publicly declared about the columns used."""

    file: str
    schema: Schema

    def load(self, folder: Path) -> pa.Table | None:
        """Read the schema's columns without rows that miss a value; None where the file is absent."""
        path = folder / self.file
        if not path.exists():
            return None
        frame = pq.read_table(path, columns=[column.name for column in self.schema.columns])
        return frame.drop_null()


CPS1988 = Schema(
    columns=(
        integer("education", 0, 25),
        integer("experience", -5, 70),
        numeric("wage", 0, 100_000, "log", 2),
    ),
    unit="person",
    neighbours="replace-one",
    name="cps1988",
)
PPP_GEORGIA = Schema(
    columns=(integer("Jobs", 0, 10_000, "log"), integer("Amount", 0, 20_000_000, "log")),
    unit="loan",
    neighbours="replace-one",
    name="ppp_georgia_2020",
)
TABLES = {
    "cps1988": RealTable("cps1988.parquet", CPS1988),
    "ppp_georgia_2020": RealTable("ppp_georgia_2020.parquet", PPP_GEORGIA),
}


def quantile_errors(real: pa.Table, synthetic: pa.Table) -> dict[str, float]:
    """Relative error of the upper quantiles of each column, keyed `column q99`."""
    errors = {}
    for name in real.column_names:
        truth = np.quantile(real.column(name).to_numpy(), LEVELS)
        made = np.quantile(synthetic.column(name).to_numpy(), LEVELS)
        for level, t, m in zip(LEVELS, truth, made, strict=True):
            errors[f"{name} q{100 * level:.0f}"] = float(abs(m - t) / max(abs(t), 1e-12))
    return errors


def run_once(task: Task) -> dict[str, Any]:
    """Imitate one real table once and measure."""
    name, folder, method, epsilon, seed = task
    real = TABLES[name].load(folder)
    if real is None:
        raise FileNotFoundError(folder / TABLES[name].file)
    start = time.perf_counter()
    synthetic = METHODS[method](Job(TABLES[name].schema, real, epsilon, real.num_rows, seed))
    record: dict[str, Any] = {"table": name, "method": method, "epsilon": epsilon, "seed": seed}
    record["seconds"] = round(time.perf_counter() - start, 3)
    record["pmse_woi"] = float(pmse(real, synthetic, interactions=False))
    record["pmse_wi"] = float(pmse(real, synthetic, interactions=True))
    record["km"] = float(k_marginal(real, synthetic, columns=real.column_names))
    return record | quantile_errors(real, synthetic)


def spread(rows: list[dict[str, Any]], measure: str) -> dict[str, float]:
    """Mean and worst over the seeds."""
    values = [float(row[measure]) for row in rows]
    return {"mean": float(np.mean(values)), "worst": min(values) if measure == "km" else max(values)}


def summarise(records: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Nest as table, then method at epsilon, then measure: mean and worst over the seeds."""
    result: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    identity = ("table", "method", "epsilon", "seed", "seconds")
    for record in records:
        label = str(record["method"])
        if record["epsilon"] is not None:
            label += f", epsilon {record['epsilon']:g}"
        names = [key for key in record if key not in identity]
        same = [r for r in records if all(r[k] == record[k] for k in ("table", "method", "epsilon"))]
        result.setdefault(str(record["table"]), {})[label] = {name: spread(same, name) for name in names}
    return result


def cell(measure: str, value: dict[str, float]) -> str:
    style = "{:.0f}" if measure == "km" else "{:.5f}" if measure.startswith("pmse") else "{:.1%}"
    return f"{style.format(value['mean'])} ({style.format(value['worst'])})"


def write_page(summary: dict[str, dict[str, dict[str, dict[str, float]]]], seeds: int, path: Path) -> None:
    """Write the Markdown page: mean (worst) over seeds."""
    lines = [
        "# Real data",
        "",
        f"Mean (worst) over {seeds} seeds, simulated noise, replace-one neighbours.",
        GOALS,
        "",
    ]
    lines += ["Public bounds, declared and not read off the data:", ""]
    for entry in TABLES.values():
        bounds = [f"{c.name} {c.lower:,g} to {c.upper:,g} ({c.grid} grid)" for c in entry.schema.columns]
        lines += [f"- {entry.schema.name}: " + "; ".join(bounds)]
    lines += [
        "",
        "Made by `python -m benchmarks.real_data`; compared with the real rows, not a private output.",
        "",
    ]
    for name, methods in summary.items():
        measures = list(next(iter(methods.values())))
        rows = [[label, *(cell(m, values[m]) for m in measures)] for label, values in methods.items()]
        lines += [f"## {name}", "", *table(["method", *measures], rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines).rstrip() + "\n")


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the files"
    )
    parser.add_argument("--methods", default="tables,baseline,quantreg")
    parser.add_argument("--epsilons", default="0.1,0.25,0.5,1,3")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "real_data.json")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "bench-real-data.md")
    args = parser.parse_args(argv)
    args.methods = args.methods.split(",")
    args.epsilons = [float(epsilon) for epsilon in args.epsilons.split(",")]
    unknown = sorted(set(args.methods) - (set(METHODS) - {"fresh"}))
    if unknown:
        parser.error(f"--methods: unknown {', '.join(unknown)}; choose from tables, baseline, quantreg")
    return args


def plan(args: argparse.Namespace) -> list[Task]:
    """List the runs on the files that are present with the methods that exist, and say what is left out."""
    present = [name for name, entry in TABLES.items() if (args.data / entry.file).exists()]
    for name in TABLES:
        if name not in present:
            print(f"skipped {name}: no {TABLES[name].file} in {args.data}; use --data", file=sys.stderr)
    methods = [method for method in args.methods if available(method)]
    for method in args.methods:
        if method not in methods:
            print(f"left out, not in this version of quantail: {method}", file=sys.stderr)
    return [
        (name, args.data, method, epsilon, seed)
        for name in present
        for method in methods
        for epsilon in (args.epsilons if method in PRIVATE else [None])
        for seed in range(args.seeds)
    ]


def main(argv: list[str] | None = None) -> int:
    """Run the real-data bench from the command line."""
    args = parse(argv)
    tasks = plan(args)
    if not tasks:
        return 0
    records = []
    for i, record in enumerate(results_of(run_once, tasks, args.workers), start=1):
        records.append(record)
        print(f"\r{i}/{len(tasks)} runs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    # Results arrive as they end; the page reads in the order asked for.
    order = {(name, method, epsilon, seed): i for i, (name, _, method, epsilon, seed) in enumerate(tasks)}
    records.sort(key=lambda r: order[r["table"], r["method"], r["epsilon"], r["seed"]])
    summary = summarise(records)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps({"summary": summary, "runs": records}, indent=1) + "\n")
    write_page(summary, args.seeds, args.page)
    print(f"wrote {args.out} and {args.page}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
