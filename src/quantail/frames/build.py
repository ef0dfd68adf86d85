"""Build a table of a given kind from synthetic columns: first in Arrow, then in the library asked for."""

import importlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.errors import ModelError
from quantail.frames.native import Kind
from quantail.frames.storage import date_type, label_type, labels_in, number_type, storage_type
from quantail.schema import Column, Schema
from quantail.schema.dates import DateType, date_text
from quantail.schema.kinds import special_numbers

Array = np.ndarray[Any, Any]
# For each column its storage and the name of its type in the original library.
Described = Mapping[str, tuple[str, str]]
# Names of types that store codes beside a list of labels.
CATEGORICAL = ("category", "Categorical", "Enum")
_DAY = 86_400.0


def build_frame(
    kind: Kind,
    original: Kind,
    described: Described,
    columns: Mapping[str, Array],
    schema: Schema,
    kept: Mapping[str, pa.Array],
) -> Any:
    """Make a table of `kind`, its columns in the order of `described`, from values and codes, or as they are kept."""
    arrays = {}
    for name, (storage, dtype) in described.items():
        column, type_ = schema.column(name), storage_type(storage)
        is_categorical = dtype.removeprefix("ordered ") in CATEGORICAL
        if name in kept and (column.other or not is_categorical):  # else its codes are the same as they were
            arrays[name] = _kept(kept[name], type_)
        elif column.is_labelled:
            arrays[name] = _labelled(columns[name], column, type_, dtype)
        elif column.is_dated:
            arrays[name] = _dates(columns[name], column, date_type(column, type_))
        else:
            arrays[name] = _numbers(columns[name], column, number_type(column, type_))
    table = pa.table(arrays)
    if kind == "pyarrow":
        return table
    library = library_of(kind)
    if kind == "polars":
        return _to_polars(library, table, described, schema)
    return to_pandas(library, table, described if original == "pandas" else {})


def _kept(data: pa.Array, type_: pa.DataType) -> pa.Array:
    """Return a column as it is, in the type of the fitted table if that can hold it."""
    with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):  # else its own type stays
        return data.cast(type_)
    return data


def check_lengths(columns: Mapping[str, Array], names: tuple[str, ...]) -> None:
    """Raise a ModelError unless there are values for every plain column, equally many."""
    for name in names:
        if name not in columns:
            raise ModelError(f"no synthetic values for column {name!r}; fit the model again")
    if len({len(columns[name]) for name in names}) > 1:
        raise ModelError("the synthetic columns differ in length; sample again")


def _absent(values: Array, column: Column) -> Array:
    """Return which values are missing, or raise a ModelError if some are no numbers and may not be missing."""
    absent = np.isnan(values)
    if np.isinf(values).any() or (absent.any() and not column.missing):
        raise ModelError(f"column {column.name!r}: the model made a value that is not finite; fit it again")
    return np.asarray(absent)


def _numbers(values: Array, column: Column, type_: pa.DataType) -> pa.Array:
    absent = _absent(values, column)
    special = np.isin(values, special_numbers(column))
    if column.type == "integer":
        rounded = np.rint(values)
    else:
        decimals = [
            digits for digits in (column.decimals, getattr(type_, "scale", None)) if digits is not None
        ]
        rounded = np.round(values, min(decimals)) if decimals else values
    numbers = np.where(special, values, np.clip(rounded, column.lower, column.upper) + 0.0)
    if pa.types.is_integer(type_):
        numbers = np.where(absent, 0, numbers).astype(np.int64)
    return pa.array(numbers, mask=absent if absent.any() else None).cast(type_, safe=column.type == "integer")


def _dates(values: Array, column: Column, type_: pa.DataType) -> pa.Array:
    absent = _absent(values, column)
    numbers = np.where(absent, 0.0, np.clip(values, column.lower, column.upper))
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        kind: DateType = "date" if column.type == "date" else "datetime"
        known, place = np.unique(numbers, return_inverse=True)
        texts = np.array([date_text(kind, number).replace("T", " ") for number in known], dtype=object)
        return pa.array(texts[place], type_, mask=absent)
    if pa.types.is_date(type_):
        days = numbers if column.type == "date" else np.floor(numbers / _DAY)
        return pa.array(days.astype(np.int32), mask=absent).cast(pa.date32()).cast(type_)
    seconds = numbers * _DAY if column.type == "date" else numbers
    ticks = np.rint(seconds * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit])
    return pa.array(ticks.astype(np.int64), mask=absent).cast(type_)


def _labelled(codes: Array, column: Column, type_: pa.DataType, dtype: str) -> pa.Array:
    indices = np.asarray(codes).astype(np.int32)
    absent = indices == len(column.labels) if column.missing else np.zeros(indices.size, dtype=bool)
    if (indices != codes).any() or ((indices < 0) | (indices >= len(column.labels)) & ~absent).any():
        raise ModelError(f"column {column.name!r}: the model made a code without a category; fit it again")
    labels = labels_in(column, label_type(column, type_))
    places = pa.array(indices, mask=absent) if absent.any() else pa.array(indices)
    if dtype.removeprefix("ordered ") in CATEGORICAL:
        return pa.DictionaryArray.from_arrays(places, labels, ordered=dtype.startswith("ordered "))
    return labels.take(places)


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
        name: polars.Enum(list(schema.column(name).labels))
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
