"""Excel workbooks (.xlsx): the first sheet, with names in its first row.

A workbook declares no types. They are guessed from the cells, or told by the schema, as for CSV files.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pyarrow as pa

from quantail.io.csv_file import checked_names
from quantail.io.declared_types import (
    as_declared,
    as_identities,
    declared_columns,
    identity_columns,
)
from quantail.io.extras import optional
from quantail.io.place import Place
from quantail.io.source import Source
from quantail.io.timeless import still_archive
from quantail.schema import Column, Schema
from quantail.schema.column_types import LISTED, NUMBERS
from quantail.schema.storage import is_whole_text

MOST_ROWS = 1_048_575  # and one of names


class WorkbookSource(Source):
    """The first sheet of an Excel workbook."""

    advice = "the first sheet must be a plain table with column names in its first row"

    def __init__(self, place: Place, schema: Schema | None = None) -> None:
        super().__init__(place)
        self._package = optional("openpyxl", "files", "reading .xlsx files")
        self._known, self._identities = declared_columns(schema), identity_columns(schema)
        self._missing = () if schema is None or schema.csv is None else schema.csv.missing

    def header(self) -> list[str]:
        """Read the names of the columns, and nothing below them."""
        return self._guarded(lambda: checked_names(list(next(self._lines())), self.place))

    def _types(self) -> pa.Schema:
        return self._read().schema

    def _read(self) -> pa.Table:
        first, *rows = self._lines()
        names = checked_names(list(first), self.place)
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        arrays = [self._array(name, list(cells)) for name, cells in zip(names, columns, strict=True)]
        return pa.table(arrays, names=names)

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        yield self._read()  # a sheet has at most a million rows

    def _lines(self) -> Iterator[tuple[Any, ...]]:
        with self.place.file.open("rb") as file:
            book = self._package.load_workbook(file, read_only=True, data_only=True)
            with closing(book):
                rows = book.worksheets[0].iter_rows(values_only=True)
                names = next(rows)
                width = len(names)
                while width and names[width - 1] is None:
                    width -= 1
                yield tuple(map(str, names[:width]))
                for row in rows:
                    cells = (*row[:width], *[None] * (width - len(row)))
                    if any(cell is not None for cell in cells):
                        yield cells

    def _array(self, name: str, cells: list[Any]) -> pa.Array:
        if name in self._identities:
            return as_identities(_texts(cells))
        column = self._known.get(name)
        if column is None:
            return _guessed(cells)
        words = {word for word in self._missing if word not in column.labels}
        return _declared([None if cell in words else cell for cell in cells], column)


def _declared(cells: list[Any], column: Column) -> pa.Array:
    """Return cells in the type that the schema says."""
    if column.type in LISTED:
        return _labels(cells, column)
    if column.type in NUMBERS:
        if not {type(cell) for cell in cells if cell is not None} <= {int, float}:
            return _texts(cells)  # which the border refuses
        array = pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    elif column.type == "date":  # the time of a moment is left out
        array = _texts([cell.date() if isinstance(cell, datetime) else cell for cell in cells])
    else:
        array = _texts(cells)
    return as_declared(pa.chunked_array([array]), column).combine_chunks()


def _guessed(cells: list[Any]) -> pa.Array:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if len(kinds) != 1:
        return _texts(cells)
    if kinds != {datetime}:
        return pa.array(cells)
    moments = pa.array(cells, pa.timestamp("us"))
    is_dated = all(cell is None or cell.time() == datetime.min.time() for cell in cells)
    return moments.cast(pa.date32()) if is_dated else moments


def _labels(cells: list[Any], column: Column) -> pa.Array:
    """Read labels as numbers if the schema lists whole numbers only, as the sheet will have them; or as text."""
    texts = _texts(cells)
    if not all(map(is_whole_text, column.labels)):
        return texts
    try:
        return texts.cast(pa.int64())
    except pa.ArrowInvalid:
        return texts  # some cell holds no label, which the border will tell


def write_workbook(table: pa.Table, path: Path) -> None:
    """Write a table as the first sheet of an Excel workbook."""
    package = optional("openpyxl", "files", "writing .xlsx files")
    book = package.Workbook(write_only=True)
    sheet = book.create_sheet("synthetic")

    def literal(text: str) -> Any:
        cell = package.cell.WriteOnlyCell(sheet, text)
        cell.data_type = "s"
        return cell

    sheet.append(_cells(pa.array(table.column_names, pa.string()), literal))
    for batch in table.to_batches(10_000):
        columns = [_cells(column, literal) for column in batch.columns]
        for row in zip(*columns, strict=True):
            sheet.append(row)
    with TemporaryFile() as made:
        book.save(made)
        still_archive(made, path)


def _cells(column: pa.Array, literal: Callable[[str], Any]) -> list[Any]:
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    # Text that starts with "=" is no formula.
    return [literal(v) if isinstance(v, str) and v.startswith("=") else v for v in column.to_pylist()]


def _texts(cells: list[Any]) -> pa.Array:
    return pa.array([None if cell is None else _text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == datetime.min.time():
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date | datetime) else str(cell)
