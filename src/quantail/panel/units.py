"""The units of a released panel: who they are, from when to when, and the columns that say their group.

Under partial synthesis they are those of the real panel, which are public; under full synthesis a synthetic skeleton
with ids of its own. Either way a released model carries them along: as an Arrow table, compressed and written as
base64 text, identities sorted, all in the types of a release.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
import pyarrow as pa

from quantail.arrays import Floats, Integers
from quantail.errors import ModelError
from quantail.frames import PanelData
from quantail.frames.panel import panel_of
from quantail.frames.release import stored
from quantail.panel.unit_periods import UnitPeriods
from quantail.schema import Schema

_RESERVED = ("unit", "entry", "exit", "group")


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a method draws for given units."""

    # histories, NaN where a unit is not active or a value is missing, shape (n, T)
    values: Mapping[str, Floats]
    # codes of categories, shape (n,) or, if they may change, (n, T)
    attributes: Mapping[str, Integers] = field(default_factory=dict)

    @classmethod
    def empty(cls, schema: Schema, units: int) -> "Drawn":
        """Return arrays to be filled."""
        periods = len(panel_of(schema).periods)
        values = {column.name: np.full((units, periods), np.nan) for column in schema.histories}
        codes = {name: np.zeros(units, dtype=np.int64) for name in panel_of(schema).attributes}
        for name in panel_of(schema).changing:
            codes[name] = np.full((units, periods), len(schema.column(name).categories), dtype=np.int64)
        return cls(values, codes)

    def put(self, places: Integers, part: "Drawn") -> None:
        """Fill in a part of the units."""
        for name, array in part.values.items():
            np.asarray(self.values[name])[places] = array
        for name, codes in part.attributes.items():
            np.asarray(self.attributes[name])[places] = codes


def group_labels(schema: Schema) -> list[tuple[str, ...]]:
    """Return the labels of every group that the schema allows; one nameless group without any."""
    return list(product(*(schema.column(name).categories for name in schema.by)))


def group_names(schema: Schema) -> list[str]:
    """Return the name of every group in a plan; the panel's own where it has no groups."""
    return [", ".join(labels) or schema.name or "panel" for labels in group_labels(schema)]


@dataclass(frozen=True, eq=False)
class PanelUnits:
    """Units of a panel and what is known about them, in public order."""

    schema: Schema  # what is public about the panel
    units: pa.Array  # identities
    # entry, exit, group: first and last active period, and place of the group
    entry: Integers
    exit: Integers
    group: Integers
    public: Mapping[str, pa.Array]  # public columns, those of groups included

    @classmethod
    def of(cls, data: PanelData) -> "PanelUnits":
        """Keep the public side of a panel (partial synthesis)."""
        return cls(data.schema, data.units, data.entry, data.exit, data.group, data.public)

    @classmethod
    def made_up(cls, schema: Schema, group: int, first: Integers, last: Integers) -> "PanelUnits":
        """Return new units of one group with given places of entry and exit.

        Number k of group g among G has the id k G + g + 1, so that groups fitted in different places never share one.
        """
        start, labels = panel_of(schema).first, group_labels(schema)
        ids = cls.new_ids(schema, group, first.size)
        public = {
            name: stored(
                np.full(first.size, schema.column(name).categories.index(label)), schema.column(name)
            )
            for name, label in zip(schema.by, labels[group], strict=True)
        }
        return cls(schema, ids, start + first, start + last, np.full(first.size, group), public)

    @staticmethod
    def new_ids(schema: Schema, group: int, number: int, taken: pa.Array | None = None) -> pa.Array:
        """Return ids of new units of a group, above those that are taken."""
        groups = len(group_labels(schema))
        after = 0 if taken is None or not len(taken) else (int(np.max(taken)) - 1) // groups + 1
        return pa.array((after + np.arange(number)) * groups + group + 1)

    @classmethod
    def together(cls, parts: Sequence["PanelUnits"]) -> "PanelUnits":
        """Return the units of several groups, sorted by their identities."""
        units, entry, exit_, group = (
            np.concatenate([np.asarray(getattr(part, name)) for part in parts])
            for name in ("units", "entry", "exit", "group")
        )
        names = parts[0].public
        public = {name: pa.concat_arrays([part.public[name] for part in parts]) for name in names}
        whole = cls(parts[0].schema, pa.array(units), entry, exit_, group, public)
        return whole.take(np.argsort(units, kind="stable"))

    def __len__(self) -> int:
        """Count the units."""
        return len(self.units)

    def take(self, places: Integers) -> "PanelUnits":
        """Keep the units at the given places."""
        chosen = pa.array(places)
        public = {name: array.take(chosen) for name, array in self.public.items()}
        entry, exit_, group = (array[places] for array in (self.entry, self.exit, self.group))
        return PanelUnits(self.schema, self.units.take(chosen), entry, exit_, group, public)

    @cached_property
    def unit_periods(self) -> UnitPeriods:
        """The line of unit-periods from entry to exit."""
        panel = panel_of(self.schema)
        return UnitPeriods.of(self.entry - panel.first, self.exit - panel.first, len(panel.periods))

    def filled(self, drawn: "Drawn") -> PanelData:
        """Return a panel with these synthetic values."""
        facts = (self.units, self.entry, self.exit, self.group, self.public)
        return PanelData(self.schema, *facts, drawn.values, drawn.attributes)

    def to_text(self) -> str:
        """Write identities, periods, groups and public columns as base64 text."""
        named = {f"public {name}": array for name, array in self.public.items()}
        arrays = (self.units, pa.array(self.entry), pa.array(self.exit), pa.array(self.group))
        table = pa.table(dict(zip(_RESERVED, arrays, strict=True)) | named)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
            file.write_table(table)
        return base64.b64encode(sink.getvalue().to_pybytes()).decode("ascii")

    @classmethod
    def from_text(cls, text: str, schema: Schema) -> "PanelUnits":
        """Read what `to_text` wrote, or raise a ModelError."""
        try:
            table = pa.ipc.open_file(base64.b64decode(text, validate=True)).read_all().combine_chunks()
            table.validate(full=True)  # a damaged file may point outside its own buffers
            columns = {name: table[name].combine_chunks() for name in table.column_names}
            arrays = [columns[name] for name in _RESERVED]
            years = [array.to_numpy(zero_copy_only=False).astype(np.int64) for array in arrays[1:]]
            names = [column.name for column in schema.columns if column.public]
            public = {name: columns[f"public {name}"] for name in names}
        except (binascii.Error, pa.ArrowException, KeyError, TypeError, ValueError):
            raise ModelError("the model's list of units is damaged; fit again, or get a fresh copy") from None
        return cls(schema, arrays[0], years[0], years[1], years[2], public)
