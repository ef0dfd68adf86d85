"""The part of a panel that a plan is tried on: its smallest group, with those that it borrows from.

Groups that do not borrow are released by themselves, so one of them is enough. Groups that borrow from each other
(`quantail.panel.borrowing`) are made up and released together, and errors are those of the smallest.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quantail.errors import OptionError
from quantail.frames.panel import panel_of
from quantail.panel.borrowing import borrowing_groups
from quantail.panel.units import group_labels
from quantail.planning.band import check_number
from quantail.planning.made_up_panels import simulate_panel
from quantail.planning.shapes import Shape
from quantail.planning.tuning import FEWEST_UNITS, GROUP_LEVEL
from quantail.release.progress import Progress
from quantail.schema import Schema

_Errors = TypeVar("_Errors")


@dataclass(frozen=True)
class PanelTrial:
    """Groups that are made up and released together, by their labels; one without a name if it stands alone."""

    schema: Schema
    sizes: Mapping[tuple[str, ...], int]

    @classmethod
    def of(cls, schema: Schema, units: int | Mapping[Any, int], epsilon: Fraction) -> "PanelTrial":
        """Find the smallest group and those that it borrows from; units are given in all, or for every group."""
        if schema.panel is None:
            raise OptionError("the schema has no [panel] section; errors of tables are stated by `expect`")
        labels = group_labels(schema)
        sizes = list(units.values()) if isinstance(units, Mapping) else [units // len(labels)] * len(labels)
        if min(sizes) < FEWEST_UNITS or len(schema.panel.periods) < 2:
            raise OptionError(
                f"errors can be stated for panels of at least two periods with at least {FEWEST_UNITS} units in every "
                "group"
            )
        small = borrowing_groups(schema, dict(enumerate(sizes)), epsilon)
        if small:
            return cls(schema, {labels[group]: sizes[group] for group in small})
        return cls(cls(schema, {}).one, {(): min(sizes)})

    @property
    def smallest(self) -> tuple[str, ...]:
        """Labels of the group whose errors are stated."""
        return min(self.sizes, key=lambda labels: self.sizes[labels])

    @property
    def one(self) -> Schema:
        """The schema of one group."""
        kept = tuple(column for column in self.schema.columns if column.name not in self.schema.by)
        return replace(self.schema, columns=kept, by=())

    def simulate(self, shape: Shape, rng: np.random.Generator) -> pa.Table:
        """Make up all groups; where there are several, their sizes lie apart."""
        if len(self.sizes) == 1:
            return simulate_panel(self.schema, self.sizes[self.smallest], shape, rng)
        unit, before, parts = panel_of(self.schema).unit, 0, []
        for labels, size in self.sizes.items():
            level = float(np.exp(GROUP_LEVEL * rng.standard_normal()))
            table = simulate_panel(self.one, size, shape, rng, level)
            ids = pc.add(table[unit], before)
            table = table.set_column(table.column_names.index(unit), unit, ids)
            for name, label in zip(self.schema.by, labels, strict=True):
                table = table.append_column(name, pa.array([label] * table.num_rows))
            parts.append(table)
            before += size
        return pa.concat_tables(parts)

    def of_smallest(self, table: pa.Table) -> pa.Table:
        """Return the rows of the smallest group."""
        for name, label in zip(self.schema.by, self.smallest, strict=False):
            table = table.filter(pc.equal(table[name].cast(pa.string()), label))
        return table


def tried(
    try_out: Callable[[tuple[int, int]], _Errors], panels: int, seed: int, progress: Progress | None
) -> list[_Errors]:
    """Try a plan out on made-up panels, one after another; each has a seed of its own."""
    check_number(panels, "panels")
    found = []
    for number in range(panels):
        if progress is not None:
            progress(f"panel {number + 1}", number / panels)
        found.append(try_out((seed, number)))
    return found
