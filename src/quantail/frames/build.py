"""Build a table of a given kind from synthetic columns: first in Arrow, then in the library asked for."""

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.errors import ModelError
from quantail.frames.native import Kind
from quantail.frames.storage import label_type, number_type, storage_type
from quantail.schema import Column, Schema

Array = np.ndarray[Any, Any]
# For each column its storage and the name of its type in the original library.
Described = Mapping[str, tuple[str, str]]
# Names of types that store codes beside a list of labels.
CATEGORICAL = ("category", "Categorical", "Enum")


def build_frame(
    kind: Kind, original: Kind, described: Described, columns: Mapping[str, Array], schema: Schema
) -> Any:
    """Make a table of `kind`, its columns in the order of `described`, from values and codes."""
    _check_lengths(columns, schema)
    arrays = {}
    for name, (storage, dtype) in described.items():
        column, type_ = schema.column(name), storage_type(storage)
        if column.type == "category":
            arrays[name] = _labelled(columns[name], column, type_, dtype)
        else:
            arrays[name] = _numbers(columns[name], column, number_type(column, type_))
    table = pa.table(arrays)
    if kind == "pyarrow":
        return table
    library = library_of(kind)
    if kind == "polars":
        return _to_polars(library, table, described, schema)
    return to_pandas(library, table, described if original == "pandas" else {})


def _check_lengths(columns: Mapping[str, Array], schema: Schema) -> None:
    for name in schema.names:
        if name not in columns:
            raise ModelError(f"no synthetic values for column {name!r}; fit the model again")
    if len({len(columns[name]) for name in schema.names}) > 1:
        raise ModelError("the synthetic columns differ in length; sample again")


def _numbers(values: Array, column: Column, type_: pa.DataType) -> pa.Array:
    if not np.isfinite(values).all():
        raise ModelError(f"column {column.name!r}: the model made a value that is not finite; fit it again")
    if column.type == "integer":
        whole = np.clip(np.rint(values), column.lower, column.upper)
        return pa.array(whole.astype(np.int64)).cast(type_)
    decimals = [digits for digits in (column.decimals, getattr(type_, "scale", None)) if digits is not None]
    rounded = np.round(values, min(decimals)) if decimals else values
    numbers = np.clip(rounded, column.lower, column.upper) + 0.0
    return pa.array(numbers.astype(np.float64)).cast(type_, safe=False)


def _labelled(codes: Array, column: Column, type_: pa.DataType, dtype: str) -> pa.Array:
    indices = np.asarray(codes).astype(np.int32)
    if (indices != codes).any() or (indices < 0).any() or (indices >= len(column.categories)).any():
        raise ModelError(f"column {column.name!r}: the model made a code without a category; fit it again")
    labels = pa.array(column.categories, pa.string()).cast(label_type(column, type_))
    if dtype.removeprefix("ordered ") in CATEGORICAL:
        return pa.DictionaryArray.from_arrays(indices, labels, ordered=dtype.startswith("ordered "))
    return labels.take(pa.array(indices))


def library_of(kind: Kind) -> Any:
    """Import the library of a kind of table, or raise a ModelError if it is not installed."""
    try:
        return importlib.import_module(kind)
    except ImportError:
        advice = 'install it, or ask for kind="pyarrow"'
        raise ModelError(f"a {kind} table was asked for, but {kind} is not installed; {advice}") from None


def _to_polars(polars: Any, table: pa.Table, described: Described, schema: Schema) -> Any:
    frame = polars.from_arrow(table)
    enums = {
        name: polars.Enum(list(schema.column(name).categories))
        for name, (_, dtype) in described.items()
        if dtype == "Enum"
    }
    return frame.cast(enums) if enums else frame


def to_pandas(pandas: Any, table: pa.Table, described: Described) -> Any:
    """Convert to pandas, giving columns back the types they had there."""
    frame = table.to_pandas()
    for name, (storage, dtype) in described.items():
        # Categories have their type already, and a type changed to fit the bounds stays changed.
        if dtype and str(table.schema.field(name).type) == storage:
            try:
                frame[name] = frame[name].astype(pandas.api.types.pandas_dtype(dtype))
            except (TypeError, ValueError, ImportError):
                raise ModelError(
                    f'column {name!r}: this pandas has no type {dtype!r} for it; ask for kind="pyarrow"'
                ) from None
    return frame
