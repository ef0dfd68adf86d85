"""Any panel as histories: long or wide, with or without a schema, whoever made it.

A history is the row of a unit in an array of shape (units, periods), NaN where the table holds nothing. Nothing else is
asked of a panel here: gaps, re-entry and periods without a row are what they are. Errors never quote a value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats, Integers
from quantail.errors import DataError, OptionError
from quantail.evaluation.reading import is_missing, is_numeric, label_codes, raw_columns, require_columns
from quantail.schema import Panel, PanelNames, Schema
from quantail.schema.panel import MOST_PERIODS
from quantail.schema.periods import FORMS, WHOLE, PeriodForm, seem_months

_ROLE = "given"
_DAY = 86_400  # seconds


@dataclass(frozen=True, eq=False)
class Histories:
    """One column of a panel, and labels by which its units can be told apart."""

    periods: Integers  # consecutive, shape (periods,)
    values: Floats  # NaN where the table holds nothing, shape (units, periods)
    # empty where a unit has no row in a period, shape (units, periods)
    labels: Mapping[str, NDArray[np.str_]]
    time: str = "period"  # what the periods are called
    form: PeriodForm = WHOLE  # how they are written


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
    names, span = _layout(schema, panel)
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
    return read(table, names, column, span, labels)


def _layout(schema: Schema | None, panel: PanelNames | None) -> tuple[PanelNames, Panel | None]:
    if (schema is None) == (panel is None):
        raise OptionError(
            "a panel is described by a schema, or by the names of its unit and period; give one of them"
        )
    if panel is not None:
        return panel, None
    assert schema is not None
    if schema.panel is None:
        raise OptionError("the schema has no [panel] section, so there are no periods to follow units over")
    return PanelNames(schema.panel.unit, schema.panel.time), schema.panel


def _long(
    table: Mapping[str, NDArray[Any]],
    names: PanelNames,
    column: str,
    span: Panel | None,
    labels: Sequence[str],
) -> Histories:
    require_columns(table, [column], _ROLE)
    times, form = _times(table, names.time, span)
    start = int(times.min()) if span is None else span.first
    end = int(times.max()) if span is None else span.last
    if end - start >= MOST_PERIODS or times.min() < start or times.max() > end:
        raise DataError(f"column {names.time!r} holds periods far apart, or outside those of the schema")
    unit, place = label_codes(table[names.unit])[0], times - start
    shape = (int(unit.max()) + 1, end - start + 1)
    if np.bincount(unit * shape[1] + place).max() > 1:
        raise DataError("the panel holds a unit twice in the same period; keep one row per unit and period")
    values = np.full(shape, np.nan)
    values[unit, place] = _numbers(table, column)
    found = {}
    for name in labels:
        found[name] = np.full(shape, "", dtype=object)
        found[name][unit, place] = _texts(table[name])
    return Histories(np.arange(start, end + 1), values, _as_text(found), names.time, form)


def _times(table: Mapping[str, NDArray[Any]], name: str, span: Panel | None) -> tuple[Integers, PeriodForm]:
    """Read the column of periods, and how they are written."""
    if not is_missing(table[name]).any():
        every, place = np.unique(table[name], return_inverse=True)
        texts = _period_texts(every)
        for form in (WHOLE, *FORMS) if span is None else (span.form,):
            numbers = [number for text in texts if (number := form.number(text)) is not None]
            if len(numbers) == len(texts) and not (span is None and _are_months(form, numbers)):
                return np.array(numbers, dtype=np.int64)[place], form
    raise DataError(
        f"column {name!r} must hold whole numbers such as years, or months or quarters written in one way such as "
        "2020-01 or 2020Q1, in every row"
    )


def _period_texts(every: NDArray[Any]) -> list[str]:
    """Return periods as texts; dates, which are read as seconds, without their time."""
    if is_numeric(every) and every.size and np.ptp(every) >= MOST_PERIODS and not (every % _DAY).any():
        every = every.astype("datetime64[s]").astype("datetime64[D]")
    elif is_numeric(every) and (every == np.rint(every)).all():
        every = every.astype(np.int64)
    return [str(value) for value in every.tolist()]


def _are_months(form: PeriodForm, numbers: Collection[int]) -> bool:
    """Say whether whole numbers are rather months, such as 202011."""
    return form.is_whole and bool(numbers) and seem_months(min(numbers), max(numbers))


def _wide(
    table: Mapping[str, NDArray[Any]],
    names: PanelNames,
    column: str,
    span: Panel | None,
    labels: Sequence[str],
) -> Histories:
    form, places = _stored(table, column, span)
    periods = sorted(places) if span is None else list(span.periods)
    if not periods or periods[-1] - periods[0] >= MOST_PERIODS:
        raise DataError(f"there is no column {column!r} for each period, named like {column + '_2001'!r}")
    units = len(table[names.unit])
    every = range(periods[0], periods[-1] + 1)
    values = np.full((units, len(every)), np.nan)
    for place, period in enumerate(every):
        if period in places:
            values[:, place] = _numbers(table, places[period])
    found = {name: np.repeat(_texts(table[name])[:, None], len(every), axis=1) for name in labels}
    return Histories(np.asarray(every, dtype=np.int64), values, _as_text(found), form=form)


def _stored(names: Iterable[str], column: str, span: Panel | None) -> tuple[PeriodForm, dict[int, str]]:
    """Return how a wide panel writes its periods, and the column that holds each."""
    for form in (WHOLE, *FORMS) if span is None else (span.form,):
        stored = re.compile(re.escape(column) + rf"[_.\- ]?({form.pattern})")
        found = {name: match[1] for name in names if (match := stored.fullmatch(name))}
        numbers = {name: form.number(written) for name, written in found.items()}
        places = {number: name for name, number in numbers.items() if number is not None}
        if places and not (span is None and _are_months(form, places)):
            return form, places
    return WHOLE, {}


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
