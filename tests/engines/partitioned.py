"""A small partitioned table, and what a run of an engine leaves behind."""

import os
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

REGIONS = ("far north", "south/east", "west")
SIZES = (300, 900, 500)


def schema_of(relation="replace-one", by=("region",), **more):
    columns = (
        Column("region", "category", categories=REGIONS),
        Column("jobs", "integer", 0, 500, grid="log"),
        Column("pay", "numeric", 0, 1e5, grid="log", decimals=0),
    )
    return Schema(columns[0 if by else 1 :], "firm", neighbours=relation, by=by, **more)


def table_of(seed=1, sizes=SIZES):
    rng = np.random.default_rng(seed)
    region = np.repeat(REGIONS, sizes)
    jobs = np.minimum(rng.lognormal(2, 1.2, region.size).astype(int), 500)
    pay = np.minimum(np.rint(jobs * rng.lognormal(4, 0.5, region.size)), 1e5)
    return pa.table({"region": region, "jobs": jobs, "pay": pay})


def write_partitioned(table, folder: Path, files=2, row_group_size=100, by=True):
    """Write a table, in several files, in a folder for every region."""
    for region in REGIONS if by else (None,):
        kept = table.filter(pa.compute.equal(table["region"], region)) if by else table
        kept = kept.drop_columns(["region"])
        place = folder / f"region={region.replace('/', '%2F')}" if by else folder
        place.mkdir(parents=True)
        step = -(-kept.num_rows // files)
        for k in range(files):
            part = kept.slice(k * step, step)
            pq.write_table(part, place / f"part-{k}.parquet", row_group_size=row_group_size)
    return folder


def maker_of(schema, epsilon=4, seed=5):
    return TableSynthesizer(schema, epsilon, noise="simulated", seed=seed)


def outcome(output: Path):
    """Return all that a run wrote, by name: models as text, tables as rows."""
    tables = {
        str(path.relative_to(output)): pq.read_table(path, partitioning=None).to_pydict()
        for path in output.rglob("*.parquet")
    }
    models = {
        str(path.relative_to(output)): path.read_text(encoding="utf-8") for path in output.rglob("*.json")
    }
    strays = [path for path in output.rglob(".*")]
    assert not strays
    return tables | models


class DyingSynthesizer(TableSynthesizer):
    """Its process is killed once, with a fitted group that nobody has seen yet."""

    mark: Path

    def fit_pool(self, pool, *rest):
        released = super().fit_pool(pool, *rest)
        if pool[0] == (2,):
            die_once(self.mark)
        return released


def die_once(mark: Path):
    """Kill this process, unless that was done before."""
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
