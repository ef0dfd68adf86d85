"""The codebook of a statistical file: labels, formats and missing codes that its header declares.

Stata, SPSS and SAS files say more about a column than its type. What the header of a file declares is read, and travels
as metadata of an Arrow table (so Parquet and Arrow files keep it, too). It never reaches a synthetic file: programs
choose widths, storage and labels by looking at rows. The codebook of a release follows from the schema.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import pyarrow as pa

from quantail.errors import ModelError
from quantail.schema import Column, Schema
from quantail.schema.storage import storage_of

_KEY = b"quantail.codebook"
DECLARED = "schema"  # in place of a program: what the schema says, in no program's language
_FIRST_TAG = -1_000_000_001
# Numbers that stand for Stata's and SAS's missing values with a letter, ".a" to ".z".
TAGS = {_FIRST_TAG - place: letter for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
# Stata's types of whole numbers.
_NARROW = {"int8": (-127, 100), "int16": (-32_767, 32_740), "int32": (-2_147_483_647, 2_147_483_620)}
_MOST_CODES = 3  # that SPSS knows for a column
_WIDEST = 32  # what SAS can show
Value = float | str


@dataclass(frozen=True)
class Entry:
    """What a file's header says about one column.

    Attributes
    ----------
    label : str
        What the column means, in words.
    format : str
        How values are shown, in the language of the file ("%9.2f", "F8.2", "DATE9").
    storage : str
        Type in the file: "int8", "int16", "int32", "float", "double" or "string".
    measure : str
        SPSS: "nominal", "ordinal", "scale" or empty.
    width : int
        SPSS: columns on the screen; 0 if not told.
    size : int
        Bytes that a value takes in the file; 0 if not told.
    values : tuple of (value, label)
        Value labels.
    missing : tuple of (from, to)
        SPSS: values, or ranges of them, that mean a missing value.
    """

    label: str = ""
    format: str = ""
    storage: str = ""
    measure: str = ""
    width: int = 0
    size: int = 0
    values: tuple[tuple[Value, str], ...] = ()
    missing: tuple[tuple[Value, Value], ...] = ()


@dataclass(frozen=True)
class Codebook:
    """What a file's header says about the whole table and each of its columns.

    Attributes
    ----------
    program : str
        "stata", "spss" or "sas": whose language formats are written in; "schema" if they are widths and decimals.
    label : str
        What the table is, in words.
    entries : tuple of (name, Entry)
        The columns.

    Examples
    --------
    >>> book = Codebook("spss", "Wages", (("sex", Entry(values=((1.0, "men"), (2.0, "women")))),))
    >>> Codebook.of(book.attached(pa.table({"sex": [1.0]}))) == book
    True
    """

    program: str = ""
    label: str = ""
    entries: tuple[tuple[str, Entry], ...] = ()

    @classmethod
    def of(cls, table: Any) -> "Codebook":
        """Read the codebook that comes with an Arrow table; other tables have none."""
        metadata = table.schema.metadata if isinstance(table, pa.Table) else None
        if not metadata or _KEY not in metadata:
            return cls()
        try:
            return cls.from_dict(json.loads(metadata[_KEY]))
        except (ValueError, ModelError, RecursionError):
            return cls()  # of some other program; the table itself is sound

    def attached(self, table: pa.Table) -> pa.Table:
        """Return the table with this codebook in its metadata."""
        rest = {key: text for key, text in (table.schema.metadata or {}).items() if key != _KEY}
        own = {_KEY: json.dumps(self.to_dict()).encode()} if self else {}
        return table.replace_schema_metadata(rest | own)

    def entry(self, name: str) -> Entry:
        """Return what is known about a column, which may be nothing."""
        return dict(self.entries).get(name, Entry())

    def __bool__(self) -> bool:
        return self != Codebook()

    def to_dict(self) -> dict[str, Any]:
        """Write the codebook as plain data for JSON."""
        columns = {name: asdict(entry) for name, entry in self.entries}
        return {"program": self.program, "label": self.label, "columns": columns}

    @classmethod
    def from_dict(cls, data: Any) -> "Codebook":
        """Read a codebook written by `to_dict`, or raise a ModelError."""
        columns = data.get("columns") if isinstance(data, Mapping) else None
        if not isinstance(columns, Mapping) or not all(
            isinstance(data.get(w), str) for w in ("program", "label")
        ):
            raise _damaged()
        entries = tuple((name, _entry(entry)) for name, entry in columns.items())
        return cls(data["program"], data["label"], entries)


def declared_codebook(schema: Schema) -> Codebook:
    """Return the codebook of what is released, which follows from the schema alone.

    Examples
    --------
    >>> schema = Schema((Column("jobs", "integer", 0, 500, label="Jobs in March"),), unit="firm")
    >>> declared_codebook(schema).entry("jobs")
    Entry(label='Jobs in March', format='3.0', storage='int16', measure='scale', width=0, size=0, values=(), missing=())
    """
    entries = []
    for column in schema.columns:
        in_periods = schema.panel is not None and not column.public
        names = schema.panel.stored_as(column.name) if schema.panel and in_periods else (column.name,)
        entries += [(name, _declared(column)) for name in names]
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
        kind = storage if storage in _NARROW and storage_holds(storage, bounds) else _narrowest(bounds)
        return Entry(column.label, _digits(bounds, 0), kind, "scale", missing=missing)
    shown = "" if column.decimals is None else _digits(bounds, column.decimals)
    return Entry(column.label, shown, "float" if storage == "float32" else "double", "scale", missing=missing)


def _narrowest(numbers: list[float]) -> str:
    """Name the narrowest of Stata's types that holds whole numbers."""
    return next((name for name in _NARROW if numbers and storage_holds(name, numbers)), "double")


def storage_holds(name: str, numbers: list[float]) -> bool:
    """Say whether one of Stata's types of whole numbers holds all of these; its largest codes mean missing."""
    least, most = _NARROW[name]
    return all(least <= number <= most for number in numbers)


def _digits(numbers: list[float], decimals: int) -> str:
    """Return width and decimals of a column of numbers, as "8.2"; empty if it would be too wide to be shown."""
    width = max((len(str(int(number))) + (number < 0) for number in numbers), default=0)
    width += decimals + 1 if decimals else 0
    return f"{width}.{decimals}" if 0 < width <= _WIDEST else ""


def _entry(data: Any) -> Entry:
    names = {part.name for part in fields(Entry)}
    if not isinstance(data, Mapping) or set(data) != names:
        raise _damaged()
    entry = Entry(**{**data, "values": _pairs(data["values"]), "missing": _pairs(data["missing"])})
    texts = (entry.label, entry.format, entry.storage, entry.measure, *(label for _, label in entry.values))
    parts = [*(value for value, _ in entry.values), *(part for pair in entry.missing for part in pair)]
    fits = all(isinstance(text, str) for text in texts) and all(
        isinstance(p, str | float | int) for p in parts
    )
    if not fits or type(entry.width) is not int or type(entry.size) is not int:
        raise _damaged()
    return entry


def _pairs(data: Any) -> tuple[tuple[Any, Any], ...]:
    if not isinstance(data, list | tuple) or not all(
        isinstance(p, list | tuple) and len(p) == 2 for p in data
    ):
        raise _damaged()
    return tuple((first, second) for first, second in data)


def _damaged() -> ModelError:
    return ModelError("the model's codebook is damaged; save the model again")
