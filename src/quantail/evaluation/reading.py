"""Reading two tables for comparison: any frame that narwhals knows, or a mapping of names to arrays.

Errors name columns, which are public, and never quote a value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Flags, Integers
from quantail.errors import DataError
from quantail.schema import Schema


def raw_columns(
    frame: Any, role: str, schema: Schema | None = None, needed: Collection[str] = ()
) -> dict[str, NDArray[Any]]:
    """Take a frame apart into one array per column; `role` names the table in errors.

    Numbers that the schema declares to mean a missing value are missing. Where some columns are `needed`, others are
    left out; all are kept if the frame has none of those.
    """
    if isinstance(frame, Mapping):
        by_name = {str(name): values for name, values in frame.items()}
        columns = {name: _settled(np.asarray(by_name[name])) for name in _wanted(by_name, needed)}
    else:
        try:
            native = nw.from_native(frame, eager_only=True)
        except TypeError as error:
            raise DataError(
                f"the {role} table is of a kind that cannot be read; give a pandas, polars or pyarrow table, "
                "or a mapping of column names to arrays."
            ) from error
        except (
            nw.exceptions.DuplicateError
        ):  # its text quotes the name, which is a value if the header is missing
            native = None
        if native is None:
            raise DataError(f"the {role} table has two columns of the same name; rename one of them.")
        columns = {name: _settled(native[name].to_numpy()) for name in _wanted(native.columns, needed)}
    if not columns:
        raise DataError(f"the {role} table has no columns; nothing can be compared.")
    if any(values.ndim != 1 for values in columns.values()):
        raise DataError(
            f"the {role} table holds something other than plain columns; give one vector a column."
        )
    lengths = {values.size for values in columns.values()}
    if len(lengths) != 1:
        raise DataError(f"the {role} table's columns differ in length; give columns with one value per row.")
    if lengths == {0}:
        raise DataError(f"the {role} table has no rows; at least one is needed.")
    return columns if schema is None else _without_codes(columns, schema)


def _wanted(names: Iterable[str], needed: Collection[str]) -> list[str]:
    """Return the names that are needed; all of them if none is."""
    return [name for name in names if name in needed] or list(names)


def _without_codes(columns: dict[str, NDArray[Any]], schema: Schema) -> dict[str, NDArray[Any]]:
    codes = {column.name: column.missing_codes for column in schema.columns if column.missing_codes}
    return {
        name: np.where(np.isin(values, codes[name]), np.nan, values)
        if name in codes and is_numeric(values)
        else values
        for name, values in columns.items()
    }


def is_missing(values: NDArray[Any]) -> Flags:
    """Tell which entries are missing: None, NaN and their kin are those that differ from themselves."""
    if values.dtype.kind in "fc":
        return np.asarray(np.isnan(values))
    if values.dtype.kind == "O":
        return np.array([value is None or _is_nothing(value) for value in values], dtype=bool)
    return np.zeros(values.size, dtype=bool)


def is_numeric(values: NDArray[Any]) -> bool:
    """Say whether a column holds numbers (truth values count as labels)."""
    return bool(np.issubdtype(values.dtype, np.number))


def label_codes(*columns: NDArray[Any]) -> list[Integers]:
    """Give numbers to the labels of a column, alike in several tables, from 0 in order of appearance.

    Labels are compared as text; a missing label is a label of its own, different from every text.
    """
    number: dict[str | None, int] = {}
    coded = []
    for values in columns:
        absent = is_missing(values)
        labels = (None if gone else str(value) for value, gone in zip(values, absent, strict=True))
        coded.append(np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.int64))
    return coded


def require_columns(table: Mapping[str, Any], names: Sequence[str], role: str) -> None:
    """Raise unless every name is a column of the table."""
    if not names:
        raise DataError("no columns were named; name at least one column to compare.")
    missing = [name for name in names if name not in table]
    if missing:
        raise DataError(f"the {role} table lacks the column(s) {', '.join(missing)}; check the names.")


def require_same_columns(real: Sequence[str], synth: Sequence[str]) -> None:
    """Raise unless both tables have the same column names, in any order."""
    only_real = [name for name in real if name not in synth]
    only_synth = [name for name in synth if name not in real]
    if only_real or only_synth:
        raise DataError(
            "the two tables must have the same columns; "
            f"only in the real table: {', '.join(only_real) or 'none'}; "
            f"only in the synthetic table: {', '.join(only_synth) or 'none'}. "
            "Name the columns to compare, or drop the others."
        )


def _settled(values: NDArray[Any]) -> NDArray[Any]:
    """Give dates as seconds, and numbers of mixed or exact types as floats; labels stay as they are."""
    if values.dtype.kind in "mM":
        seconds = values.astype(f"{values.dtype.kind}8[us]").astype(np.int64) / 1e6
        return np.asarray(np.where(np.isnat(values), np.nan, seconds))
    if values.dtype.kind == "O" and values.ndim == 1:
        missing = is_missing(values)
        if missing.all() or all(isinstance(v, Number) and not isinstance(v, bool) for v in values[~missing]):
            numbers = np.full(values.size, np.nan)
            numbers[~missing] = [float(value) for value in values[~missing]]
            return numbers
        if all(isinstance(v, date) for v in values[~missing]):
            return _settled(np.where(missing, np.datetime64("NaT"), values).astype("M8[us]"))
    return values


def _is_nothing(value: Any) -> bool:
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA compares to nothing, not even to itself
        return True
    except ValueError:  # an array compares entry by entry; it is something
        return False
