"""CSV files: UTF-8, comma-separated, with a header.

The types of columns are guessed from the values. With a schema they are not: labels are read as text just as
written ("007" stays "007"), numbers, dates and booleans as such, so that types do not depend on single rows.
"""

import csv
import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv

from quantail.errors import DataError
from quantail.io.declared_types import NUMBERS, as_declared, declared_columns
from quantail.io.place import Place
from quantail.io.source import Source
from quantail.schema import Schema

_LONGEST_HEADER = 2**22  # bytes: ten thousand columns take a tenth of it
_PARSE = pa.csv.ParseOptions(newlines_in_values=True)


class CsvSource(Source):
    """A CSV file; its chunks need a schema if the first rows do not tell the types of all."""

    advice = (
        "a CSV file must be UTF-8 and comma-separated, with as many fields in every row as in its header "
        "and no row longer than a megabyte"
    )

    def __init__(self, place: Place, schema: Schema | None = None) -> None:
        super().__init__(place)
        self._known = declared_columns(schema)

    def header(self) -> list[str]:
        """Read the names of the columns, and nothing below them."""
        return self._guarded(self._header)

    def _header(self) -> list[str]:
        with self.place.file.open("rb") as file:
            start = file.read(_LONGEST_HEADER).decode("utf-8-sig", errors="surrogateescape")
        lines = csv.reader(io.StringIO(start, newline=""), strict=True)
        names = next((line for line in lines if line), None)
        if names is None:
            raise DataError(f"{self.place} is empty; its first line must hold the names of the columns")
        "".join(names).encode("utf-8")  # what is no UTF-8 in the header is refused; rows are not looked at
        return checked_names(names, self.place)

    def _types(self) -> pa.Schema:
        with self.place.file.open("rb") as file:
            return self._settled(self._reader(file).schema.empty_table()).schema

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        with self.place.file.open("rb") as file:
            reader = self._reader(file)
            while True:
                try:
                    block = reader.read_next_batch()
                except StopIteration:
                    return
                except pa.ArrowInvalid:
                    block = None  # its message quotes the cell
                if block is None:
                    raise self._unlike()
                yield self._settled(pa.Table.from_batches([block]))

    def _read(self) -> pa.Table:
        texts = [name for name, column in self._known.items() if column.type not in NUMBERS]
        convert = pa.csv.ConvertOptions(column_types=dict.fromkeys(texts, pa.string()))
        with self.place.file.open("rb") as file:
            return self._settled(pa.csv.read_csv(file, parse_options=_PARSE, convert_options=convert))

    def _reader(self, file: BinaryIO) -> Any:
        """Open the file for reading block by block; later blocks must have the types of the first."""
        read = partial(pa.csv.open_csv, parse_options=_PARSE)
        if not self._known:
            return read(file)
        names = read(file).schema.names
        file.seek(0)
        numbers = {name for name, column in self._known.items() if column.type in NUMBERS}
        types = {name: pa.float64() if name in numbers else pa.string() for name in names}
        return read(file, convert_options=pa.csv.ConvertOptions(column_types=types))

    def _settled(self, table: pa.Table) -> pa.Table:
        columns = [
            column if name not in self._known else as_declared(column, self._known[name])
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]
        return pa.table(columns, names=table.column_names)

    def _unlike(self) -> DataError:
        advice = "pass a schema, and keep text out of columns of numbers"
        return DataError(f"cannot read {self.place} in parts: its rows differ in type or length; {advice}")


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table as CSV."""
    # Arrow quotes every name in a header; the csv module quotes only where it must.
    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(table.column_names)
    with path.open("xb") as file:
        file.write(header.getvalue().encode())
        pa.csv.write_csv(table, file, pa.csv.WriteOptions(include_header=False))


def checked_names(names: list[str], place: Place) -> list[str]:
    """Return the first line of a file, or raise a DataError if it seems to hold values instead of names."""
    numbers = [name for name in names if _is_number(name)]
    if len(numbers) == len(names) or any(not name.strip().isdigit() for name in numbers):
        raise DataError(
            f"{place}: the first line seems to hold values, not names; add a line of column names"
        )
    return names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
