"""The types of a partitioned table: each column as one type that holds it in all files.

Files written apart differ in types (whole numbers here, numbers there; dictionaries or plain text). What is found to
have no common type is refused here, by footers alone, before anything is charged.
"""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from quantail.errors import DataError
from quantail.schema import Schema


def common_types(files: Mapping[Path, pa.Schema], labels: pa.Schema, schema: Schema) -> pa.Schema:
    """Return the schema's columns, in the order of the first file, followed by those that folders name.

    Parameters
    ----------
    files : mapping of Path to pyarrow.Schema
        What the footer of every file says.
    labels : pyarrow.Schema
        Columns that folders name, whatever the files hold.
    schema : Schema
        Which columns are wanted; others are left out.

    Raises a DataError if a column is missing in a file, or its types have nothing in common.
    """
    named = () if schema.panel is None else schema.panel.named
    described = (*named, *(name for column in schema.columns for name in schema.stored_as(column)))
    stored = [name for name in described if name not in labels.names]
    for path, columns in files.items():
        held = set(columns.names)
        for name in stored:
            if name not in held:
                raise DataError(
                    f"{path}: column {name!r} is missing; add it to the file, or remove it from the schema"
                )
    first = next(iter(files.values()))
    wanted = set(stored)
    names = [name for name in first.names if name in wanted]
    fields = [_common(name, [columns.field(name) for columns in files.values()]) for name in names]
    return pa.schema([*fields, *labels], metadata=first.metadata)


def _common(name: str, fields: list[pa.Field]) -> pa.Field:
    kinds = {field.type for field in fields}
    if len(kinds) > 1 and not all(pa.types.is_dictionary(kind) for kind in kinds):
        kinds = {kind.value_type if pa.types.is_dictionary(kind) else kind for kind in kinds}
    try:
        apart = [pa.schema([(name, kind)]) for kind in sorted(kinds, key=str)]
        return fields[0].with_type(pa.unify_schemas(apart, promote_options="permissive").field(name).type)
    except pa.ArrowException:
        pass
    raise DataError(
        f"column {name!r} is stored as types that have nothing in common in files of different groups; store it alike"
    )
