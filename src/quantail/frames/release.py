"""The normal form of everything released: names, order, types and codebook are functions of the schema alone.

Synthetic columns, and public ones that are kept, are written anew from their values: no array, type, dictionary or
metadata of a confidential table reaches what is released (privacy/proofs/shape.md). What is taken over from the table
that was fitted is the library it came in, which is the caller's choice of tool. A missing value has zeros behind it.
"""

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.errors import DataError, ModelError
from quantail.frames.encoding import decode, settled
from quantail.frames.storage import DAY, NAMED, PER_SECOND, arrow_type
from quantail.io.codebook import declared_codebook
from quantail.io.native import Kind
from quantail.schema import Column, Key, Schema, core_of
from quantail.schema.dates import DateType, date_text
from quantail.schema.key import with_keys
from quantail.schema.kinds import special_numbers
from quantail.schema.storage import holds

Array = NDArray[Any]


def release_table(
    columns: Mapping[str, Array],
    schema: Schema,
    kind: Kind,
    kept: Mapping[str, Array] | None = None,
    first: int = 1,
) -> Any:
    """Make a table in normal form from synthetic columns.

    Parameters
    ----------
    columns : mapping of str to array
        The plain columns of `core_of(schema)`: values of numbers, codes of categories.
    schema : Schema
        Names, order, types, bounds, decimals and labels.
    kind : {"pandas", "polars", "pyarrow"}
        The library of the table.
    kept : mapping of str to array, optional
        Columns of the schema that are not synthetic: their numbers, days, seconds or codes, kept as they are.
    first : int
        Number of the first row, from which keys count on.

    Returns
    -------
    pandas, polars or pyarrow table
        Numbers rounded to their decimals and within the bounds.

    Raises a ModelError if columns are missing or malformed, or the library is not installed.

    Examples
    --------
    >>> schema = Schema((Column("jobs", "integer", 0, 500, storage="int16"),), unit="firm")
    >>> release_table({"jobs": np.array([3.2, 41.9])}, schema, "pyarrow")["jobs"].combine_chunks().to_pylist()
    [3, 42]
    """
    _check_lengths(columns, core_of(schema).schema.names)
    known = kept or {}
    values = decode(columns, schema)
    arrays = {
        column.name: stored(known.get(column.name, values[column.name]), column, column.name in known)
        for column in schema.columns
    }
    size = len(next(iter(arrays.values())))
    arrays |= {key.name: _running(key, first, size) for key in schema.keys}
    return in_library(normal_form(arrays, schema), schema, kind)


def empty_release(schema: Schema) -> pa.Table:
    """Return a released table without rows: what it will look like, before anything is asked or paid for."""
    types = {column.name: arrow_type(column) for column in schema.columns}
    keys = {key.name: _running(key, 1, 0) for key in schema.keys}
    return normal_form({name: pa.nulls(0, type_) for name, type_ in types.items()} | keys, schema)


def released_names(schema: Schema) -> tuple[str, ...]:
    """Return the columns of a released table in their order: of a panel unit, period, entry and exit come first."""
    if schema.panel is None:
        return with_keys(schema.names, schema.keys)
    return (*schema.panel.named, *(name for column in schema.columns for name in schema.stored_as(column)))


def normal_form(arrays: Mapping[str, pa.Array], schema: Schema) -> pa.Table:
    """Put columns in their order, with the codebook that follows from the schema."""
    return declared_codebook(schema).attached(
        pa.table({name: arrays[name] for name in released_names(schema)})
    )


def stored(values: Array, column: Column, kept: bool = False) -> pa.Array:
    """Write one column in its type; unless it is `kept`, numbers are rounded and clipped to the bounds."""
    if column.is_labelled:
        return _labels(values, column)
    absent = np.isnan(values)
    if not kept and (np.isinf(values).any() or (absent.any() and not column.missing)):
        raise ModelError(f"column {column.name!r}: the model made a value that is not finite; fit it again")
    numbers = np.where(absent, 0.0, values) + 0.0  # -0.0 becomes 0.0
    if kept and numbers.size and not holds(column, (numbers.min(), numbers.max())):
        raise DataError(
            f"column {column.name!r} holds values that its storage cannot hold; widen storage in the schema"
        )
    if not kept:
        numbers = _within(numbers, column)
    return _dates(numbers, absent, column) if column.is_dated else _numbers(numbers, absent, column)


def released_numbers(values: Array, column: Column) -> Array:
    """Return codes, or numbers as they are released: rounded, within the bounds, NaN where missing.

    Examples
    --------
    >>> released_numbers(np.array([3.2, np.nan]), Column("jobs", "integer", 0, 500, missing=True)).tolist()
    [3.0, nan]
    """
    return values if column.is_labelled else _within(values, column)


def _within(numbers: Array, column: Column) -> Array:
    if column.is_dated:
        return np.clip(numbers, column.lower, column.upper)
    special = np.isin(numbers, special_numbers(column))
    return np.where(special, numbers, settled(numbers, column))


def marked(table: pa.Table, private: bool) -> pa.Table:
    """Note in the table itself what it is; Parquet files keep this, CSV files cannot."""
    words = "synthetic, differentially private" if private else "synthetic, NOT PRIVATE (simulated noise)"
    return table.replace_schema_metadata({**(table.schema.metadata or {}), b"quantail": words.encode()})


def in_library(table: pa.Table, schema: Schema, kind: Kind) -> Any:
    """Convert a table in normal form to the library asked for.

    Types there follow from the schema as well: in pandas, whole numbers that may be missing are float64 and booleans
    that may be missing `boolean`, whether or not one is; labels stored as "category" are an Enum in polars.
    """
    if kind == "pyarrow":
        return table
    library = library_of(kind)
    declared = {name: column for column in schema.columns for name in schema.stored_as(column)}
    if kind == "polars":
        enums = {
            name: library.Enum(list(column.labels))
            for name, column in declared.items()
            if column.storage == "category"
        }
        return library.from_arrow(table.replace_schema_metadata(None)).cast(enums)
    frame = table.replace_schema_metadata(None).to_pandas()
    is_wide = schema.panel is not None and schema.panel.layout == "wide"
    for name, column in declared.items():
        may_be_missing = column.missing or (is_wide and not column.public)
        if may_be_missing and pa.types.is_integer(table.schema.field(name).type):
            frame[name] = frame[name].astype("float64")
        elif may_be_missing and pa.types.is_boolean(table.schema.field(name).type):
            frame[name] = frame[name].astype("boolean")
    return frame


def library_of(kind: Kind) -> Any:
    """Import the library of a kind of table, or raise a ModelError if it is not installed."""
    try:
        return importlib.import_module(kind)
    except ImportError:
        advice = "install it, or fit a pyarrow table"
        raise ModelError(f"a {kind} table was asked for, but {kind} is not installed; {advice}") from None


def _running(key: Key, first: int, size: int) -> pa.Array:
    """Return running numbers: a function of how many rows there are, and of nothing else."""
    numbers = pa.array(np.arange(first, first + size, dtype=np.int64))
    return numbers.cast(NAMED[key.storage])


def _check_lengths(columns: Mapping[str, Array], names: tuple[str, ...]) -> None:
    for name in names:
        if name not in columns:
            raise ModelError(f"no synthetic values for column {name!r}; fit the model again")
    if len({len(columns[name]) for name in names}) > 1:
        raise ModelError("the synthetic columns differ in length; sample again")


def _masked(values: Array, absent: Array) -> pa.Array:
    return pa.array(values, mask=absent if absent.any() else None)


def _numbers(numbers: Array, absent: Array, column: Column) -> pa.Array:
    type_ = arrow_type(column)
    if pa.types.is_integer(type_):
        return _masked(numbers.astype(np.uint64 if type_ == pa.uint64() else np.int64), absent).cast(type_)
    if pa.types.is_decimal(type_):
        numbers = np.round(numbers, type_.scale)
    return _masked(numbers, absent).cast(type_, safe=False)


def _dates(numbers: Array, absent: Array, column: Column) -> pa.Array:
    type_ = arrow_type(column)
    if pa.types.is_string(type_):
        kind: DateType = "date" if column.type == "date" else "datetime"
        known, place = np.unique(numbers, return_inverse=True)
        texts = pa.array([date_text(kind, number).replace("T", " ") for number in known], type_)
        return texts.take(_masked(place, absent))
    if pa.types.is_date(type_):
        return _masked(numbers.astype(np.int32), absent).cast(type_)
    seconds = numbers * DAY if column.type == "date" else numbers
    ticks = np.rint(seconds * PER_SECOND[type_.unit])
    return _masked(ticks.astype(np.int64), absent).cast(type_)


def _labels(codes: Array, column: Column) -> pa.Array:
    indices = np.asarray(codes).astype(np.int32)
    absent = indices == len(column.labels) if column.missing else np.zeros(indices.size, dtype=bool)
    if (indices != codes).any() or ((indices < 0) | (indices >= len(column.labels)) & ~absent).any():
        raise ModelError(f"column {column.name!r}: the model made a code without a category; fit it again")
    places, type_ = np.where(absent, 0, indices), arrow_type(column)
    if pa.types.is_dictionary(type_):
        labels = pa.array(column.labels, pa.string())
        return pa.DictionaryArray.from_arrays(_masked(places, absent), labels, ordered=type_.ordered)
    if pa.types.is_string(type_):
        return pa.array(column.labels, pa.string()).take(_masked(places, absent))
    if column.type == "boolean":
        return _masked(places == 1, absent).cast(type_)
    wide = np.uint64 if type_ == pa.uint64() else np.int64
    numbers = np.array([int(label) for label in column.labels], dtype=wide)[places]
    return _masked(np.where(absent, 0, numbers), absent).cast(type_)
