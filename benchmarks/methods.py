"""What the bench compares: Quantail, a simple baseline, non-private quantile regression, a fresh sample.

Every method is a function from a `Job` to a table of `rows` synthetic rows, random only through the job's
seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from benchmarks.baseline import fit_baseline
from benchmarks.tables import to_arrays, to_frame
from quantail.schema import Schema
from studies.quantreg import synthesize_quantreg

QUANTREG_ROWS = 5_000
_LOWER_TAUS = (0.01, 0.03, 0.07, 0.12, 0.18, 0.25, 0.33, 0.40, 0.46)
QUANTREG_TAUS = (*_LOWER_TAUS, 0.5, *(round(1 - tau, 2) for tau in reversed(_LOWER_TAUS)))


@dataclass(frozen=True)
class Job:
    """One table to imitate: its public schema, its rows, the budget, the rows wanted and the seed."""

    schema: Schema
    train: pa.Table
    epsilon: float | None
    rows: int
    seed: int
    fresh: Callable[[int, np.random.Generator], pa.Table] | None = None


def tables(job: Job) -> pa.Table:
    """Run Quantail's default method on simulated noise."""
    from quantail.table import TableSynthesizer

    synthesizer = TableSynthesizer(job.schema, job.epsilon, noise="simulated", seed=job.seed)
    return synthesizer.fit(job.train).sample(job.rows, seed=job.seed)


def baseline(job: Job) -> pa.Table:
    """Run thresholded histograms joined by a noisy copula."""
    if job.epsilon is None:
        raise ValueError("the baseline needs an epsilon")
    rng = np.random.default_rng([1, job.seed])
    model = fit_baseline(to_arrays(job.train), job.schema, job.epsilon, rng)
    return to_frame(model.sample(job.rows, rng), job.schema)


def quantreg(job: Job) -> pa.Table:
    """Run sequential quantile regression without privacy, on asinh values where the grid is log.

    Fitted on a random part of at most `QUANTREG_ROWS` rows, to keep the bench short.
    """
    rng = np.random.default_rng([2, job.seed])
    part = rng.permutation(job.train.num_rows)[:QUANTREG_ROWS]
    arrays = {name: values[part] for name, values in to_arrays(job.train).items()}
    heavy = {column.name: column for column in job.schema.columns if column.grid == "log"}
    scaled = {name: np.arcsinh(v) if name in heavy else v for name, v in arrays.items()}
    names = [column.name for column in job.schema.columns]
    made = synthesize_quantreg(scaled, names, QUANTREG_TAUS, rng, job.rows, weights="midpoint")
    for name, column in heavy.items():
        # An extrapolated prediction must not overflow sinh before it meets the bounds.
        made[name] = np.sinh(np.clip(made[name], np.arcsinh(column.lower), np.arcsinh(column.upper)))
    return to_frame(made, job.schema)


def fresh(job: Job) -> pa.Table:
    """Draw another sample from the true law: as good as a synthetic table can be."""
    if job.fresh is None:
        raise ValueError("a fresh sample exists only where the law is known")
    return job.fresh(job.rows, np.random.default_rng([3, job.seed]))


METHODS: dict[str, Callable[[Job], pa.Table]] = {
    "tables": tables,
    "baseline": baseline,
    "quantreg": quantreg,
    "fresh": fresh,
}
PRIVATE = frozenset({"tables", "baseline"})
"""Methods whose result depends on epsilon; the others run once per table."""


def available(method: str) -> bool:
    """Say whether the method can run with the installed package."""
    if method != "tables":
        return method in METHODS
    import quantail.table

    return hasattr(quantail.table, "TableSynthesizer")
