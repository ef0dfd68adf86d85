"""Write Stata files (format 118, Stata 14 and later), as Stata's manual `help dta` lays them out.

Written here rather than by a library, because none keeps storage types, formats and missing values with a
letter together. The file is a sequence of sections between tags, with a map of where each begins.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.arrays import Floats
from quantail.errors import DataError
from quantail.io.codebook import DECLARED, TAGS, WHOLE_IN_STATA, Codebook, Entry
from quantail.io.statistical_files import STATA

_LONGEST_TEXT = 2045
_ROWS_AT_ONCE = 50_000


@dataclass(frozen=True)
class Storage:
    """One of Stata's types of numbers.

    Its missing values "." (0), ".a" (1) to ".z" (26) are equal steps apart, for floating-point numbers in their bits.
    """

    code: int
    numpy: str
    smallest: float
    largest: float
    format: str
    bits: str
    first_missing: int
    step: int = 1

    def missing(self, kind: int) -> Any:
        """Return a missing value, plain (0) or with a letter (1 to 26)."""
        return np.array([self.first_missing + kind * self.step], self.bits).view(self.numpy)[0]


def _whole(code: int, numpy: str, name: str, format_: str) -> Storage:
    least, most = WHOLE_IN_STATA[name]
    return Storage(code, numpy, least, most, format_, numpy, most + 1)


_STORAGES = {
    "int8": _whole(65530, "<i1", "int8", "%8.0g"),
    "int16": _whole(65529, "<i2", "int16", "%8.0g"),
    "int32": _whole(65528, "<i4", "int32", "%12.0g"),
    "float": Storage(65527, "<f4", -1.701e38, 1.701e38, "%9.0g", "<u4", 0x7F000000, 0x800),
    "double": Storage(
        65526, "<f8", -1.797e308, 8.988e307, "%10.0g", "<u8", 0x7FE0000000000000, 0x010000000000
    ),
}
_LONG_MISSING = _STORAGES["int32"].first_missing


@dataclass(frozen=True)
class _Variable:
    """A column ready to be written."""

    name: str
    entry: Entry
    type: int
    numpy: str
    format: str
    values: NDArray[Any]


def write_stata(table: pa.Table, path: Path) -> None:
    """Write a table with its codebook as a Stata file."""
    book = Codebook.of(table)
    variables = [_variable(table, field, book) for field in table.schema]
    with path.open("xb") as file:
        _write(file, variables, table.num_rows, book.label)


def _write(file: BinaryIO, variables: list[_Variable], rows: int, label: str) -> None:
    count, title = len(variables), label.encode()[:320]
    file.write(b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder>")
    file.write(b"<K>" + struct.pack("<H", count) + b"</K><N>" + struct.pack("<Q", rows) + b"</N>")
    file.write(b"<label>" + struct.pack("<H", len(title)) + title + b"</label>")
    file.write(b"<timestamp>\0</timestamp></header>")
    places = [0, file.tell()]
    file.write(_section("map", bytes(14 * 8)))
    sections = {
        "variable_types": b"".join(struct.pack("<H", v.type) for v in variables),
        "varnames": b"".join(_padded(v.name, 129) for v in variables),
        "sortlist": bytes(2 * (count + 1)),
        "formats": b"".join(_padded(v.format, 57) for v in variables),
        "value_label_names": b"".join(_padded(v.name if _labels(v) else "", 129) for v in variables),
        "variable_labels": b"".join(_padded(v.entry.label, 321) for v in variables),
        "characteristics": b"",
    }
    for name, content in sections.items():
        places.append(file.tell())
        file.write(_section(name, content))
    places.append(file.tell())
    _write_rows(file, variables, rows)
    for name, content in (("strls", b""), ("value_labels", b"".join(map(_value_labels, variables)))):
        places.append(file.tell())
        file.write(_section(name, content))
    places.append(file.tell())
    file.write(b"</stata_dta>")
    places.append(file.tell())
    file.seek(places[1] + len(b"<map>"))
    file.write(struct.pack("<14Q", *places))


def _write_rows(file: BinaryIO, variables: list[_Variable], rows: int) -> None:
    row = np.dtype([(str(k), variable.numpy) for k, variable in enumerate(variables)])
    file.write(b"<data>")
    for start in range(0, rows, _ROWS_AT_ONCE):
        block = np.empty(min(_ROWS_AT_ONCE, rows - start), row)
        for k, variable in enumerate(variables):
            block[str(k)] = variable.values[start : start + len(block)]
        file.write(block.tobytes())
    file.write(b"</data>")


def _section(name: str, content: bytes) -> bytes:
    return f"<{name}>".encode() + content + f"</{name}>".encode()


def _padded(text: str, size: int) -> bytes:
    encoded = text.encode()[: size - 1].decode(errors="ignore").encode()  # no half characters
    return encoded.ljust(size, b"\0")


def _variable(table: pa.Table, field: pa.Field, book: Codebook) -> _Variable:
    if not field.name.isidentifier() or len(field.name) > 32:
        raise DataError(
            f"column {field.name!r}: Stata has no such names; rename it, 32 letters or digits at most"
        )
    own = book.program in ("stata", DECLARED)
    entry, column = book.entry(field.name), table[field.name]
    told = _format(entry, book)
    if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
        values = _texts(column, field.name, entry.size if own else 0)
        size, shown = values.dtype.itemsize, f"%{values.dtype.itemsize}s"
        return _Variable(field.name, entry, size, f"S{size}", told or shown, values)
    storage, usual = _STORAGES[_storage_name(field, entry if own else Entry())], ""
    if pa.types.is_temporal(field.type):
        usual = "%td" if pa.types.is_date(field.type) else "%tc"
        column = STATA.to_numbers(column)
    storage, values = _numbers(column, storage, field.name)
    return _Variable(
        field.name,
        entry,
        storage.code,
        storage.numpy,
        told or usual or storage.format,
        values,
    )


def _format(entry: Entry, book: Codebook) -> str:
    """Return the format that a codebook tells in Stata's language; of whole numbers the usual one does."""
    if book.program == DECLARED and entry.format:
        return "" if entry.format.endswith(".0") else f"%{entry.format}f"
    return entry.format if book.program == "stata" else ""


def _storage_name(field: pa.Field, entry: Entry) -> str:
    if entry.storage in _STORAGES:
        return entry.storage
    if pa.types.is_boolean(field.type):
        return "int8"
    if pa.types.is_date(field.type):
        return "int32"
    return str(field.type) if str(field.type) in _STORAGES else "double"


def _numbers(column: pa.ChunkedArray, storage: Storage, name: str) -> tuple[Storage, NDArray[Any]]:
    numbers = column.cast(pa.float64(), safe=False).combine_chunks()
    missing = np.asarray(numbers.is_null())
    values = np.array(numbers.fill_null(0.0).to_numpy(zero_copy_only=False))
    kinds = np.zeros(len(values), dtype=np.int64)
    for code, letter in TAGS.items():
        kinds[values == code] = ord(letter) - ord("a") + 1
    plain_values = values[~missing & (kinds == 0)]
    if plain_values.size and not _holds(storage, plain_values):
        storage = _STORAGES["double"]
        if not _holds(storage, plain_values):
            raise DataError(f"column {name!r} holds numbers that Stata cannot store; rescale the column")
    special = missing | (kinds > 0)
    stored = np.where(special, 0.0, values).astype(storage.numpy)
    for kind in np.unique(kinds[special]):
        stored[special & (kinds == kind)] = storage.missing(int(kind))
    return storage, stored


def _holds(storage: Storage, values: Floats) -> bool:
    within = bool(values.min() >= storage.smallest and values.max() <= storage.largest)
    return within and (storage.numpy[1] == "f" or bool((values == np.rint(values)).all()))


def _texts(column: pa.ChunkedArray, name: str, size: int) -> NDArray[np.bytes_]:
    encoded = [b"" if text is None else text.encode() for text in column.to_pylist()]
    size = max([1, size, *map(len, encoded)])
    if size > _LONGEST_TEXT:
        raise DataError(f"column {name!r} holds texts that are too long for a Stata file; write another kind")
    return np.array(encoded, dtype=f"S{size}")


def _labels(variable: _Variable) -> list[tuple[int, bytes]]:
    """Value labels; Stata has them for whole numbers and missing values with a letter only."""
    if variable.type <= _LONGEST_TEXT:
        return []
    labels = []
    for value, label in variable.entry.values:
        if isinstance(value, str) and len(value) == 1 and value.isalpha():
            labels.append((_LONG_MISSING + ord(value.lower()) - ord("a") + 1, label.encode() + b"\0"))
        elif not isinstance(value, str) and float(value).is_integer() and abs(value) < _LONG_MISSING:
            labels.append((int(value), label.encode() + b"\0"))
    return sorted(labels)


def _value_labels(variable: _Variable) -> bytes:
    labels = _labels(variable)
    if not labels:
        return b""
    texts = b"".join(text for _, text in labels)
    starts = np.cumsum([0, *(len(text) for _, text in labels)])[:-1]
    body = struct.pack("<2i", len(labels), len(texts))
    body += (
        np.asarray(starts, "<i4").tobytes()
        + np.array([value for value, _ in labels], "<i4").tobytes()
        + texts
    )
    return _section("lbl", struct.pack("<i", len(body)) + _padded(variable.name, 129) + bytes(3) + body)
