"""Public cells of a whole table: what synthesizers that model tables of counts are given, and how rows come back.

Bounds, lists, atoms and codes of the schema decide the cells, never a row. There is a cell for each label, missing
value, atom and code, one for each value of a whole number of at most 128 values, and `CELLS` equal steps of any other
number: of its logarithm where the schema says so, on both sides of zero if there are two. A synthetic value is drawn
evenly within its cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from quantail.schema import Column, Schema

WHOLE = ("integer", "date")
CELLS = 32
MOST_VALUES = 128
Codes = dict[str, np.ndarray]


@dataclass(frozen=True)
class ColumnCells:
    """The cells of one column: special ones first (missing, atoms and codes, or labels), then steps of a number."""

    column: Column
    special: tuple[Any, ...]
    edges: np.ndarray
    logarithmic: bool

    @classmethod
    def of(cls, column: Column) -> ColumnCells:
        """Return the cells that a column's public facts give."""
        missing = (None,) if column.missing else ()
        if column.is_labelled:
            return cls(column, missing + tuple(column.labels), np.array([]), False)
        special = missing + tuple(column.missing_codes) + tuple(column.atoms)
        low, high = float(column.lower or 0), float(column.upper or 0)
        if column.type in WHOLE and high - low < MOST_VALUES:
            return cls(column, special, np.arange(low, high + 2) - 0.5, False)
        logarithmic = column.grid == "log"
        number = 2 * CELLS if logarithmic and low < 0 < high else CELLS
        ends = _forth(np.array([low, high]), max(low, 0.0)) if logarithmic else np.array([low, high])
        return cls(column, special, np.linspace(*ends, number + 1), logarithmic)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.special) + max(len(self.edges) - 1, 0)

    @property
    def _origin(self) -> float:
        return max(float(self.column.lower or 0), 0.0)

    def encode(self, values: pd.Series) -> np.ndarray:
        """Return the cell of each value."""
        if self.column.is_labelled:
            place = {label: code for code, label in enumerate(self.special) if label is not None}
            found = values.astype(object).where(values.notna(), None).map(place, na_action="ignore")
            return found.fillna(0).to_numpy(dtype=np.int64)
        numbers = _numbers(values)
        scaled = _forth(numbers, self._origin) if self.logarithmic else numbers
        steps = np.clip(np.searchsorted(self.edges, scaled, side="right") - 1, 0, len(self.edges) - 2)
        codes = len(self.special) + steps
        for code, value in enumerate(self.special):
            codes[np.isnan(numbers) if value is None else numbers == value] = code
        return codes.astype(np.int64)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> pd.Series:
        """Draw a value of each cell, on the column's own scale and with its digits."""
        if self.column.is_labelled:
            return pd.Series(np.array(self.special, dtype=object)[codes])
        step = np.clip(codes - len(self.special), 0, None)
        drawn = self.edges[step] + rng.random(codes.size) * (self.edges[step + 1] - self.edges[step])
        values = _back(drawn, self._origin) if self.logarithmic else drawn
        decimals = 0 if self.column.type in WHOLE else self.column.decimals
        values = values if decimals is None else np.round(values, decimals)
        values = np.clip(values, self.column.lower, self.column.upper)
        for code, value in enumerate(self.special):
            values[codes == code] = np.nan if value is None else value
        return pd.Series(values)


def cells_of(schema: Schema) -> dict[str, ColumnCells]:
    """Return the cells of every column."""
    return {column.name: ColumnCells.of(column) for column in schema.columns}


def encode(frame: pd.DataFrame, cells: Mapping[str, ColumnCells]) -> Codes:
    """Return the cells of all rows."""
    return {name: one.encode(frame[name]) for name, one in cells.items()}


def decode(codes: Mapping[str, Any], cells: Mapping[str, ColumnCells], seed: int) -> pd.DataFrame:
    """Draw rows from cells; dates come back as dates."""
    rng = np.random.default_rng(seed)
    made = {name: one.decode(np.asarray(codes[name]).astype(int), rng) for name, one in cells.items()}
    for name, one in cells.items():
        if one.column.type == "date":
            made[name] = pd.to_datetime(made[name], unit="D")
    return pd.DataFrame(made)


def _numbers(values: pd.Series) -> np.ndarray:
    """Return numbers as floats, dates as days."""
    if not pd.api.types.is_numeric_dtype(values):
        days = pd.to_datetime(values).to_numpy(dtype="datetime64[D]")
        return np.where(np.isnat(days), np.nan, days.astype(float))
    return values.to_numpy(dtype=float)


def _forth(values: np.ndarray, origin: float) -> np.ndarray:
    return np.sign(values - origin) * np.log1p(np.abs(values - origin))


def _back(values: np.ndarray, origin: float) -> np.ndarray:
    return origin + np.sign(values) * np.expm1(np.abs(values))
