"""OpenDP's own contingency tables (extras.mbi): AIM and MST on 24 log bins between the public bounds, zCDP inside."""

from __future__ import annotations

import numpy as np
import opendp.prelude as dp
import polars as pl

from benchmarks.peers.contract import Arrays, Job, run

BINS = 24
ALGORITHMS = {"aim": dp.mbi.AIM, "mst": dp.mbi.MST}


def make(job: Job) -> Arrays:
    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.from_pandas(job.log_frame()).lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=job.epsilon),
    )
    cuts = {
        name: np.linspace(low, high, BINS + 1)[1:-1].tolist()
        for name, (low, high) in job.log_bounds().items()
    }
    query = context.query(epsilon=job.epsilon).select(*job.bounds)
    table = query.contingency_table(cuts=cuts, algorithm=ALGORITHMS[job.options["method"]]()).release()
    return job.from_log(table.synthesize(rows=job.rows, method="sample"))


if __name__ == "__main__":
    run(make, "opendp", "mbi", "polars")
