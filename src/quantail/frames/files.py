"""Tables in files: CSV and Parquet, read without ever quoting a cell, written all at once or not at all."""

import csv
import os
import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from quantail.errors import DataError
from quantail.frames.native import open_frame
from quantail.schema import ColumnType, Schema, header_of

SUFFIXES = (".csv", ".parquet")


def read_table(path: str | Path, schema: Schema | None = None) -> pa.Table:
    """Read a CSV or Parquet file.

    The types of CSV columns are guessed from the values. With a schema they are not: category columns are
    read as text just as written ("007" stays "007"), and numeric columns as floating-point numbers, so that
    the types do not depend on single rows. Pass the schema whenever something will be released.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv (UTF-8, comma-separated, with a header) or .parquet.
    schema : Schema, optional
        What is public about the table.

    Returns
    -------
    pyarrow.Table
        All columns of the file.

    Raises
    ------
    DataError
        If the file is missing, unreadable, damaged or of another kind. Its content is never quoted.
    """
    path = _input(path)
    if path.suffix.lower() == ".parquet":
        return _guarded(path, lambda file: _named(pa.parquet.ParquetFile(file).read()))
    return _read_csv(path, schema)


def read_header(path: str | Path) -> dict[str, ColumnType]:
    """Read the names and types ("numeric", "integer" or "category") of a file's columns, for a draft.

    A Parquet file declares its types, and nothing else of it is read. A CSV file does not, so its values
    are looked at for the sole purpose of telling numbers from text.
    """
    path = _input(path)
    if path.suffix.lower() == ".parquet":
        return header_of(_guarded(path, lambda file: _named(pa.parquet.read_schema(file).empty_table())))
    table = _read_csv(path, None)
    if _looks_like_data(table.column_names):
        raise DataError(f"{path}: the first line seems to hold values, not names; add a line of column names")
    open_frame(table)  # refuses names that are not distinct
    return header_of(table)


def check_output(path: str | Path, overwrite: bool = False) -> Path:
    """Raise a DataError unless a table can be written to `path`; call it before any budget is spent."""
    path = Path(path)
    _check_suffix(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder; give the name of a file")
    if path.exists() and not overwrite:
        raise DataError(f"{path} exists already; choose another name, or ask for it to be overwritten")
    if not path.parent.is_dir():
        raise DataError(f"the folder {path.parent} does not exist; create it first")
    return path


def write_table(frame: Any, path: str | Path, overwrite: bool = False) -> None:
    """Write a table to a CSV or Parquet file, completely or not at all.

    The table is written to a hidden file in the same folder, which then takes the name in one step.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table
        The table to write.
    path : str or Path
        A file that ends in .csv or .parquet.
    overwrite : bool
        Replace a file that exists; otherwise that is a DataError.
    """
    path = check_output(path, overwrite)
    opened = open_frame(frame)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    trouble = "the table cannot be stored in this format"
    try:
        with partial.open("xb") as file:
            _write(opened.to_arrow(), file, path.suffix.lower())
            file.flush()
            os.fsync(file.fileno())
        check_output(path, overwrite)
        partial.replace(path)
        return
    except OSError as error:
        trouble = error.strerror or "the system refused"
    except pa.ArrowException:
        pass  # its message may quote cells
    finally:
        partial.unlink(missing_ok=True)
    advice = "check the folder's space and permissions, and that columns hold plain values"
    raise DataError(f"cannot write {path}: {trouble}; {advice}")


def _input(path: str | Path) -> Path:
    path = Path(path)
    if not os.path.exists(path):  # unlike Path.exists, says no where permission is lacking
        raise DataError(f"{path} does not exist, or its folder cannot be opened; check the path")
    if not os.path.isfile(path):
        raise DataError(f"{path} is not a file; give the name of a CSV or Parquet file")
    _check_suffix(path)
    return path


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise DataError(
            f"{path}: tables are read and written as {' or '.join(SUFFIXES)}; choose one of these"
        )


def _guarded(path: Path, read: Callable[[BinaryIO], Any]) -> Any:
    """Read a file; errors are replaced by ours, since the reader's messages quote cells."""
    outcome, trouble = None, "its content is damaged or not of the kind its name says"
    try:
        with path.open("rb") as file:
            outcome = read(file)
    except MemoryError:  # Arrow's own is one, too
        trouble = "it does not fit into memory"
    except pa.ArrowException:
        pass
    except OSError as error:
        # Arrow raises bare OSErrors for damaged files; those of the system carry a number.
        trouble = error.strerror if error.errno and error.strerror else trouble
    except (ValueError, LookupError, TypeError):
        pass
    if outcome is None:
        advice = (
            "a Parquet file must be complete; a CSV file must be UTF-8 and comma-separated, "
            "with as many fields in every row as in its header and no row longer than a megabyte"
        )
        raise DataError(f"cannot read {path}: {trouble}; {advice}")
    return outcome


def _named(table: pa.Table) -> pa.Table:
    """Raise a ValueError here, where it is caught, if names are not UTF-8; Arrow looks at them only when asked."""
    table.schema.names  # noqa: B018
    return table


def _read_csv(path: Path, schema: Schema | None) -> pa.Table:
    categories = [column.name for column in schema.columns if column.type == "category"] if schema else []
    convert = pa.csv.ConvertOptions(column_types=dict.fromkeys(categories, pa.string()))
    parse = pa.csv.ParseOptions(newlines_in_values=True)
    read = partial(pa.csv.read_csv, parse_options=parse, convert_options=convert)
    table = _guarded(path, lambda file: _named(read(file)))
    numeric = {column.name for column in schema.columns if column.type == "numeric"} if schema else set()
    columns = [
        column.cast(pa.float64(), safe=False)
        if name in numeric and pa.types.is_integer(column.type)
        else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.table(columns, names=table.column_names)


def _looks_like_data(names: list[str]) -> bool:
    numbers = [name for name in names if _is_number(name)]
    return len(numbers) == len(names) or any(not name.strip().isdigit() for name in numbers)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _write(table: pa.Table, file: BinaryIO, suffix: str) -> None:
    if suffix == ".parquet":
        pa.parquet.write_table(table, file)
        return
    # Arrow quotes every name in a header; the csv module quotes only where it must.
    lines = csv.writer(cast(Any, _Encoded(file)), lineterminator="\n")
    lines.writerow(table.column_names)
    pa.csv.write_csv(table, file, pa.csv.WriteOptions(include_header=False))


class _Encoded:
    """Let the csv module write text to a binary file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(text.encode("utf-8"))
