"""Confidential columns: the one way from a table into the mechanisms.

Numbers are clipped to the public bounds on both sides, labels become codes, and rich kinds of columns their plain
parts, so that what the mechanisms see lies in the public domain whatever the table holds. How many values were
clipped is confidential: it is written to the logger "quantail.internal" at DEBUG level and nowhere else.
"""

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats
from quantail.errors import DataError
from quantail.frames.encoding import encode
from quantail.frames.rules import MisfitError, admit_all, outside_bounds
from quantail.io.native import open_frame
from quantail.schema import Column, Schema

_internal_log = logging.getLogger("quantail.internal")


def confidential_columns(frame: Any, schema: Schema) -> dict[str, NDArray[Any]]:
    """Read the schema's columns out of a table, ready for the mechanisms.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table
        The confidential table. Extra columns and the order of columns do not matter.
    schema : Schema
        What is public about it.

    Returns
    -------
    dict of str to array
        The plain columns of `core_of(schema)`, in synthesis order. Numbers: float64, clipped to the bounds, NaN
        where the status is not "value". Categories: int64 positions in the labels.

    Raises a DataError if the table has no rows (under replace-one) or a column is missing, of the wrong type, or
    holds missing values, infinities, values that are not whole (integer columns) or labels that are not listed
    (category columns).

    Examples
    --------
    >>> import pyarrow as pa
    >>> schema = Schema((Column("region", "category", categories=("north", "south")),), unit="firm")
    >>> confidential_columns(pa.table({"region": ["south", "north"]}), schema)["region"]
    array([1, 0])
    """
    if schema.panel is not None:
        # Rows of a long panel are not units: reading them as a table would protect too little.
        raise DataError("the schema describes a panel; read the table with confidential_panel")
    admitted, problems = admit_all(open_frame(frame), schema)
    if problems:
        raise MisfitError(problems)
    for column in schema.columns:
        _log_clipped(admitted[column.name], column)
    return encode(admitted, schema)


def clip_to_bounds(values: NDArray[Any], column: Column) -> NDArray[Any]:
    """Clip the values of a column to its public bounds (missing ones stay); how many is logged internally."""
    if column.lower is None or column.upper is None:
        return values
    _log_clipped(values, column)
    # Adding zero turns -0.0 into 0.0, which would otherwise show in saved models.
    clipped: Floats = np.clip(values, column.lower, column.upper) + 0.0
    return clipped


def _log_clipped(values: NDArray[Any], column: Column) -> None:
    if column.lower is not None and _internal_log.isEnabledFor(logging.DEBUG):
        below, above = outside_bounds(values, column)
        _internal_log.debug(
            "CONFIDENTIAL column %r: %d values raised to the lower bound, %d lowered to the upper bound",
            column.name,
            below,
            above,
        )
