"""Rows that are given: the first columns of a table, whose values are kept, for the others to be drawn in their light.

What given rows hold is public or synthetic, but not the order they come in, nor how they are stored: public columns of
a confidential table may be sorted by a confidential one. So rows are sorted by their values, groups first. They go
through the same border as a table that is fitted, so that codes, statuses and positions mean the same; then numbers are
brought to the modelling scales of the released columns.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Integers
from quantail.curves import Scale
from quantail.errors import DataError, ModelError, OptionError
from quantail.frames.broken_rules import broken_rules
from quantail.frames.encoding import content_order, encode
from quantail.frames.rules import Problem, admit_column, admit_table
from quantail.io.native import open_frame
from quantail.schema import Schema, core_of
from quantail.table.stage_one.column import NumericModel


@dataclass(frozen=True)
class Given:
    """Given columns, sorted: their numbers, days, seconds or codes, and the plain columns of the schema's core."""

    values: dict[str, NDArray[Any]]
    parts: dict[str, NDArray[Any]]


def read_given(frame: Any, schema: Schema) -> Given:
    """Read the given columns of a table: all of the schema's columns that it holds.

    Raises
    ------
    OptionError
        If they are not the first in synthesis order, groups and public columns included.
    DataError
        If they do not fit the schema.
    """
    table = open_frame(frame)
    names = [name for name in schema.synthesis_order if name in table.columns]
    _check_first(names, schema)
    trouble = admit_table(table, schema)
    # Given values are kept, as those of public columns are.
    outcomes = {name: admit_column(table, replace(schema.column(name), public=True)) for name in names}
    problems = [trouble] if trouble else [found for found in outcomes.values() if isinstance(found, Problem)]
    if problems:
        raise DataError("the given rows do not fit the schema\n  " + "\n  ".join(map(str, problems)))
    admitted = {name: found for name, found in outcomes.items() if not isinstance(found, Problem)}
    for name, rule in broken_rules(admitted, schema):
        raise DataError(
            f"the given rows do not fit the schema: column {name!r} breaks {rule}; correct those rows"
        )
    keys = [*schema.by, *(name for name in schema.names if name in admitted and name not in schema.by)]
    order = content_order([admitted[name] for name in keys])
    values = {name: found[order] for name, found in admitted.items()}
    return Given(values, encode(values, schema))


def _check_first(names: list[str], schema: Schema) -> None:
    order = schema.synthesis_order
    wanted = set(required(schema))
    if not names or names != list(order[: len(names)]) or not wanted <= set(names):
        first = [name for name in order if name in wanted] or list(order[:3])
        raise OptionError(
            "given rows hold the first columns in synthesis order, without a gap"
            + (", all groups and public columns among them" if wanted else "")
            + f"; start with {', '.join(map(repr, first))}, or give another order in the schema"
        )
    if len(names) == len(order):
        raise OptionError("given rows hold every column, so nothing is left to draw; leave some columns out")


def required(schema: Schema) -> tuple[str, ...]:
    """Return the columns that given rows must hold: groups and public columns."""
    return tuple(column.name for column in schema.columns if column.public or column.name in schema.by)


def on_scales(
    parts: Mapping[str, NDArray[Any]], columns: Iterable[Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Return given plain columns as released columns model them: codes, or numbers on their modelling scales."""
    given: dict[str, NDArray[Any]] = {}
    for column in columns:
        if column.name in parts:
            values = parts[column.name]
            scale: Scale | None = column.scale if isinstance(column, NumericModel) else None
            given[column.name] = values if scale is None else scale.dithered(values, rng)
    return given


def group_rows(
    parts: Mapping[str, NDArray[Any]], schema: Schema, groups: Iterable[tuple[int, ...]]
) -> list[Integers]:
    """Return which given rows belong to each of the model's groups."""
    by, core = schema.by, core_of(schema).schema
    known = list(groups)
    if not by:
        return [np.arange(next(iter(parts.values())).size)]
    codes = np.stack([parts[name] for name in by], axis=1)
    found = [np.flatnonzero((codes == np.array(group)).all(axis=1)) for group in known]
    if sum(rows.size for rows in found) < codes.shape[0]:
        seen = np.zeros(codes.shape[0], dtype=bool)
        seen[np.concatenate(found)] = True
        labels = [core.column(name).categories[code] for name, code in zip(by, codes[~seen][0], strict=True)]
        raise ModelError(f"the model has no group {', '.join(labels)}; leave such rows out of the given ones")
    return found
