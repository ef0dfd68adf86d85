"""Write SPSS files (.sav) and SAS transport files (.xpt) with pyreadstat, codebook included.

Both know two kinds of values, numbers and texts; what a number means is said by its format.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa

from quantail.errors import DataError
from quantail.io.codebook import DECLARED, TAGS, Codebook
from quantail.io.extras import optional
from quantail.io.statistical_files import SAS, SPSS, Calendar
from quantail.io.timeless import still_spss, still_transport

_SHORT_NAME, _SHORT_LABEL = 8, 40  # what version 5 of the transport format allows
_SPSS_FORMATS = {"date": "DATE11", "moment": "DATETIME23.3", "whole": "F12.0"}
_SAS_FORMATS = {"date": "DATE9", "moment": "DATETIME22.3", "whole": ""}


def write_spss(table: pa.Table, path: Path) -> None:
    """Write a table with its codebook as an SPSS file."""
    book = Codebook.of(table)
    own = dict(book.entries) if book.program in ("spss", DECLARED) else {}
    texts = _texts(table)
    labels = {
        name: {value: text for value, text in entry.values if isinstance(value, str) == (name in texts)}
        for name, entry in book.entries
    }
    _package().write_sav(
        _frame(table, SPSS),
        str(path),
        file_label=book.label,
        column_labels=_labels(book),
        variable_value_labels={name: known for name, known in labels.items() if known},
        missing_ranges={
            name: [{"lo": low, "hi": high} for low, high in entry.missing]
            for name, entry in own.items()
            if entry.missing
        },
        variable_display_width={name: entry.width for name, entry in own.items() if entry.width},
        variable_measure={name: entry.measure for name, entry in own.items() if entry.measure},
        variable_format=_formats(table, book, "spss", _SPSS_FORMATS),
    )
    still_spss(path)


def write_transport(table: pa.Table, path: Path) -> None:
    """Write a table with its codebook as a SAS transport file."""
    book = Codebook.of(table)
    labels = _labels(book)
    is_short = all(len(name.encode()) <= _SHORT_NAME for name in table.column_names)
    is_short = is_short and all(len(label.encode()) <= _SHORT_LABEL for label in labels.values())
    _package().write_xport(
        _frame(table, SAS),
        str(path),
        file_label=book.label[:_SHORT_LABEL],
        column_labels=labels,
        file_format_version=5 if is_short else 8,
        variable_format=_formats(table, book, "sas", _SAS_FORMATS),
    )
    still_transport(path)


def _package() -> Any:
    return optional("pyreadstat", "files", "writing files of SPSS and SAS")


def _labels(book: Codebook) -> dict[str, str]:
    return {name: entry.label for name, entry in book.entries if entry.label}


def _formats(table: pa.Table, book: Codebook, program: str, usual: dict[str, str]) -> dict[str, str]:
    formats = {field.name: _usual(field.type, usual) for field in table.schema}
    if book.program in (program, DECLARED):
        mark = "F" if book.program == DECLARED and program == "spss" else ""
        told = {name: entry.format for name, entry in book.entries if name in formats and entry.format}
        formats |= {name: f"{mark}{format_}" for name, format_ in told.items()}
    return {name: format_ for name, format_ in formats.items() if format_}


def _texts(table: pa.Table) -> set[str]:
    kinds = (pa.types.is_string, pa.types.is_large_string)
    return {field.name for field in table.schema if any(kind(field.type) for kind in kinds)}


def _usual(type_: pa.DataType, usual: dict[str, str]) -> str:
    if pa.types.is_date(type_):
        return usual["date"]
    if pa.types.is_timestamp(type_):
        return usual["moment"]
    return usual["whole"] if pa.types.is_integer(type_) or pa.types.is_boolean(type_) else ""


def _frame(table: pa.Table, calendar: Calendar) -> Any:
    """Make a pandas frame of numbers and texts."""
    pandas = optional("pandas", "files", "writing files of SPSS and SAS")
    columns, texts = {}, _texts(table)
    for field in table.schema:
        column = table[field.name]
        if field.name in texts:
            columns[field.name] = pandas.Series(
                ["" if t is None else t for t in column.to_pylist()], dtype=object
            )
            continue
        if pa.types.is_temporal(field.type):
            column = calendar.to_numbers(column)
        numbers = column.cast(pa.float64(), safe=False).to_pandas()
        if numbers.isin(list(TAGS)).any():
            raise DataError(
                f"column {field.name!r} holds missing values with a letter, which only Stata files keep; "
                "write a .dta file"
            )
        columns[field.name] = numbers
    return pandas.DataFrame(columns)
