"""Made-up panels that fit a schema: what a plan is tried on in place of the data.

A unit enters in the first period or later, each at an even rate, and leaves with the same chance in every period. Its
first column has a size of the reference shape, which moves around a level of its own (an AR(1) of log sizes); later
columns are that size times a ratio of their own. Labels are equally frequent and belong to the unit. A firm, where
firms are protected, has one establishment: noise does not depend on how many it has. None of this is known about the
real panel; it is what the stated errors are conditional on.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.arrays import Flags, Floats
from quantail.frames.panel import panel_of
from quantail.planning.shapes import Shape
from quantail.planning.tables import typical_value
from quantail.planning.tuning import (
    AWAY_RATE,
    EXIT_RATE,
    INCUMBENTS,
    MISSING_RATE,
    RATIO_SPREAD,
    SIZE_PERSISTENCE,
    SIZE_SHOCK,
)
from quantail.schema import Column, Schema


def simulate_panel(
    schema: Schema, units: int, shape: Shape, rng: np.random.Generator, level: float = 1.0
) -> pa.Table:
    """Make up a panel of a schema, wide or long as it says; sizes are `level` times the usual ones.

    Examples
    --------
    >>> from quantail.examples import industry_schema
    >>> from quantail.planning.shapes import read_shape
    >>> made = simulate_panel(industry_schema(), 3, read_shape("pareto"), np.random.default_rng(1))
    >>> made.num_rows, made.column_names[:4]
    (3, ['site', 'opened', 'closed', 'staff_2001'])
    """
    panel = panel_of(schema)
    active = _active(units, len(panel.periods), rng)
    if panel.gaps:
        active = _with_gaps(active, rng)
    histories = _histories(schema, active, shape, rng, level)
    first, last = active.argmax(axis=1), active.shape[1] - 1 - active[:, ::-1].argmax(axis=1)
    fixed: dict[str, Any] = {panel.unit: np.arange(1, units + 1)}
    fixed |= {panel.firm: np.arange(1, units + 1)} if panel.firm else {}
    periods = pa.array([panel.form.written(period) for period in panel.periods])
    fixed |= {name: periods.take(place) for name, place in ((panel.entry, first), (panel.exit, last)) if name}
    fixed |= {c.name: _belonging(c, units, rng) for c in schema.columns if c.name not in histories}
    if panel.layout == "wide":
        stored = {
            name: pa.array(values[:, place], from_pandas=True)
            for column, values in histories.items()
            for place, name in enumerate(panel.stored_as(column))
        }
        for category in panel.changing:
            labels = fixed.pop(category)
            for there, name in zip(active.T, panel.stored_as(category), strict=True):
                stored[name] = pa.array(labels, mask=~there)
        return pa.table({**{name: pa.array(values) for name, values in fixed.items()}, **stored})
    unit, place = np.nonzero(active)
    rows = {name: pa.array(values).take(pa.array(unit)) for name, values in fixed.items()}
    rows[panel.time] = periods.take(place)
    values = {name: pa.array(array[unit, place], from_pandas=True) for name, array in histories.items()}
    return pa.table(rows | values)


def _active(units: int, periods: int, rng: np.random.Generator) -> Flags:
    """Say in which periods each unit is active: from its entry for a time of constant hazard, without gaps."""
    late = rng.random(units) > INCUMBENTS
    entry = np.where(late & (periods > 1), rng.integers(1, max(periods, 2), units), 0)
    stay = rng.geometric(EXIT_RATE, units)
    place = np.arange(periods)
    return np.asarray((place >= entry[:, None]) & (place < (entry + stay)[:, None]))


def _with_gaps(active: Flags, rng: np.random.Generator) -> Flags:
    """Let units be away now and then between their first and last period."""
    first, last = active.argmax(axis=1), active.shape[1] - 1 - active[:, ::-1].argmax(axis=1)
    place = np.arange(active.shape[1])
    inside = (place > first[:, None]) & (place < last[:, None])
    return np.asarray(active & ~(inside & (rng.random(active.shape) < AWAY_RATE)))


def _histories(
    schema: Schema, active: Flags, shape: Shape, rng: np.random.Generator, level: float
) -> dict[str, Floats]:
    units, periods = active.shape
    score = np.asarray(rng.standard_normal(units))
    own = np.log(np.maximum(level * shape.values(score), 1e-300))
    moving = np.zeros((units, periods))
    moving[:, 0] = rng.standard_normal(units) * SIZE_SHOCK / np.sqrt(1 - SIZE_PERSISTENCE**2)
    for place in range(1, periods):
        shock = SIZE_SHOCK * rng.standard_normal(units)
        moving[:, place] = SIZE_PERSISTENCE * moving[:, place - 1] + shock
    relative = np.exp(own[:, None] + moving)
    found: dict[str, Floats] = {}
    for column in schema.confidential:
        if column.is_labelled:
            continue
        ratio = np.exp(RATIO_SPREAD * rng.standard_normal(units))[:, None] if found else 1.0
        there = active & (rng.random(active.shape) >= MISSING_RATE) if column.missing else active
        found[column.name] = np.where(there, _stored(column, relative * ratio), np.nan)
    return found


def _stored(column: Column, relative: Floats) -> Floats:
    """Return values of a column from sizes relative to its typical one, as it is recorded."""
    assert column.lower is not None and column.upper is not None
    floor = max(column.lower, 0.0)
    values = np.clip(
        floor + typical_value(column, column.upper - floor) * relative, column.lower, column.upper
    )
    if column.type == "integer":
        return np.rint(values)
    return np.round(values, column.decimals) if column.decimals is not None else values


def _belonging(column: Column, units: int, rng: np.random.Generator) -> NDArray[Any]:
    """Return what belongs to a unit and stays: a label; a public number of which nothing is known is 0."""
    if column.labels:
        return np.asarray(column.labels)[rng.integers(len(column.labels), size=units)]
    return np.full(units, "0") if column.is_labelled else np.zeros(units, dtype=np.int64)
