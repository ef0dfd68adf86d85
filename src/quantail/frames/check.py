"""Check a table against its schema: every problem at once, without printing anything of the table."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.frames.broken_rules import broken_rules
from quantail.frames.panel_border import admit_panel
from quantail.frames.rules import Problem, admit_all, outside_bounds
from quantail.io.native import open_frame
from quantail.schema import Schema

_MANY_VALUES, _ENOUGH_ROWS, _GOOD_PART = 200, 50, 0.1


def check_table(frame: Any, schema: Schema, *, internal: bool = False) -> list[Problem]:
    """List every way in which a table does not fit its schema.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table
        The confidential table. Extra columns and the order of columns do not matter.
    schema : Schema
        What is public about it.
    internal : bool
        Also say which columns hold values outside their bounds, break a rule of the schema, or hold their lowest value
        in a tenth of the rows without declaring it as an atom. That depends on the
        values of single rows, so such a list is confidential and must not leave the agency.

    Returns
    -------
    list of Problem
        Empty if the table fits.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from quantail.schema import Column
    >>> schema = Schema((Column("jobs", "integer", 0, 500),), unit="firm")
    >>> print(check_table(pa.table({"pay": [1.5]}), schema)[0])
    column 'jobs' is missing; add it to the table, or remove it from the schema
    """
    admitted: Mapping[str, NDArray[np.generic]]
    if schema.panel is None:
        admitted, problems = admit_all(open_frame(frame), schema)
    else:
        data, problems = admit_panel(open_frame(frame), schema, clip=False)
        admitted = {} if data is None else data.values
    if internal:
        for name, values in admitted.items():
            if any(outside_bounds(values, schema.column(name))):
                hint = (
                    "they will be clipped; widen the bounds if public rules allow such values (internal note)"
                )
                problems.append(Problem(name, "holds values outside its bounds", hint))
        if schema.panel is None and len(admitted) == len(schema.columns):
            hint = "such rows will be read as if they kept it; correct rule or table (internal note)"
            problems += [
                Problem(name, f"breaks {rule}", hint) for name, rule in broken_rules(admitted, schema)
            ]
            problems += _undeclared_atoms(admitted, schema)
    return problems


def _undeclared_atoms(admitted: Mapping[str, NDArray[np.generic]], schema: Schema) -> Iterator[Problem]:
    """Yield an internal note for every column of many values whose lowest one a good part of the rows hold."""
    for column in schema.columns:
        values = admitted[column.name]
        if column.type not in ("numeric", "integer") or column.public or column.lower is None:
            continue
        assert column.upper is not None
        several = (
            column.upper - column.lower
        ) / column.lattice > _MANY_VALUES and values.size >= _ENOUGH_ROWS
        if several and column.lower not in column.atoms:
            held = np.count_nonzero(values.astype(np.float64) == column.lower)
            if held >= _GOOD_PART * values.size:
                hint = f"if that is in its nature, declare it: atoms = [{column.lower:g}] (internal note)"
                yield Problem(column.name, "holds its lowest value in a good part of the rows", hint)
