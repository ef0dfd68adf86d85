"""The columns of a comparison, side by side and ready to be drawn.

Rows stay in their order, so that columns can be drawn against each other; a missing number is NaN, a missing label
a label of its own.
A panel's columns hold one value per unit and active period.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats, Integers
from quantail.evaluation.pair import read_pair
from quantail.evaluation.reading import is_missing
from quantail.frames import PanelData
from quantail.report.plots.numbers import day, short
from quantail.report.plots.scale import Scale, fitting
from quantail.schema import Schema

MOST_LABELS = 12
OTHER, MISSING = "all others", "missing"


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers in both tables."""

    name: str
    # real, synth: one value per row, NaN where missing
    real: Floats
    synth: Floats
    heavy: bool | None = None  # whether to draw it on a logarithmic axis; None leaves it to the values
    dated: bool = False  # whether the values are moments, in seconds since 1970

    @cached_property
    def ordered(self) -> tuple[Floats, Floats]:
        """Values in order, real ones first, without missing ones."""
        return np.sort(self.real[np.isfinite(self.real)]), np.sort(self.synth[np.isfinite(self.synth)])

    @property
    def drawable(self) -> bool:
        """Whether both tables hold at least one value."""
        return all(values.size for values in self.ordered)

    @cached_property
    def scale(self) -> Scale:
        """The axis that suits both."""
        both = np.concatenate(self.ordered)
        return Scale(both.min(), both.max(), "date") if self.dated else fitting(both, self.heavy)

    def written(self, value: float) -> str:
        """Write a value of this column for people."""
        return day(value) if self.dated else short(value)

    @property
    def missing(self) -> tuple[float, float]:
        """Shares of missing values, real first."""
        real, synth = self.ordered
        return 1 - real.size / self.real.size, 1 - synth.size / self.synth.size


@dataclass(frozen=True, eq=False)
class Labels:
    """A column of labels in both tables, as codes; the most frequent ones, and one code for all the others."""

    name: str
    labels: tuple[str, ...]
    real: Integers
    synth: Integers

    def shares(self) -> tuple[Floats, Floats]:
        """Shares of every label, real first."""
        count = len(self.labels)
        real, synth = (np.bincount(codes, minlength=count) / codes.size for codes in (self.real, self.synth))
        return real, synth


AnyColumn = Numbers | Labels


def table_columns(real: Any, synth: Any, schema: Schema | None) -> list[AnyColumn]:
    """Take two tables apart into the columns that are compared, as `quantail.evaluate` does.

    Raises a DataError if the tables do not hold the same columns, or a column is of different kinds.
    """
    pair = read_pair(real, synth, None, schema)
    declared = {} if schema is None else {column.name: column for column in schema.columns}
    dated = _dated(real) if schema is None else {name for name, one in declared.items() if one.is_dated}
    heavy = {name for name, one in declared.items() if one.grid == "log"}
    return [
        _labels(name, left, right, declared[name].labels if declared else ())
        if name in pair.labels
        else Numbers(name, left, right, name in heavy or None, name in dated)
        for name in pair.names
        for left, right in [(pair.real[name], pair.synth[name])]
    ]


def panel_columns(real: PanelData, synth: PanelData) -> list[AnyColumn]:
    """Pool every confidential column of two panels over units and periods."""
    heavy = {column.name: column.grid == "log" for column in real.schema.confidential}
    return [
        Numbers(name, array[real.active], synth.values[name][synth.active], heavy[name] or None)
        for name, array in real.values.items()
    ]


def _dated(frame: Any) -> set[str]:
    """Find the columns of dates, which arrive as seconds."""
    if isinstance(frame, Mapping):
        return set()
    kinds = nw.from_native(frame, eager_only=True).schema
    return {name for name, kind in kinds.items() if kind.is_temporal()}


def _labels(name: str, real: NDArray[Any], synth: NDArray[Any], known: tuple[str, ...]) -> Labels:
    found, codes = np.unique(np.concatenate([_texts(real), _texts(synth)]), return_inverse=True)
    counts = np.bincount(codes[: real.size], minlength=found.size)
    order = [found.tolist().index(label) for label in known if label in found]
    if len(order) < found.size or len(order) > MOST_LABELS:
        order = np.argsort(-counts, kind="stable").tolist()
    kept = order if len(order) <= MOST_LABELS else order[: MOST_LABELS - 1]
    names = [str(found[place]) for place in kept]
    place_of = np.full(found.size, len(kept))
    place_of[kept] = np.arange(len(kept))
    codes = place_of[codes]
    labels = (*names, OTHER) if len(kept) < found.size else tuple(names)
    return Labels(name, labels, codes[: real.size], codes[real.size :])


def _texts(values: NDArray[Any]) -> NDArray[np.str_]:
    known = zip(values.tolist(), is_missing(values).tolist(), strict=True)
    return np.array([MISSING if gone else _text(value) for value, gone in known], dtype=str)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
