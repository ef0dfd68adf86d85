"""Synthetic rows on disk: one folder for every group, Parquet files that appear whole or not at all."""

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from quantail.errors import DataError
from quantail.schema import Schema, core_of
from quantail.synthesis.table_rows import GroupKey

MODELS = "_models"  # readers of partitioned tables pass over names with an underscore


def check_empty(folder: Path) -> None:
    """Raise a DataError unless the folder is new, or empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} exists already and is not an empty folder; choose another output folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {error.strerror}; choose another one") from None


def group_folder(key: GroupKey, schema: Schema) -> Path:
    """Return the folder of a group, relative to the table's."""
    core = core_of(schema).schema
    labels = ((name, core.column(name).categories[code]) for name, code in zip(schema.by, key, strict=True))
    return Path(*(f"{name}={quote(label, safe='')}" for name, label in labels))


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
    words = "synthetic, differentially private" if private else "synthetic, NOT PRIVATE (simulated noise)"
    table = table.drop_columns([name for name in schema.by if name in table.column_names])
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), b"quantail": words.encode()})
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    pq.write_table(table, draft)
    os.replace(draft, path)
