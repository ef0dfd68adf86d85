"""Check a table against its schema: every problem at once, without printing anything of the table."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.frames.broken_rules import broken_rules
from quantail.frames.firms import read_firms
from quantail.frames.panel_border import admit_panel
from quantail.frames.rules import NOTE, Problem, admit_all, outside_bounds
from quantail.frames.undeclared import undeclared
from quantail.io.native import open_frame
from quantail.schema import Schema


def check_table(frame: Any, schema: Schema, *, internal: bool = False) -> list[Problem]:
    """List every way in which a table does not fit its schema.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table
        The confidential table. Extra columns and the order of columns do not matter.
    schema : Schema
        What is public about it.
    internal : bool
        Also say which columns hold values outside their bounds or break a rule of the schema, and what the rows show
        that the schema could declare: atoms, decimals, round figures, sums, keys that repeat. That depends on the
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
        table = open_frame(frame)
        data, problems = admit_panel(table, schema, clip=False)
        admitted = {} if data is None else data.values
        firms = read_firms(table, schema) if data is not None and schema.panel.firm else None
        problems += [firms] if isinstance(firms, Problem) else []
    if internal:
        for name, values in admitted.items():
            if any(outside_bounds(values, schema.column(name))):
                hint = "they will be clipped; widen the bounds if public rules allow such values" + NOTE
                problems.append(Problem(name, "holds values outside its bounds", hint))
        if schema.panel is None and len(admitted) == len(schema.columns):
            hint = "such rows will be read as if they kept it; correct rule or table" + NOTE
            problems += [
                Problem(name, f"breaks {rule}", hint) for name, rule in broken_rules(admitted, schema)
            ]
            problems += undeclared(admitted, open_frame(frame), schema)
    return problems
