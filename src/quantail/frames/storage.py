"""Names for stored types, and the type a synthetic column is written in.

The choice depends on public facts only: the schema and the declared type of the original column.
"""

import re

import numpy as np
import pyarrow as pa

from quantail.errors import ModelError
from quantail.schema import Column

_DECIMAL = re.compile(r"decimal128\((\d{1,2}), (\d{1,2})\)")
_NAMED = {
    str(kind): kind
    for kind in (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
        *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float32(), pa.float64(), pa.bool_(), pa.date32(), pa.string(), pa.large_string()),
    )
}


def storage_of(type_: pa.DataType) -> str:
    """Name a type; those that a synthetic column cannot be written in are named "string"."""
    name = str(type_)
    return name if name in _NAMED or _DECIMAL.fullmatch(name) else "string"


def storage_type(name: str) -> pa.DataType:
    """Return the type called `name`."""
    if name in _NAMED:
        return _NAMED[name]
    decimal = _DECIMAL.fullmatch(name)
    if decimal is None or not 1 <= int(decimal[1]) <= 38 or int(decimal[2]) > int(decimal[1]):
        raise ModelError("the model names a column type that does not exist; save the model again")
    return pa.decimal128(int(decimal[1]), int(decimal[2]))


def number_type(column: Column, original: pa.DataType) -> pa.DataType:
    """Type of a synthetic numeric or integer column: the original one where it can hold the bounds.

    Integer columns otherwise become int64 and numeric ones double. A numeric column that happened to be
    stored as integers becomes double as well: the schema says that it may hold fractions, and whether it
    does is not public.
    """
    if column.type == "integer":
        return original if pa.types.is_integer(original) and _holds_integers(original, column) else pa.int64()
    if pa.types.is_decimal(original) and _largest(column) < 10 ** (original.precision - original.scale):
        return original
    if pa.types.is_float32(original) and _largest(column) <= float(np.finfo(np.float32).max):
        return original
    return pa.float64()


def label_type(column: Column, original: pa.DataType) -> pa.DataType:
    """Type of a synthetic category column: the original one if every label can be read as it, or text."""
    try:
        pa.array(column.categories, pa.string()).cast(original)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.string()
    return original


def _holds_integers(type_: pa.DataType, column: Column) -> bool:
    limits = np.iinfo(type_.to_pandas_dtype())
    return int(limits.min) <= (column.lower or 0) and (column.upper or 0) <= int(limits.max)


def _largest(column: Column) -> float:
    return max(abs(column.lower or 0.0), abs(column.upper or 0.0))
