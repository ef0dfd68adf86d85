"""What SDMetrics needs to score a synthetic table: metadata from a schema, and frames in the types it expects.

report = QualityReport()
report.generate(sdmetrics_frame(real, schema), sdmetrics_frame(synth, schema), sdmetrics_metadata(schema))
"""

from typing import Any

from quantail.frames.rules import require_columns
from quantail.io.extras import optional
from quantail.io.native import open_frame
from quantail.schema import Column, Schema

_SDTYPES = {
    "numeric": "numerical",
    "integer": "numerical",
    "category": "categorical",
    "ordinal": "categorical",
    "boolean": "boolean",
    "date": "datetime",
    "datetime": "datetime",
}
_FORMATS = {"date": "%Y-%m-%d", "datetime": "%Y-%m-%d %H:%M:%S"}


def sdmetrics_metadata(schema: Schema) -> dict[str, Any]:
    """Return the metadata of a single table in SDMetrics' form.

    Examples
    --------
    >>> schema = Schema((Column("pay", "numeric", 0, 100), Column("day", "date", "2020-01-01", "2020-12-31")), "firm")
    >>> sdmetrics_metadata(schema)["columns"]
    {'pay': {'sdtype': 'numerical'}, 'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}}
    """
    return {
        "METADATA_SPEC_VERSION": "SINGLE_TABLE_V1",
        "columns": {column.name: _described(column) for column in schema.columns},
    }


def sdmetrics_frame(frame: Any, schema: Schema) -> Any:
    """Return the schema's columns of a table as a pandas frame in the types that SDMetrics expects.

    Numbers come as floats (missing codes as missing, since SDMetrics would take them for amounts), dates as
    datetime64, booleans and labels as objects.
    """
    optional("pandas", "files", "a frame for SDMetrics")
    table = open_frame(frame)
    require_columns(table.columns, schema)
    made = table.select(list(schema.names)).to_arrow().to_pandas(date_as_object=False)
    for column in schema.columns:
        made[column.name] = _settled(made[column.name], column)
    return made


def _settled(values: Any, column: Column) -> Any:
    if column.is_dated:
        return values.astype("datetime64[ns]")
    if column.type == "boolean":
        return values.astype(object)
    if column.is_labelled:
        return values.astype(object).where(values.isna(), values.astype(str))
    numbers = values.astype(float)
    return numbers.mask(numbers.isin(column.missing_codes))


def _described(column: Column) -> dict[str, str]:
    described = {"sdtype": _SDTYPES[column.type]}
    return described | ({"datetime_format": _FORMATS[column.type]} if column.is_dated else {})
