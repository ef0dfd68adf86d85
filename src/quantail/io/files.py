"""Tables in files and databases: opened without ever quoting a cell, written all at once or not at all."""

import math
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from quantail.errors import DataError
from quantail.io.arrow_files import ArrowSource, FolderSource, ParquetSource, write_arrow, write_parquet
from quantail.io.csv_file import CsvSource, write_csv
from quantail.io.databases import DatabaseSource, database_tables, exists_already, has_table
from quantail.io.native import decoded, open_frame
from quantail.io.place import Place
from quantail.io.source import WRITING_ADVICE, Source, guarded
from quantail.io.stata_file import write_stata
from quantail.io.statistical_files import SAS, SPSS, STATA, Calendar, StatisticalSource
from quantail.io.statistical_writing import write_spss, write_transport
from quantail.io.workbook import MOST_ROWS, WorkbookSource, write_workbook
from quantail.ledger_header import is_ledger
from quantail.schema import CsvFormat, DraftType, Schema, header_of

Where = str | Path | Place


@dataclass(frozen=True)
class Format:
    """A kind of file: how it is opened (given a schema, if there is one) and written, if it can be."""

    open: Callable[[Place, Schema | None], Source]
    write: Callable[[pa.Table, Path], None] | None = None
    most_rows: float = math.inf
    keeps_dictionaries: bool = False


def _statistical(
    reader: str, calendar: Calendar, write: Callable[[pa.Table, Path], None] | None = None
) -> Format:
    return Format(lambda place, schema: StatisticalSource(place, schema, reader, calendar), write)


_ARROW = Format(lambda place, _: ArrowSource(place), write_arrow, keeps_dictionaries=True)
FORMATS: Mapping[str, Format] = {
    ".csv": Format(CsvSource, write_csv),
    # What stands between their cells is told by the schema, as of a .csv file; written under these names it might not.
    ".tsv": Format(CsvSource),
    ".txt": Format(CsvSource),
    ".parquet": Format(lambda place, _: ParquetSource(place), write_parquet, keeps_dictionaries=True),
    ".feather": _ARROW,
    ".arrow": _ARROW,
    ".dta": _statistical("read_dta", STATA, write_stata),
    ".sav": _statistical("read_sav", SPSS, write_spss),
    ".xpt": _statistical("read_xport", SAS, write_transport),
    ".sas7bdat": _statistical("read_sas7bdat", SAS),
    ".xlsx": Format(WorkbookSource, write_workbook, MOST_ROWS),
}


def open_source(where: Where, schema: Schema | None = None) -> Source:
    """Open a file, a folder of Parquet files or a table in a database, without reading its rows.

    Parameters
    ----------
    where : str, Path or Place
        A path, or a URL such as "sqlite:///file.db#table" (see `Place`).
    schema : Schema, optional
        What is public about the table. Formats that do not declare types, such as CSV, are then read in the
        types that the schema says; pass it whenever something will be released.

    Returns
    -------
    Source
        With `names`, `types`, `rows`, `chunks(batch_rows)` and `read()`.

    Raises
    ------
    DataError
        If there is no such file, or it is of a kind that is not known.
    """
    place = Place.of(where)
    if place.scheme != "postgresql":
        _check_input(place)
    if place.scheme != "file":
        return DatabaseSource(place)
    if os.path.isdir(place.file):
        return FolderSource(place)
    return _format_of(place).open(place, schema)


def read_table(where: Where, schema: Schema | None = None) -> pa.Table:
    """Read a whole table from a file, a folder of Parquet files or a database.

    The types of CSV columns are guessed from the values. With a schema they are not: category columns are
    read as text just as written ("007" stays "007"), and numeric columns as floating-point numbers, so that
    the types do not depend on single rows. Pass the schema whenever something will be released.

    Parameters
    ----------
    where : str, Path or Place
        A path, or a URL such as "sqlite:///file.db#table".
    schema : Schema, optional
        What is public about the table.

    Returns
    -------
    pyarrow.Table
        All columns.

    Raises
    ------
    DataError
        If the table is missing, unreadable, damaged or of another kind. Its content is never quoted.
    """
    return open_source(where, schema).read()


def read_released(where: Where, schema: Schema | None = None) -> pa.Table:
    """Read a synthetic table as `read_table` does; a CSV file with commas also if `[csv]` says another separator."""
    if schema is not None and schema.csv is not None and schema.csv.separator != ",":
        source = open_source(where, replace(schema, csv=None))
        if isinstance(source, CsvSource) and len(source.header()) > 1 and source.format().separator == ",":
            return source.read()
    return read_table(where, schema)


def read_header(where: Where) -> dict[str, DraftType]:
    """Read the names of a table's columns, and the kinds that it declares for them, for a draft of a schema.

    No row is looked at. A CSV file or an Excel workbook declares nothing, so its kinds are blank: what its values
    look like is a fact about the data.
    """
    source = open_source(where)
    if not isinstance(source, CsvSource | WorkbookSource):
        return dict(header_of(source.types.empty_table()))
    names = source.header()
    open_frame(pa.table([pa.nulls(0)] * len(names), names=names))  # refuses names that are not distinct
    return dict.fromkeys(names, "")


def csv_format(where: Where) -> CsvFormat | None:
    """Return how a CSV file is written, as far as its header tells; None of other kinds of tables."""
    source = open_source(where)
    return source.format() if isinstance(source, CsvSource) else None


def check_output(where: Where, overwrite: bool = False, rows: int = 0) -> Place:
    """Raise a DataError unless a table of so many rows can be written there; call it before any budget is spent."""
    place = Place.of(where)
    if place.path is not None:
        _check_file(place, place.path, overwrite)
    if place.scheme == "file":
        if _format_of(place, written=True).write is None:
            raise DataError(f"{place}: this kind of file can only be read; choose one of {_suffixes(True)}")
        if rows > _format_of(place).most_rows:
            raise DataError(
                f"{place}: the table has more rows than this kind of file holds, or may have; choose "
                "another, or ask for fewer rows"
            )
    elif (place.path is None or place.path.exists()) and has_table(place) and not overwrite:
        raise exists_already(place)
    return place


def write_table(frame: Any, where: Where, overwrite: bool = False, schema: Schema | None = None) -> None:
    """Write a table to a file or database, completely or not at all.

    A file is written under a hidden name in the same folder and then takes its name in one step; a table in
    a database is written in one transaction.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table
        The table to write.
    where : str, Path or Place
        A path whose ending tells the kind of file, or a URL such as "sqlite:///file.db#table".
    overwrite : bool
        Replace a file or table that exists; otherwise that is a DataError.
    schema : Schema, optional
        Its `[csv]` section says how a CSV file is written; without one it is UTF-8 with commas.
    """
    table = open_frame(frame).to_arrow()
    # Not what libraries note about themselves and the table that they held, such as pandas its index.
    own = {key: text for key, text in (table.schema.metadata or {}).items() if key.startswith(b"quantail")}
    table = table.replace_schema_metadata(own or None)
    place = check_output(where, overwrite, table.num_rows)
    if place.scheme == "file":
        _write_file(table, place, overwrite, None if schema is None else schema.csv)
    else:
        with database_tables([(table, place)], overwrite):
            pass


def _write_file(table: pa.Table, place: Place, overwrite: bool, written: CsvFormat | None) -> None:
    path, kind = place.file, _format_of(place)
    write = partial(write_csv, written=written) if kind.write is write_csv else kind.write
    stored = table if kind.keeps_dictionaries else decoded(table)
    unnamed = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        guarded(
            lambda: _write(write, stored, unnamed),
            f"cannot write {path}",
            WRITING_ADVICE,
            "the table cannot be stored in this format",
        )
        check_output(place, overwrite)
        unnamed.replace(path)
    finally:
        unnamed.unlink(missing_ok=True)


def _write(write: Any, table: pa.Table, path: Path) -> None:
    write(table, path)
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _check_input(place: Place) -> None:
    path = place.file
    if not os.path.exists(path):  # unlike Path.exists, says no where permission is lacking
        raise DataError(f"{path} does not exist, or its folder cannot be opened; check the path")
    if not os.path.isfile(path) and not (place.scheme == "file" and os.path.isdir(path)):
        raise DataError(f"{path} is not a file; give the name of a file")


def _check_file(place: Place, path: Path, overwrite: bool) -> None:
    if place.scheme == "file":
        _format_of(place, written=True)
    if path.is_dir():
        raise DataError(f"{path} is a folder; give the name of a file")
    if is_ledger(path):
        raise DataError(f"{path} is a ledger, to which nothing but charges is written; choose another name")
    if place.scheme == "file" and path.exists() and not overwrite:
        raise DataError(f"{path} exists already; choose another name, or ask for it to be overwritten")
    if not path.parent.is_dir():
        raise DataError(f"the folder {path.parent} does not exist; create it first")


def _format_of(place: Place, written: bool = False) -> Format:
    found = FORMATS.get(place.file.suffix.lower())
    if found is None:
        what = "written" if written else "read"
        raise DataError(f"{place}: tables are {what} as {_suffixes(written)}; choose one of these")
    return found


def _suffixes(written: bool = False) -> str:
    known = [suffix for suffix, kind in FORMATS.items() if kind.write is not None or not written]
    return f"{', '.join(known[:-1])} or {known[-1]}"
