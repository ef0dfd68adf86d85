"""The data dictionary of a release: every column of the file, what it means and how to read it. From the schema alone.

A row a column: name, label, type, the types that pandas, R and Stata should read it as, bounds, labels, numbers that
mean a missing value. As JSON for programs, and as CSV for whoever has a spreadsheet.
"""

import csv
import io
from typing import Any

from quantail.frames.release import released_names
from quantail.schema import Column, CsvFormat, Schema
from quantail.schema.storage import storage_of

READ_AS = {
    "numeric": ("float64", "numeric", "double"),
    "integer": ("Int64", "integer", "long"),
    "category": ("category", "factor", "str"),
    "ordinal": ("category", "ordered", "str"),
    "boolean": ("boolean", "logical", "byte"),
    "date": ("datetime64[s]", "Date", "%td"),
    "datetime": ("datetime64[us]", "POSIXct", "%tc"),
}
"""From the type of a column to what pandas, R and Stata should read it as."""

FORMAT = 1
_LARGEST_IN_R = 2**31 - 1
_SEPARATOR = " | "


def data_dictionary(schema: Schema) -> dict[str, Any]:
    """Return the dictionary as plain JSON values.

    Examples
    --------
    >>> from quantail.examples import payroll_schema
    >>> [entry["r"] for entry in data_dictionary(payroll_schema())["columns"]]
    ['factor', 'integer', 'numeric']
    """
    wide = {name: column.name for column in schema.columns for name in schema.stored_as(column)}
    columns = [
        _entry(name, schema.column(wide[name])) if name in wide else _identity(name, schema)
        for name in released_names(schema)
    ]
    if (
        schema.panel is not None and schema.panel.is_full
    ):  # nothing of a unit is kept as it is, its group neither
        columns = [{**entry, "public": False} for entry in columns]
    for entry in columns:  # of a wide panel a period in which a unit is not there is empty
        entry["may_be_missing"] |= wide.get(entry["name"], entry["name"]) != entry["name"]
    written = CsvFormat() if schema.csv is None else schema.csv
    return {
        "format": FORMAT,
        "dataset": schema.name,
        "unit": schema.unit,
        "missing": written.missing[0] if written.missing else "",
        "csv": {name: mark for name, mark in vars(written).items() if name not in ("thousands", "missing")},
        "columns": columns,
    }


def dictionary_csv(schema: Schema) -> str:
    """Return the dictionary as CSV: lists are joined by " | ", what does not apply is empty.

    Examples
    --------
    >>> from quantail.examples import payroll_schema
    >>> dictionary_csv(payroll_schema()).splitlines()[0][:22]
    'name,label,type,pandas'
    """
    columns = data_dictionary(schema)["columns"]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(columns[0]), lineterminator="\n")
    writer.writeheader()
    for entry in columns:
        writer.writerow({name: _cell(value) for name, value in entry.items()})
    return text.getvalue()


def _entry(name: str, column: Column) -> dict[str, Any]:
    pandas, r, stata = READ_AS[column.type]
    if column.type == "integer" and max(abs(column.lower or 0), abs(column.upper or 0)) > _LARGEST_IN_R:
        r, stata = "numeric", "double"  # whole numbers beyond what R and Stata call integers
    return {
        "name": name,
        "label": column.label,
        "type": column.type,
        "pandas": pandas,
        "r": r,
        "stata": stata,
        "storage": storage_of(column),
        "lower": column.bound_text("lower"),
        "upper": column.bound_text("upper"),
        "decimals": column.decimals,
        "labels": list(column.labels),
        "may_be_missing": column.missing,
        "missing_codes": [float(code) for code in column.missing_codes],
        "public": column.public,
        "source": column.source,
    }


def _identity(name: str, schema: Schema) -> dict[str, Any]:
    """Return the entry of a column that names units or periods, or a key that was generated."""
    panel = schema.panel
    periods = () if panel is None else (panel.entry, panel.exit, panel.time)
    is_number = name in periods and panel is not None and panel.form.is_whole
    kind = ("Int64", "integer", "long") if is_number else ("string", "character", "str")
    words = "period" if name in periods else "unit" if panel is not None else "key"
    blank = {"label": "", "type": words, "pandas": kind[0], "r": kind[1], "stata": kind[2], "storage": ""}
    rest: dict[str, Any] = {
        "lower": "",
        "upper": "",
        "decimals": None,
        "labels": [],
        "may_be_missing": False,
        "missing_codes": [],
    }
    return {
        "name": name,
        **blank,
        **rest,
        "public": panel is not None,
        "source": panel.source if panel is not None else "",
    }


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return _SEPARATOR.join(f"{part:.15g}" if isinstance(part, float) else part for part in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
