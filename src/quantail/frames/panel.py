"""A panel as arrays: what the mechanisms see of a wide or long table, and what goes back into one.

Notation: n units, T periods, place k = period - start. Every confidential column is an (n, T) array of floats,
NaN exactly where a unit is not active. Entry, exit, groups, public columns and the identities of units are
public; the order of rows is not: the border forgets it, and sorts units by their identities.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from quantail.errors import ModelError, SchemaError
from quantail.schema import Panel, Schema

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PanelData:
    """The units of a panel, their public facts and their confidential histories.

    Attributes
    ----------
    schema : Schema
        What is public about the panel; its `panel` is set.
    units : pyarrow.Array, length n
        Identities: int64 if all are whole numbers, else text.
    entry, exit : int64 arrays, shape (n,)
        First and last active period, both inclusive.
    group : int64 array, shape (n,)
        Place of each unit's group in `groups`.
    public : mapping of str to pyarrow.Array, length n each
        Public columns, grouping ones included, in the types of the schema.
    values : mapping of str to float64 array, shape (n, T)
        Confidential columns in synthesis order; NaN outside entry to exit and nowhere else.
    """

    schema: Schema
    units: pa.Array
    entry: Integers
    exit: Integers
    group: Integers
    public: Mapping[str, pa.Array]
    values: Mapping[str, Floats]

    def __repr__(self) -> str:
        """Say what it is; its histories are confidential, unless they were drawn from a model."""
        return f"<PanelData of {self.schema!r}>"

    def __post_init__(self) -> None:
        panel = panel_of(self.schema)
        for name in ("entry", "exit", "group"):
            object.__setattr__(self, name, _locked(np.asarray(getattr(self, name), dtype=np.int64)))
        arrays = {name: np.asarray(array, dtype=np.float64) for name, array in self.values.items()}
        object.__setattr__(self, "values", {name: _locked(array) for name, array in arrays.items()})
        lengths = {len(self.entry), len(self.exit), len(self.group), *map(len, self.public.values())}
        if lengths != {len(self.units)}:
            raise ModelError("the panel's columns differ in length; give one entry per unit")
        inside = (self.entry >= panel.start) & (self.entry <= self.exit) & (self.exit <= panel.end)
        if not inside.all():
            raise ModelError("a unit's entry and exit are not in order or outside the panel's periods")
        if list(self.values) != [column.name for column in self.schema.confidential]:
            raise ModelError(
                "the panel's values are not those of the schema's confidential columns, in order"
            )
        self._check_values()

    def _check_values(self) -> None:
        active = self.active
        for name, array in self.values.items():
            if array.shape != active.shape:
                raise ModelError(f"column {name!r} is not of shape (units, periods); give one value for each")
            if not (np.isfinite(array) == active).all() or np.isinf(array).any():
                raise ModelError(
                    f"column {name!r} must be finite from entry to exit and missing elsewhere; make it so"
                )

    def __len__(self) -> int:
        """Count the units, which is public."""
        return len(self.units)

    @property
    def periods(self) -> Integers:
        """Every period, shape (T,)."""
        return np.asarray(panel_of(self.schema).periods, dtype=np.int64)

    @property
    def active(self) -> NDArray[np.bool_]:
        """Whether a unit is active in a period, shape (n, T)."""
        periods = self.periods
        return np.asarray((periods >= self.entry[:, None]) & (periods <= self.exit[:, None]))

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Labels of every group that the schema allows, empty ones included; one nameless group without any."""
        return tuple(product(*(self.schema.column(name).categories for name in self.schema.by)))

    def take(self, units: ArrayLike) -> "PanelData":
        """Keep the units at the given places, in that order."""
        places = np.asarray(units, dtype=np.int64)
        chosen = pa.array(places)
        return replace(
            self,
            units=self.units.take(chosen),
            entry=self.entry[places],
            exit=self.exit[places],
            group=self.group[places],
            public={name: array.take(chosen) for name, array in self.public.items()},
            values={name: array[places] for name, array in self.values.items()},
        )

    def of_group(self, group: int) -> "PanelData":
        """Keep the units of one group; there may be none."""
        return self.take(np.flatnonzero(self.group == group))

    def with_values(self, values: Mapping[str, Floats]) -> "PanelData":
        """Replace the confidential values and keep everything that is public (partial synthesis)."""
        return replace(self, values=dict(values))


def panel_of(schema: Schema) -> Panel:
    """Return the schema's panel, or raise a SchemaError if it describes a plain table."""
    if schema.panel is None:
        raise SchemaError("the schema has no [panel] section; add one to read a panel, or read it as a table")
    return schema.panel


def _locked(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view
