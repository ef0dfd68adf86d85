"""The codebook of a statistical file: labels, formats and missing codes that its header declares.

Stata, SPSS and SAS files say more about a column than its type. It is read from the header, travels as
metadata of an Arrow table (so Parquet and Arrow files keep it, too) and with a released model, and is written
into synthetic files again. Like column names it is taken to be public; where the schema lists the categories
of a column, labels of other values are dropped.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import pyarrow as pa

from quantail.errors import ModelError
from quantail.schema import Column, Schema

_KEY = b"quantail.codebook"
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
        "stata", "spss" or "sas": whose language formats are written in.
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

    def public(self, schema: Schema) -> "Codebook":
        """Keep what may be released: columns of the schema, and labels of values that it declares."""
        known = dict(self.entries)
        columns = [column for column in schema.columns if column.name in known]
        return Codebook(self.program, self.label, tuple((c.name, _public(known[c.name], c)) for c in columns))

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


def spelled(value: Value) -> str:
    """Spell a value as a schema lists it: whole numbers without a decimal point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _public(entry: Entry, column: Column) -> Entry:
    if not column.categories:
        return entry
    declared = {*column.categories, *(spelled(float(code)) for code in column.missing_codes)}
    public = _shallow(entry) | {
        "values": tuple((value, label) for value, label in entry.values if spelled(value) in declared)
    }
    if entry.storage == "string":  # files make texts as wide as the longest one that some row holds
        size = max(len(label.encode()) for label in column.labels)
        public |= {"size": size, "width": 0, "format": re.sub(r"\d+", str(size), entry.format)}
    return Entry(**public)


def _shallow(entry: Entry) -> dict[str, Any]:
    return {part.name: getattr(entry, part.name) for part in fields(entry)}


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
