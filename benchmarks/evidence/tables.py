"""The tables that tools judge: a register that was made up, releases of it, another sample of it, and a copy."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks.business import business_schema, business_table
from benchmarks.dependence_bench import Excerpt
from benchmarks.evidence.page import COPY, EPSILONS, JUDGED, OTHER, released
from quantail.schema import Schema
from quantail.table import TableSynthesizer

ROWS, SEED = 5000, 1
REAL, CONTROL = "real", "control"
NIST_FEATURES = "demo"


def register_schema() -> Schema:
    """Give the columns of the register that every tool can take: no dates, no gaps."""
    schema = business_schema()
    kept = tuple(column for column in schema.columns if column.name not in ("founded", "turnover"))
    return replace(schema, columns=kept)


def write_register(folder: Path, rows: int = ROWS) -> None:
    """Write the register, a control sample that no release saw, and the tables that are judged, with a list of them."""
    schema, rng = register_schema(), np.random.default_rng(SEED)
    real, control, other = (business_table(rows, rng).select(list(schema.names)) for _ in range(3))
    tables = {REAL: real, CONTROL: control, OTHER: other, COPY: real}
    for epsilon in EPSILONS:
        model = TableSynthesizer(schema, epsilon, noise="simulated", seed=SEED).fit(real, progress=False)
        tables[released(epsilon)] = model.sample(seed=SEED)
    categories = [column.name for column in schema.columns if column.type == "category"]
    _write(folder, tables, {"judged": list(JUDGED), "categories": categories})


def write_nist(folder: Path, data: Path) -> None:
    """Write releases of NIST's national excerpt, blanks as "N", and where SDNist finds the excerpt itself."""
    excerpt = Excerpt.read(data, NIST_FEATURES)
    tables = {COPY: excerpt.frame}
    for epsilon in EPSILONS:
        synthesizer = TableSynthesizer(excerpt.schema, epsilon, noise="simulated", seed=SEED)
        tables[released(epsilon)] = synthesizer.fit(excerpt.frame, progress=False).sample(seed=SEED)
    root = str((data / "diverse_communities_data_excerpts").resolve())
    judged = [name for name in JUDGED if name in tables]
    _write(folder, {name: _blanks(table) for name, table in tables.items()}, {"judged": judged, "root": root})


def _write(folder: Path, tables: dict[str, pa.Table], facts: dict[str, object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        pyarrow.csv.write_csv(table, folder / f"{name}.csv")
    (folder / "job.json").write_text(json.dumps(facts), encoding="utf-8")


def _blanks(table: pa.Table) -> pa.Table:
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_floating(column.type):
            column = column.cast(pa.int64())
        columns[name] = column.cast(pa.string()).fill_null("N")
    return pa.table(columns)
