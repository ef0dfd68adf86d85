"""Types that the schema declares, for files that declare none (CSV, Excel).

A type that is guessed from values may hang on a single row ("3.0" among whole numbers, one date that is text, one cell
that is not empty), and labels lose their spelling to it ("007"). So every column that the schema knows is read in the
type that it declares; a column with a value that does not fit stays text, which the border refuses. Identities of units
and firms are compared as they are written.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quantail.schema import Column, Schema
from quantail.schema.column_rules import LARGEST_INTEGER
from quantail.schema.dates import date_number

_BOOLEAN = {"true": True, "1": True, "false": False, "0": False}


def declared_columns(schema: Schema | None) -> dict[str, Column]:
    """Return the columns of a schema by the names under which a table holds them, a panel's period by period."""
    if schema is None:
        return {}
    columns = {column.name: column for column in schema.columns}
    return columns | {name: column for column in schema.columns for name in schema.stored_as(column)}


def identity_columns(schema: Schema | None) -> tuple[str, ...]:
    """Name the columns that say which unit, and which firm, a row of a panel belongs to."""
    if schema is None or schema.panel is None:
        return ()
    return tuple(name for name in (schema.panel.unit, schema.panel.firm) if name)


def as_identities(texts: pa.Array) -> pa.Array:
    """Give identities written as text a type; whether two are the same never depends on other rows.

    Numbers are made of whole ones in their plain spelling only, so "007" and "7" are two, whatever stands beside them.

    Examples
    --------
    >>> as_identities(pa.array(["7", "12", ""])).to_pylist(), as_identities(pa.array(["7", "007"])).to_pylist()
    ([7, 12, None], ['7', '007'])
    """
    texts = pc.if_else(pc.equal(texts, ""), None, texts)
    if not pc.all(pc.match_substring_regex(texts, "^(0|-?[1-9][0-9]*)$")).as_py():
        return texts
    try:
        return texts.cast(pa.int64())
    except pa.ArrowInvalid:  # too large
        return texts


def as_declared(values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Give guessed numbers, or text, the type that the schema declares; labels, and text that does not fit, stay."""
    if column.type == "numeric":
        is_guessed = pa.types.is_integer(values.type) or pa.types.is_null(values.type)
        return values.cast(pa.float64(), safe=False) if is_guessed else values
    if column.type == "integer":
        return _whole(values)
    if column.type != "boolean" and not column.is_dated:
        return values
    encoded = values.dictionary_encode().unify_dictionaries().combine_chunks()
    texts = [text.strip() for text in encoded.dictionary.to_pylist()]
    read = _booleans(texts) if column.type == "boolean" else _dates(texts, column)
    if any(text and not there for text, there in zip(texts, read.is_valid().to_pylist(), strict=True)):
        return values
    return pa.chunked_array([read.take(encoded.indices)])


def _whole(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Make whole numbers of floats that all are; others stay, for the border to refuse."""
    if pa.types.is_null(values.type):
        return values.cast(pa.int64())
    if not pa.types.is_floating(values.type):
        return values
    numbers = values.to_numpy()
    absent = np.isnan(numbers)
    numbers = np.where(absent, 0.0, numbers)
    if (np.isinf(numbers) | (numbers != np.rint(numbers))).any():
        return values
    # Bounds are smaller than this, so what lies beyond is clipped to them in any case.
    held = np.clip(numbers, -LARGEST_INTEGER, LARGEST_INTEGER).astype(np.int64)
    return pa.chunked_array([pa.array(held, mask=absent)])


def _booleans(texts: list[str]) -> pa.Array:
    return pa.array([_BOOLEAN.get(text.lower()) for text in texts], pa.bool_())


def _dates(texts: list[str], column: Column) -> pa.Array:
    if column.type == "date":
        days = [date_number("date", text) for text in texts]
        return pa.array(days, pa.float64()).cast(pa.int32()).cast(pa.date32())
    seconds = [date_number("datetime", text) for text in texts]
    ticks = pa.array([None if s is None else round(s * 10**6) for s in seconds], pa.int64())
    unit = "s" if float(column.lattice).is_integer() else "us"
    return ticks.cast(pa.timestamp("us")).cast(pa.timestamp(unit), safe=False)
