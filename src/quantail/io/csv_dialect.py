"""How a CSV file is written, as far as its first line and its first bytes tell; no row is looked at.

Column names are public, and so is what separates them and how they are encoded. How numbers are written below is not
told by a header, so a file that is not separated by commas is read only when the schema's `[csv]` section says it.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quantail.errors import DataError
from quantail.schema import CsvFormat
from quantail.schema.csv_format import SEPARATORS
from quantail.schema.toml import toml_text

_LONGEST_HEADER = 2**22  # bytes: ten thousand columns take a tenth of it
_USUAL_DECIMAL = {",": ".", ";": ",", "\t": ".", "|": "."}
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True)
class Header:
    """The first line of a CSV file."""

    names: tuple[str, ...]  # of the columns; none if the file is empty
    # as declared, or as recognised; how numbers are written is then what is usual with the separator
    format: CsvFormat
    codec: str  # Python's name of the encoding


def csv_header(path: Path, declared: CsvFormat | None = None) -> Header:
    """Read the first line that is not empty, in the declared format or in the one that it shows.

    Raises a DataError if the header is separated by another mark than the schema says, or by a line for Excel.
    """
    with path.open("rb") as file:
        start = file.read(_LONGEST_HEADER)
    codec = _codec(start, declared)
    damaged = "replace" if codec.startswith("utf-16") else "surrogateescape"
    text = codecs.getincrementaldecoder("utf-8-sig" if codec == "utf-8" else codec)(damaged).decode(start)
    if text.lower().startswith("sep="):
        raise DataError(f"{path}: its first line only tells Excel the separator; remove that line")
    separator = _separator(text) if declared is None else _confirmed(text, declared, path)
    names = tuple(next((line for line in _lines(text, separator) if line), ()))
    "".join(names).encode("utf-8")  # what is no text in the header is refused; rows are not looked at
    found = CsvFormat(separator, _USUAL_DECIMAL[separator], "", codec if codec[:6] != "utf-16" else "utf-16")
    return Header(names, declared or found, codec)


def readable_format(path: Path, declared: CsvFormat | None) -> Header:
    """Return the header of a file whose rows will be read, or say what the schema must tell about them first."""
    header = csv_header(path, declared)
    # UTF-16 has a mark of its own, or zeros beside every letter: the first bytes tell it without doubt.
    doubtful = {"separator"} if header.codec.startswith("utf-16") else {"separator", "encoding"}
    if declared is not None or not doubtful & set(header.format.told()):
        return header
    lines = "\n".join(f"  {key} = {toml_text(mark)}" for key, mark in header.format.told().items())
    what = (
        f"the header is separated by {SEPARATORS[header.format.separator]}"
        if header.format.separator != ","
        else "the header is not UTF-8"
    )
    raise DataError(
        f"{path}: {what}, and how the rows are written is not guessed from them; save the file as UTF-8 with commas, "
        f"or give a schema along that says it (correct what is wrong)\n  [csv]\n{lines}"
    )


def _codec(start: bytes, declared: CsvFormat | None) -> str:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if 0 in start[:2]:  # a letter and a zero, or a zero and a letter
        return "utf-16-le" if start[1:2] == b"\0" else "utf-16-be"
    if start.startswith(codecs.BOM_UTF8):
        return "utf-8"
    if declared is not None:
        return declared.encoding
    try:
        start.lstrip(b"\r\n").partition(b"\n")[0].decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def _separator(text: str) -> str:
    """Return the mark that stands most often between the names of a header; a comma if there is none."""
    line = _QUOTED.sub("", text.lstrip("\r\n")).partition("\n")[0]
    return max(SEPARATORS, key=lambda mark: (line.count(mark), mark == ","))


def _confirmed(text: str, declared: CsvFormat, path: Path) -> str:
    shown = _separator(text)
    if shown != declared.separator and next(_lines(text, declared.separator), [])[1:] == []:
        is_single = next(_lines(text, shown), [])[1:] == []
        if not is_single:
            raise DataError(
                f"{path}: the header is separated by {SEPARATORS[shown]}, and [csv] in the schema says "
                f"{SEPARATORS[declared.separator]}; correct the schema, or save the file anew"
            )
    return declared.separator


def _lines(text: str, separator: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
