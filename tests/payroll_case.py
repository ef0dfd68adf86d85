"""A payroll table with known truth, its schema, and a seeded fit."""

import numpy as np
import pyarrow as pa

from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

REGIONS = ("north", "south", "west")


def payroll(n, seed=0):
    """Return a table of all three types: region shifts jobs and the grade, jobs drive pay."""
    rng = np.random.default_rng(seed)
    region = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    jobs = np.minimum(np.rint(rng.lognormal(2 + 0.8 * region, 0.7, n)), 5000).astype(np.int64)
    pay = np.round(np.minimum(30 * (jobs + 1) * rng.lognormal(0, 0.3, n), 1e6), 2)
    grade = np.where(rng.random(n) < np.where(region == 2, 0.9, 0.2), "A", "B")
    return pa.table({"region": np.array(REGIONS)[region], "jobs": jobs, "pay": pay, "grade": grade})


def payroll_schema(**options):
    return Schema(
        (
            Column("region", "category", categories=REGIONS),
            Column("jobs", "integer", 0, 5000, grid="log"),
            Column("pay", "numeric", 0, 1_000_000, grid="log", decimals=2),
            Column("grade", "category", categories=("A", "B")),
        ),
        unit="firm",
        **options,
    )


def simulate(schema, frame, epsilon=1, seed=0, **options):
    return TableSynthesizer(schema, epsilon, noise="simulated", seed=seed, **options).fit(frame)
