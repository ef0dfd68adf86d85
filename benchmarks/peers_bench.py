"""Compare Quantail with the synthesizers people would pick instead: same rows, same measures, one run.

    python -m benchmarks.peers_bench --sizes 5000,50000,500000 --seeds 2

The table is the paper's simulation with its loose public bounds. Every entry of `peers.catalogue` runs as a program
of its own, one at a time, in its own environment. A cell that failed, did not finish or was left out is kept with the
reason. Results so far are in `--out`/results.json; an interrupted run goes on where it stopped. The comparison reads
real rows: not private.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow.parquet as pq

from benchmarks.peers.catalogue import CATALOGUE, Entry
from benchmarks.peers.contract import SYNTH, write_job
from benchmarks.peers.environments import NotInstalled, is_built, python_of
from benchmarks.peers.report import write_report
from benchmarks.peers.results import DELTA, EPSILON, Cell, Results
from benchmarks.peers.runner import run_adapter
from benchmarks.peers.scores import Table, score
from quantail.examples import PAPER_COLUMNS, paper_schema, simulate_paper

LARGE, QUICK = 50_000, 20.0
"""Above `LARGE` rows, a peer runs only if it took less than `QUICK` CPU seconds at the size before."""
ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "benchmarks" / "results" / "peers"


def plan(args: argparse.Namespace) -> Iterator[tuple[int, int, Entry]]:
    """List the cells asked for, small tables first."""
    for n in sorted(args.sizes):
        for seed in range(args.seeds):
            yield from ((n, seed, CATALOGUE[name]) for name in args.entries)


def tables(n: int, seed: int) -> tuple[Table, Table]:
    """Draw the training rows, and as many (at most `LARGE`) for testing."""
    rng = np.random.default_rng([n, seed])
    return simulate_paper(n, rng), simulate_paper(min(n, LARGE), rng)


def too_slow(results: Results, n: int, entry: Entry) -> str | None:
    """Say why a peer is left out at a large size, or return None."""
    if n <= LARGE or entry.kind == "ours":
        return None
    earlier = [c for c in results.cells if c["entry"] == entry.name and c["n"] < n]
    if not earlier:
        return None
    last = max(earlier, key=lambda c: c["n"])
    if "failed" in last:
        return f"left out: {last['failed']} at n = {last['n']:,}"
    spent = last["cpu_seconds"]
    return f"left out: {spent:.0f} CPU seconds at n = {last['n']:,}" if spent > QUICK else None


def run_cell(n: int, seed: int, entry: Entry, cpu_limit: int) -> Cell:
    """Run one entry on one table and score what it made."""
    train, test = tables(n, seed)
    bounds = {column.name: (column.lower, column.upper) for column in paper_schema().columns}
    facts = {"bounds": bounds, "epsilon": EPSILON, "delta": DELTA, "rows": n, "seed": seed}
    cell: Cell = {"n": n, "seed": seed, "entry": entry.name}
    try:
        python = python_of(entry.environment)
    except NotInstalled as complaint:
        return cell | {"failed": f"not installed: {complaint}"}
    with TemporaryDirectory() as folder:
        write_job(Path(folder), train, facts | {"options": dict(entry.options)})
        cell |= run_adapter(python, entry.adapter, Path(folder), cpu_limit)
        if "failed" in cell:
            return cell
        made = pq.read_table(Path(folder) / SYNTH)
    return cell | score(train, {name: made[name].to_numpy() for name in PAPER_COLUMNS}, test)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="5000,50000,500000", help="rows of the real table")
    parser.add_argument("--seeds", type=int, default=1, help="tables per size")
    parser.add_argument("--entries", default="all", help="all, or names and kinds of the catalogue, with ;")
    parser.add_argument("--cpu-limit", type=int, default=300, help="CPU seconds that an entry may take")
    parser.add_argument("--again", action="store_true", help="run cells that are on file already, too")
    parser.add_argument("--installed", action="store_true", help="only peers whose environments exist")
    parser.add_argument("--report-only", action="store_true", help="run nothing, only write the report")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args(argv)
    args.sizes = [int(size) for size in args.sizes.split(",")]
    wanted = [part.strip() for part in args.entries.split(";")]
    args.entries = [
        entry.name for entry in CATALOGUE.values() if {"all", entry.name, entry.kind} & set(wanted)
    ]
    if args.installed:
        args.entries = [name for name in args.entries if is_built(CATALOGUE[name].environment)]
    unknown = set(wanted) - {"all"} - set(CATALOGUE) - {entry.kind for entry in CATALOGUE.values()}
    if unknown:
        parser.error(f"--entries: unknown {', '.join(sorted(unknown))}; choose from {'; '.join(CATALOGUE)}")
    return args


def main(argv: list[str] | None = None) -> int:
    """Run the bench from the command line."""
    args = parse(argv)
    results = Results.open(args.out / "results.json")
    for n, seed, entry in [] if args.report_only else plan(args):
        if results.find(n, seed, entry.name) and not args.again:
            continue
        print(f"n {n:,}, table {seed}: {entry.name}", file=sys.stderr, flush=True)
        reason = too_slow(results, n, entry)
        cell = {"n": n, "seed": seed, "entry": entry.name, "failed": reason} if reason else None
        results.put(cell or run_cell(n, seed, entry, args.cpu_limit))
    write_report(results.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
