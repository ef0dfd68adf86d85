"""Synthetic rows on disk: names of a release's files, and Parquet files that are marked for what they are."""

import hashlib
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from quantail.frames.release import marked
from quantail.schema import Schema, core_of
from quantail.table.rows import GroupKey

MODELS = "_models"  # readers of partitioned tables pass over names with an underscore


def group_folder(key: GroupKey, schema: Schema) -> Path:
    """Return the folder of a group, relative to the table's."""
    core = core_of(schema).schema
    labels = ((name, core.column(name).categories[code]) for name, code in zip(schema.by, key, strict=True))
    return Path(*(f"{name}={quote(label, safe='')}" for name, label in labels))


def rows_file(key: GroupKey, schema: Schema, block: int = 0) -> Path:
    """Return the file of a block of a group's rows, relative to the table's folder."""
    return group_folder(key, schema) / f"part-{block}.parquet"


def model_file(pool: tuple[GroupKey, ...]) -> Path:
    """Return the file of the model of groups that are fitted together, relative to the table's folder."""
    return Path(MODELS) / f"{group_name(pool)}.json"


def group_name(pool: tuple[GroupKey, ...]) -> str:
    """Return a name for groups that are fitted together: the codes of the first."""
    return "-".join(["group", *map(str, pool[0])]) if pool[0] else "table"


def group_seed(seed: int | None, *place: object) -> int | None:
    """Return a seed that belongs to one place of a job, or None if nothing is seeded."""
    if seed is None:
        return None
    words = " ".join(map(str, ("quantail", seed, *place)))
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "little")


def write_rows(table: pa.Table, path: Path, schema: Schema, private: bool) -> None:
    """Write a table, marked for what it is, without the columns that its folders name."""
    table = table.drop_columns([name for name in schema.by if name in table.column_names])
    pq.write_table(marked(table, private), path)
