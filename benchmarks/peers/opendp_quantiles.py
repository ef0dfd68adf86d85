"""OpenDP's private quantiles: eight of each column, one by one, columns drawn independently; pure DP."""

from __future__ import annotations

import numpy as np
import opendp.prelude as dp

from benchmarks.peers.contract import Arrays, Job, run

LEVELS = np.array([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99])
CANDIDATES = 400


def make(job: Job) -> Arrays:
    dp.enable_features("contrib")
    share = job.epsilon / (len(job.bounds) * LEVELS.size)
    rng = np.random.default_rng(job.seed)
    made = {}
    for name, (low, high) in job.bounds.items():
        candidates = low + np.expm1(np.linspace(0, np.log1p(high - low), CANDIDATES))
        values = job.train[name].tolist()
        rungs = [private_quantile(values, candidates.tolist(), level, share) for level in LEVELS]
        curve = np.maximum.accumulate([low, *rungs, high])
        # Nothing is known beyond the outermost quantiles: rows there take their values.
        u = np.clip(rng.random(job.rows), LEVELS[0], LEVELS[-1])
        made[name] = np.interp(u, [0, *LEVELS, 1], curve)
    return made


def private_quantile(values: list[float], candidates: list[float], level: float, epsilon: float) -> float:
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    space = domain, dp.symmetric_distance()

    def at(scale: float) -> dp.Measurement:
        return dp.m.make_private_quantile(*space, dp.max_divergence(), candidates, level, scale)

    return float(dp.binary_search_chain(at, d_in=1, d_out=epsilon, T=float)(values))


if __name__ == "__main__":
    run(make, "opendp", "numpy")
