"""What is wrong with a partitioned table or panel, found by workers before anything is charged.

Workers read every row here, and answer with breaches of the schema, which name no value, and, for a panel, with keyed
hashes of its units (`panel/unit_ids.py`). Nothing of that is released: if there is a breach the run ends without a
charge, and that a run failed is outside of the promise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from quantail.engines.engine import Engine
from quantail.engines.output import group_folder
from quantail.engines.partitions import Partitions, StretchSource
from quantail.errors import DataError
from quantail.frames import Problem, check_table
from quantail.frames.panel import panel_of
from quantail.panel.unit_ids import UnitIds
from quantail.schema import Schema
from quantail.table.rows import GroupKey

MOST_LISTED = 20  # breaches in one message


@dataclass(frozen=True)
class Part:
    """Rows that one worker checks: those of a group, or some of them."""

    name: str  # what to call them in a message: the folder of the group
    place: int  # place of the group among the schema's groups
    source: StretchSource  # the rows


def check_rows(parts: Partitions, engine: Engine) -> None:
    """Raise a DataError unless all rows of a partitioned table fit the schema; one row is one unit."""
    pieces = [Part(part.name, part.place, piece) for part in _groups(parts) for piece in part.source.parts()]
    _all(engine, partial(_row_breaches, parts.schema), pieces, parts)


def check_units(parts: Partitions, engine: Engine, secret: bytes) -> dict[GroupKey, UnitIds]:
    """Raise a DataError unless all groups of a panel fit the schema; return the units of those that have some.

    Whether a unit is in two of them is found when they are paid for (`PanelSynthesizer.pay`).
    """
    groups = [part for part in _groups(parts) if part.source.rows]
    if not groups:
        raise DataError(f"{parts.folder} holds no units; name the folder of a partitioned panel")
    found = _all(engine, partial(_unit_breaches, parts.schema, secret), groups, parts)
    keys = list(parts.files)
    return {keys[part.place]: ids for part, ids in zip(groups, found, strict=True)}


def units_of(table: pa.Table, schema: Schema, part: Part, secret: bytes) -> UnitIds:
    """Return the units of a group that fits the schema."""
    ids = UnitIds.of(part.name, table, panel_of(schema).unit, {}, secret)
    return replace(ids, groups={part.place: len(ids.hashes)})


def _groups(parts: Partitions) -> list[Part]:
    return [
        Part(str(group_folder(key, parts.schema)), place, parts.source((key,)))
        for place, key in enumerate(parts.files)
    ]


def _all(
    engine: Engine,
    check: Callable[[Part], list[Problem] | UnitIds | None],
    pieces: Sequence[Part],
    parts: Partitions,
) -> list[Any]:
    """Have all pieces checked; return what was found if nothing is wrong with any of them."""
    found = dict(engine.each(check, pieces))
    breaches = dict.fromkeys(
        f"- {pieces[place].name}: {problem}"
        for place in sorted(found)
        if isinstance(found[place], list)
        for problem in found[place]
    )
    if breaches:
        more = ["- ..."] if len(breaches) > MOST_LISTED else []
        listed = "\n".join([*list(breaches)[:MOST_LISTED], *more])
        raise DataError(f"{parts.folder} does not fit its schema; nothing was charged\n{listed}")
    return [found[place] for place in range(len(pieces))]


def _row_breaches(schema: Schema, part: Part) -> list[Problem]:
    found = dict[Problem, None]()
    for table in part.source.chunks():
        found |= dict.fromkeys(check_table(table, schema))
    return list(found)


def _unit_breaches(schema: Schema, secret: bytes, part: Part) -> list[Problem] | UnitIds:
    table = part.source.read()
    return check_table(table, schema) or units_of(table, schema, part, secret)
