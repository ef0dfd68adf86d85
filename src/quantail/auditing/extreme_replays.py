"""Whole fits replayed with answers that an adversary would want, on neighbours and on tables far apart.

Typical answers take typical ways through a fit. Here every list ends at its first candidate, at its last or at the
least likely one, and counts come out huge or negative. What is asked and released may follow from answers alone: with
the same answers it must be the same for *any* two tables that agree in what is public, not for neighbours only.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.auditing.findings import Finding
from quantail.auditing.replay import Answers, Replay, Synthesizer, replay, replays_finding
from quantail.auditing.rich_table import RICH_EXTREME, rich_frame, rich_schema
from quantail.auditing.whole_panels import FITS as PANEL_FITS
from quantail.auditing.whole_panels import SCHEMA as PANEL
from quantail.auditing.whole_panels import panel_of
from quantail.auditing.whole_tables import EXTREME, frame_of, neighbour_of, schema_of
from quantail.panel import PanelSynthesizer
from quantail.privacy import Relation
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

ROWS = 80
HUGE = 10**5  # rows; with many more, the log-ratio of one row would drown in rounding
EXTREMES = (
    Answers(3),
    Answers(4, "first", HUGE),
    Answers(5, "last", -HUGE),
    Answers(6, "least", 0),
)
"""Typical answers, the ends of every list, the least likely candidate, absurd counts."""

_WIDE = tuple(Column(f"x{k}", "integer", 0, 1000, predictors=()) for k in range(10))


@dataclass(frozen=True)
class Pair:
    """Two tables to be replayed: neighbours, or tables far apart."""

    first: Any
    second: Any
    removed: int | None = None  # the place of the row that the second lacks
    # the tables are not neighbours, so the privacy loss of answers is not compared with a leaf's cost
    far: bool = False

    def replayed(self, synthesizer: Synthesizer, answers: Answers, settings: Any = None) -> Replay:
        """Replay a fit."""
        found = replay(synthesizer, self.first, self.second, answers, self.removed, settings)
        return replace(found, losses=dict.fromkeys(found.losses, 0.0)) if self.far else found


def extreme_finding(name: str, relation: str, synthesizer: Synthesizer, pairs: tuple[Pair, Pair]) -> Finding:
    """Replay a fit on neighbours and on tables far apart, each with two kinds of extreme answers."""
    _, first, last, least = EXTREMES
    turns = zip((0, 0, 1, 1), (first, last, least, first), strict=True)
    replays = (pairs[place].replayed(synthesizer, answers) for place, answers in turns)
    return replays_finding(name, relation, replays)


def table_cases(relation: Relation) -> Iterator[tuple[str, TableSynthesizer, tuple[Pair, Pair]]]:
    """Yield ways to fit a table, with pairs of tables."""
    frames = (rich_frame(4, ROWS), rich_frame(9, ROWS), RICH_EXTREME)
    rich = rich_schema(relation)
    yield "tables, rich columns in groups", TableSynthesizer(rich, 120), _pairs(relation, rich, *frames)
    wide = Schema(
        (*_WIDE, *schema_of(relation).columns[:1], Column("z", "integer", 0, 1000)), "row", relation
    )
    yield "tables, wide", TableSynthesizer(wide, 200), _pairs(relation, wide, _wide(1), _wide(2), {"z": 1000})
    frames = (frame_of(4, ROWS), frame_of(9, ROWS), EXTREME)
    options = {"taus": [0.5, 0.6, 0.95], "slopes": "varying"}
    for order in ("kng", "stepwise", "sandwich"):
        numbers = schema_of(relation, numbers_only=True)
        synthesizer = TableSynthesizer(numbers, 4, method=order, **options)  # type: ignore[arg-type]
        yield order, synthesizer, _pairs(relation, numbers, *frames)


def extreme_findings() -> Iterator[Finding]:
    """Yield the check of every method with extreme answers."""
    relations: tuple[Relation, ...] = ("replace-one", "add-remove")
    for relation in relations:
        for name, synthesizer, pairs in table_cases(relation):
            yield extreme_finding(f"extreme answers, {name}", relation, synthesizer, pairs)
    for name, panel in panel_cases():
        pairs, relation = panel_pairs(panel.schema), panel.schema.neighbours
        yield extreme_finding(f"extreme answers, panel, {name}", relation, panel, pairs)


def panel_cases() -> Iterator[tuple[str, PanelSynthesizer]]:
    """Yield ways to fit a panel: under both relations where nothing of a unit is copied."""
    for name, (schema, method, options) in PANEL_FITS.items():
        if "fixed" not in name:
            yield name, PanelSynthesizer(schema, 1, method=method, **options)
        if schema.panel is not None and schema.panel.is_full:
            yield (
                name,
                PanelSynthesizer(replace(schema, neighbours="add-remove"), 1, method=method, **options),
            )


def panel_pairs(schema: Schema = PANEL) -> tuple[Pair, Pair]:
    """Return panels in which one history is another, or is missing, and panels in which all are."""
    one, neighbour, apart = (
        panel_of(seed, extreme, schema) for seed, extreme in ((1, None), (1, 7), (2, None))
    )
    if schema.neighbours == "add-remove":  # of the second a unit is left, so that one group has none
        return Pair(one, one.slice(1)), Pair(one, apart.slice(0, 1), far=True)
    return Pair(one, neighbour), Pair(one, apart, far=True)


def _wide(seed: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 2, ROWS)
    numbers = {f"x{k}": rng.integers(0, 500, ROWS) + 100 * k * region % 500 for k in range(10)}
    made = {name: values.tolist() for name, values in numbers.items()}
    z = (numbers["x1"] + 200 * region).tolist()
    return made | {"region": np.array(["north", "south"])[region].tolist(), "z": z}


def _pairs(
    relation: Relation, schema: Schema, frame: dict[str, list[Any]], other: dict[str, list[Any]], extreme: Any
) -> tuple[Pair, Pair]:
    made = (frame, neighbour_of(frame, 0, relation, extreme), other)
    whole, neighbour, apart = (pa.table({name: part[name] for name in schema.names}) for part in made)
    removed = 0 if relation == "add-remove" else None
    apart = apart if removed is None else apart.slice(0, ROWS // 2)
    return Pair(whole, neighbour, removed), Pair(whole, apart, far=True)
