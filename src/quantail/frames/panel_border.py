"""Confidential panels: the one way from a wide or long table into the mechanisms.

Every breach of the schema is a `Problem` that names a column and never a value or a count. A wide table has
one row per unit; in a long one, whatever belongs to the unit (entry, exit, groups, attributes, public columns) must be
the same in all of its rows. Rows of a long table outside entry to exit are allowed if they hold no confidential value.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.arrays import Flags, Floats, Integers
from quantail.frames.border import clip_to_bounds
from quantail.frames.panel import PanelData, panel_of
from quantail.frames.panel_index import PanelIndex, differing, read_index
from quantail.frames.panel_lives import life_spans, misplaced
from quantail.frames.public_content import public_column
from quantail.frames.rules import MisfitError, Problem, admit_column, admit_table
from quantail.io.native import Table, arrow_column, open_frame
from quantail.schema import Column, Schema


def confidential_panel(frame: Any, schema: Schema) -> PanelData:
    """Read a wide or long panel out of a table, ready for the mechanisms.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table
        The confidential table. Extra columns and the order of columns do not matter.
    schema : Schema
        What is public about it; its [panel] section says how the table is laid out.

    Returns
    -------
    PanelData
        Units sorted by their identities; values clipped to the public bounds.

    Raises
    ------
    DataError
        If the table does not fit: all problems are named, never a value or a number of rows.
    SchemaError
        If the schema has no [panel] section.

    Examples
    --------
    >>> from quantail.schema import Column, Panel
    >>> panel = Panel("id", "first", "last", 2000, 2001)
    >>> schema = Schema((Column("emp", "integer", 0, 2000),), unit="establishment", panel=panel)
    >>> table = pa.table({"id": [7, 8], "first": [2000, 2001], "last": [2001, 2001],
    ...                   "emp_2000": [5, None], "emp_2001": [6, 9]})
    >>> confidential_panel(table, schema).values["emp"]
    array([[ 5.,  6.],
           [nan,  9.]])
    """
    data, problems = admit_panel(open_frame(frame), schema)
    if data is None or problems:
        raise MisfitError(problems)
    return data


def admit_panel(table: Table, schema: Schema, clip: bool = True) -> tuple[PanelData | None, list[Problem]]:
    """Apply every rule; returns the panel if it passes, and all the problems found otherwise.

    Rules are applied in stages, since later ones have no meaning where earlier ones are broken: columns are
    there; units and periods are sound; public columns; confidential values.
    """
    problems = _missing_columns(table, schema)
    trouble = admit_table(table, schema)
    if problems or trouble:
        return None, [trouble, *problems] if trouble else problems
    index = read_index(table, schema)
    if isinstance(index, list):
        return None, index
    groups, public, problems = _public_columns(table, schema, index)
    attributes = _attributes(table, schema, index, problems)
    values: dict[str, Floats] = {}
    lives: tuple[Integers, Integers] | Problem | None = None
    for column in schema.histories:
        read = _history(table, schema, column, index)
        trouble = None
        if isinstance(read, Problem):
            trouble = read
        else:
            values[column.name] = read
            lives = life_spans(read, schema, index) if column is schema.histories[0] else lives
            if isinstance(lives, tuple):
                trouble = misplaced(values, column, schema, *lives)
            elif column is schema.histories[0]:
                trouble = lives
        problems += [] if trouble is None else [trouble]
    if not problems:
        attributes |= _changing(table, schema, index, ~np.isnan(values[schema.histories[0].name]), problems)
    if problems or not isinstance(lives, tuple):
        return None, problems
    if clip:
        values = {name: clip_to_bounds(array, schema.column(name)) for name, array in values.items()}
    return PanelData(schema, index.units, *lives, groups, public, values, attributes), []


def _public_columns(
    table: Table, schema: Schema, index: PanelIndex
) -> tuple[Integers, dict[str, pa.Array], list[Problem]]:
    public: dict[str, pa.Array] = {}
    problems: list[Problem] = []
    group = np.zeros(len(index.units), dtype=np.int64)
    for column in (column for column in schema.columns if column.public):
        content = public_column(table, column)
        if isinstance(content, Problem):
            problems.append(content)
        elif index.differs(_row_codes(content)):
            problems.append(differing(column.name))
        else:
            public[column.name] = content.take(pa.array(index.speaker))
    for name in schema.by:
        column = schema.column(name)
        outcome = admit_column(table, replace(column, public=False))
        if isinstance(outcome, Problem):
            problems = [problem for problem in problems if problem.column != name] + [outcome]
        else:
            group = group * len(column.categories) + outcome[index.speaker].astype(np.int64)
    return group, public, problems


def _history(table: Table, schema: Schema, column: Column, index: PanelIndex) -> Floats | Problem:
    """Read one confidential column into shape (units, periods), not yet clipped."""
    panel = panel_of(schema)
    history = np.full((len(index.units), len(panel.periods)), np.nan)
    for place, name in enumerate(panel.stored_as(column.name)):
        values = _numbers(table, name, column)
        if isinstance(values, Problem):
            return values
        history[index.unit, place if index.place is None else index.place] = values
    return history


def _attributes(
    table: Table, schema: Schema, index: PanelIndex, problems: list[Problem]
) -> dict[str, Integers]:
    """Read the codes of categories that belong to units, and add to the problems."""
    found = {}
    for name in panel_of(schema).attributes:
        codes = admit_column(table, schema.column(name))
        if isinstance(codes, Problem):
            problems.append(codes)
        elif index.differs(codes):
            hint = "give a unit the same label in all of its rows, or list it in [panel] changing, not attributes"
            problems.append(replace(differing(name), hint=hint))
        else:
            found[name] = codes[index.speaker].astype(np.int64)
    return found


def _changing(
    table: Table, schema: Schema, index: PanelIndex, active: Flags, problems: list[Problem]
) -> dict[str, Integers]:
    """Read the codes of categories that may change, shape (units, periods), and add to the problems."""
    panel, found = panel_of(schema), {}
    for name in panel.changing:
        column = schema.column(name)
        history = np.full(active.shape, len(column.categories))
        for place, stored in enumerate(panel.stored_as(name)):
            codes = admit_column(table, replace(column, name=stored, missing=True))
            if isinstance(codes, Problem):
                problems.append(codes)
            else:
                history[index.unit, place if index.place is None else index.place] = codes
        known = history < len(column.categories)
        if (known & ~active).any() or (active & ~known).any():
            hint = f"give it where {schema.histories[0].name!r} has a value, and nowhere else"
            problems.append(
                Problem(name, "does not have a label in exactly the active periods of a unit", hint)
            )
        found[name] = history
    return found


def _numbers(table: Table, name: str, column: Column) -> Floats | Problem:
    """Read a stored column as floats, missing values as NaN."""
    data = arrow_column(table, name)
    if data is None:
        return Problem(name, "holds values of several types", f"make every value fit type {column.type}")
    if pa.types.is_null(data.type):
        return np.full(len(data), np.nan)
    if not (
        pa.types.is_integer(data.type) or pa.types.is_floating(data.type) or pa.types.is_decimal(data.type)
    ):
        hint = (
            "store it as numbers without units; of a CSV file, [csv] in the schema says how they are written, and "
            "which words mean a missing value"
        )
        return Problem(name, "does not hold numbers", hint)
    values = np.asarray(data.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    if np.isinf(values).any():
        return Problem(name, "holds infinite values", "replace them by finite values")
    if column.type == "integer" and (np.floor(values) != values)[~np.isnan(values)].any():
        return Problem(name, "holds values that are not whole", 'round them, or write type = "numeric"')
    return values


def _row_codes(content: pa.Array) -> NDArray[Any]:
    """Code the values of a public column so that equal ones, missing ones included, have equal codes."""
    if pa.types.is_dictionary(content.type):
        content = content.indices
    encoded = content.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False))


def _missing_columns(table: Table, schema: Schema) -> list[Problem]:
    panel = panel_of(schema)
    public = [column.name for column in schema.columns if column.public]
    stored = [name for column in schema.confidential for name in panel.stored_as(column.name)]
    hint = "add it to the table, or remove it from the schema"
    problems = [
        Problem(name, "is missing", hint) for name in (*panel.named, *public) if name not in table.columns
    ]
    if panel.layout == "wide":
        hint = "a wide panel has a column for every period from start to end; add it, or correct [panel]"
    return problems + [Problem(name, "is missing", hint) for name in stored if name not in table.columns]
