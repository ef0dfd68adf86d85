"""Small panels of several industries, in partitions or as tables of their own."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quantail.panel import PanelSynthesizer
from quantail.schema import Column, Panel, Schema

INDUSTRIES = ("178", "239", "542")
YEARS = (2000, 2003)


def schema_of(industries=INDUSTRIES, layout="wide", lower=0):
    panel = Panel("id", "first", "last", *YEARS, layout=layout, time="year" if layout == "long" else "")
    columns = (Column("sic", "category", categories=industries), Column("emp", "integer", lower, 500))
    return Schema(columns, "establishment", name="industries", panel=panel, by=("sic",))


def industry(ids, seed=1):
    """Return a wide panel with the given units, all active throughout."""
    rng, years = np.random.default_rng(seed), range(YEARS[0], YEARS[1] + 1)
    emp = {f"emp_{year}": rng.integers(0, 400, len(ids)) for year in years}
    ends = {"first": [YEARS[0]] * len(ids), "last": [YEARS[1]] * len(ids)}
    return pa.table({"id": ids, **ends, **emp})


def with_industry(table, label):
    return table.append_column("sic", pa.array([label] * table.num_rows))


def as_long(table):
    """Turn a wide panel of one industry into rows of units and years."""
    years = range(YEARS[0], YEARS[1] + 1)
    public = [name for name in table.column_names if not name.startswith("emp_")]
    return pa.concat_tables(
        [
            table.select(public)
            .append_column("year", pa.array([year] * table.num_rows))
            .append_column("emp", table[f"emp_{year}"])
            for year in years
        ]
    )


def write_panel(parts, folder: Path):
    """Write one table for every industry."""
    for label, table in parts.items():
        place = folder / f"sic={label}"
        place.mkdir(parents=True)
        pq.write_table(table, place / "part-0.parquet")
    return folder


def maker_of(schema=None, seed=3):
    return PanelSynthesizer(schema or schema_of(), 1, noise="simulated", seed=seed)
