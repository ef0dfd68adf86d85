"""Which columns go with a panel, and which with a table: checked when a schema is made."""

from collections import Counter
from dataclasses import replace

from quantail.errors import SchemaError
from quantail.schema.column import Column
from quantail.schema.panel import Panel


def check_columns(panel: Panel | None, columns: tuple[Column, ...], by: tuple[str, ...]) -> None:
    """Raise a SchemaError unless the columns can belong to this panel (or to a table, if it is None)."""
    if panel is None:
        _check_public(columns, by)
        return
    histories = [c.name for c in columns if not c.public and c.name not in (*panel.categories, *by)]
    for column in columns:
        may_miss = panel.is_full and column.name in histories[1:] and not column.missing_codes
        _check_plain(replace(column, missing=False) if may_miss else column)
    confidential = tuple(column for column in columns if not column.public)
    if all(column.name in panel.categories for column in confidential):
        raise SchemaError(
            "no column has a history, so nothing is left to synthesise; describe another column"
        )
    _check_fixed(panel, columns, by)
    for column in confidential:
        if column.type == "category" and column.name not in panel.categories:
            keep = "list it in [panel] attributes" if panel.is_full else "write public = true if it is public"
            other = "list it in [panel] changing if it may change, " if panel.is_full else ""
            raise SchemaError(
                f"column {column.name!r}: histories of a panel are numeric or integer; "
                f"{keep} if it is the same in all periods of a unit, {other}or leave it out of the schema"
            )
    for column in columns:
        if column.name in by and not column.categories:
            raise SchemaError(
                f"column {column.name!r}: [table] by needs its labels; "
                'write every label the column may hold: categories = ["a", "b"]'
            )
    _check_names(panel, columns, confidential)


def _check_fixed(panel: Panel, columns: tuple[Column, ...], by: tuple[str, ...]) -> None:
    """Raise a SchemaError unless columns that belong to the unit go with the kind of synthesis."""
    known = {column.name: column for column in columns}
    for name in panel.categories:
        column, option = known.get(name), "attributes" if name in panel.attributes else "changing"
        if column is None or name in by or column.type != "category" or not column.categories:
            raise SchemaError(
                f"[panel] {option} lists {name!r}, which is not a category column with its labels outside by; "
                f"describe it in a [[column]] section with categories = [...], or remove it from {option}"
            )
    for column in columns:
        if panel.is_full and column.public and column.name not in by:
            raise SchemaError(
                f"column {column.name!r}: full synthesis copies nothing of a unit; list it in [panel] attributes "
                'instead of public = true, or write synthesis = "partial" in [panel]'
            )


def _check_public(columns: tuple[Column, ...], by: tuple[str, ...]) -> None:
    """Raise a SchemaError unless public columns of a table can explain the others, and others are left."""
    if all(column.public or column.name in by for column in columns):
        kept = "public or in by" if by else "public"
        raise SchemaError(
            f"every column is {kept}, so nothing is left to synthesise; describe another column"
        )
    for column in columns:
        if column.public and not column.labels and column.lower is None:
            what = "categories" if column.is_labelled else "lower and upper"
            raise SchemaError(
                f"column {column.name!r}: no {what}; a public column explains the others, "
                f"and for that it needs {what}, too"
            )


def _check_plain(column: Column) -> None:
    """Raise a SchemaError for what tables know and panels do not."""
    if not column.is_plain or column.heaps:
        raise SchemaError(
            f"column {column.name!r}: columns of a panel are numeric, integer or category columns without "
            "missing values, atoms, heaps or other labels; change its type, or leave it out of the schema"
        )
    if column.public and (column.lower is not None or column.upper is not None):
        raise SchemaError(
            f"column {column.name!r}: lower and upper have no meaning for a public column of a panel, "
            "which is kept as it is; remove them"
        )


def _check_names(panel: Panel, columns: tuple[Column, ...], confidential: tuple[Column, ...]) -> None:
    for column in columns:
        if column.name in panel.described:
            raise SchemaError(
                f"column {column.name!r} is named in [panel] already; remove its [[column]] section"
            )
    stored = [name for column in confidential for name in panel.stored_as(column.name)]
    stored += [*panel.described, *(column.name for column in columns if column.public)]
    twice = sorted(name for name, times in Counter(stored).items() if times > 1)
    if twice:
        raise SchemaError(
            f"column {twice[0]!r} would stand for two things, a period of a column and a column of that name; "
            "rename one of them"
        )
