"""What stands at both ends: a fresh draw of the truth, and non-private quantile regression at the paper's levels."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.contract import Arrays, Job, run
from quantail.examples import simulate_paper
from quantail.orders.levels import PAPER_TAUS
from studies.quantreg import synthesize_quantreg


def make(job: Job) -> Arrays:
    rng = np.random.default_rng([job.seed, 1])
    if job.options["method"] == "fresh":
        return simulate_paper(job.rows, rng)
    return synthesize_quantreg(job.train, list(job.train), PAPER_TAUS, rng, job.rows)


if __name__ == "__main__":
    run(make, "numpy", "scipy")
