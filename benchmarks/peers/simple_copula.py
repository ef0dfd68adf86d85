"""The simple baseline of this bench: thresholded log-bin histograms joined by a noisy Gaussian copula, pure DP."""

from __future__ import annotations

import numpy as np

from benchmarks.baseline import fit_baseline
from benchmarks.peers.contract import Arrays, Job, run
from quantail.schema import Column, Schema


def make(job: Job) -> Arrays:
    columns = tuple(
        Column(name=name, type="numeric", lower=low, upper=high) for name, (low, high) in job.bounds.items()
    )
    schema = Schema(columns=columns, unit="row", neighbours="replace-one", name="peers")
    rng = np.random.default_rng(job.seed)
    return fit_baseline(job.train, schema, job.epsilon, rng).sample(job.rows, rng)


if __name__ == "__main__":
    run(make, "numpy", "scipy")
