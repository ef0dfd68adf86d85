"""Open a table of any kind: pandas, polars (lazy ones are collected) or pyarrow, all behind narwhals.

Libraries quote cells in their messages, so none of their errors is passed on; each is replaced, outside of
the `except` block, by one of ours that has no link to it.
"""

from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, Literal, TypeAlias, get_args

import narwhals as nw
import pyarrow as pa

from quantail.errors import DataError, OptionError

Kind = Literal["pandas", "polars", "pyarrow"]
Table: TypeAlias = nw.DataFrame[Any]


def open_frame(frame: Any) -> Table:
    """Wrap a native table, or raise a DataError if it is not one or its column names are not distinct."""
    try:
        opened = nw.from_native(frame)
        table = opened.collect() if isinstance(opened, nw.LazyFrame) else opened
    except nw.exceptions.DuplicateError:
        table, what = (
            None,
            f"the table has two columns of the same name{_repeated(frame)}; rename one of them",
        )
    except Exception:  # a lazy query may fail with any error of its engine, and quote cells in it
        table, what = None, "cannot read the table; pass a pandas, polars or pyarrow table"
    if table is None:
        raise DataError(what)
    kind_of(table)
    return table


def _repeated(frame: Any) -> str:
    """Say which columns share a name; where a file has no line of names, it would be a value, and is not quoted."""
    names = list(getattr(frame, "column_names", getattr(frame, "columns", ())))
    for second, name in enumerate(names):
        if name in names[:second]:
            return f" (columns {names.index(name) + 1} and {second + 1})"
    return ""


def kind_of(table: Table) -> Kind:
    """Tell which library a table belongs to."""
    name = table.implementation.value
    for kind in get_args(Kind):
        if name == kind:
            return kind  # type: ignore[no-any-return]
    raise DataError(f"tables of {name} are not supported; convert it to pandas, polars or pyarrow")


def library_kind(frame: Any) -> Kind:
    """Tell which library a native table belongs to: all that is taken over from it into what is released.

    Examples
    --------
    >>> library_kind(pa.table({"pay": [1.5]}))
    'pyarrow'
    """
    return kind_of(open_frame(frame))


class Framed(ABC):
    """Results that are rows: a table of any library can be made of them."""

    @abstractmethod
    def to_arrow(self) -> Any:
        """Return the rows as a pyarrow table."""

    def to_pandas(self) -> Any:
        """Return the rows as a pandas frame."""
        _installed("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the rows as a polars frame."""
        return _installed("polars").from_arrow(self.to_arrow())


def _installed(package: Kind) -> Any:
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        raise OptionError(f"{package} is not installed; install it, or use to_arrow().") from error


def decoded(table: pa.Table) -> pa.Table:
    """Return a table without dictionaries: most formats store labels themselves, not codes beside a list of labels.

    Examples
    --------
    >>> decoded(pa.table({"region": pa.array(["north"]).dictionary_encode()})).schema.field("region").type
    DataType(string)
    """
    plain = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(plain, table.schema.metadata))


def arrow_column(table: Table, name: str) -> pa.Array | None:
    """One column as an Arrow array without dictionary encoding, or None if its values do not share a type."""
    try:
        column = table.get_column(name)
        data = column.to_native() if kind_of(table) == "pyarrow" else column.to_arrow()
        if isinstance(data, pa.ChunkedArray):  # a single chunk need not be copied
            data = data.chunk(0) if data.num_chunks == 1 else data.combine_chunks()
        if pa.types.is_dictionary(data.type):
            data = data.dictionary_decode()
        return data.cast(pa.large_string()) if pa.types.is_string_view(data.type) else data
    except Exception:  # conversion errors come from three libraries and quote the value they stopped at
        return None
