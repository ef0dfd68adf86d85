"""Reader for the real SynLBD layout, for those who hold it: one row per establishment, from CSV, Stata or SAS.

The table that comes out has the columns of `lbd_industry`, so everything that runs on the stand-in runs on the
real file. No message quotes a cell, and none says how many rows are at fault.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from quantail.errors import DataError
from studies.lbd.standin.targets import FIRST_YEAR, LAST_YEAR, YEARS

Floats = NDArray[np.float64]

_READERS = {".dta": "read_dta", ".sas7bdat": "read_sas7bdat", ".xpt": "read_xport"}
_PUBLIC = ("sic3", "firstyear", "lastyear", "mu")
_CELLS = tuple(f"{name}_{year}" for name in ("emp", "pay") for year in YEARS)


def read_synlbd(path: str | Path, last_active: bool = True) -> pa.Table:
    """Read a file in the layout of SynLBD.

    Needed are sic3, firstyear, lastyear, mu, emp_1976..emp_2000 and pay_1976..pay_2000, in upper or lower
    case and any order; lbdnum is numbered by row if the file has none; other columns are left out. In years
    outside firstyear..lastyear a cell may be missing or zero; inside it must be there. Payroll is rounded to
    whole thousand dollars.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .dta, .sas7bdat or .xpt; the last three need `pip install quantail[files]`.
    last_active : bool
        True if lastyear is the last year in which an establishment is active. False if it may be the first
        year in which it is gone: then lastyear becomes the year before wherever its employment is missing.

    Returns
    -------
    pyarrow.Table
        The layout of `lbd_industry`.

    Raises
    ------
    DataError
        If the file is missing or unreadable, lacks a column, or holds an impossible history.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"{path}: there is no such file; check the path.")
    raw = _read_columns(path)
    _require(raw, path)
    public = {name: _whole(raw[name], name, path) for name in _PUBLIC}
    employees = np.stack([_floats(raw[f"emp_{year}"], f"emp_{year}", path) for year in YEARS])
    pay = np.stack([_floats(raw[f"pay_{year}"], f"pay_{year}", path) for year in YEARS])
    if not last_active:
        public["lastyear"] = _step_back(public["lastyear"], employees)
    active = _active_years(public["firstyear"], public["lastyear"], path)
    if not np.isin(public["mu"], (0, 1)).all():
        raise DataError(f"{path}: mu must be 0 or 1 everywhere (1 for a part of a larger firm).")
    numbers = _numbers(raw.get("lbdnum"), len(public["mu"]), path)
    cells = {**_cells("emp", employees, active, path), **_cells("pay", np.rint(pay), active, path)}
    return pa.table({"lbdnum": numbers, **public, **cells})


def _read_columns(path: Path) -> dict[str, Any]:
    """Read the columns of a file under their names in lower case."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        table = _guarded(path, lambda: pa.csv.read_csv(path))
        columns = {name: table[name] for name in table.column_names}
    elif suffix in _READERS:
        read = getattr(_pyreadstat(path), _READERS[suffix])
        columns, _ = _guarded(path, lambda: read(str(path), output_format="dict"))
    else:
        known = ", ".join((".csv", *_READERS))
        raise DataError(f"{path}: cannot tell the kind of file; its name must end in one of {known}.")
    return {name.lower(): values for name, values in columns.items()}


def _pyreadstat(path: Path) -> Any:
    try:
        return importlib.import_module("pyreadstat")
    except ModuleNotFoundError as error:
        raise DataError(
            f"{path}: Stata and SAS files need the package pyreadstat; "
            "install it with: pip install 'quantail[files]'"
        ) from error


def _guarded(path: Path, read: Callable[[], Any]) -> Any:
    """Read, and turn whatever a reader complains about into an error that does not repeat its content."""
    try:
        return read()
    except (OSError, ValueError, KeyError, RuntimeError, pa.ArrowException) as error:
        message = f"{path}: cannot be read as {path.suffix.lower()} ({type(error).__name__}); is it damaged?"
        raise DataError(message) from None
    except Exception as error:  # pyreadstat's own errors share no base but Exception
        if type(error).__module__.partition(".")[0] != "pyreadstat":
            raise
        raise DataError(f"{path}: cannot be read as {path.suffix.lower()}; is it damaged?") from None


def _require(columns: Mapping[str, Any], path: Path) -> None:
    missing = [name for name in (*_PUBLIC, *_CELLS) if name not in columns]
    if missing:
        shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise DataError(
            f"{path}: lacks the columns {shown}. Needed are {', '.join(_PUBLIC)}, "
            f"emp_{FIRST_YEAR}..emp_{LAST_YEAR} and pay_{FIRST_YEAR}..pay_{LAST_YEAR}, one row per establishment."
        )


def _floats(values: Any, name: str, path: Path) -> Floats:
    if isinstance(values, pa.ChunkedArray):
        values = values.to_pylist() if pa.types.is_string(values.type) else values.to_numpy()
    try:
        numbers = np.asarray(values, np.float64)  # None becomes NaN
    except (TypeError, ValueError):
        raise DataError(f"{path}: column {name} must hold numbers only.") from None
    if np.any(numbers < 0) or np.any(np.isinf(numbers)):
        raise DataError(f"{path}: column {name} must not be negative or infinite.")
    return numbers


def _whole(values: Any, name: str, path: Path) -> NDArray[np.int64]:
    numbers = _floats(values, name, path)
    if np.any(numbers != np.rint(numbers)):  # true for a missing value as well
        raise DataError(f"{path}: column {name} must hold a whole number in every row.")
    return numbers.astype(np.int64)


def _step_back(last: NDArray[np.int64], employees: Floats) -> NDArray[np.int64]:
    column = np.clip(last - FIRST_YEAR, 0, len(YEARS) - 1)
    gone = np.isnan(employees[column, np.arange(len(last))])
    return last - gone


def _active_years(first: NDArray[np.int64], last: NDArray[np.int64], path: Path) -> NDArray[np.bool_]:
    if np.any(first < FIRST_YEAR) or np.any(last > LAST_YEAR):
        raise DataError(f"{path}: firstyear and lastyear must lie in {FIRST_YEAR}..{LAST_YEAR}.")
    if np.any(last < first):
        raise DataError(f"{path}: lastyear must not come before firstyear.")
    years = np.array(YEARS)[:, None]
    return (years >= first) & (years <= last)


def _cells(name: str, values: Floats, active: NDArray[np.bool_], path: Path) -> dict[str, pa.Array]:
    """Check and null the cells of one variable."""
    columns = {}
    for t, year in enumerate(YEARS):
        column, here = values[t], active[t]
        if np.any(np.nan_to_num(column[~here]) != 0):
            raise DataError(
                f"{path}: {name}_{year} holds a value outside firstyear..lastyear; correct those years."
            )
        if np.any(np.isnan(column[here])):
            raise DataError(
                f"{path}: {name}_{year} is missing within firstyear..lastyear. If lastyear is the first year "
                "without activity in your file, read it with last_active=False."
            )
        if np.any(column[here] != np.rint(column[here])):
            raise DataError(f"{path}: {name}_{year} must hold whole numbers.")
        columns[f"{name}_{year}"] = pa.array(np.nan_to_num(column).astype(np.int64), mask=~here)
    return columns


def _numbers(values: Any, rows: int, path: Path) -> pa.Array:
    if values is None:
        return pa.array(np.arange(1, rows + 1))
    if isinstance(values, pa.ChunkedArray):
        numbers = values.combine_chunks()
    else:
        found = np.asarray(values)
        whole = found.dtype.kind == "f" and bool(np.all(found == np.rint(found)))
        numbers = pa.array(found.astype(np.int64) if whole else found, from_pandas=True)
    if numbers.null_count or len(numbers.unique()) != rows:
        raise DataError(f"{path}: lbdnum must be there in every row and name each establishment once.")
    return numbers
