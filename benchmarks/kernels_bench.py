"""How far from the physical limit: kernels and whole runs, as multiples of numpy's sort of the same columns.

    python -m benchmarks.kernels_bench --rows 1000000,10000000 --out benchmarks/results/kernels

Sorting every column once is what any method based on quantiles would have to do, so CPU seconds are divided by the
seconds that `np.sort` takes for the same columns, measured beside them. Whole runs (the paper's simulated table, fit
and sample, secure noise) are done in a process of their own each, so that the peak memory is theirs. Writes
`<out>.json` and `<out>.md`.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quantail import __version__
from quantail.curves import Scale
from quantail.curves.grid import near
from quantail.curves.joint import _count_places
from quantail.curves.rows import CHUNK, HeldRows
from quantail.curves.slope_scores import score_slopes
from quantail.curves.tuning import SPREAD_STEPS
from quantail.examples import paper_schema, simulate_paper
from quantail.privacy import SecureNoise, SimulatedNoise
from quantail.table.cells import FieldCells
from quantail.table.tuning import LEVELS

KERNEL_ROWS = 1_000_000
SLOPE_ROWS = 40_000


def seconds(work: Callable[[], Any], least: float = 0.3) -> float:
    """Return CPU seconds of one call: the best of as many as fit into a while, at least two."""
    best, spent, calls = np.inf, 0.0, 0
    while spent < least or calls < 2:
        start = time.process_time()
        work()
        took = time.process_time() - start
        best, spent, calls = min(best, took), spent + took, calls + 1
    return best


def kernels(rows: int) -> Iterator[tuple[str, int, Callable[[], Any]]]:
    """Yield name, rows and work of every kernel that touches confidential rows, chunk by chunk as in a fit."""
    rng = np.random.default_rng(1)
    table = HeldRows({"x": rng.exponential(10, rows), "e": rng.exponential(10, rows)})
    x, e = table.column("x"), table.column("e")
    y = e.map(lambda noise, other: 4 + 3 * other + noise, x).kept()
    u = x.uniform(SimulatedNoise(1)).kept()
    scale = Scale(True, 0.01, 0.0, 1000.0, 0.01)
    grid = near(5.0, 15.0, 0.0, 1000.0, 150)
    cells = np.quantile(rng.exponential(10, 4000), np.arange(1, 18) / 18)
    cut = FieldCells(tuple(cells.tolist()), cells.size + 1, ((0,) * (cells.size + 1),) * len(LEVELS))
    ones = np.array([0], dtype=np.int64)

    def touched(vector: Any) -> Callable[[], Any]:
        return lambda: vector.total(lambda v: ones[: v.size])

    yield "read a column", rows, touched(x)
    yield "dither, secure", rows, touched(x.uniform(SecureNoise()))
    yield "dither, simulated", rows, touched(x.uniform(SimulatedNoise(1)))
    yield "log scale", rows, touched(x.map(scale.spread, u))
    yield "take a slope off", rows, touched(y.map(lambda a, b: a - 3 * (b - 1), x))
    yield (
        "joint draw: counts on a grid",
        rows,
        lambda: x.total(partial(_count_places, grid=grid, steps=SPREAD_STEPS), u),
    )
    yield "cells of a table", rows, touched(x.map(cut.of_number))
    part_x, part_y = rng.exponential(10, (2, SLOPE_ROWS))
    slopes = np.linspace(0.2, 0.4, 10)
    yield "slope: ten candidates", SLOPE_ROWS, lambda: score_slopes(part_y, part_x, 7.0, slopes)


def kernel_results(rows: int) -> list[dict[str, Any]]:
    """Return every kernel's nanoseconds a row, and as a multiple of sorting as many values."""
    rng = np.random.default_rng(2)
    sort = {n: seconds(partial(np.sort, rng.exponential(10, n))) / n for n in (rows, SLOPE_ROWS)}
    found = []
    for name, n, work in kernels(rows):
        each = seconds(work) / n
        found.append({"kernel": name, "rows": n, "ns_per_row": 1e9 * each, "sorts": each / sort[n]})
    return found


def whole_run(rows: int) -> dict[str, Any]:
    """Fit and sample the paper's table in this process, and say what that took."""
    import pyarrow as pa

    from quantail.table import TableSynthesizer

    TableSynthesizer(paper_schema(), 1).fit(pa.table(simulate_paper(50, np.random.default_rng(0)))).sample()
    made = simulate_paper(rows, np.random.default_rng(1))
    table = pa.table({name: np.array(values) for name, values in made.items()})
    del made
    columns = [table[name].to_numpy() for name in table.column_names]
    sort = sum(seconds(partial(np.sort, column), least=0.0) for column in columns)
    _forget_peak()
    start = time.process_time()
    model = TableSynthesizer(paper_schema(), 1).fit(table)
    fitted, fit_peak = time.process_time(), _peak()
    model.sample()
    sampled = time.process_time()
    return {
        "rows": rows,
        "sort_seconds": sort,
        "fit_seconds": fitted - start,
        "sample_seconds": sampled - fitted,
        "sorts": (sampled - start) / sort,
        "data_bytes": table.nbytes,
        "fit_peak_bytes": fit_peak,
        "peak_bytes": _peak(),
        "peak_of_data": _peak() / table.nbytes,
    }


def _forget_peak() -> None:
    """Let the peak begin anew: making up the table takes more than holding it."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak() -> int:
    """Return the largest resident memory of this process since `_forget_peak`, interpreter and libraries included."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = [
        "# Kernels and whole runs against numpy's sort",
        "",
        f"`{results['command']}`, quantail {results['versions']['quantail']}, numpy {results['versions']['numpy']}, "
        f"Python {results['versions']['python']}, {results['machine']}. CPU seconds of one core; chunks of {CHUNK} "
        "rows. Memory is that of the whole process, interpreter and libraries included.",
        "",
        "| rows x 3 | sort of the columns | fit | sample | fit and sample, in sorts | peak memory, in data |",
        "|---|---|---|---|---|---|",
    ]
    for run in results["runs"]:
        lines.append(
            f"| {run['rows']:,} | {run['sort_seconds']:.2f} s | {run['fit_seconds']:.2f} s | "
            f"{run['sample_seconds']:.2f} s | {run['sorts']:.1f} | {run['peak_of_data']:.2f} |"
        )
    lines += ["", "| kernel | rows | ns a row | in sorts |", "|---|---|---|---|"]
    for kernel in results["kernels"]:
        lines.append(
            f"| {kernel['kernel']} | {kernel['rows']:,} | {kernel['ns_per_row']:.1f} | {kernel['sorts']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default="1000000,10000000", help="sizes of whole runs")
    parser.add_argument("--kernel-rows", type=int, default=KERNEL_ROWS)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/kernels"))
    parser.add_argument(
        "--one", type=int, help="one whole run, its result as JSON (used by the benchmark itself)"
    )
    options = parser.parse_args()
    if options.one:
        print(json.dumps(whole_run(options.one)))
        return
    sizes = [int(size) for size in options.rows.split(",")]
    alone = [sys.executable, "-m", "benchmarks.kernels_bench", "--one"]
    threads = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    runs = [
        json.loads(subprocess.run([*alone, str(size)], check=True, capture_output=True, env=threads).stdout)
        for size in sizes
    ]
    results = {
        "command": f"python -m benchmarks.kernels_bench --rows {options.rows}",
        "versions": {"quantail": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "runs": runs,
        "kernels": kernel_results(options.kernel_rows),
    }
    options.out.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    options.out.with_suffix(".md").write_text(report(results), encoding="utf-8")


if __name__ == "__main__":
    main()
