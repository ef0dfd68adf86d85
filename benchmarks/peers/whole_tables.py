"""The whole tables of the comparison: made-up businesses, NIST's national excerpt, two public real tables.

Labels, missing values, dates and heavy numbers, each with a schema of public facts. A table whose file is absent is
None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.business import business_schema, business_table
from benchmarks.dependence_bench import EXCERPTS, Excerpt
from benchmarks.real_schemas import DATA, SCHEMAS, read
from quantail.schema import Schema

BUSINESS_ROWS = 30_000
REAL = ("cps1988", "diamonds")


@dataclass(frozen=True)
class WholeTable:
    """One table with its schema, another sample of the same size, and NIST's own score where there is one."""

    schema: Schema
    rows: pd.DataFrame
    fresh: Callable[[int], pd.DataFrame]
    excerpt: Excerpt | None = None


def whole_table(name: str, seed: int, data: Path = DATA) -> WholeTable | None:
    """Return a table by name; only that of businesses depends on the seed."""
    if name == "business":
        schema = business_schema()
        return WholeTable(schema, _businesses(schema, [7, seed]), lambda s: _businesses(schema, [8, s]))
    if name in REAL:
        frame = read(name, data)
        if frame is None:
            return None
        schema = SCHEMAS[name](frame)
        return WholeTable(schema, frame[list(schema.names)], _again(frame[list(schema.names)]))
    folder = data / "nist"
    if not folder.exists():
        return None
    excerpt = Excerpt.read(folder, name.removeprefix("nist-"))
    frame = excerpt.frame.to_pandas()[list(excerpt.schema.names)]
    return WholeTable(excerpt.schema, frame, _again(frame), excerpt)


NAMES = ("business", *(f"nist-{which}" for which in EXCERPTS), *REAL)


def _businesses(schema: Schema, seed: list[int]) -> pd.DataFrame:
    frame = business_table(BUSINESS_ROWS, np.random.default_rng(seed)).to_pandas()
    return frame[list(schema.names)]


def _again(frame: pd.DataFrame) -> Callable[[int], pd.DataFrame]:
    """Return what draws as many rows anew from the real ones, which is what another sample would differ by."""
    return lambda seed: frame.sample(len(frame), replace=True, random_state=seed).reset_index(drop=True)
