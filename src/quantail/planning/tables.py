"""Made-up tables that fit a schema: what a plan is tried on in place of the data.

Columns hang together through one normal factor: any two have a rank correlation near one half. A number follows the
reference shape above its lower bound, with a typical value that the bounds suggest:

    log grid      the geometric middle between the smallest step and the range
    linear grid   a twentieth of the range

In a column on both sides of zero one value in ten is negative; a column below zero is mirrored. Categories are equally
frequent; a number that may be missing, or an atom, is there as often as budgets are planned for. None of this is known
about the real table; it is what the stated errors are conditional on.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtr

from quantail.arrays import Floats, Integers
from quantail.frames import release_table
from quantail.planning.shapes import Shape
from quantail.planning.tuning import COMMON_PART, LINEAR_PART, NEGATIVE_PART
from quantail.schema import Column, Schema, core_of
from quantail.table.tail_plan import expected_present


def simulate_table(schema: Schema, rows: int, shape: Shape, rng: np.random.Generator) -> pa.Table:
    """Make up a table of a schema.

    Examples
    --------
    >>> from quantail.examples import payroll_schema
    >>> from quantail.planning.shapes import read_shape
    >>> simulate_table(payroll_schema(), 3, read_shape("pareto"), np.random.default_rng(1)).column_names
    ['sector', 'employees', 'payroll']
    """
    factor, core = rng.standard_normal(rows), core_of(schema)
    of_status = {status: name for name, status in (core.statuses | core.gaps).items()}
    parts: dict[str, NDArray[Any]] = {}
    for column in core.schema.columns:
        own = rng.standard_normal(rows)
        score = np.sqrt(COMMON_PART) * factor + np.sqrt(1 - COMMON_PART) * own
        if column.name in of_status:
            there = expected_present(schema, of_status[column.name])
            parts[column.name] = _codes(len(column.categories), score, there)
        elif column.type == "category":
            parts[column.name] = _codes(len(column.categories), score, 1 / len(column.categories))
        else:
            parts[column.name] = _numbers(column, score, shape, rng)
    return release_table(parts, schema, "pyarrow")


def _codes(number: int, score: Floats, first: float) -> Integers:
    """Return labels by place: the first one with its share, the others with equal ones."""
    shares = np.array([first, *[(1 - first) / max(number - 1, 1)] * (number - 1)])
    ends = np.cumsum(shares)[:-1]
    return np.asarray(np.searchsorted(ends, ndtr(score), side="right"), dtype=np.int64)


def _numbers(column: Column, score: Floats, shape: Shape, rng: np.random.Generator) -> NDArray[Any]:
    assert column.lower is not None and column.upper is not None
    mirrored = column.upper <= 0
    low, high = (-column.upper, -column.lower) if mirrored else (column.lower, column.upper)
    floor = max(low, 0.0)
    values = floor + typical_value(column, high - floor) * shape.values(score)
    if low < 0:
        values = np.where(rng.random(values.size) < NEGATIVE_PART, -values, values)
    values = np.clip(-values if mirrored else values, column.lower, column.upper)
    if column.type == "integer":
        return np.rint(values).astype(np.int64)
    return np.round(values, column.decimals) if column.decimals is not None else values


def typical_value(column: Column, span: float) -> float:
    """Return the median of a column whose values span so much above its lower bound or zero."""
    if column.grid == "log":
        return float(np.sqrt(min(column.lattice, span) * span))
    return span * LINEAR_PART
