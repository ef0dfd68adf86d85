"""Any panel as histories: long or wide, with or without a schema, whoever made it.

A history is the row of a unit in an array of shape (units, periods), NaN where the table holds nothing. Nothing else is
asked of a panel here: gaps, re-entry and periods without a row are what they are. Errors never quote a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats, Integers
from quantail.errors import DataError, OptionError
from quantail.evaluation.reading import is_missing, is_numeric, label_codes, raw_columns, require_columns
from quantail.schema import PanelNames, Schema
from quantail.schema.panel import MOST_PERIODS

_ROLE = "given"


@dataclass(frozen=True, eq=False)
class Histories:
    """One column of a panel, and labels by which its units can be told apart."""

    periods: Integers  # consecutive, shape (periods,)
    values: Floats  # NaN where the table holds nothing, shape (units, periods)
    # empty where a unit has no row in a period, shape (units, periods)
    labels: Mapping[str, NDArray[np.str_]]
    time: str = "period"  # what the periods are called


def read_histories(
    frame: Any,
    column: str | None = None,
    *,
    schema: Schema | None = None,
    panel: PanelNames | None = None,
    labels: Sequence[str] = (),
) -> Histories:
    """Read a column of a long or wide panel.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table, or mapping of names to arrays
        The panel.
    column : str, optional
        Which column; by default the first confidential one of numbers in the schema.
    schema : Schema, optional
        Of the panel; otherwise `panel` names its unit and its period.
    panel : PanelNames, optional
        Columns of unit and period; without a period the panel is wide: one row per unit, and columns such as
        staff_2001, staff_2002.
    labels : sequence of str
        Columns whose labels are read, too.

    Raises a DataError if columns are missing, or a unit has two rows in one period.

    Examples
    --------
    >>> long = {"firm": [1, 1, 2], "year": [2001, 2003, 2002], "emp": [5, 6, 9]}
    >>> read_histories(long, "emp", panel=PanelNames("firm", "year")).values
    array([[ 5., nan,  6.],
           [nan,  9., nan]])
    """
    names, start, end = _layout(schema, panel)
    if column is None:
        if schema is None:
            raise OptionError("which column? Name one, such as employment")
        numbers = [one.name for one in schema.histories if not one.is_labelled]
        if not numbers:
            raise OptionError("the schema has no confidential column of numbers to follow units by")
        column = numbers[0]
    table = raw_columns(frame, _ROLE)
    require_columns(table, [names.unit, *([names.time] if names.time else []), *labels], _ROLE)
    read = _long if names.time else _wide
    return read(table, names, column, (start, end), labels)


def _layout(schema: Schema | None, panel: PanelNames | None) -> tuple[PanelNames, int | None, int | None]:
    if (schema is None) == (panel is None):
        raise OptionError(
            "a panel is described by a schema, or by the names of its unit and period; give one of them"
        )
    if panel is not None:
        return panel, None, None
    assert schema is not None
    if schema.panel is None:
        raise OptionError("the schema has no [panel] section, so there are no periods to follow units over")
    return PanelNames(schema.panel.unit, schema.panel.time), schema.panel.start, schema.panel.end


def _long(
    table: Mapping[str, NDArray[Any]],
    names: PanelNames,
    column: str,
    span: tuple[int | None, int | None],
    labels: Sequence[str],
) -> Histories:
    require_columns(table, [column], _ROLE)
    times = _numbers(table, names.time)
    if np.isnan(times).any() or (times != np.rint(times)).any():
        raise DataError(f"column {names.time!r} must hold whole numbers such as years, in every row")
    start = int(times.min()) if span[0] is None else span[0]
    end = int(times.max()) if span[1] is None else span[1]
    if end - start >= MOST_PERIODS or times.min() < start or times.max() > end:
        raise DataError(f"column {names.time!r} holds periods far apart, or outside those of the schema")
    unit, place = label_codes(table[names.unit])[0], times.astype(np.int64) - start
    shape = (int(unit.max()) + 1, end - start + 1)
    if np.bincount(unit * shape[1] + place).max() > 1:
        raise DataError("the panel holds a unit twice in the same period; keep one row per unit and period")
    values = np.full(shape, np.nan)
    values[unit, place] = _numbers(table, column)
    found = {}
    for name in labels:
        found[name] = np.full(shape, "", dtype=object)
        found[name][unit, place] = _texts(table[name])
    return Histories(np.arange(start, end + 1), values, _as_text(found), names.time)


def _wide(
    table: Mapping[str, NDArray[Any]],
    names: PanelNames,
    column: str,
    span: tuple[int | None, int | None],
    labels: Sequence[str],
) -> Histories:
    stored = re.compile(re.escape(column) + r"[_.\- ]?(\d{1,9})")
    places = {int(match[1]): name for name in table if (match := stored.fullmatch(name))}
    periods = sorted(places)
    if span[0] is not None and span[1] is not None:
        periods = list(range(span[0], span[1] + 1))
    if not periods or periods[-1] - periods[0] >= MOST_PERIODS:
        raise DataError(f"there is no column {column!r} for each period, named like {column + '_2001'!r}")
    units = len(table[names.unit])
    every = range(periods[0], periods[-1] + 1)
    values = np.full((units, len(every)), np.nan)
    for place, period in enumerate(every):
        if period in places:
            values[:, place] = _numbers(table, places[period])
    found = {name: np.repeat(_texts(table[name])[:, None], len(every), axis=1) for name in labels}
    return Histories(np.asarray(every, dtype=np.int64), values, _as_text(found))


def _numbers(table: Mapping[str, NDArray[Any]], name: str) -> Floats:
    if not is_numeric(table[name]) and not is_missing(table[name]).all():
        raise DataError(f"column {name!r} does not hold numbers; name another one")
    numbers = table[name].astype(float)
    if np.isinf(numbers).any():
        raise DataError(f"column {name!r} has infinite values; remove or replace them")
    return numbers


def _texts(values: NDArray[Any]) -> NDArray[Any]:
    gone = is_missing(values)
    return np.array(
        ["" if absent else str(value) for value, absent in zip(values, gone, strict=True)], dtype=object
    )


def _as_text(found: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.str_]]:
    return {name: labels.astype(str) for name, labels in found.items()}
