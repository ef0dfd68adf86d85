"""The public side of a panel: who its units are, when they are active, and their public columns.

A synthetic panel keeps all of it (partial synthesis), so a released model carries it along. In a saved model it is
an Arrow table, compressed and written as base64 text: identities sorted, all in the types of a release.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.errors import ModelError
from quantail.frames import PanelData
from quantail.panel.unit_periods import UnitPeriods
from quantail.schema import Schema

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_RESERVED = ("unit", "entry", "exit", "group")


@dataclass(frozen=True, eq=False)
class PanelUnits:
    """Units of a panel and everything public about them, in public order.

    Attributes
    ----------
    schema : Schema
        What is public about the panel.
    units : pyarrow.Array
        Identities.
    entry, exit, group : int64 arrays
        First and last active period, and place of the group.
    public : mapping of str to pyarrow.Array
        Public columns.
    """

    schema: Schema
    units: pa.Array
    entry: Integers
    exit: Integers
    group: Integers
    public: Mapping[str, pa.Array]

    @classmethod
    def of(cls, data: PanelData) -> "PanelUnits":
        """Keep the public side of a panel."""
        return cls(data.schema, data.units, data.entry, data.exit, data.group, data.public)

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
        """The line of active unit-periods."""
        panel = self.schema.panel
        assert panel is not None
        return UnitPeriods.of(self.entry - panel.start, self.exit - panel.start, len(panel.periods))

    def filled(self, values: Mapping[str, Floats]) -> PanelData:
        """Return a panel with these confidential values."""
        return PanelData(self.schema, self.units, self.entry, self.exit, self.group, self.public, values)

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
