"""The normal form of a released panel: unit, period, entry and exit first, then the schema's columns.

Types follow from the schema, those of identities from the set of identities; rows are sorted by unit and period.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.arrays import Floats
from quantail.frames.panel import PanelData, panel_of
from quantail.frames.release import in_library, normal_form, stored
from quantail.io.native import Kind
from quantail.schema import Column


def release_panel(data: PanelData, kind: Kind = "pyarrow") -> Any:
    """Make a table in normal form from a panel, wide or long as its schema says.

    Parameters
    ----------
    data : PanelData
        Public facts and (synthetic) values.
    kind : {"pandas", "polars", "pyarrow"}
        The library of the table.

    Returns
    -------
    pandas, polars or pyarrow table
        Public columns as they were; others rounded to their type and decimals, within the bounds,
        missing where a unit is not active. A long table has a row for every active period.

    Raises a ModelError if the library is not installed.

    Examples
    --------
    >>> from quantail.frames import confidential_panel
    >>> from quantail.schema import Panel, Schema
    >>> panel = Panel("id", "first", "last", 2000, 2001)
    >>> schema = Schema((Column("emp", "integer", 0, 2000),), unit="establishment", panel=panel)
    >>> table = pa.table({"emp_2000": [5], "emp_2001": [None], "id": [7.0], "first": [2000], "last": [2000]})
    >>> release_panel(confidential_panel(table, schema)).to_pylist()
    [{'id': 7, 'first': 2000, 'last': 2000, 'emp_2000': 5, 'emp_2001': None}]
    """
    panel = panel_of(data.schema)
    if panel.layout == "wide":
        unit = np.arange(len(data))
        places: list[Any] = list(range(len(panel.periods)))
    else:
        unit, place = np.nonzero(data.active)
        places = [place]
    which = pa.array(unit)
    arrays = {
        panel.unit: data.units.take(which),
        **{name: array.take(which) for name, array in data.public.items()},
    }
    written = pa.array([panel.form.written(period) for period in panel.periods])
    for name, when in ((panel.entry, data.entry), (panel.exit, data.exit)):
        if name:
            arrays[name] = written.take(pa.array(when[unit] - panel.first))
    for name in panel.attributes:
        arrays[name] = stored(data.attributes[name][unit], data.schema.column(name))
    for name in panel.changing:
        for label, where in zip(panel.stored_as(name), places, strict=True):
            arrays[label] = _history(data.attributes[name][unit, where], data.schema.column(name))
    if panel.layout == "long":
        arrays[panel.time] = written.take(pa.array(places[0]))
    for column in data.schema.histories:
        for name, where in zip(panel.stored_as(column.name), places, strict=True):
            arrays[name] = _history(data.values[column.name][unit, where], column)
    return in_library(normal_form(arrays, data.schema), data.schema, kind)


def _history(values: Floats, column: Column) -> pa.Array:
    """Write one period, or all of them; what lies outside entry to exit is missing."""
    return stored(values, replace(column, missing=True))
