"""CSV files: UTF-8, comma-separated, with a header.

The types of columns are guessed from the values. With a schema they are not: labels are read as text just as
written ("007" stays "007"), numbers as floating-point ones, dates and booleans as such, so that types do not
depend on single rows.
"""

import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import pyarrow as pa
import pyarrow.csv

from quantail.errors import DataError
from quantail.frames.place import Place
from quantail.frames.source import Source
from quantail.schema import Column, Schema
from quantail.schema.dates import date_number

_PARSE = pa.csv.ParseOptions(newlines_in_values=True)
_NUMBERS = ("numeric", "integer")
_BOOLEAN = {"true": True, "1": True, "false": False, "0": False}


class CsvSource(Source):
    """A CSV file; its chunks need a schema if the first rows do not tell the types of all."""

    advice: ClassVar[str] = (
        "a CSV file must be UTF-8 and comma-separated, with as many fields in every row as in its header "
        "and no row longer than a megabyte"
    )

    def __init__(self, place: Place, schema: Schema | None = None) -> None:
        super().__init__(place)
        self._path = cast(Path, place.path)
        self._known = {column.name: column for column in schema.columns} if schema else {}

    def _types(self) -> pa.Schema:
        with self._path.open("rb") as file:
            return self._settled(self._reader(file).schema.empty_table()).schema

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        with self._path.open("rb") as file:
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
                table = self._settled(pa.Table.from_batches([block]))
                for start in range(0, table.num_rows, batch_rows):
                    yield table.slice(start, batch_rows)

    def _read(self) -> pa.Table:
        texts = [name for name, column in self._known.items() if column.type not in _NUMBERS]
        convert = pa.csv.ConvertOptions(column_types=dict.fromkeys(texts, pa.string()))
        with self._path.open("rb") as file:
            return self._settled(pa.csv.read_csv(file, parse_options=_PARSE, convert_options=convert))

    def _reader(self, file: BinaryIO) -> Any:
        """Open the file for reading block by block; later blocks must have the types of the first."""
        read = partial(pa.csv.open_csv, parse_options=_PARSE)
        if not self._known:
            return read(file)
        names = read(file).schema.names
        file.seek(0)
        numbers = {name for name, column in self._known.items() if column.type in _NUMBERS}
        types = {name: pa.float64() if name in numbers else pa.string() for name in names}
        return read(file, convert_options=pa.csv.ConvertOptions(column_types=types))

    def _settled(self, table: pa.Table) -> pa.Table:
        columns = [
            column if name not in self._known else settled(column, self._known[name])
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]
        return pa.table(columns, names=table.column_names)

    def _unlike(self) -> DataError:
        advice = "pass a schema, and keep text out of columns of numbers"
        return DataError(f"cannot read {self.place} in parts: its rows differ in type or length; {advice}")


def settled(values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Give values that were read as guessed numbers or as text the type that the schema says."""
    if column.type == "numeric" and pa.types.is_integer(values.type):
        return values.cast(pa.float64(), safe=False)
    if column.type != "boolean" and not column.is_dated:
        return values
    encoded = values.dictionary_encode().unify_dictionaries().combine_chunks()
    texts = [text.strip() for text in encoded.dictionary.to_pylist()]
    read = _booleans(texts) if column.type == "boolean" else _dates(texts, column)
    if any(text and not there for text, there in zip(texts, read.is_valid().to_pylist(), strict=True)):
        wanted = "true or false" if column.type == "boolean" else "dates, written as 2020-01-31"
        raise DataError(f"column {column.name!r} holds text that is not of its type; it may hold {wanted}")
    return pa.chunked_array([read.take(encoded.indices)])


def _booleans(texts: list[str]) -> pa.Array:
    return pa.array([_BOOLEAN.get(text.lower()) for text in texts], pa.bool_())


def _dates(texts: list[str], column: Column) -> pa.Array:
    if column.type == "date":
        days = [date_number("date", text) for text in texts]
        return pa.array(days, pa.float64()).cast(pa.int32()).cast(pa.date32())
    seconds = [date_number("datetime", text) for text in texts]
    ticks = pa.array([None if s is None else round(s * 10**6) for s in seconds], pa.int64())
    unit = "s" if float(column.lattice).is_integer() else "us"
    return ticks.cast(pa.timestamp("us")).cast(pa.timestamp(unit), safe=False)


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table as CSV."""
    with path.open("xb") as file:
        # Arrow quotes every name in a header; the csv module quotes only where it must.
        lines = csv.writer(cast(Any, _Encoded(file)), lineterminator="\n")
        lines.writerow(table.column_names)
        pa.csv.write_csv(table, file, pa.csv.WriteOptions(include_header=False))


def looks_like_data(names: list[str]) -> bool:
    """Say whether the first line of a file seems to hold values instead of names."""
    numbers = [name for name in names if _is_number(name)]
    return len(numbers) == len(names) or any(not name.strip().isdigit() for name in numbers)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class _Encoded:
    """Let the csv module write text to a binary file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(text.encode("utf-8"))
