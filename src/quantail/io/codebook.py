"""The codebook of a statistical file: labels, formats and missing codes that its header declares.

Stata, SPSS and SAS files say more about a column than its type. What the header of a file declares is read, and travels
as metadata of an Arrow table (so Parquet and Arrow files keep it, too). It never reaches a synthetic file: programs
choose widths, storage and labels by looking at rows. The codebook of a release follows from the schema.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from quantail.schema import Column, Schema
from quantail.schema.storage import storage_of

_KEY = b"quantail.codebook"
DECLARED = "schema"  # in place of a program: what the schema says, in no program's language
_FIRST_TAG = -1_000_000_001
# Numbers that stand for Stata's and SAS's missing values with a letter, ".a" to ".z".
TAGS = {_FIRST_TAG - place: letter for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
# Stata's types of whole numbers with their limits; the codes above mean missing.
WHOLE_IN_STATA = {"int8": (-127, 100), "int16": (-32_767, 32_740), "int32": (-2_147_483_647, 2_147_483_620)}
_MOST_CODES = 3  # that SPSS knows for a column
_WIDEST = 32  # what SAS can show
Value = float | str


@dataclass(frozen=True)
class Entry:
    """What a file's header says about one column."""

    label: str = ""  # what the column means, in words
    format: str = ""  # how values are shown, in the language of the file ("%9.2f", "F8.2", "DATE9")
    storage: str = ""  # type in the file: "int8", "int16", "int32", "float", "double" or "string"
    measure: str = ""  # SPSS: "nominal", "ordinal", "scale" or empty
    width: int = 0  # SPSS: columns on the screen; 0 if not told
    size: int = 0  # bytes that a value takes in the file; 0 if not told
    values: tuple[tuple[Value, str], ...] = ()  # value labels
    # SPSS: values, or ranges of them, that mean a missing value
    missing: tuple[tuple[Value, Value], ...] = ()


@dataclass(frozen=True)
class Codebook:
    """What a file's header says about the whole table and each of its columns.

    Examples
    --------
    >>> book = Codebook("spss", "Wages", (("sex", Entry(values=((1.0, "men"), (2.0, "women")))),))
    >>> Codebook.of(book.attached(pa.table({"sex": [1.0]}))) == book
    True
    """

    # "stata", "spss" or "sas": whose language formats are written in; "schema" if they are widths and decimals
    program: str = ""
    label: str = ""  # what the table is, in words
    entries: tuple[tuple[str, Entry], ...] = ()  # the columns

    @classmethod
    def of(cls, table: Any) -> "Codebook":
        """Read the codebook that comes with an Arrow table; other tables have none."""
        metadata = table.schema.metadata if isinstance(table, pa.Table) else None
        if not metadata or _KEY not in metadata:
            return cls()
        try:
            data = json.loads(metadata[_KEY])
            entries = tuple((name, _entry(entry)) for name, entry in data["columns"].items())
            return cls(_text(data["program"]), _text(data["label"]), entries)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            return cls()  # of some other program, or damaged; the table itself is sound

    def attached(self, table: pa.Table) -> pa.Table:
        """Return the table with this codebook in its metadata."""
        rest = {key: text for key, text in (table.schema.metadata or {}).items() if key != _KEY}
        columns = {name: asdict(entry) for name, entry in self.entries}
        text = json.dumps({"program": self.program, "label": self.label, "columns": columns})
        own = {_KEY: text.encode()} if self else {}
        return table.replace_schema_metadata(rest | own)

    def entry(self, name: str) -> Entry:
        """Return what is known about a column, which may be nothing."""
        return dict(self.entries).get(name, Entry())

    def __bool__(self) -> bool:
        return self != Codebook()


def declared_codebook(schema: Schema) -> Codebook:
    """Return the codebook of what is released, which follows from the schema alone.

    Examples
    --------
    >>> schema = Schema((Column("jobs", "integer", 0, 500, label="Jobs in March"),), unit="firm")
    >>> declared_codebook(schema).entry("jobs")
    Entry(label='Jobs in March', format='3.0', storage='int16', measure='scale', width=0, size=0, values=(), missing=())
    """
    entries = [(name, _declared(column)) for column in schema.columns for name in schema.stored_as(column)]
    return Codebook(DECLARED, schema.name, tuple(entries))


def _declared(column: Column) -> Entry:
    storage = storage_of(column)
    if column.is_labelled:
        measure = "ordinal" if column.type == "ordinal" else "nominal"
        if storage in ("string", "category"):
            size = max((len(label.encode()) for label in column.labels), default=0)
            return Entry(column.label, storage="string", measure=measure, size=size)
        if column.type == "boolean":
            values: tuple[tuple[Value, str], ...] = ((0.0, "false"), (1.0, "true"))
            return Entry(column.label, "1.0", "int8", measure, values=values)
        codes = [float(label) for label in column.labels]
        return Entry(column.label, _digits(codes, 0), _narrowest(codes), measure)
    if storage == "string":
        return Entry(column.label, storage="string", size=10 if column.type == "date" else 26)
    if column.is_dated:
        return Entry(column.label, storage="int32" if column.type == "date" else "double", measure="scale")
    plain_codes = tuple(code for code in column.missing_codes if code not in TAGS)
    bounds = [n for n in (column.lower, column.upper, *plain_codes, *column.atoms) if n is not None]
    missing = tuple((code, code) for code in plain_codes) if len(plain_codes) <= _MOST_CODES else ()
    if column.type == "integer":
        kind = storage if storage in WHOLE_IN_STATA and _holds(storage, bounds) else _narrowest(bounds)
        return Entry(column.label, _digits(bounds, 0), kind, "scale", missing=missing)
    shown = "" if column.decimals is None else _digits(bounds, column.decimals)
    return Entry(column.label, shown, "float" if storage == "float32" else "double", "scale", missing=missing)


def _narrowest(numbers: list[float]) -> str:
    """Name the narrowest of Stata's types that holds whole numbers."""
    return next((name for name in WHOLE_IN_STATA if numbers and _holds(name, numbers)), "double")


def _holds(name: str, numbers: list[float]) -> bool:
    least, most = WHOLE_IN_STATA[name]
    return all(least <= number <= most for number in numbers)


def _digits(numbers: list[float], decimals: int) -> str:
    """Return width and decimals of a column of numbers, as "8.2"; empty if it would be too wide to be shown."""
    width = max((len(str(int(number))) + (number < 0) for number in numbers), default=0)
    width += decimals + 1 if decimals else 0
    return f"{width}.{decimals}" if 0 < width <= _WIDEST else ""


def _entry(data: dict[str, Any]) -> Entry:
    """Read one column of a codebook's JSON, or raise a ValueError, TypeError or KeyError."""
    texts = {name: _text(data[name]) for name in ("label", "format", "storage", "measure")}
    values = tuple((_value(value), _text(label)) for value, label in data["values"])
    missing = tuple((_value(low), _value(high)) for low, high in data["missing"])
    return Entry(**texts, width=int(data["width"]), size=int(data["size"]), values=values, missing=missing)


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError("not a text")
    return data


def _value(data: Any) -> Value:
    return data if isinstance(data, str) else float(data)
