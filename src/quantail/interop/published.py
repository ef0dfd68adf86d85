"""A published table, read by the card that lies beside it: codes stay text, labels have their order.

A CSV file declares no types; read as they look, codes lose their leading zeros and numbers that mean a missing value
are amounts. The card holds the schema, which says all of it; the confidential table is not needed for anything.
"""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from quantail.errors import DataError, SchemaError
from quantail.io import read_released
from quantail.schema import Column, Schema

_NUMBERED = re.compile(r"-\d+$")
_LABELLED = ("category", "ordinal")


def read_synthetic(path: str | Path) -> pa.Table:
    """Read a published synthetic table in the types that its release card says.

    Parameters
    ----------
    path : str or Path
        The synthetic file; its card lies beside it (out.card.json beside out.csv, out-1.csv, ...).

    Returns
    -------
    pyarrow.Table
        Categories as labels in their declared order, codes of missing values as missing, whole numbers as integers.
        `.to_pandas()` and `polars.from_arrow` take it from there.

    Raises
    ------
    DataError
        If there is no card beside the file, or the file does not hold what the card says.

    Examples
    --------
    >>> read_synthetic("nothing.csv")
    Traceback (most recent call last):
    ...
    quantail.errors.DataError: nothing.csv has no card beside it (nothing.card.json); take both from one release
    """
    where = Path(path)
    schema = _schema_beside(where)
    table = read_released(where, schema)
    for column in schema.columns:
        if column.name in table.column_names:
            place = table.column_names.index(column.name)
            table = table.set_column(place, column.name, _typed(table[column.name], column, where))
    return table


def _schema_beside(where: Path) -> Schema:
    """Return the schema that the card of a table holds."""
    stems = (where.stem, _NUMBERED.sub("", where.stem))
    cards = [where.with_name(f"{stem}.card.json") for stem in stems]
    found = next((card for card in cards if card.is_file()), None)
    if found is None:
        raise DataError(f"{where} has no card beside it ({cards[0].name}); take both from one release")
    try:
        return Schema.from_toml(json.loads(found.read_text(encoding="utf-8"))["terms"]["schema"])
    except (OSError, ValueError, KeyError, TypeError, SchemaError):
        raise DataError(
            f"{found} is not the card of a release; take it anew from where it came from"
        ) from None


def _typed(values: pa.ChunkedArray, column: Column, where: Path) -> pa.ChunkedArray:
    """Return a column in its type, where the file does not have it in that already."""
    try:
        if column.missing_codes and not pa.types.is_dictionary(values.type):
            codes = pa.array(column.missing_codes).cast(values.type)
            values = pc.if_else(pc.is_in(values, codes), pa.scalar(None, values.type), values)
        if column.type == "integer":
            return values if pa.types.is_integer(values.type) else values.cast(pa.int64())
        if column.type in _LABELLED and column.categories:
            return _labelled(values, column)
    except pa.ArrowInvalid:
        raise DataError(
            f"column {column.name!r} of {where} does not hold what its card says; take both from one release"
        ) from None
    return values


def _labelled(values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    labels = pa.array(column.categories, pa.string())
    text = values.cast(pa.string())
    places = pc.index_in(text, labels)
    if places.null_count != text.null_count:
        raise pa.ArrowInvalid("a label that is not declared")
    ordered = column.type == "ordinal"
    chunks = [pa.DictionaryArray.from_arrays(part, labels, ordered=ordered) for part in places.chunks]
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string(), ordered))
