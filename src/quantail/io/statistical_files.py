"""Files of Stata, SPSS and SAS, read with pyreadstat: types, labels, formats and missing codes as declared.

Dates are numbers in these files, counted from an origin that depends on the program; the format tells them
from other numbers. Missing values with a letter (".a" to ".z" in Stata and SAS) are read as missing, unless
the schema lists their codes (see `tag_code`) among the column's `missing_codes`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.io.codebook import TAGS, Codebook, Entry
from quantail.io.extras import optional
from quantail.io.place import Place
from quantail.io.source import Source
from quantail.schema import Schema

_PROGRAMS = {"dta": "stata", "sav/zsav": "spss", "xport": "sas", "sas7bdat": "sas"}


@dataclass(frozen=True)
class Calendar:
    """How a program counts dates: its formats for dates and moments, and what their numbers mean."""

    # date, moment: formats of dates and of moments
    date: "re.Pattern[str]"
    moment: "re.Pattern[str]"
    origin: np.datetime64  # the moment that has number zero
    # date_unit, moment_unit: milliseconds that one step of the number stands for
    date_unit: int
    moment_unit: int

    def arrow_type(self, format_: str) -> pa.DataType | None:
        """Type of a column with this format if it holds dates or moments."""
        if self.date.fullmatch(format_):
            return pa.date32()
        return pa.timestamp("ms") if self.moment.fullmatch(format_) else None

    def from_numbers(self, numbers: pa.Array, type_: pa.DataType) -> pa.Array:
        """Turn numbers of a file into dates or moments."""
        unit = self.date_unit if pa.types.is_date(type_) else self.moment_unit
        values = np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
        missing = ~np.isfinite(values)
        steps = np.rint(np.where(missing, 0.0, values) * unit).astype(np.int64)
        moments = pa.array(
            self.origin.astype("datetime64[ms]") + steps.astype("timedelta64[ms]"), mask=missing
        )
        return moments.cast(type_, safe=False)

    def to_numbers(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Turn dates or moments into numbers of a file."""
        unit = self.date_unit if pa.types.is_date(column.type) else self.moment_unit
        moments = column.cast(pa.timestamp("ms")).cast(pa.int64()).combine_chunks()
        zero = int(self.origin.astype("datetime64[ms]").astype(np.int64))
        missing = np.asarray(moments.is_null())
        steps = np.asarray(moments.fill_null(0)) - zero
        return pa.chunked_array([pa.array(steps / unit, mask=missing)])


_DAY = 86_400_000
STATA = Calendar(re.compile(r"%-?t?d.*"), re.compile(r"%-?t[cC].*"), np.datetime64("1960-01-01"), _DAY, 1)
SPSS = Calendar(
    re.compile(r"(?:[AEJS]?DATE)\d*"),
    re.compile(r"(?:DATETIME|YMDHMS)[\d.]*"),
    np.datetime64("1582-10-14"),
    1000,
    1000,
)
SAS = Calendar(
    re.compile(
        r"(?:DATE|DAY|WEEKDATE|WORDDATE|(?:DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|(?:E|B|IS)8601DA|NLDATE)\d*\.?"
    ),
    re.compile(r"(?:DATETIME|DATEAMPM|(?:E|B|IS)8601D[TN]|NLDATM)[\d.]*"),
    np.datetime64("1960-01-01"),
    _DAY,
    1000,
)


class StatisticalSource(Source):
    """A file of Stata, SPSS or SAS.

    Parameters
    ----------
    place : Place
        The file.
    schema : Schema, optional
        Its `missing_codes` tell which missing values with a letter are kept apart.
    reader : str
        Name of pyreadstat's function.
    calendar : Calendar
        How the program counts dates.
    """

    advice = "the file must be complete and of the kind that its ending says"

    def __init__(self, place: Place, schema: Schema | None, reader: str, calendar: Calendar) -> None:
        super().__init__(place)
        package = optional("pyreadstat", "files", f"reading {place.file.suffix} files")
        self._reader: Callable[..., Any] = getattr(package, reader)
        self._keeps_tags = reader != "read_xport"
        self._calendar = calendar
        self._tags = {} if schema is None else {c.name: set(c.missing_codes) for c in schema.columns}

    def _types(self) -> pa.Schema:
        return self._described(self._load(metadataonly=True)[1])

    def _rows(self) -> int | None:
        return self._load(metadataonly=True)[1].number_rows  # type: ignore[no-any-return]

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        types, start = self._types(), 0
        while True:
            columns, _ = self._load(row_offset=start, row_limit=batch_rows)
            count = len(next(iter(columns.values()), ()))
            if count:
                yield self._table(columns, types)
            if count < batch_rows:
                return
            start += count

    def _read(self) -> pa.Table:
        columns, header = self._load()
        return self._table(columns, self._described(header))

    def _load(self, **options: Any) -> tuple[Mapping[str, Any], Any]:
        if self._keeps_tags:
            options["user_missing"] = True
        path = str(self.place.path)
        columns, header = self._reader(
            path, disable_datetime_conversion=True, output_format="dict", **options
        )
        return columns, header

    def _described(self, header: Any) -> pa.Schema:
        fields = []
        for name in header.column_names:
            stored = header.readstat_variable_types[name]
            type_ = self._calendar.arrow_type(header.original_variable_types[name] or "")
            if type_ is None or stored == "string":
                type_ = pa.type_for_alias(stored)
                if self._tags.get(name, set()) & TAGS.keys():
                    type_ = pa.int64() if pa.types.is_integer(type_) else pa.float64()
            fields.append(pa.field(name, type_))
        return codebook_of(header).attached(pa.schema(fields).empty_table()).schema

    def _table(self, columns: Mapping[str, Any], types: pa.Schema) -> pa.Table:
        arrays = [self._column(list(columns[field.name]), field) for field in types]
        return pa.Table.from_arrays(arrays, schema=types)

    def _column(self, values: list[Any], field: pa.Field) -> pa.Array:
        if pa.types.is_string(field.type):
            return pa.array(values, pa.string(), from_pandas=True)
        if any(isinstance(value, str) for value in values):
            kept = self._tags.get(field.name, set())
            values = [_untagged(value, kept) for value in values]
        numbers = pa.array(values, pa.float64(), from_pandas=True)
        if pa.types.is_temporal(field.type):
            return self._calendar.from_numbers(numbers, field.type)
        return numbers.cast(field.type)


def codebook_of(header: Any) -> Codebook:
    """Gather what pyreadstat read from a file's header."""
    entries, program = [], _PROGRAMS[header.file_format]
    for name in header.column_names:
        measure = header.variable_measure.get(name) or ""
        entry = Entry(
            header.column_names_to_labels.get(name) or "",
            # SAS ends formats with a point, which some of its files hold and others leave out.
            (header.original_variable_types.get(name) or "").rstrip("." if program == "sas" else ""),
            header.readstat_variable_types[name],
            "" if measure == "unknown" else measure,
            int(header.variable_display_width.get(name) or 0) if program == "spss" else 0,
            _size(header, name),
            tuple(
                (value if isinstance(value, str) else float(value), label)
                for value, label in header.variable_value_labels.get(name, {}).items()
            ),
            tuple((part["lo"], part["hi"]) for part in header.missing_ranges.get(name, ())),
        )
        entries.append((name, entry))
    return Codebook(program, header.file_label or "", tuple(entries))


def _size(header: Any, name: str) -> int:
    size = int(header.variable_storage_width.get(name) or 0)
    # Of Stata's texts the byte that ends them is counted, too.
    is_text = header.readstat_variable_types[name] == "string"
    return size - 1 if is_text and size and _PROGRAMS[header.file_format] == "stata" else size


def tag_code(letter: str) -> int:
    """Return the number that stands for a missing value with a letter.

    Examples
    --------
    >>> tag_code("a"), tag_code("z")
    (-1000000001, -1000000026)
    """
    return next(code for code, known in TAGS.items() if known == letter.lower())


def _untagged(value: Any, kept: set[float]) -> float | None:
    if not isinstance(value, str):
        return value  # type: ignore[no-any-return]
    code = float(tag_code(value)) if value.isalpha() else None
    return code if code in kept else None
