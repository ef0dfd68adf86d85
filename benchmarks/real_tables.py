"""Run Quantail on whole real tables, every column: labels, missing values, spikes, a regression.

    python -m benchmarks.real_tables --data ../shared/data --epsilons 1,3 --seeds 5

Schemas with public bounds and lists are in `real_schemas.py`. Beside the private runs stands a fresh sample: as many
rows drawn anew from the real ones, which is what a second survey would differ by. Writes a JSON file and a Markdown
page; a table whose file is absent is skipped with a message. The comparison looks at the real rows: not a private
output.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.real_schemas import DATA, SCHEMAS, read
from benchmarks.summary import table
from quantail.evaluation import evaluate
from quantail.schema import Schema
from quantail.table import TableSynthesizer

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("labels", "missing", "spikes")
REGIONS = ("northeast", "south", "west")
FRESH, DELTA = "fresh sample", "1e-6"
HEAD = (
    "Every column of four public tables, {seeds} seeds, simulated noise, replace-one neighbours. Errors of a",
    "synthetic table of as many rows, in points of a hundred: *median over columns and seeds, worst, share below one",
    "point*. Labels: total variation. Spikes: codes and atoms. Goals: labels within 5 points (more than 20,000 rows,",
    "epsilon 1), missing values and spikes within 1. A fresh sample is as many rows drawn anew from the real ones.",
    "AUC: how well gradient boosting tells real from synthetic rows of all columns, median (worst); 0.5 is not at all.",
    "What it takes to be within a point: [columns](columns.md#what-it-gives-on-real-tables).",
    "",
    "Made by `python -m benchmarks.real_tables`; compared with the real rows, not a private output.",
)
TERMS = "Log wage on education, experience and region (against the midwest): mean (standard deviation) over seeds."
Record = dict[str, Any]
Setting = tuple[str, dict[str, Any] | None]


def settings_of(epsilons: Iterable[float]) -> list[Setting]:
    """Name what is compared, with the options of the synthesizer (None: a fresh sample)."""
    pure: list[Setting] = [(f"epsilon {epsilon:g}", {"epsilon": epsilon}) for epsilon in epsilons]
    zcdp: list[Setting] = [
        (f"{name}, delta {DELTA} (zCDP)", {**(options or {}), "definition": "zcdp", "delta": DELTA})
        for name, options in pure
    ]
    return [*pure, *zcdp, (FRESH, None)]


def run_once(real: pd.DataFrame, schema: Schema, options: dict[str, Any] | None, seed: int) -> Record:
    """Imitate a table once and measure, in points of a hundred."""
    start = time.process_time()
    if options is None:
        made = real.sample(len(real), replace=True, random_state=seed)
    else:
        made = TableSynthesizer(schema, noise="simulated", seed=seed, **options).fit(real).sample(seed=seed)
    seconds = time.process_time() - start
    names = list(schema.names)
    (auc,) = evaluate(real[names], made[names], schema=schema, measures=["auc"]).measures
    found = {"cpu_seconds": round(seconds, 2), "auc": round(auc.value, 4)}
    return {**found, **errors(real, made, schema), **regression(made, schema)}


def errors(real: pd.DataFrame, made: pd.DataFrame, schema: Schema) -> dict[str, dict[str, float]]:
    """Return, in points, distances of labels and differences of rates by column."""
    found: dict[str, dict[str, float]] = {kind: {} for kind in KINDS}
    for column in schema.columns:
        one, other = real[column.name], made[column.name]
        if column.is_labelled:
            found["labels"][column.name] = total_variation(one, other)
        if column.missing:
            found["missing"][column.name] = 100 * abs(float(one.isna().mean() - other.isna().mean()))
        for special in (*column.missing_codes, *column.atoms):
            gap = abs(float((one == special).mean() - (other == special).mean()))
            found["spikes"][f"{column.name} = {special:g}"] = 100 * gap
    return found


def total_variation(one: pd.Series, other: pd.Series) -> float:
    """Return the distance of two columns of labels, in points; a missing label is one too."""
    shares = (
        part.astype(str).where(part.notna(), None).value_counts(normalize=True, dropna=False)
        for part in (one, other)
    )
    first, second = next(shares).align(next(shares), fill_value=0.0)
    return 50 * float((first - second).abs().sum())


def regression(made: pd.DataFrame, schema: Schema) -> dict[str, dict[str, float]]:
    """Return the coefficients of log wage on education, experience and region, against the midwest."""
    if schema.name != "cps1988":
        return {}
    regions = [made["region"] == name for name in REGIONS]
    x = np.column_stack([np.ones(len(made)), made["education"], made["experience"], *regions]).astype(float)
    found = np.linalg.lstsq(x, np.log(made["wage"]), rcond=None)[0]
    names = ("education", "experience", *REGIONS)
    return {"coefficients": dict(zip(names, found[1:].tolist(), strict=True))}


def spread(records: Sequence[Record], kind: str) -> str:
    """Describe the errors of a kind over columns and seeds."""
    values = np.array([value for record in records for value in record[kind].values()])
    if not values.size:
        return ""
    return f"{np.median(values):.2f}, {values.max():.1f}, {np.mean(values < 1):.0%}"


def write_page(records: Sequence[Record], real: Record, seeds: int, path: Path) -> None:
    """Write the Markdown page."""
    lines = ["# Whole real tables", "", *(line.format(seeds=seeds) for line in HEAD), ""]
    for name in dict.fromkeys(record["table"] for record in records):
        lines += [f"## {name}", "", *_table_lines([r for r in records if r["table"] == name], real.get(name))]
    path.write_text("\n".join(lines).rstrip() + "\n")


def _table_lines(records: Sequence[Record], real: dict[str, float] | None) -> list[str]:
    by_setting: dict[str, list[Record]] = {}
    for record in records:
        by_setting.setdefault(record["setting"], []).append(record)
    kinds = [kind for kind in KINDS if any(record[kind] for record in records)]
    rows = [
        [name, *(spread(part, kind) for kind in kinds), _auc(part), f"{_middle(part, 'cpu_seconds'):.1f}"]
        for name, part in by_setting.items()
    ]
    lines = table(["", *kinds, "AUC", "CPU s"], rows)
    if real:
        lines += [TERMS, ""]
        rows = [["real", *(f"{value:.4f}" for value in real.values())]]
        rows += [[name, *(_mean(part, term) for term in real)] for name, part in by_setting.items()]
        lines += table(["", *real], rows)
    return lines


def _auc(records: Sequence[Record]) -> str:
    return f"{_middle(records, 'auc'):.3f} ({max(record['auc'] for record in records):.3f})"


def _middle(records: Sequence[Record], what: str) -> float:
    return float(np.median([record[what] for record in records]))


def _mean(records: Sequence[Record], term: str) -> str:
    values = [record["coefficients"][term] for record in records]
    return f"{np.mean(values):.4f} ({np.std(values, ddof=1) if len(values) > 1 else 0:.4f})"


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the files")
    parser.add_argument("--epsilons", default="1,3")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "real_tables.json")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "bench-real-tables.md")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run the bench from the command line."""
    args = parse(argv)
    records: list[Record] = []
    real: dict[str, dict[str, float]] = {}
    for name, schema_of in SCHEMAS.items():
        frame = read(name, args.data)
        if frame is None:
            print(f"skipped {name}: no {name}.parquet in {args.data}; use --data", file=sys.stderr)
            continue
        schema = schema_of(frame)
        real[name] = regression(frame, schema).get("coefficients", {})
        for setting, options in settings_of(float(epsilon) for epsilon in args.epsilons.split(",")):
            for seed in range(args.seeds):
                facts = {"table": name, "setting": setting, "seed": seed}
                records.append(facts | run_once(frame, schema, options, seed))
                print(f"{name}, {setting}, seed {seed}", file=sys.stderr)
    if records:
        args.out.write_text(json.dumps({"real": real, "runs": records}, indent=1) + "\n")
        write_page(records, real, args.seeds, args.page)
        print(f"wrote {args.out} and {args.page}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
