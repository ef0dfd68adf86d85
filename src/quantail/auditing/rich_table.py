"""A made-up table with every rich kind of column, in public groups, for whole fits to be replayed on."""

from typing import Any

import numpy as np

from quantail.privacy import Relation
from quantail.schema import Column, Inequality, Schema

# Nothing where that is allowed, and the ends of ranges.
RICH_EXTREME: dict[str, Any] = {
    "mood": None,
    "pay": None,
    "hired": np.datetime64("2021-12-31").item(),
    "owner": True,
    "spent": None,
    "tips": 1e5,
    "visits": 1000,
}


def rich_schema(relation: Relation) -> Schema:
    """Return a schema with missing values and codes for them, atoms, ordinals, dates, booleans and an inequality."""
    columns = (
        Column("region", "category", categories=("north", "south")),
        Column("mood", "ordinal", categories=("bad", "fair", "good"), missing=True),
        Column("pay", "numeric", 0, 1e5, grid="log", missing=True, missing_codes=(-8,), atoms=(0,)),
        Column("hired", "date", lower=18_262, upper=18_992),  # the years 2020 and 2021, in days
        Column("owner", "boolean"),
        Column("spent", "numeric", -1e5, 1e5, grid="log", missing=True),
        Column("tips", "numeric", 0, 1e5, missing=True),
        Column("visits", "integer", 0, 1000, missing=True),
    )
    return Schema(columns, "person", relation, by=("region",), inequalities=(Inequality("tips", "pay"),))


def rich_frame(seed: int, rows: int) -> dict[str, list[Any]]:
    """Return a made-up table, its rows in two groups by turns."""
    rng = np.random.default_rng(seed)
    mood = rng.integers(0, 4, rows)
    pay = np.round(np.exp(rng.normal(5 + 0.5 * mood, 1, rows)), 2)
    instead = {0: None, 1: -8.0, 2: 0.0}  # missing, a code for it, and an atom
    status = rng.integers(0, 6, rows).tolist()
    day = np.array("2020-01-01", dtype="datetime64[D]") + rng.integers(0, 700, rows)
    spent = np.where(rng.random(rows) < 0.3, np.nan, pay - rng.exponential(200, rows))
    visits = np.where(rng.random(rows) < 0.2, np.nan, np.rint(100 * mood + rng.uniform(0, 300, rows)))
    return {
        "region": np.array(["north", "south"])[np.arange(rows) % 2].tolist(),
        "mood": [("bad", "fair", "good", None)[code] for code in mood],
        "pay": [instead.get(code, value) for code, value in zip(status, pay.tolist(), strict=True)],
        "hired": day.tolist(),
        "owner": (rng.random(rows) < 0.2 + 0.2 * mood).tolist(),
        "spent": [None if value != value else value for value in spent.tolist()],
        "tips": (pay * rng.random(rows)).tolist(),
        "visits": [None if value != value else int(value) for value in visits.tolist()],
    }
