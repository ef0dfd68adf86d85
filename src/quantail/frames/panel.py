"""A panel as arrays: what the mechanisms see of a wide or long table, and what goes back into one.

Notation: n units, T periods, place k = period - start. Every column with a history is an (n, T) array of floats; a unit
is active where the first of them has a value. What is public depends on the schema: under partial synthesis identities,
entry, exit, groups and public columns, under full synthesis none of it but, at most, how many units a group has. The
order of rows is never public: the border forgets it, and sorts units by their identities.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import ArrayLike, NDArray

from quantail.arrays import Flags, Floats, Integers
from quantail.errors import ModelError, SchemaError
from quantail.schema import Panel, Schema


@dataclass(frozen=True, eq=False)
class PanelData:
    """The units of a panel, what belongs to them, and their histories."""

    schema: Schema  # what is public about the panel; its `panel` is set
    units: pa.Array  # identities: int64 if all are whole numbers, else text
    # entry, exit: first and last active period, both inclusive, shape (n,)
    entry: Integers
    exit: Integers
    group: Integers  # place of each unit's group in `groups`, shape (n,)
    public: Mapping[str, pa.Array]  # public columns, grouping ones included, in the types of the schema
    # columns with a history in synthesis order; NaN where a unit is not active, and where a value is missing, shape
    # (n, T)
    values: Mapping[str, Floats]
    # codes of categories that are synthesised, shape (n,); of those that may change (n, T), the number of categories
    # where a unit is not active
    attributes: Mapping[str, Integers] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Say what it is; its histories are confidential, unless they were drawn from a model."""
        return f"<PanelData of {self.schema!r}>"

    def __post_init__(self) -> None:
        panel = panel_of(self.schema)
        for name in ("entry", "exit", "group"):
            object.__setattr__(self, name, _locked(np.asarray(getattr(self, name), dtype=np.int64)))
        arrays = {name: np.asarray(array, dtype=np.float64) for name, array in self.values.items()}
        object.__setattr__(self, "values", {name: _locked(array) for name, array in arrays.items()})
        fixed = [*self.public.values(), *self.attributes.values()]
        lengths = {len(self.entry), len(self.exit), len(self.group), *map(len, fixed)}
        if lengths != {len(self.units)}:
            raise ModelError("the panel's columns differ in length; give one entry per unit")
        inside = (self.entry >= panel.first) & (self.entry <= self.exit) & (self.exit <= panel.last)
        if not inside.all():
            raise ModelError("a unit's entry and exit are not in order or outside the panel's periods")
        if list(self.values) != [column.name for column in self.schema.histories]:
            raise ModelError("the panel's values are not those of the schema's histories, in order")
        shapes: dict[str, tuple[int, ...]] = {name: (len(self),) for name in panel.attributes}
        shapes |= {name: (len(self), len(self.periods)) for name in panel.changing}
        if {name: np.shape(codes) for name, codes in self.attributes.items()} != shapes:
            raise ModelError("the panel's attributes are not those of the schema")
        self._check_values()

    def _check_values(self) -> None:
        shape = (len(self), len(self.periods))
        for name, array in self.values.items():
            if array.shape != shape:
                raise ModelError(f"column {name!r} is not of shape (units, periods); give one value for each")
            needed, allowed = self.places(name)
            there = ~np.isnan(array)
            if (there & ~allowed).any() or (needed & ~there).any() or np.isinf(array).any():
                raise ModelError(
                    f"column {name!r} must be finite from entry to exit and missing elsewhere, but for gaps and "
                    "missing values that the schema declares; make it so"
                )

    def places(self, name: str) -> tuple[Flags, Flags]:
        """Return where a column must have a value, and where it may have one, shape (n, T) each."""
        panel, lead = panel_of(self.schema), self.schema.histories[0].name
        if name != lead:
            active = self.active
            return active & (not self.schema.column(name).missing), active
        within = self.within
        if not panel.gaps:
            return within, within
        ends = (self.periods == self.entry[:, None]) | (self.periods == self.exit[:, None])
        return np.asarray(ends), within

    def __len__(self) -> int:
        """Count the units, which is public."""
        return len(self.units)

    @property
    def periods(self) -> Integers:
        """Numbers of all periods, shape (T,)."""
        return np.asarray(panel_of(self.schema).periods, dtype=np.int64)

    @property
    def active(self) -> Flags:
        """Whether a unit is active in a period, shape (n, T)."""
        return ~np.isnan(self.values[self.schema.histories[0].name])

    @property
    def within(self) -> Flags:
        """Whether a period lies between entry and exit of a unit, shape (n, T)."""
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
            attributes={name: codes[places] for name, codes in self.attributes.items()},
        )

    def of_groups(self, groups: Sequence[int]) -> "PanelData":
        """Keep the units of some groups."""
        return self.take(np.flatnonzero(np.isin(self.group, groups)))

    def of_group(self, group: int) -> "PanelData":
        """Keep the units of one group; there may be none."""
        return self.take(np.flatnonzero(self.group == group))

    @classmethod
    def together(cls, parts: Sequence["PanelData"]) -> "PanelData":
        """Return the units of several panels of one schema, sorted by their identities."""
        one = parts[0]
        entry, exit_, group = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("entry", "exit", "group")
        )
        whole = replace(
            one,
            units=pa.concat_arrays([part.units for part in parts]),
            entry=entry,
            exit=exit_,
            group=group,
            public={name: pa.concat_arrays([part.public[name] for part in parts]) for name in one.public},
            values={name: np.concatenate([part.values[name] for part in parts]) for name in one.values},
            attributes={
                name: np.concatenate([part.attributes[name] for part in parts]) for name in one.attributes
            },
        )
        return whole.take(pa.compute.array_sort_indices(whole.units).to_numpy())


def panel_of(schema: Schema) -> Panel:
    """Return the schema's panel, or raise a SchemaError if it describes a plain table."""
    if schema.panel is None:
        raise SchemaError("the schema has no [panel] section; add one to read a panel, or read it as a table")
    return schema.panel


def _locked(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view
