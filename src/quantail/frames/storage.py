"""Names for stored types, and the type a synthetic column is written in.

The choice depends on public facts only: the schema and the declared type of the original column.
"""

import re
from zoneinfo import available_timezones

import numpy as np
import pyarrow as pa

from quantail.errors import ModelError
from quantail.schema import Column
from quantail.schema.kinds import special_numbers

_TIMESTAMP = re.compile(r"timestamp\[(s|ms|us|ns)(?:, tz=([\w/+:-]{1,64}))?\]")
_OFFSET = re.compile(r"[+-]\d\d:\d\d")
_DECIMAL = re.compile(r"decimal128\((\d{1,2}), (\d{1,2})\)")
_NAMED = {
    str(kind): kind
    for kind in (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
        *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float32(), pa.float64(), pa.bool_(), pa.string(), pa.large_string()),
        *(pa.date32(), pa.date64()),
    )
}


def storage_of(type_: pa.DataType) -> str:
    """Name a type; those that a synthetic column cannot be written in are named "string"."""
    name = str(type_)
    return name if name in _NAMED or _DECIMAL.fullmatch(name) or _timestamp(name) else "string"


def storage_type(name: str) -> pa.DataType:
    """Return the type called `name`."""
    if name in _NAMED:
        return _NAMED[name]
    if moment := _timestamp(name):
        return moment
    decimal = _DECIMAL.fullmatch(name)
    if decimal is None or not 1 <= int(decimal[1]) <= 38 or int(decimal[2]) > int(decimal[1]):
        raise ModelError("the model names a column type that does not exist; save the model again")
    return pa.decimal128(int(decimal[1]), int(decimal[2]))


def _timestamp(name: str) -> pa.DataType | None:
    """Return the type of moments called `name`, if there is one and its time zone is known."""
    found = _TIMESTAMP.fullmatch(name)
    if found is None:
        return None
    unit, zone = found[1], found[2]
    known = zone is None or _OFFSET.fullmatch(zone) or zone in available_timezones()
    return pa.timestamp(unit, tz=zone) if known else None


def type_of(column: Column, original: pa.DataType) -> pa.DataType:
    """Type of a synthetic column, by what it holds."""
    if column.is_dated:
        return date_type(column, original)
    return label_type(column, original) if column.is_labelled else number_type(column, original)


def date_type(column: Column, original: pa.DataType) -> pa.DataType:
    """Type of a synthetic column of dates: the original one if it can hold dates or text."""
    kept = (pa.types.is_date, pa.types.is_timestamp, pa.types.is_string, pa.types.is_large_string)
    if any(test(original) for test in kept):
        return original
    return pa.date32() if column.type == "date" else pa.timestamp("us")


def number_type(column: Column, original: pa.DataType) -> pa.DataType:
    """Type of a synthetic numeric or integer column: the original one where it can hold the bounds.

    Integer columns otherwise become int64 and numeric ones double. A numeric column that happened to be
    stored as integers becomes double as well: the schema says that it may hold fractions, and whether it
    does is not public.
    """
    if column.type == "integer":
        if column.missing and pa.types.is_floating(original):  # how some libraries store integers with gaps
            return original
        return original if pa.types.is_integer(original) and _holds_integers(original, column) else pa.int64()
    if pa.types.is_decimal(original) and _largest(column) < 10 ** (original.precision - original.scale):
        return original
    if pa.types.is_float32(original) and _largest(column) <= float(np.finfo(np.float32).max):
        return original
    return pa.float64()


def label_type(column: Column, original: pa.DataType) -> pa.DataType:
    """Type of a synthetic category column: the original one if every label can be read as it, or text."""
    try:
        labels_in(column, original)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.string()
    return original


def labels_in(column: Column, type_: pa.DataType) -> pa.Array:
    """Return the labels of a column as values of a type, or raise Arrow's error."""
    is_number = pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_)
    labels = ("0", "1") if column.type == "boolean" and is_number else column.labels
    return pa.array(labels, pa.string()).cast(type_)


def _holds_integers(type_: pa.DataType, column: Column) -> bool:
    limits = np.iinfo(str(type_))  # both libraries call them int8, uint16, ...
    held = (column.lower or 0, column.upper or 0, *special_numbers(column))
    return int(limits.min) <= min(held) and max(held) <= int(limits.max)


def _largest(column: Column) -> float:
    return max(map(abs, (column.lower or 0.0, column.upper or 0.0, *special_numbers(column))))
