"""The shape of a panel's table: library, layout and stored types, so that a synthetic panel comes back alike.

Like `FrameShape`, it holds nothing of the data. Public columns carry their own types; for periods and
confidential columns the stored type is kept where it can hold the public bounds and missing values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np
import pyarrow as pa

from quantail.errors import DataError, ModelError
from quantail.frames.build import CATEGORICAL, library_of, to_pandas
from quantail.frames.native import Kind, Table, kind_of, open_frame
from quantail.frames.panel import Floats, Integers, PanelData, panel_of
from quantail.frames.panel_index import stored_column
from quantail.frames.shape import ColumnShape, dtype_name
from quantail.frames.storage import number_type, storage_of, storage_type
from quantail.schema import Column, Schema

# Whole numbers are exact in a float32 up to here.
_LARGEST_FLOAT32 = 2**24


@dataclass(frozen=True)
class PanelShape:
    """The library of a panel's table and how its columns are stored, in the order of the table.

    Examples
    --------
    >>> from quantail.schema import Panel
    >>> panel = Panel("id", "first", "last", 2000, 2001)
    >>> schema = Schema((Column("emp", "integer", 0, 2000),), unit="establishment", panel=panel)
    >>> table = pa.table({"id": [7], "first": [2000], "last": [2000], "emp_2000": [5], "emp_2001": [None]})
    >>> [column.name for column in PanelShape.of(table, schema).columns]
    ['id', 'first', 'last', 'emp_2000', 'emp_2001']
    """

    kind: Kind
    columns: tuple[ColumnShape, ...]

    @classmethod
    def of(cls, frame: Any, schema: Schema) -> "PanelShape":
        """Describe the panel's columns of a table; other columns are left out."""
        table = open_frame(frame)
        kind = kind_of(table)
        roles = _roles(schema)
        for name in roles:
            if name not in table.columns:
                raise DataError(
                    f"column {name!r} is missing; add it to the table, or remove it from the schema"
                )
        names = [name for name in table.columns if name in roles]
        return cls(kind, tuple(_describe(table, kind, name, roles[name]) for name in names))

    def to_dict(self) -> dict[str, Any]:
        """Write the shape as plain data for JSON."""
        return {"kind": self.kind, "columns": [vars(column).copy() for column in self.columns]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "PanelShape":
        """Read a shape written by `to_dict`, or raise a ModelError."""
        columns = data.get("columns") if isinstance(data, Mapping) else None
        if not isinstance(columns, list) or data.get("kind") not in get_args(Kind):
            raise ModelError("the model's description of its table is damaged; save the model again")
        for column in columns:
            keys = set(column) if isinstance(column, Mapping) else set()
            if keys != {"name", "storage", "dtype"} or not all(isinstance(t, str) for t in column.values()):
                raise ModelError("the model's description of its columns is damaged; save the model again")
            if column["storage"]:
                storage_type(column["storage"])
        return cls(cast(Kind, data["kind"]), tuple(ColumnShape(**column) for column in columns))


def panel_frame(data: PanelData, shape: PanelShape, kind: Kind | None = None) -> Any:
    """Make a table of the described kind and layout from a panel.

    Parameters
    ----------
    data : PanelData
        Public facts and (synthetic) values. Its order of units and rows is kept: call `in_public_order` first
        if the table is to be released.
    shape : PanelShape
        Library, order and types of columns, from the original table.
    kind : {"pandas", "polars", "pyarrow"}, optional
        Another library than that of the original table.

    Returns
    -------
    pandas, polars or pyarrow table
        Public columns as they were; confidential ones rounded to their type and decimals, within the bounds,
        missing where a unit is not active.

    Raises
    ------
    ModelError
        If the shape belongs to another schema, or the library is not installed.
    """
    roles = _roles(data.schema)
    if {column.name for column in shape.columns} != set(roles):
        raise ModelError("the description of the table does not match the panel's schema; describe it again")
    arrays = (
        _wide(data, shape, roles) if panel_of(data.schema).layout == "wide" else _long(data, shape, roles)
    )
    table = pa.table(arrays)
    kind = kind or shape.kind
    if kind == "pyarrow":
        return table
    described = {
        column.name: (str(table.schema.field(column.name).type), column.dtype)
        for column in shape.columns
        if column.dtype and column.dtype.removeprefix("ordered ") not in CATEGORICAL
    }
    library = library_of(kind)
    if kind == "pandas":
        return to_pandas(library, table, described if shape.kind == "pandas" else {})
    enums = {
        column.name: library.Enum(arrays[column.name].dictionary.to_pylist())
        for column in shape.columns
        if column.dtype == "Enum" and shape.kind == "polars"
    }
    return library.from_arrow(table).cast(enums)


# What a stored column is: a confidential column and its place (-1 if long), or the name of a public part.
_Role = tuple[Column | None, int]


def _roles(schema: Schema) -> dict[str, _Role]:
    panel = panel_of(schema)
    roles: dict[str, _Role] = {name: (None, -1) for name in panel.named}
    roles |= {column.name: (None, -1) for column in schema.columns if column.public}
    for column in schema.confidential:
        for place, name in enumerate(panel.stored_as(column.name)):
            roles[name] = (column, place if panel.layout == "wide" else -1)
    return roles


def _describe(table: Table, kind: Kind, name: str, role: _Role) -> ColumnShape:
    data = stored_column(table, name)
    if data is None:
        raise DataError(f"column {name!r} holds values of several types; store them in one type")
    dtype = dtype_name(table, kind, name)
    column = role[0]
    if column is None:
        is_number = pa.types.is_integer(data.type) or pa.types.is_floating(data.type)
        return ColumnShape(name, storage_of(data.type) if is_number else "", dtype)
    target = _history_type(column, data.type)
    return ColumnShape(name, storage_of(target), dtype if target == data.type else "")


def _history_type(column: Column, original: pa.DataType) -> pa.DataType:
    """Type of a confidential column: floats may hold whole numbers here, as missing ones need them in pandas."""
    largest = max(abs(column.lower or 0.0), abs(column.upper or 0.0))
    if column.type == "integer" and (
        pa.types.is_float64(original) or (pa.types.is_float32(original) and largest <= _LARGEST_FLOAT32)
    ):
        return original
    return number_type(column, original)


def _wide(data: PanelData, shape: PanelShape, roles: Mapping[str, _Role]) -> dict[str, pa.Array]:
    arrays = {}
    for stored in shape.columns:
        column, place = roles[stored.name]
        if column is None:
            arrays[stored.name] = _public(data, stored)
        else:
            values = data.values[column.name][:, place]
            arrays[stored.name] = _history(values, column, storage_type(stored.storage))
    return arrays


def _long(data: PanelData, shape: PanelShape, roles: Mapping[str, _Role]) -> dict[str, pa.Array]:
    unit, place = data.rows if data.rows is not None else np.nonzero(data.active)
    which = pa.array(unit)
    arrays = {}
    for stored in shape.columns:
        column, _ = roles[stored.name]
        if column is not None:
            values = data.values[column.name][unit, place]
            arrays[stored.name] = _history(values, column, storage_type(stored.storage))
        elif stored.name == panel_of(data.schema).time:
            arrays[stored.name] = _periods(data.periods[place], stored)
        else:
            arrays[stored.name] = _public(data, stored).take(which)
    return arrays


def _public(data: PanelData, stored: ColumnShape) -> pa.Array:
    panel = panel_of(data.schema)
    if stored.name == panel.unit:
        return data.units
    if stored.name in (panel.entry, panel.exit):
        return _periods(data.entry if stored.name == panel.entry else data.exit, stored)
    return data.public[stored.name]


def _periods(values: Integers, stored: ColumnShape) -> pa.Array:
    return pa.array(values).cast(storage_type(stored.storage), safe=False)


def _history(values: Floats, column: Column, type_: pa.DataType) -> pa.Array:
    missing = np.isnan(values)
    numbers = np.where(missing, 0.0, values)
    decimals = [digits for digits in (column.decimals, getattr(type_, "scale", None)) if digits is not None]
    if column.type == "integer":
        numbers = np.rint(numbers)
    elif decimals:
        numbers = np.round(numbers, min(decimals))
    numbers = np.clip(numbers, column.lower, column.upper) + 0.0
    if pa.types.is_integer(type_):
        return pa.array(numbers.astype(np.int64), mask=missing).cast(type_)
    return pa.array(numbers, mask=missing).cast(type_, safe=False)
