"""A panel as rows that questions can be asked of: a unit in a period, and what became of it since the period before.

Beside the panel's own columns there are, for the first column with a history (the lead, say employment):

    period   the period t
    size     its value in t - 1, if that is above 0
    growth   2 (e_t - e_{t-1}) / (e_t + e_{t-1}), of units with values above 0 in both periods
    age      periods since the unit was first active; missing for those that were there from the start

There is a row for every unit and period in which it is active, or was in the period before: exits are rows without
values, which flows count and everything else leaves out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Columns, Floats
from quantail.evaluation import Histories, read_histories
from quantail.schema import Schema

UNIT, PERIOD, SIZE, GROWTH, AGE = "(unit)", "period", "size", "growth", "age"


def before(name: str) -> str:
    """Return what the value of a column in the period before is called."""
    return f"{name} (before)"


def unit_periods(frame: Any, schema: Schema) -> Columns:
    """Read a panel as rows of units in periods.

    Examples
    --------
    >>> from quantail.examples import industry_example, industry_schema
    >>> rows = unit_periods(industry_example(50), industry_schema())
    >>> sorted(rows)
    ['(unit)', 'age', 'growth', 'pay', 'pay (before)', 'period', 'size', 'staff', 'staff (before)']
    """
    labels = [column.name for column in schema.columns if column.is_labelled]
    numbers = [column.name for column in schema.histories]
    read = {name: read_histories(frame, name, schema=schema, labels=labels) for name in numbers}
    lead = read[numbers[0]]
    there = ~np.isnan(lead.values)
    unit, place = np.nonzero(there | ~np.isnan(_lagged(lead.values)))
    rows: dict[str, NDArray[Any]] = {UNIT: unit, PERIOD: lead.periods[place].astype(float)}
    for name, histories in read.items():
        rows[name], rows[before(name)] = histories.values[unit, place], _lagged(histories.values)[unit, place]
    for name in labels:
        rows[name] = lead.labels[name][unit, place].astype(object)
        rows[name][~there[unit, place]] = None  # an exit has no label
    rows[SIZE] = np.where(rows[before(numbers[0])] > 0, rows[before(numbers[0])], np.nan)
    rows[GROWTH] = _growth(rows[numbers[0]], rows[SIZE])
    rows[AGE] = _ages(lead)[unit, place]
    return rows


def _lagged(values: Floats) -> Floats:
    return np.hstack([np.full((len(values), 1), np.nan), values[:, :-1]])


def _growth(after: Floats, size: Floats) -> Floats:
    known = (after > 0) & (size > 0)
    moved = np.divide(2 * (after - size), after + size, out=np.full(after.shape, np.nan), where=known)
    return np.asarray(moved)


def _ages(lead: Histories) -> Floats:
    active = lead.values > 0
    first = active.argmax(axis=1)[:, None]
    age = np.arange(active.shape[1]) - first
    return np.where((first > 0) & (age >= 0), age, np.nan)
