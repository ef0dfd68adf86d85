"""The same rows give the same model, whichever library, file or database they come from."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quantail.io import read_table, write_table
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

SCHEMA = Schema(
    (
        Column("region", "category", categories=("north", "south")),
        Column("jobs", "integer", 0, 500, grid="log"),
        Column("pay", "numeric", 0, 10_000, decimals=2, grid="log"),
    ),
    unit="firm",
)


def table():
    rng = np.random.default_rng(7)
    jobs = rng.integers(1, 60, 120)
    return pa.table(
        {
            "pay": np.round(jobs * rng.lognormal(3, 0.5, 120), 2),
            "region": rng.choice(["north", "south"], 120).tolist(),
            "jobs": jobs,
        }
    )


def released(frame):
    """What a fit releases; the description of the original's library aside."""
    model = TableSynthesizer(SCHEMA, 1, noise="simulated", seed=11).fit(frame)
    form = model.to_dict()
    form.pop("library")
    return form, model.sample(5, seed=1)


@pytest.fixture(scope="module")
def expected():
    return released(table())


def test_libraries(expected):
    kinds = {
        "pandas": pd.DataFrame(table().to_pydict()),
        "polars": pl.DataFrame(table().to_pydict()),
        "duckdb": duckdb.from_arrow(table()),
    }
    for kind, frame in kinds.items():
        form, drawn = released(frame)
        assert form == expected[0], kind
        # The same kind comes back; a DuckDB relation belongs to a connection, and Arrow is what DuckDB reads at once.
        assert isinstance(drawn, pa.Table if kind == "duckdb" else type(frame))


@pytest.mark.parametrize(
    "kind", ["csv", "parquet", "feather", "dta", "sav", "xpt", "xlsx", "sqlite", "duckdb", "pg"]
)
def test_files_and_databases(expected, kind, tmp_path, request):
    where = f"{kind}:///{tmp_path}/a.db#same" if kind in ("sqlite", "duckdb") else tmp_path / f"t.{kind}"
    if kind == "pg":
        where = f"{request.getfixturevalue('postgres')}#same_model"
    write_table(table(), where)
    form, drawn = released(read_table(where, SCHEMA))
    assert form == expected[0]
    assert drawn.to_pydict() == expected[1].to_pydict()
