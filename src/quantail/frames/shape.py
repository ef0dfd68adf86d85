"""The shape of a table: its library and the types of its columns, so that synthetic rows come back alike.

A shape travels with a released model, so it must hold nothing of the data. It records the kind of table,
the order and the stored types of the schema's columns; never labels (a categorical type carries the labels
of the table: those of the schema are used instead) and never a type that a reader guessed from values: what
is recorded is the type that synthetic values will get, which the schema decides together with the declared
type. Column order and declared types are treated as public, as column names are. pandas changes a type by itself
where a value is missing (whole numbers to floats, booleans to objects): such pairs of types count as one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast, get_args

import narwhals as nw
import numpy as np
import pyarrow as pa

from quantail.errors import DataError, ModelError
from quantail.frames.build import CATEGORICAL, build_frame, check_lengths
from quantail.frames.codebook import Codebook
from quantail.frames.encoding import decode
from quantail.frames.native import Kind, Table, arrow_column, kind_of, open_frame
from quantail.frames.storage import storage_of, storage_type, type_of
from quantail.schema import Column, Schema, core_of

# What Arrow turns into by itself, so that the name would add nothing.
_PLAIN_PANDAS = frozenset(
    f"{word}{width}"
    for word, widths in {"int": "8 16 32 64", "uint": "8 16 32 64", "float": "32 64"}.items()
    for width in widths.split()
) | {"bool", "str"}


@dataclass(frozen=True)
class ColumnShape:
    """How one column is stored.

    Attributes
    ----------
    name : str
        Name of the column.
    storage : str
        Arrow's name for the type of its values, for example "int32", "double" or "string".
    dtype : str
        The library's own name for the type, such as "Int64" or "category"; empty if `storage` says it all.
    """

    name: str
    storage: str
    dtype: str = ""


@dataclass(frozen=True)
class FrameShape:
    """The library of a table and how its columns are stored, in the order of the table.

    Examples
    --------
    >>> from quantail.schema import Column
    >>> schema = Schema((Column("jobs", "integer", 0, 500),), unit="firm")
    >>> shape = FrameShape.of(pa.table({"jobs": pa.array([7], pa.int16())}), schema)
    >>> shape.build({"jobs": np.array([3.2, 41.9])}, schema)["jobs"].to_pylist()
    [3, 42]
    """

    kind: Kind
    columns: tuple[ColumnShape, ...]
    codebook: Codebook = field(default_factory=Codebook)

    @classmethod
    def of(cls, frame: Any, schema: Schema) -> "FrameShape":
        """Describe the schema's columns of a table; other columns are left out."""
        table = open_frame(frame)
        kind, columns, wanted = kind_of(table), dict.fromkeys(table.columns), frozenset(schema.names)
        for name in schema.names:
            if name not in columns:
                raise DataError(
                    f"column {name!r} is missing; add it to the table, or remove it from the schema"
                )
        names = [name for name in columns if name in wanted]
        codebook = Codebook.of(table.to_native()).public(schema)
        described = tuple(_describe(table, kind, schema.column(name)) for name in names)
        return cls(kind, described, codebook)

    def to_dict(self) -> dict[str, Any]:
        """Write the shape as plain data for JSON."""
        book = {"codebook": self.codebook.to_dict()} if self.codebook else {}
        return {"kind": self.kind, "columns": [vars(column).copy() for column in self.columns], **book}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "FrameShape":
        """Read a shape written by `to_dict`, or raise a ModelError."""
        columns = data.get("columns") if isinstance(data, Mapping) else None
        if not isinstance(columns, list) or data.get("kind") not in get_args(Kind):
            raise ModelError("the model's description of its table is damaged; save the model again")
        for column in columns:
            keys = set(column) if isinstance(column, Mapping) else set()
            if keys != {"name", "storage", "dtype"} or not all(isinstance(t, str) for t in column.values()):
                raise ModelError("the model's description of its columns is damaged; save the model again")
            storage_type(column["storage"])
        book = Codebook.from_dict(data["codebook"]) if "codebook" in data else Codebook()
        return cls(cast(Kind, data["kind"]), tuple(ColumnShape(**column) for column in columns), book)

    def build(
        self,
        columns: Mapping[str, np.ndarray[Any, Any]],
        schema: Schema,
        kind: Kind | None = None,
        kept: Mapping[str, pa.Array] | None = None,
    ) -> Any:
        """Make a table of the described kind from synthetic columns.

        Parameters
        ----------
        columns : mapping of str to array
            The plain columns of `core_of(schema)`: values of numbers, codes of categories.
        schema : Schema
            Bounds, decimals and labels.
        kind : {"pandas", "polars", "pyarrow"}, optional
            Another library than that of the original table.
        kept : mapping of str to Arrow array, optional
            Columns that are not synthetic and stay as they are.

        Returns
        -------
        pandas, polars or pyarrow table
            Integers in their integer type (int64 if the original type cannot hold the bounds), numbers
            rounded to their decimals and within the bounds, labels and dates in the type of the original.

        Raises
        ------
        ModelError
            If columns are missing or malformed, or the library is not installed.
        """
        described = {column.name: (column.storage, column.dtype) for column in self.columns}
        if set(described) != set(schema.names):
            raise ModelError(
                "the model's description of its table does not match its schema; fit the model again"
            )
        check_lengths(columns, core_of(schema).schema.names)
        frame = build_frame(
            kind or self.kind, self.kind, described, decode(columns, schema), schema, kept or {}
        )
        return self.codebook.attached(frame) if self.codebook and isinstance(frame, pa.Table) else frame


def _describe(table: Table, kind: Kind, column: Column) -> ColumnShape:
    data = arrow_column(table, column.name)
    if data is None:
        raise DataError(f"column {column.name!r} holds values of several types; store them in one type")
    dtype = dtype_name(table, kind, column.name)
    original = _declared(data.type, dtype, kind)
    if kind == "pandas" and column.missing:
        original, dtype = _with_or_without_gaps(original, dtype, column, is_empty=pa.types.is_null(data.type))
    target = type_of(column, original)
    # A name that belongs to another type than the one decided on would undo the decision.
    is_categorical = dtype.removeprefix("ordered ") in CATEGORICAL
    is_kept = column.is_labelled if is_categorical else target == original
    return ColumnShape(column.name, storage_of(target), dtype if is_kept else "")


def _declared(type_: pa.DataType, dtype: str, kind: Kind) -> pa.DataType:
    # Of a column of Python objects, Arrow guesses the precision from the values, which would tell about them.
    if dtype == "object" and pa.types.is_decimal(type_):
        return pa.float64()
    # Only pyarrow tables tell short from long text; for the others it is a matter of versions.
    is_long_text = kind != "pyarrow" and pa.types.is_large_string(type_)
    return pa.string() if is_long_text else storage_type(storage_of(type_))


def _with_or_without_gaps(
    type_: pa.DataType, dtype: str, column: Column, is_empty: bool
) -> tuple[pa.DataType, str]:
    """Return the type and its name as pandas would have them whether or not a value is missing."""
    if column.is_dated:
        if is_empty:
            return type_of(column, pa.null()), dtype
        return (pa.string() if pa.types.is_floating(type_) else type_), dtype  # text without a single value
    if column.is_labelled and dtype == "object":  # pandas' word for text, and for booleans with gaps
        natural = pa.bool_() if column.type == "boolean" else pa.string()
        return (natural, "") if is_empty or type_ == natural else (type_, dtype)
    is_number = pa.types.is_integer(type_) or pa.types.is_float64(type_)
    is_declared = bool(dtype) and dtype.removeprefix("ordered ") not in CATEGORICAL
    if is_declared or not is_number or column.type == "numeric":
        return type_, dtype
    # Arrow hands whole numbers with gaps to pandas as floats, which is how they came.
    whole = pa.int64()
    return (whole if type_of(column, whole) == whole else type_), dtype


def dtype_name(table: Table, kind: Kind, name: str) -> str:
    """Name the type in the library's words, without the labels that a categorical type carries."""
    series = table.get_column(name).to_native()
    if kind == "pandas":
        spelled = str(series.dtype)
        ordered = spelled == "category" and series.dtype.ordered
        is_plain_text = spelled == "object" and str(pa.array(["text"]).to_pandas().dtype) == "object"
        if spelled in _PLAIN_PANDAS or (is_plain_text and table.get_column(name).dtype == nw.String):
            spelled = ""
    elif kind == "polars":
        spelled, ordered = str(series.dtype).partition("(")[0], False
        spelled = spelled if spelled in ("Categorical", "Enum") else ""
    else:
        is_dictionary = pa.types.is_dictionary(series.type)
        spelled, ordered = ("category" if is_dictionary else ""), is_dictionary and series.type.ordered
    return f"ordered {spelled}" if ordered else spelled
