"""Is a model that was read from a file whole? What a few trial rows show, and what they may not."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.schema import Schema, core_of
from quantail.table.cells import FieldCells
from quantail.table.columns import TableColumn, fields_of
from quantail.table.stage_one.column import CategoryModel, NumericModel


def check_rows(rows: Mapping[str, NDArray[Any]], schema: Schema) -> None:
    """Raise a ValueError unless rows hold finite values of every plain column; absent numbers have a status."""
    core = core_of(schema)
    if set(rows) != set(core.schema.names):
        raise ValueError("columns do not match the schema")
    for name, values in rows.items():
        absent = rows[core.statuses[name]] != 0 if name in core.statuses else False
        if not (np.isfinite(values) | absent).all():
            raise ValueError("values that are no numbers")


def check_group(codes: tuple[int, ...], rows: int, columns: tuple[Any, ...], schema: Schema) -> None:
    """Raise a ValueError for what a few rows may not show: cells without shares, impossible sizes."""
    core = core_of(schema)
    labels = [core.schema.column(name).categories for name in schema.by]
    if not 0 <= rows <= 2**53 or len(codes) != len(labels):
        raise ValueError("a group of impossible size")
    if not all(0 <= code < len(known) for code, known in zip(codes, labels, strict=True)):
        raise ValueError("a group that does not exist")
    if any(isinstance(column, TableColumn) for column in columns):
        _check_tables(columns, schema)
    for column in columns:
        if isinstance(column, NumericModel) and column.status != core.statuses.get(column.name, ""):
            raise ValueError("a status that does not match the schema")
        if not isinstance(column, CategoryModel):
            continue
        if len(column.shares) != len(core.schema.column(column.name).categories):
            raise ValueError("shares that do not match the categories")


def _check_tables(columns: tuple[Any, ...], schema: Schema) -> None:
    """Raise a ValueError unless every field has a law, and every table of it a row for each context."""
    wanted = {column.name for column in core_of(schema).schema.columns if not column.public} - set(schema.by)
    if wanted > {column.name for column in columns}:
        raise ValueError("columns do not match the schema")
    known: dict[str, FieldCells] = {}
    for field in fields_of(columns):
        law = field.column.law if isinstance(field.column, TableColumn) else None
        if law is None:
            raise ValueError("a column without a law")
        for factor in law.factors:
            sizes = [known[name].size(level) for name, level in zip(factor.on, factor.levels, strict=True)]
            if len(factor.values) != prod(sizes):
                raise ValueError("a table that does not fit the columns it is about")
        known[field.name] = law.cells
