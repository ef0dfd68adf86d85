"""The paper's mechanisms as published: chains of 1000 steps from the non-private fit. NOT PRIVATE.

numba keeps its compiled code on disk: a first run ever also pays for compiling.
"""

from __future__ import annotations

import numpy as np

from benchmarks.peers.contract import Arrays, Job, run
from studies.published import synthesize_published


def make(job: Job) -> Arrays:
    rng = np.random.default_rng(job.seed)
    return synthesize_published(job.train, job.options["method"], job.epsilon, rng, two_starts=False)[0]


if __name__ == "__main__":
    run(make, "quantail", "numba")
