"""Compare Quantail with peers on whole tables, at the same promise: businesses, NIST's excerpts, wages, diamonds.

    python -m benchmarks.whole_tables_bench --data ../shared/data --seeds 3

Peers model tables of counts: they are given the public cells of each table (`peers.cells`), and their rows are drawn
from the cells they make, each peer as a program of its own. Quantail is given the schema. Promises are those of the
peers, pure epsilon and (epsilon, delta), add/remove; the stronger replace-one stands beside. Goes on where it was
stopped; a table whose file is absent is skipped. The comparison reads real rows: not private.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peers.catalogue import APPROXIMATE, REPLACE, Entry
from benchmarks.peers.cells import cells_of, decode, encode
from benchmarks.peers.contract import SYNTH, cpu_seconds, write_job
from benchmarks.peers.environments import NotInstalled, is_built, python_of
from benchmarks.peers.results import DELTA, EPSILON, Cell, Results
from benchmarks.peers.runner import run_adapter
from benchmarks.peers.whole_catalogue import CATALOGUE, ENTRIES, OUT
from benchmarks.peers.whole_report import MEASURES, write_page
from benchmarks.peers.whole_tables import NAMES, WholeTable, whole_table
from benchmarks.real_schemas import DATA
from quantail.evaluation import MEASURES as KNOWN
from quantail.evaluation import evaluate
from quantail.table import TableSynthesizer


def made_by_us(table: WholeTable, promise: str, seed: int) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a synthetic table of ours, drawn with simulated noise of the same law, and its CPU seconds."""
    neighbours = "replace-one" if promise == REPLACE else "add-remove"
    schema = replace(table.schema, neighbours=neighbours)
    options: dict[str, Any] = {"definition": "zcdp", "delta": str(DELTA)} if promise == APPROXIMATE else {}
    before = cpu_seconds()
    synthesizer = TableSynthesizer(schema, Fraction(EPSILON), noise="simulated", seed=seed, **options)
    made = synthesizer.fit(table.rows).sample(len(table.rows), seed=seed)
    return made, {"cpu_seconds": round(cpu_seconds() - before, 3)}


def made_by_peer(
    table: WholeTable, entry: Entry, seed: int, cpu_limit: int
) -> tuple[pd.DataFrame | None, dict[str, Any]]:
    """Return a peer's synthetic table with what it cost, or None and why there is none."""
    cells = cells_of(table.schema)
    bounds = {name: (0, one.size - 1) for name, one in cells.items()}
    facts = {"bounds": bounds, "epsilon": EPSILON, "delta": DELTA, "rows": len(table.rows), "seed": seed}
    try:
        python = python_of(entry.environment)
    except NotInstalled as complaint:
        return None, {"failed": f"not installed: {complaint}"}
    with TemporaryDirectory() as folder:
        write_job(Path(folder), encode(table.rows, cells), facts | {"options": dict(entry.options)})
        found = run_adapter(python, entry.adapter, Path(folder), cpu_limit)
        if "failed" in found:
            return None, found
        return decode(pq.read_table(Path(folder) / SYNTH).to_pydict(), cells, seed), found


def run_cell(table: WholeTable, entry: Entry, seed: int, cpu_limit: int) -> Cell:
    """Run one entry on one table and score what it made."""
    cells = cells_of(table.schema)
    found: dict[str, Any] = {"cpu_seconds": 0.0}
    made: pd.DataFrame | None
    if entry.kind == "ours":
        made, found = made_by_us(table, entry.promise, seed)
    elif entry.kind == "peer":
        made, found = made_by_peer(table, entry, seed, cpu_limit)
    elif entry.name == "another sample":
        made = table.fresh(seed)
    else:
        made = decode(encode(table.rows, cells), cells, seed)
    return found if made is None else found | score(table, made)


def score(table: WholeTable, made: pd.DataFrame) -> dict[str, float]:
    """Return every measure that applies, those of columns as means over columns."""
    wanted = [name for name in MEASURES if name in KNOWN]
    compared = evaluate(table.rows, made, schema=table.schema, measures=wanted).measures
    values = {name: [m.value for m in compared if m.measure.name == name] for name in wanted}
    found = {name: float(np.mean(each)) for name, each in values.items() if each}
    if table.excerpt:
        columns = {name: made[name].astype(table.rows[name].dtype) for name in table.schema.names}
        found["nist"] = table.excerpt.score(pa.table(pd.DataFrame(columns)))
    return found


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the files")
    parser.add_argument("--tables", default=",".join(NAMES), type=lambda text: text.split(","))
    parser.add_argument("--entries", default="all", help="all, or names and kinds of entries, with ;")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cpu-limit", type=int, default=600, help="CPU seconds that a peer may take")
    parser.add_argument("--again", action="store_true", help="run cells that are on file already, too")
    parser.add_argument("--installed", action="store_true", help="only peers whose environments exist")
    parser.add_argument("--report-only", action="store_true", help="run nothing, only write the page")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args(argv)
    wanted = {part.strip() for part in args.entries.split(";")}
    unknown = wanted - {"all"} - set(CATALOGUE) - {entry.kind for entry in ENTRIES}
    if unknown:
        parser.error(f"--entries: unknown {', '.join(sorted(unknown))}; choose from {'; '.join(CATALOGUE)}")
    args.entries = [e for e in ENTRIES if {"all", e.name, e.kind} & wanted]
    if args.installed:
        args.entries = [entry for entry in args.entries if is_built(entry.environment)]
    return args


def main(argv: list[str] | None = None) -> int:
    """Run the bench from the command line."""
    args = parse(argv)
    results = Results.open(args.out, ("table", "seed", "entry"))
    for name in [] if args.report_only else args.tables:
        for seed in range(args.seeds):
            table = whole_table(name, seed, args.data)
            if table is None:
                print(f"skipped {name}: its file is not in {args.data}; use --data", file=sys.stderr)
                break
            for entry in args.entries:
                if results.find(name, seed, entry.name) and not args.again:
                    continue
                print(
                    f"{time.strftime('%H:%M:%S')} {name}, table {seed}: {entry.name}",
                    file=sys.stderr,
                    flush=True,
                )
                results.put(
                    {"table": name, "seed": seed, "entry": entry.name}
                    | run_cell(table, entry, seed, args.cpu_limit)
                )
    write_page(args.out, CATALOGUE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
