"""A partitioned table or panel, made up on disk and synthesized end to end by an engine.

    python -m benchmarks.scale_run table --rows 20000000 --groups 40 --engine dask --out benchmarks/results/scale-table
    python -m benchmarks.scale_run panel --rows 20000000 --groups 10 --engine dask --out benchmarks/results/scale-panel

Rows of a panel are establishment-years. With "dask" a scheduler and worker processes are started on the loopback
interface. Secure noise. Reports wall-clock and CPU seconds of the run alone (not of making up the data), and the peak
memory of its largest process (an upper bound: the driver has made up the data before). Writes `<out>.json`.
"""

import argparse
import json
import os
import platform
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from quantail import __version__
from quantail.engines import Engine, Partitions, engine_of, synthesize_panel, synthesize_table
from quantail.examples import paper_schema, simulate_paper
from quantail.panel import PanelSynthesizer
from quantail.privacy import Ledger
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer
from studies.lbd.standin.industries import panel_industry

YEARS_OF_ONE = 8  # active years of an establishment, on average


def table_case(folder: Path, rows: int, groups: int) -> Schema:
    """Write the paper's simulated table, in a folder for every group, and return its schema."""
    import pyarrow as pa

    labels = tuple(f"g{k}" for k in range(groups))
    for k, label in enumerate(labels):
        place = folder / f"group={label}"
        place.mkdir(parents=True)
        made = simulate_paper(rows // groups, np.random.default_rng([1, k]))
        pq.write_table(pa.table(made), place / "part-0.parquet", row_group_size=2**20)
    columns = (Column("group", "category", categories=labels), *paper_schema().columns)
    return Schema(columns, "row", name="scale", by=("group",))


def panel_case(folder: Path, rows: int, groups: int) -> Schema:
    """Write a made-up panel, in a folder for every industry, and return its schema."""
    labels = tuple(str(k) for k in range(groups))
    for k, label in enumerate(labels):
        place = folder / f"industry={label}"
        place.mkdir(parents=True)
        units = rows // YEARS_OF_ONE // groups
        pq.write_table(panel_industry(k, units, seed=1).drop_columns(["sic3"]), place / "part-0.parquet")
    columns = (
        Column("industry", "category", categories=labels),
        Column("emp", "integer", 0, 2000, grid="log"),
    )
    panel = Panel("lbdnum", "firstyear", "lastyear", 1976, 2000)
    return Schema(columns, "establishment", name="scale", panel=panel, by=("industry",))


@contextmanager
def started(name: str, workers: int) -> Iterator[Engine]:
    """Give an engine; for Dask with a cluster of its own."""
    if name != "dask":
        with engine_of(name, workers=workers if name == "processes" else None) as engine:
            yield engine
        return
    from distributed import LocalCluster

    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as made,
        engine_of("dask", made.scheduler_address) as engine,
    ):
        yield engine


def run(
    kind: str, rows: int, groups: int, name: str, workers: int, folder: Path, large: int
) -> dict[str, Any]:
    """Make up the data, synthesize them, and say what that took."""
    case, work = {"table": (table_case, synthesize_table), "panel": (panel_case, synthesize_panel)}[kind]
    schema = case(folder / "in", rows, groups)
    ledger = Ledger.create(folder / "ledger", "scale", 1)
    synthesizer = TableSynthesizer(schema, 1) if kind == "table" else PanelSynthesizer(schema, 1)
    options = {"large": large} if kind == "table" else {}
    wall, before = time.perf_counter(), _cpu()
    with started(name, workers) as engine:
        work(folder / "in", folder / "out", synthesizer, engine, ledger=ledger, **options)  # type: ignore[operator]
    wall = time.perf_counter() - wall
    sizes = {what: Partitions(folder / what, schema).sizes() for what in ("in", "out")}
    assert sizes["in"] == sizes["out"] and ledger.spent == 1
    return {
        "kind": kind,
        "rows": rows,
        "units": sum(sizes["in"].values()),
        "groups": groups,
        "large": large if kind == "table" else None,
        "engine": name,
        "workers": workers,
        "wall_seconds": wall,
        "cpu_seconds": _cpu() - before,
        "peak_of_largest_process": 1024
        * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)),
        "input_bytes": sum(path.stat().st_size for path in (folder / "in").rglob("*.parquet")),
    }


def _cpu() -> float:
    """Return CPU seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=["table", "panel"])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--groups", type=int, default=40)
    parser.add_argument("--engine", default="dask")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--large", type=int, default=20_000_000, help="groups of more rows are fitted from parts"
    )
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = run(
            options.kind,
            options.rows,
            options.groups,
            options.engine,
            options.workers,
            Path(folder),
            options.large,
        )
    result["versions"] = {
        "quantail": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    result["machine"] = f"{os.cpu_count()} cores, {platform.machine()}"
    options.out.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
