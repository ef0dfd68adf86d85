"""Rows in which a condition holds, exactly as the model has them: rows are drawn, and those that fail are drawn again.

A row that is kept has the law of the model given the condition, whatever columns it looks at; nothing is weighted or
approximated. A condition that one row in a million meets takes a million rows for each that is returned.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Flags, Integers
from quantail.errors import ModelError, OptionError, SchemaError
from quantail.frames.encoding import decode
from quantail.frames.release import released_numbers
from quantail.release.progress import Progress
from quantail.schema import Column, Schema
from quantail.schema.condition import Condition

Parts = Mapping[str, NDArray[Any]]

MOST_TRIED = 2**26  # rows: a minute or so
BLOCK = 2**18  # rows that are drawn together


@dataclass(frozen=True)
class RowCondition:
    """A condition on rows of a table."""

    text: str
    condition: Condition
    schema: Schema

    @classmethod
    def of(cls, text: str, schema: Schema) -> "RowCondition":
        """Read a condition, or raise an OptionError that says how to write one."""
        return cls(text, read_where(text, {column.name: column for column in schema.columns}), schema)

    def holds(self, parts: Parts) -> Flags:
        """Return in which rows it holds, as they will be released; rows are given by their plain columns."""
        names = self.condition.names
        columns = decode(parts, self.schema, names)
        described = {name: self.schema.column(name) for name in names}
        settled = {name: released_numbers(columns[name], described[name]) for name in names}
        return self.condition.holds(settled, described)

    def refuse(self) -> ModelError:
        """Return the error for a condition that hardly any row of the model meets."""
        return ModelError(
            f"the model has hardly any rows, or none, in which {self.text!r} holds; "
            f"{MOST_TRIED} were drawn in vain. Ask for fewer rows, or for a wider condition"
        )


def read_where(text: str, columns: Mapping[str, Column]) -> Condition:
    """Read a condition on some columns, or raise an OptionError that says how to write one."""
    try:
        condition = Condition.parse(text)
        condition.check(columns)
    except SchemaError as error:
        raise OptionError(f"where {text!r}: {error}") from None
    return condition


def kept_rows(
    condition: RowCondition,
    draw: Callable[[int], Parts],
    rows: int,
    rng: np.random.Generator,
    tell: Progress | None = None,
) -> dict[str, NDArray[Any]]:
    """Draw rows until so many of them meet a condition.

    `draw`: from a number of rows to that many, independent of those before.
    """
    found: list[Parts] = []
    tried = kept = 0
    while kept < rows or not found:
        if tried >= MOST_TRIED:
            raise condition.refuse()
        wanted = (rows - kept) * (tried + 1) / (kept + 1) * 1.1 if tried else 2 * rows
        size = int(np.clip(wanted, 1000, BLOCK))
        part = draw(size)
        places = np.flatnonzero(condition.holds(part))
        found.append({name: values[places] for name, values in part.items()})
        tried, kept = tried + size, kept + places.size
        if tell is not None:
            tell(_said(kept, rows, tried), max(kept / max(rows, 1), tried / MOST_TRIED))
    joined = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
    # Groups are drawn one after the other: the first rows would be those of the first groups.
    some = np.sort(rng.choice(kept, rows, replace=False))
    return {name: values[some] for name, values in joined.items()}


def kept_completions(
    condition: RowCondition, complete: Callable[[Integers], Parts], size: int, tell: Progress | None = None
) -> dict[str, NDArray[Any]]:
    """Complete each of some given rows in a way that meets a condition.

    `complete`: from the places of given rows to completions of them.
    """
    left, tried = np.arange(size), 0
    whole: dict[str, NDArray[Any]] = {}
    while left.size:
        if tried >= MOST_TRIED:
            raise condition.refuse()
        # Few rows that are left are tried many times at once.
        times = int(np.clip(BLOCK // (4 * left.size), 1, 1 + tried // max(left.size, 1)))
        places = np.tile(left, times)
        part = complete(places)
        met = np.flatnonzero(condition.holds(part))
        first = met[np.unique(places[met], return_index=True)[1]]
        for name, values in part.items():
            whole.setdefault(name, np.zeros(size, values.dtype))[places[first]] = values[first]
        left, tried = np.setdiff1d(left, places[first]), tried + places.size
        if tell is not None:
            tell(_said(size - left.size, size, tried), max(1 - left.size / size, tried / MOST_TRIED))
    return whole


def _said(kept: int, wanted: int, tried: int) -> str:
    return f"{min(kept, wanted):,} of {wanted:,} rows, {tried:,} drawn"
