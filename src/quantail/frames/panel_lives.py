"""From when to when a unit lives: what its columns say, or the periods in which it has values; and whether both agree.

A unit is active where the first column with a history has a value. Under partial synthesis that must be every period
from entry to exit. Under full synthesis entry and exit follow from it, columns that name them must say the same, and
there may be gaps in between if the schema says so.
"""

from collections.abc import Mapping

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.frames.panel import panel_of
from quantail.frames.panel_index import PanelIndex
from quantail.frames.rules import Problem
from quantail.schema import Column, Schema


def life_spans(lead: Floats, schema: Schema, index: PanelIndex) -> tuple[Integers, Integers] | Problem:
    """Return entry and exit of every unit, or what is wrong with them."""
    panel, name = panel_of(schema), schema.histories[0].name
    if not panel.is_full:
        assert index.entry is not None and index.exit is not None
        return index.entry, index.exit
    there = ~np.isnan(lead)
    if not there.any(axis=1).all():
        return Problem(name, "has units without any value", "drop those units, or fill in their values")
    entry = panel.first + there.argmax(axis=1)
    exit_ = panel.last - there[:, ::-1].argmax(axis=1)
    for column, said, found, which in (
        (panel.entry, index.entry, entry, "first"),
        (panel.exit, index.exit, exit_, "last"),
    ):
        if said is not None and (said != found).any():
            what = f"is not the {which} period in which a unit has a value of {name!r}"
            return Problem(column, what, "correct it, or leave it out of [panel]: it follows from the values")
    return entry, exit_


def misplaced(
    values: Mapping[str, Floats], column: Column, schema: Schema, entry: Integers, exit_: Integers
) -> Problem | None:
    """Say whether a column has values where a unit is not active, or lacks some where it is."""
    panel, lead = panel_of(schema), schema.histories[0]
    periods, there = np.asarray(panel.periods), ~np.isnan(values[column.name])
    allowed = ~np.isnan(values[lead.name])
    if column == lead:
        allowed = (periods >= entry[:, None]) & (periods <= exit_[:, None])
    if (there & ~allowed).any():
        hint = "clear them, or correct entry and exit (both are inclusive)"
        if panel.is_full:
            hint = f"clear them; a unit is active where {lead.name!r} has a value"
        return Problem(column.name, "holds values outside the active periods of a unit", hint)
    if (panel.gaps if column == lead else column.missing) or there[allowed].all():
        return None
    hint = "fill them in, or correct entry and exit (both are inclusive)"
    if panel.is_full and column == lead:
        hint = "fill them in, or write gaps = true in [panel] if units may be away in between"
    elif panel.is_full:
        hint = "fill them in, or write missing = true for it"
    return Problem(column.name, "has gaps: values or rows are missing in active periods of a unit", hint)
