"""A simple baseline: one noisy histogram of all columns on log bins (diffprivlib), thresholded, pure DP."""

from __future__ import annotations

import numpy as np
from diffprivlib.tools import histogramdd

from benchmarks.peers.contract import Arrays, Job, run

BINS = 10
THRESHOLD = 5.0  # noise scales that a cell must hold to be kept


def make(job: Job) -> Arrays:
    names, logs, bounds = list(job.train), job.log_frame(), job.log_bounds()
    counts, edges = histogramdd(
        logs.to_numpy(), epsilon=job.epsilon, bins=BINS, range=[bounds[name] for name in names]
    )
    kept = np.where(counts >= THRESHOLD / job.epsilon, counts, 0.0)
    rng = np.random.default_rng(job.seed)
    cell = np.unravel_index(rng.choice(kept.size, job.rows, p=kept.ravel() / kept.sum()), kept.shape)
    rows = {
        name: rng.uniform(edge[place], edge[place + 1])
        for name, place, edge in zip(names, cell, edges, strict=True)
    }
    return job.from_log(rows)


if __name__ == "__main__":
    run(make, "diffprivlib", "numpy")
