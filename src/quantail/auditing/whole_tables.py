"""End to end: whole fits of made-up tables, replayed on neighbours with an extreme or a missing row.

Budgets are large, because only then does a fit ask every kind of question there is; the log-ratio of every leaf is
compared with the leaf's own cost, so the claim is as sharp as at a small budget.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.auditing.findings import Finding
from quantail.auditing.replay import Replay, replay, replays_finding
from quantail.auditing.rich_table import RICH_EXTREME, rich_frame, rich_schema
from quantail.privacy import Relation
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

ROWS = 240
EXTREME = {"region": "south", "jobs": 100_000.0, "trade": "mill", "balance": -1e6, "age": 12}

Frame = dict[str, list[Any]]


def schema_of(relation: Relation, by: tuple[str, ...] = (), numbers_only: bool = False) -> Schema:
    """Return a schema with every kind of column: categories, a log grid, a log grid around zero, few values."""
    columns: tuple[Column, ...] = (
        Column("region", "category", categories=("north", "south")),
        Column("jobs", "integer", 0, 100_000, grid="log"),
        Column("trade", "category", categories=("farm", "shop", "mill")),
        Column("balance", "numeric", -1e6, 1e6, grid="log", resolution=100.0),  # coarse: dither matters
        Column("age", "integer", 0, 12, predictors=()),
    )
    if numbers_only:
        columns = (columns[1], columns[3])
    return Schema(columns, unit="firm", neighbours=relation, by=by)


def frame_of(seed: int, rows: int = ROWS) -> Frame:
    """Return a made-up table."""
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 2, rows)
    jobs = np.floor(np.exp(rng.normal(3 + region, 1, rows)))
    return {
        "region": np.array(["north", "south"])[region].tolist(),
        "jobs": jobs.tolist(),
        "trade": np.array(["farm", "shop", "mill"])[rng.integers(0, 3, rows)].tolist(),
        "balance": np.round(jobs * rng.normal(3, 9, rows), -2).tolist(),
        "age": rng.integers(0, 13, rows).tolist(),
    }


def neighbour_of(frame: Frame, row: int, relation: str, extreme: Mapping[str, Any] = EXTREME) -> Frame:
    """Return the table with one row made extreme in the columns that `extreme` holds, or without it."""
    changed = {name: list(values) for name, values in frame.items()}
    for name, values in changed.items():
        if relation != "replace-one":
            del values[row]
        elif name in extreme:
            values[row] = extreme[name]
    return changed


@dataclass(frozen=True)
class WholeFit:
    """A way to fit the made-up table."""

    name: str
    epsilon: int
    method: str = "tables"
    options: dict[str, Any] = field(default_factory=dict)
    rich: bool = False

    def synthesizer(self, relation: Relation) -> TableSynthesizer:
        """Return the synthesizer."""
        plain = schema_of(relation, numbers_only=self.method != "tables")
        schema = rich_schema(relation) if self.rich else plain
        return TableSynthesizer(schema, self.epsilon, method=self.method, **self.options)


# Together these ask every kind of question: quantiles, slopes in one stage and two, counts, choices, sums of tails.
FITS = (
    WholeFit("tables, rounds", 60),
    WholeFit("tables, slopes in two stages", 140),
    WholeFit("tables, rich columns in groups", 60, rich=True),
    *(
        WholeFit(f"{order}, {slopes} slopes", 4, order, {"slopes": slopes, "taus": [0.5, 0.6, 0.95]})
        for order in ("kng", "stepwise", "sandwich")
        for slopes in ("fixed", "varying")
    ),
)


def replay_finding(fit: WholeFit, relation: Relation, repeats: int) -> Finding:
    """Replay a fit for several tables and rows, and say how far any leaf went."""
    replays = (_replay(fit, relation, repeat) for repeat in range(repeats))
    return replays_finding(f"whole table, {fit.name}", relation, replays, float(fit.epsilon))


def _replay(fit: WholeFit, relation: Relation, repeat: int) -> Replay:
    synthesizer = fit.synthesizer(relation)
    row = (17, 0, ROWS - 1)[repeat] if repeat < 3 else (37 * repeat) % ROWS
    frame = rich_frame(4 + repeat, ROWS) if fit.rich else frame_of(4 + repeat)
    neighbour = neighbour_of(frame, row, relation, RICH_EXTREME if fit.rich else EXTREME)
    first, second = (
        pa.table({name: part[name] for name in synthesizer.schema.names}) for part in (frame, neighbour)
    )
    place = row // 2 if fit.rich else row  # in its group
    removed = place if relation == "add-remove" else None
    return replay(synthesizer, first, second, row, removed)


def replay_findings(repeats: int) -> Iterator[Finding]:
    """Yield the end-to-end check of every method, under both relations."""
    relations: tuple[Relation, ...] = ("replace-one", "add-remove")
    for fit in FITS:
        for relation in relations:
            yield replay_finding(fit, relation, repeats)
