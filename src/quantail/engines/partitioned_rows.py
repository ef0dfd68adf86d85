"""The rows of a group that is larger than any worker's memory: whole numbers from many parts, added up by the driver.

The driver holds the gate and asks; workers read their parts and answer with totals, or with their rows of a secret
sample. No worker draws noise, and what it answers depends on the question and its part alone: asked again after a
loss, or twice, it answers the same.
"""

from functools import partial, reduce
from typing import Any

import numpy as np

from quantail.curves import Rows
from quantail.curves.rows import Ask, Join
from quantail.engines.engine import Engine
from quantail.engines.partitions import StretchSource
from quantail.schema import Schema
from quantail.table.rows import StreamedRows


class PartitionedRows(Rows):
    """Rows that an engine's workers read part by part: totals and secret parts come together, never a column."""

    def __init__(self, engine: Engine, source: StretchSource, schema: Schema) -> None:
        self._engine, self._schema, self.size = engine, schema, source.rows or 0
        parts = source.parts()
        starts = np.cumsum([0, *(part.rows or 0 for part in parts[:-1])]).tolist()
        self._parts: list[tuple[int, StretchSource]] = list(zip(starts, parts, strict=True))

    def combine(self, ask: Ask, join: Join) -> Any:
        """Ask all parts where they are read, and join the answers here."""
        found = dict(self._engine.each(partial(_ask, self._schema, ask, join), self._parts))
        return reduce(join, (found[place] for place in sorted(found)))

    def __getstate__(self) -> dict[str, Any]:
        """Leave the engine behind: vectors travel to workers, which have no need of it."""
        return {"size": self.size}


def _ask(schema: Schema, ask: Ask, join: Join, part: tuple[int, StretchSource]) -> Any:
    start, source = part
    return StreamedRows(source, schema, source.rows or 0, start=start).combine(ask, join)
