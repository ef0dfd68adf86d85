"""Firms with several establishments: which establishments of each are used, so that a firm can be protected as a whole.

A firm is present with at most as many establishments as the schema says. Which ones is decided by a public rule that
looks at that firm alone: those with the largest sum of the first column over all periods, of equal ones by the rest of
their records. Identities decide nothing: their order hangs on how those of other firms are stored (2 and 10 are numbers
or text). So what other firms hold never decides which records are used, and a firm that is taken out takes at most that
many with it (proofs/firms.md).
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quantail.arrays import Floats, Integers
from quantail.frames.panel import PanelData, panel_of
from quantail.frames.panel_border import confidential_panel
from quantail.frames.panel_index import read_index
from quantail.frames.public_content import identities
from quantail.frames.rules import MisfitError, Problem
from quantail.io.native import Table, open_frame
from quantail.schema import Schema

_NAMED = "name the firm of every unit as text or a number; a unit of unknown owner is a firm of its own"


def protected_panel(frame: Any, schema: Schema) -> PanelData:
    """Read a confidential panel for the mechanisms: of every firm, where there are firms, the establishments used.

    Parameters and errors are those of `confidential_panel`, which reads all units.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from quantail.schema import Column, Panel
    >>> panel = Panel("id", start=2000, end=2001, firm="owner", establishments=1)
    >>> schema = Schema((Column("emp", "integer", 0, 2000),), unit="firm", panel=panel, neighbours="add-remove")
    >>> table = pa.table({"id": [7, 8, 9], "owner": ["a", "a", "b"], "emp_2000": [5, 4, 1], "emp_2001": [6, 9, 1]})
    >>> protected_panel(table, schema).units.to_pylist()
    [8, 9]
    """
    data = confidential_panel(frame, schema)
    if not panel_of(schema).firm:
        return data
    firm = read_firms(open_frame(frame), schema)
    if isinstance(firm, Problem):
        raise MisfitError([firm])
    size = np.nansum(data.values[schema.histories[0].name], axis=1)
    # Units whose whole records are equal may stand for each other.
    order = np.lexsort(np.column_stack([data.group, *data.attributes.values(), *data.values.values()]).T)
    used = used_establishments(firm[order], size[order], panel_of(schema).establishments)
    return data.take(np.sort(order[used]))


def read_firms(table: Table, schema: Schema) -> Integers | Problem:
    """Return a number for every unit's firm, in the order of units of a panel that fits, or say what is wrong."""
    name = panel_of(schema).firm
    if name not in table.columns:
        return Problem(name, "is missing", "add it to the table, or remove firm from [panel]")
    found = identities(table, name)
    if isinstance(found, Problem):
        return replace(found, hint=_NAMED)
    if pa.types.is_string(found.type) and pc.any(pc.equal(pc.utf8_trim_whitespace(found), "")).as_py():
        return Problem(name, "is blank in some rows", _NAMED)
    index = read_index(table, schema)
    assert not isinstance(index, list)
    firm = found.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    if index.differs(firm):
        hint = "give an establishment that changes hands another identity from then on"
        return Problem(name, "differs between rows of one unit", hint)
    return np.asarray(firm[index.speaker], dtype=np.int64)


def used_establishments(firm: Integers, size: Floats, most: int) -> Integers:
    """Return the places of the `most` largest units of every firm, in their order; of equal ones the first.

    Examples
    --------
    >>> used_establishments(np.array([0, 0, 1, 0]), np.array([5.0, 9.0, 1.0, 5.0]), 2).tolist()
    [0, 1, 2]
    """
    order = np.lexsort((-size, firm))  # stable: units of one size stay in their order
    start = np.searchsorted(firm[order], firm[order], side="left")
    return np.sort(order[np.arange(order.size) - start < most])
