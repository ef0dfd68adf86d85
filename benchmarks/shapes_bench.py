"""Run the bench of shapes: methods by sizes by budgets by seeds, on every generator.

    python -m benchmarks.shapes_bench --methods tables,baseline,fresh --sizes 500,5000 --epsilons 0.25,1

One cell is one line of JSON in `--out`; cells already there are skipped, so an interrupted run goes on
where it stopped. `--summary docs/bench-shapes.md` writes the table. Evaluation compares with the real rows:
not private.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks.generators import SHAPES
from benchmarks.measures import measures
from benchmarks.methods import METHODS, PRIVATE, QUANTREG_ROWS, Job, available
from benchmarks.summary import write_summary
from benchmarks.workers import results_of

ROWS_OUT = 50_000


@dataclass(frozen=True)
class Cell:
    """One run: a method on one generated table; epsilon is None for methods without privacy."""

    shape: str
    n: int
    seed: int
    method: str
    epsilon: float | None

    def key(self) -> tuple[object, ...]:
        """Return what makes two cells the same."""
        return (self.shape, self.n, self.seed, self.method, self.epsilon)


def plan(args: argparse.Namespace) -> Iterator[Cell]:
    """List the cells asked for, small tables first."""
    for n in sorted(args.sizes):
        for shape in args.shapes:
            for seed in range(args.seeds):
                for method in args.methods:
                    epsilons: Iterable[float | None] = args.epsilons if method in PRIVATE else [None]
                    yield from (Cell(shape, n, seed, method, epsilon) for epsilon in epsilons)


def run_cell(cell: Cell) -> dict[str, Any]:
    """Generate the table, imitate it, measure; a failure is recorded and counts against its method."""
    shape = SHAPES[cell.shape]
    # The table depends on shape, n and seed only: every method and budget imitates the same rows.
    train = shape.frame(cell.n, np.random.default_rng([0, cell.seed, cell.n, crc32(cell.shape.encode())]))
    rows = min(cell.n, ROWS_OUT)
    job = Job(shape.schema(), train, cell.epsilon, rows, cell.seed, shape.frame)
    record: dict[str, Any] = asdict(cell)
    if cell.method == "quantreg" and cell.n > QUANTREG_ROWS:
        record["fitted_rows"] = QUANTREG_ROWS
    start = time.perf_counter()
    try:
        synthetic = METHODS[cell.method](job)
        record["seconds"] = round(time.perf_counter() - start, 3)
        record.update(measures(train, synthetic))
    except Exception as error:  # one broken cell must not end a run of hours; it is reported at the end
        record["error"] = f"{type(error).__name__}: {error}"
    return record


def read_results(path: Path) -> list[dict[str, Any]]:
    """Read the cells done so far; failed cells are left out, so that they are tried again."""
    if not path.exists():
        return []
    records = []
    for line in path.read_text().splitlines():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            print(f"{path}: skipped a line cut short by an interruption", file=sys.stderr)
    latest = {Cell(*(r[k] for k in ("shape", "n", "seed", "method", "epsilon"))).key(): r for r in records}
    return list(latest.values())


def run(args: argparse.Namespace) -> int:
    """Run the missing cells and append each as it ends; return the number of failed ones."""
    done = {
        (r["shape"], r["n"], r["seed"], r["method"], r["epsilon"])
        for r in read_results(args.out)
        if "error" not in r
    }
    todo = [cell for cell in plan(args) if cell.key() not in done]
    print(f"{len(todo)} cells to run, {len(done)} on file", file=sys.stderr)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    failed = 0
    with args.out.open("a") as sink:
        for i, record in enumerate(results_of(run_cell, todo, args.workers), start=1):
            sink.write(json.dumps(record) + "\n")
            sink.flush()
            if "error" in record:
                failed += 1
                print(f"\nfailed: {record}", file=sys.stderr)
            print(f"\r{i}/{len(todo)} cells", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return failed


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the options and turn comma lists into lists."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--methods", default="tables,baseline,quantreg,fresh", help=f"of {', '.join(METHODS)}"
    )
    parser.add_argument("--sizes", default="500,5000,50000,500000", help="rows of the real table")
    parser.add_argument("--epsilons", default="0.05,0.1,0.25,0.5,1,3,10")
    parser.add_argument("--seeds", type=int, default=3, help="tables per shape and size")
    parser.add_argument("--shapes", default="all", help=f"all, or some of {', '.join(SHAPES)}")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/shapes.jsonl"))
    parser.add_argument(
        "--summary", type=Path, help="write the Markdown table here, for example docs/bench-shapes.md"
    )
    parser.add_argument("--summary-only", action="store_true", help="run nothing, only write the summary")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args(argv)
    args.methods = args.methods.split(",")
    args.sizes = [int(size) for size in args.sizes.split(",")]
    args.epsilons = [float(epsilon) for epsilon in args.epsilons.split(",")]
    args.shapes = list(SHAPES) if args.shapes == "all" else args.shapes.split(",")
    for name, known in (("methods", METHODS), ("shapes", SHAPES)):
        unknown = sorted(set(getattr(args, name)) - set(known))
        if unknown:
            parser.error(f"--{name}: unknown {', '.join(unknown)}; choose from {', '.join(known)}")
    return args


def main(argv: list[str] | None = None) -> int:
    """Run the bench from the command line."""
    args = parse(argv)
    missing = [method for method in args.methods if not available(method)]
    if missing:
        print(f"left out, not in this version of quantail: {', '.join(missing)}", file=sys.stderr)
        args.methods = [method for method in args.methods if method not in missing]
    failed = 0 if args.summary_only else run(args)
    if args.summary or args.summary_only:
        path = args.summary or Path("docs/bench-shapes.md")
        write_summary(read_results(args.out), path)
        print(f"wrote {path}", file=sys.stderr)
    if failed:
        print(f"{failed} cells failed; see the records with an `error` in {args.out}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
