"""Which unit and period every row of a panel's table belongs to, and what the table says about entry and exit.

Units are numbered in the order of their identities, never in that of the rows: a file may be sorted by size. What
belongs to the unit must be the same in all of its rows, so it is read from any one of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from quantail.arrays import Integers
from quantail.frames.panel import panel_of
from quantail.frames.public_content import identities
from quantail.frames.rules import Problem
from quantail.io.native import Table, arrow_column
from quantail.schema import Panel, Schema

_WHOLE = (
    "store periods as whole numbers, such as years; if they are months or quarters, write start and end in [panel] as "
    "the column writes them, in quotes"
)


@dataclass(frozen=True, eq=False)
class PanelIndex:
    """Rows and units of a panel's table."""

    units: pa.Array  # identities, sorted
    unit: Integers  # number of the row's unit
    speaker: Integers  # a row of every unit, from which its public facts are read, shape (n,)
    # entry, exit: first and last active period, where the table has columns for them; an exit that is left open is
    # the last period of the panel, shape (n,)
    entry: Integers | None
    exit: Integers | None
    place: Integers | None  # long layout: place of the row's period

    def differs(self, values: NDArray[Any]) -> bool:
        """Say whether a column differs between rows of one unit."""
        return _differs(values, self.unit, self.speaker)


def read_index(table: Table, schema: Schema) -> PanelIndex | list[Problem]:
    """Find units and periods, or else list what is wrong with them."""
    panel = panel_of(schema)
    found = _units(table, panel)
    if isinstance(found, Problem):
        return [found]
    units, unit, speaker = found
    problems: list[Problem] = []
    years: dict[str, Integers] = {}
    for name in (panel.entry, panel.exit):
        if not name:
            continue
        column = _periods(table, name, panel, panel.last if panel.is_full and name == panel.exit else None)
        if not isinstance(column, Problem) and _differs(column, unit, speaker):
            column = differing(name)
        if isinstance(column, Problem):
            problems.append(column)
        else:
            years[name] = column[speaker]
    place = _places(table, panel, unit)
    if isinstance(place, Problem):
        problems.append(place)
    if problems or isinstance(place, Problem):
        return problems
    if problems := _wrong_years(panel, years):
        return problems
    return PanelIndex(units, unit, speaker, years.get(panel.entry), years.get(panel.exit), place)


def differing(name: str) -> Problem:
    """Describe a column that should belong to the unit and does not."""
    return Problem(name, "differs between rows of one unit", "give a unit the same value in all of its rows")


def _units(table: Table, panel: Panel) -> tuple[pa.Array, Integers, Integers] | Problem:
    found = identities(table, panel.unit)
    if isinstance(found, Problem):
        return found
    encoded = found.dictionary_encode()
    order = pa.compute.array_sort_indices(encoded.dictionary).to_numpy()
    unit = np.argsort(order)[encoded.indices.to_numpy(zero_copy_only=False)]
    speaker = np.zeros(order.size, dtype=np.int64)
    speaker[unit] = np.arange(unit.size)
    if panel.layout == "wide" and speaker.size < unit.size:
        hint = 'keep one row per unit, or write layout = "long"'
        return Problem(panel.unit, "holds the same unit more than once", hint)
    return encoded.dictionary.take(pa.array(order)), unit, speaker


def _places(table: Table, panel: Panel, unit: Integers) -> Integers | Problem | None:
    if panel.layout == "wide":
        return None
    time = _periods(table, panel.time, panel)
    if isinstance(time, Problem):
        return time
    if (time < panel.first).any() or (time > panel.last).any():
        hint = "drop those rows, or widen start and end in [panel]"
        return Problem(panel.time, "holds periods outside start to end", hint)
    place = time - panel.first
    if (np.bincount(unit * len(panel.periods) + place) > 1).any():
        return Problem("", "holds a unit twice in the same period", "keep one row per unit and period")
    return place


def _wrong_years(panel: Panel, found: Mapping[str, Integers]) -> list[Problem]:
    problems = []
    for name, years in found.items():
        if (years < panel.first).any() or (years > panel.last).any():
            hint = "correct them, or widen start and end in [panel]"
            problems.append(Problem(name, "holds periods outside start to end", hint))
    if len(found) == 2 and (found[panel.exit] < found[panel.entry]).any():
        hint = f"write the last active period, not before {panel.entry!r}"
        problems.append(Problem(panel.exit, "lies before the entry of a unit", hint))
    return problems


def _periods(table: Table, name: str, panel: Panel, missing: int | None = None) -> Integers | Problem:
    """Read a column of periods as numbers; missing ones are refused unless something stands for them."""
    data = arrow_column(table, name)
    if data is not None and pa.types.is_floating(data.type):
        data = pa.compute.if_else(pa.compute.is_nan(data), None, data)
    if data is not None and missing is not None and pa.types.is_null(data.type):
        return np.full(len(data), missing)
    read = _whole if panel.form.is_whole else partial(_written, panel=panel)
    found = None if data is None else read(data.drop_null())
    if data is None or found is None:
        how = "whole numbers" if panel.form.is_whole else f"periods that are written like {panel.start}"
        hint = (
            _WHOLE
            if panel.form.is_whole
            else "write them like start and end in [panel], or these like the column"
        )
        return Problem(name, f"does not hold {how}", hint)
    if data.null_count and missing is None:
        return Problem(name, "holds missing values", "fill them in; every unit needs its periods")
    periods = np.full(len(data), 0 if missing is None else missing, dtype=np.int64)
    periods[data.is_valid().to_numpy(zero_copy_only=False)] = found
    return periods


def _whole(known: pa.Array) -> Integers | None:
    """Read periods that are whole numbers; None if they are not."""
    if not (pa.types.is_integer(known.type) or pa.types.is_floating(known.type)):
        return None
    # Far-off numbers lose digits or become infinite here, and are refused as outside the range later on.
    values = np.asarray(known.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    if (np.floor(values) != values).any():
        return None
    whole: Integers = np.clip(values, -(2.0**53), 2.0**53).astype(np.int64)
    return whole


def _written(known: pa.Array, panel: Panel) -> Integers | None:
    """Read months or quarters as a panel writes them; None if one is written in another way."""
    if pa.types.is_timestamp(known.type):
        known = known.cast(pa.date32(), safe=False)
    encoded = known.cast(pa.string()).dictionary_encode()
    numbers = [panel.form.number(text) for text in encoded.dictionary.to_pylist()]
    if None in numbers:
        return None
    found: Integers = np.array(numbers, dtype=np.int64)
    return np.asarray(found[encoded.indices.to_numpy(zero_copy_only=False)])


def _differs(values: NDArray[Any], unit: Integers, speaker: Integers) -> bool:
    return bool((values != values[speaker][unit]).any())
