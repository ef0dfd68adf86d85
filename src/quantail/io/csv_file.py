"""CSV files with a header: UTF-8 and commas, or as `[csv]` in the schema says.

The types of columns are guessed from the values. With a schema they are not: labels are read as text just as
written ("007" stays "007"), numbers, dates and booleans as such, so that types do not depend on single rows.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from quantail.errors import DataError
from quantail.io.csv_dialect import Header, csv_header, readable_format
from quantail.io.declared_types import (
    as_declared,
    as_identities,
    declared_columns,
    identity_columns,
)
from quantail.io.place import Place
from quantail.io.source import Source
from quantail.io.written_values import MISSING, dates_as_written, written_dates, written_numbers
from quantail.schema import Column, CsvFormat, Schema
from quantail.schema.column_types import LISTED, NUMBERS

_ROWS_AT_ONCE = 2**16


class CsvSource(Source):
    """A CSV file; its chunks need a schema if the first rows do not tell the types of all."""

    advice = (
        "a CSV file must be UTF-8 and comma-separated, or as [csv] in the schema says (separator, decimal, thousands, "
        'encoding = "windows-1252", dates), as many fields in every row as in its header and '
        "no row longer than a megabyte"
    )

    def __init__(self, place: Place, schema: Schema | None = None) -> None:
        super().__init__(place)
        self._known, self._identities = declared_columns(schema), identity_columns(schema)
        self._declared = None if schema is None else schema.csv

    def header(self) -> list[str]:
        """Read the names of the columns, and nothing below them."""
        return self._guarded(lambda: self._names(csv_header(self.place.file, self._declared)))

    def format(self) -> CsvFormat:
        """Return how the file is written, as far as its header tells; nothing below it is looked at."""
        return self._guarded(lambda: csv_header(self.place.file, self._declared).format)

    def _names(self, header: Header) -> list[str]:
        if not header.names:
            raise DataError(
                f"cannot read {self.place}: it is empty; its first line must hold the names of the columns"
            )
        return checked_names(list(header.names), self.place)

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
                part = self._settled(pa.Table.from_batches([block]))
                if any(pa.types.is_string(part.schema.field(name).type) for name in self._typed(part)):
                    raise self._unlike()
                yield part

    def _read(self) -> pa.Table:
        texts = [name for name, column in self._known.items() if self._as_text(column)]
        options = self._options(dict.fromkeys((*texts, *self._identities), pa.string()))
        with self.place.file.open("rb") as file:
            try:
                table = self._settled(pa.csv.read_csv(file, **options))
                for name in {*self._identities} & {*table.column_names}:
                    place = table.column_names.index(name)
                    table = table.set_column(place, name, as_identities(table[name].combine_chunks()))
                return table
            except (UnicodeDecodeError, pa.ArrowInvalid) as error:  # their messages quote what they read
                if isinstance(error, pa.ArrowInvalid) and "UTF8" not in str(error):
                    raise
        stored = options["read_options"].encoding.replace("utf8", "utf-8")
        raise DataError(
            f"cannot read {self.place}: its rows are not {stored}; write how it is stored into the schema, [csv] and "
            'below it encoding = "windows-1252", or save it as UTF-8'
        )

    def _reader(self, file: BinaryIO) -> Any:
        """Open the file for reading block by block; later blocks must have the types of the first."""
        if not self._known:
            return pa.csv.open_csv(file, **self._options({}))
        names = pa.csv.open_csv(file, **self._options({})).schema.names
        file.seek(0)
        numbers = {name for name, column in self._known.items() if not self._as_text(column)}
        types = {name: pa.float64() if name in numbers else pa.string() for name in names}
        return pa.csv.open_csv(file, **self._options(types))

    def _options(self, types: dict[str, pa.DataType]) -> dict[str, Any]:
        header = readable_format(self.place.file, self._declared)
        if self._known and not set(self._known) & set(header.names):
            self._names(
                header
            )  # without a single column of the schema it may be empty, or have no line of names
        written = header.format
        return {
            "read_options": pa.csv.ReadOptions(encoding="utf8" if header.codec == "utf-8" else header.codec),
            "parse_options": pa.csv.ParseOptions(delimiter=written.separator, newlines_in_values=True),
            "convert_options": pa.csv.ConvertOptions(
                column_types=types,
                decimal_point=written.decimal,
                null_values=[*MISSING, *written.missing],
            ),
        }

    def _as_text(self, column: Column) -> bool:
        """Say whether a column is read as text at first; numbers are where marks between thousands must go."""
        is_marked = self._declared is not None and self._declared.thousands != ""
        return column.type not in NUMBERS or is_marked

    def _settled(self, table: pa.Table) -> pa.Table:
        columns = [
            self._declared_values(values, self._known[name]) if name in self._known else values
            for name, values in zip(table.column_names, table.columns, strict=True)
        ]
        return pa.table(columns, names=table.column_names)

    def _declared_values(self, values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
        if column.type in NUMBERS and self._declared is not None and pa.types.is_string(values.type):
            numbers = written_numbers(values, self._declared)
            values = values if numbers is None else numbers  # text is left for the border to refuse
        if self._declared is not None and column.type not in NUMBERS:
            words = [word for word in self._declared.missing if word not in column.labels]
            values = pc.if_else(pc.is_in(values, value_set=pa.array(words, pa.string())), None, values)
        if column.is_dated and self._declared is not None:
            values = written_dates(values, self._declared)
        return as_declared(values, column)

    def _typed(self, table: pa.Table) -> list[str]:
        """Name the columns of a table that the schema says hold something else than text."""
        known = {name: column.type for name, column in self._known.items()}
        return [name for name in table.column_names if known.get(name, "category") not in LISTED]

    def _unlike(self) -> DataError:
        advice = "pass a schema, and keep other text out of columns of numbers, dates and booleans"
        return DataError(f"cannot read {self.place} in parts: its rows differ in type or length; {advice}")


def write_csv(table: pa.Table, path: Path, written: CsvFormat | None = None) -> None:
    """Write a table as CSV, in the declared form; what needs no quotes has none."""
    written = written or CsvFormat()
    try:
        with path.open("x", encoding=written.encoding, newline="") as file:
            # Python writes in blocks, where the first one may have told its encoding and byte order.
            file.writelines(_lines(table, written))
    except UnicodeEncodeError:  # its message quotes the text
        raise DataError(
            f"the table holds text that cannot be stored in {written.encoding}, which [csv] in the schema says; "
            "write another kind of file, or correct the schema"
        ) from None


def _lines(table: pa.Table, written: CsvFormat) -> Iterable[str]:
    header = io.StringIO()
    csv.writer(header, delimiter=written.separator, lineterminator="\n").writerow(table.column_names)
    yield header.getvalue()
    absent = written.missing[0] if written.missing else ""
    if table.num_columns == 1 and not absent:
        absent = '""'  # an empty line would be no row
    for batch in _whole_seconds(table).to_batches(_ROWS_AT_ONCE):
        cells = [pc.fill_null(_cells(column, written), absent) for column in batch.columns]
        yield "\n".join([*pc.binary_join_element_wise(*cells, written.separator).to_pylist(), ""])


def _whole_seconds(table: pa.Table) -> pa.Table:
    """Return a table whose moments, where all of a column are whole seconds, are stored so: 08:30:00 without zeros."""
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit != "s":
            try:
                seconds = table.column(place).cast(pa.timestamp("s", field.type.tz))
            except pa.ArrowInvalid:  # some are not; its message quotes one of them
                continue
            table = table.set_column(place, field.name, seconds)
    return table


def _cells(values: pa.Array, written: CsvFormat) -> pa.Array:
    """Return values as they are written between two separators."""
    texts, kind = values.cast(pa.string()), values.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        texts = pc.if_else(pc.is_nan(values), None, texts) if pa.types.is_floating(kind) else texts
        texts = pc.replace_substring(texts, ".", written.decimal)
    if pa.types.is_temporal(kind):
        texts = dates_as_written(texts, written)
    marks = rf'["\r\n{re.escape(written.separator)}]'
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")
    return pc.if_else(pc.match_substring_regex(texts, marks), quoted, texts)


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
