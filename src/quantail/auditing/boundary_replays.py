"""Whole fits replayed at the boundaries of public rules, with answers that an adversary would want.

Neighbours have n and n - 1 rows, with the threshold of a rule between them; the released number of rows is put on
either side of it. Other pairs have quite different sizes: what is asked and released may follow from answers alone, so
it must be the same for *any* two tables, however far apart. Groups are replayed at every merge, and secret parts of the
rows where they begin.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.auditing.boundaries import ROWS, TABLES, Boundary, boundaries, quick
from quantail.auditing.extreme_replays import EXTREMES, Pair
from quantail.auditing.findings import Finding
from quantail.auditing.replay import Replay, replays_finding
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

FAR = (0, 4 * ROWS)

LEAST = 20  # rows below which groups are merged
_GROUPS = Schema(
    (Column("g", "category", categories=("a", "b", "c")), Column("x", "numeric", 0, 100)),
    "row",
    "add-remove",
    by=("g",),
    merge_below=LEAST,
)
MERGES = (
    (LEAST, 40, 40),  # none, unless the true size of the first group counts
    (LEAST - 1, 40, 40),  # too few together: the smallest of the others joins
    (LEAST - 1, 1, 40),  # two together
    (LEAST - 1, 5, LEAST - 1),  # all
)
PART = ROWS - 1  # rows of a secret part: one less than the larger neighbour has
_COINS = (PART / (ROWS - 0.5), 0.0)  # kept at a rate of PART / (ROWS - 1), not at PART / ROWS


def table_of(schema: Schema, rows: int, seed: int = 2) -> pa.Table:
    """Return a made-up table; its first row is extreme."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 3, rows)
    made: dict[str, Any] = {}
    for column in schema.columns:
        if column.categories:
            made[column.name] = np.array(column.categories)[base % len(column.categories)].tolist()
            continue
        assert column.lower is not None and column.upper is not None
        values = np.clip(
            np.floor(column.upper * (0.1 + 0.2 * base + 0.1 * rng.random(rows))), 0, column.upper
        )
        values[:1] = column.upper
        made[column.name] = [
            None if column.missing and k % 3 == 1 else v for k, v in enumerate(values.tolist())
        ]
    return pa.table(
        made,
        pa.schema([(name, pa.string() if schema.column(name).categories else pa.float64()) for name in made]),
    )


def pairs_of(schema: Schema, rows: int = ROWS) -> tuple[Pair, ...]:
    """Return neighbours, and tables far apart."""
    whole = table_of(schema, rows)
    return (
        Pair(whole, whole.slice(1), removed=0),
        *(Pair(whole, table_of(schema, size, 5), far=True) for size in FAR),
    )


def boundary_finding(boundary: Boundary, repeats: int) -> Finding:
    """Replay a fit on both sides of a threshold, by turns with all kinds of answers."""
    turns = cycle(EXTREMES)

    def replays() -> Iterator[Replay]:
        for released in (ROWS - 1, ROWS):
            synthesizer = boundary.synthesizer(boundary.epsilon(released))
            for pair in pairs_of(synthesizer.schema):
                for answers in islice(turns, repeats):
                    yield pair.replayed(synthesizer, replace(answers, rows=(released,)), quick())

    return replays_finding(f"boundary: {boundary.name}", "add-remove", replays())


def merge_finding(sizes: tuple[int, ...], repeats: int) -> Finding:
    """Replay groups whose released sizes are these; the true size of the first one is at the threshold."""
    true = (LEAST, 40, 40)
    whole = table_of(_GROUPS, sum(true)).set_column(
        0, "g", [[g for g, n in zip("abc", true, strict=True) for _ in range(n)]]
    )
    synthesizer = TableSynthesizer(_GROUPS, 30)
    pairs = (
        Pair(whole, whole.slice(1), removed=0),
        Pair(whole, whole.slice(0, 3), far=True),
        Pair(whole, whole.slice(25), far=True),
    )
    replays = (
        pair.replayed(synthesizer, replace(answers, rows=sizes), quick())
        for pair in pairs
        for answers in islice(cycle(EXTREMES), repeats)
    )
    return replays_finding(f"boundary: merge of {sizes} rows", "add-remove", replays)


def part_finding(released: int, repeats: int) -> Finding:
    """Replay slopes on secret parts of the rows, with coins where a rate by the true number would show."""

    def replays() -> Iterator[Replay]:
        for epsilon in (60, 200):  # one stage, and two
            synthesizer = TableSynthesizer(TABLES["numbers"], epsilon)
            for pair in pairs_of(synthesizer.schema):
                for answers in islice(cycle(EXTREMES), repeats):
                    told = replace(answers, rows=(released,), numbers=_COINS)
                    yield pair.replayed(synthesizer, told, quick(PART))

    return replays_finding(f"boundary: secret part, {released} rows released", "add-remove", replays())


def boundary_findings(repeats: int) -> Iterator[Finding]:
    """Yield the check of every boundary."""
    yield from (boundary_finding(boundary, repeats) for boundary in boundaries())
    yield from (merge_finding(sizes, repeats) for sizes in MERGES)
    yield from (part_finding(released, repeats) for released in (PART, PART + 1, 2 * ROWS))
