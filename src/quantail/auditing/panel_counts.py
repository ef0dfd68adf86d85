"""Panels known by counts: how far the whole history of one unit can move each table.

Tables are sums over units, so the records of one unit suffice: every life (entry and exit) and all pairs of histories
on a small lattice of values. If lives are public, histories of the same life are compared; if they are not, those of
all lives, with gaps; under add/remove each with none. A table released with sensitivity S and epsilon 1 has
log-ratios of at most L1 / S.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.auditing.findings import Finding
from quantail.panel.absence import gap_table, missing_table
from quantail.panel.attributes import KINDS, unit_kinds
from quantail.panel.borrowing import life_kinds, stay_table
from quantail.panel.changing import change_table
from quantail.panel.lives import LifeCells
from quantail.panel.place import mean_table, unit_means, window_counts, windows
from quantail.panel.scale import PanelScale
from quantail.panel.tables import (
    LATTICE,
    PairCells,
    Track,
    age_splines,
    excess_table,
    follower_table,
    growth_table,
    lag_pairs,
    level,
    pair_table,
    sensitivity_of,
    size_splines,
    size_table,
    spline_table,
    sum_points,
    sum_table,
    trend_points,
    unchanged_table,
    year_table,
)
from quantail.panel.tuning import RATIO_WINDOW, WINDOW
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import cells_touched
from quantail.privacy.gate import Relation
from quantail.schema import Column

Tables = dict[str, Integers]
Measure = Callable[[UnitPeriods, Floats], Tables]

PERIODS = 3
VALUES = (0.0, 1.0, 3.0, 1999.0, 2000.0)
BOTH = ((0.0, 0.0), (0.0, 3.0), (1.0, 2000.0), (1.0, 0.0), (2000.0, 1.0), (2000.0, 2000.0))
CASES: dict[str, tuple[Relation, bool]] = {
    "partial": ("replace-one", True),
    "full": ("replace-one", False),
    "full, add/remove": ("add-remove", False),
}
"""What neighbours are, and whether lives are public."""
SCALE = PanelScale.of(Column("emp", "integer", 0, 2000))
_CELLS = PairCells.of(np.array([1.0, 2.0, 4.0]), 1.0)
_RATIOS = np.linspace(-9.0, 9.0, 19)


def lead_tables(unit_periods: UnitPeriods, line: Floats) -> Tables:
    """Return all tables of a leading column, with centres between the values of the lattice."""
    track = SCALE.track(line)
    levels = level(track, 1.6, 0.7)
    return {
        "sizes": size_table(unit_periods, track, np.array(SCALE.edges)),
        "pairs": pair_table(lag_pairs(unit_periods), track, _CELLS),
        "years": year_table(unit_periods, levels),
        "splines": spline_table(unit_periods, levels, age_splines(unit_periods)),
        "tails": excess_table(unit_periods, track, 1.6, 0.7),
        "sums": sum_table(line, 40.0, sum_points(unit_periods)),
        "trends": sum_table(line, 40.0, trend_points(unit_periods)),
        "unchanged": unchanged_table(unit_periods, track),
        "growth": growth_table(unit_periods, track, 0.8),
    }


def place_tables(unit_periods: UnitPeriods, line: Floats) -> Tables:
    """Return the counts of windows, each by itself, and the sum of bounded means."""
    means, tables = unit_means(unit_periods, SCALE.track(line)), dict[str, Integers]()
    for width in (WINDOW, RATIO_WINDOW):
        counts = window_counts(means, windows(SCALE.edges[0], SCALE.edges[-1], width), width)
        tables |= {f"window {place} of {width:g}": counts[[place]] for place in range(counts.size)}
    return {"mean": mean_table(means, 4.0)} | tables


def follower_tables(unit_periods: UnitPeriods, line: Floats) -> Tables:
    """Return the tables of a following column that depend on both; a value is (lead, follower)."""
    lead, own = SCALE.track(line[:, 0]), SCALE.track(line[:, 1])
    ratio = Track(own.size - lead.size, lead.idle | own.idle)
    splines = size_splines(lead, np.array([0.5, 1.5, 4.0]))
    return {
        "sizes": follower_table(unit_periods, lead.idle, own, ratio, _RATIOS, _RATIOS),
        "splines": spline_table(unit_periods, level(ratio, 0.0, 1.0), splines),
    }


def lives() -> list[tuple[int, int]]:
    """Return every entry and exit."""
    return [(first, last) for first in range(PERIODS) for last in range(first, PERIODS)]


def records(measure: Measure, values: Sequence[Any], gaps: bool) -> list[list[Tables]]:
    """Return the tables of every record of one unit, by life; with gaps, it may be away between entry and exit."""
    found = []
    for first, last in lives():
        line, own = UnitPeriods.of(np.array([first]), np.array([last]), PERIODS), []
        for away in product((False, True), repeat=max(len(line) - 2, 0) if gaps else 0):
            there = line.without(np.array([False, *away, False])) if any(away) else line
            own += [measure(there, np.array(one)) for one in product(values, repeat=len(line))]
        found.append(own)
    return found


def farthest(
    measure: Measure, values: Sequence[Any] = VALUES, case: str = "partial"
) -> tuple[dict[str, int], int]:
    """Return the largest L1 distance of each table between records that neighbours may have, and how many pairs."""
    relation, lives_are_public = CASES[case]
    by_life = records(measure, values, gaps=not lives_are_public)
    parts = by_life if lives_are_public else [[tables for own in by_life for tables in own]]
    largest: dict[str, int] = {}
    pairs = 0
    for made in parts:
        pairs += len(made) if relation == "add-remove" else len(made) * (len(made) - 1) // 2
        for name in made[0]:
            rows = np.unique([tables[name].ravel() for tables in made], axis=0)
            base = np.zeros_like(rows[:1]) if relation == "add-remove" else rows
            moved = max(int(np.abs(rows - row).sum(axis=1).max()) for row in base)
            largest[name] = max(largest.get(name, 0), moved)
    return largest, pairs


def absence_tables(unit_periods: UnitPeriods, line: Floats) -> Tables:
    """Return the tables of gaps and of missing values; a value of 0 stands for a missing one."""
    away = unit_periods.without(~unit_periods.there)
    return {"gaps": gap_table(away), "missing": missing_table(unit_periods, (line == 0) & unit_periods.there)}


def change_tables(unit_periods: UnitPeriods, line: Floats) -> Tables:
    """Return the table of a category that may change; a value is its code."""
    return {"changes": change_table(unit_periods, line.astype(np.int64), 3)}


def life_tables(unit_periods: UnitPeriods, line: Floats) -> Tables:
    """Return the tables of lives, and of an attribute by kinds of units; a value is (size, category)."""
    cells, first = LifeCells(PERIODS), unit_periods.first
    last = first + unit_periods.length - 1
    kinds = unit_kinds(unit_periods, SCALE.track(line[:, 0]), np.array([1.0, 4.0]))
    counts = np.bincount(2 * kinds + line[:1, 1].astype(np.int64), minlength=2 * KINDS)
    own = {"lives": life_kinds(first, last, PERIODS), "stays": stay_table(first, last, PERIODS)}
    tables = {"entries": cells.entries, "exits": cells.exits, "durations": cells.durations}
    return {"attribute": counts} | own | {name: table(first, last) for name, table in tables.items()}


def sensitivity(name: str, case: str) -> int:
    """Return the declared sensitivity of a table."""
    relation, lives_are_public = CASES[case]
    if name.startswith("window"):
        return 1
    if name in ("entries", "exits", "durations", "attribute", "lives"):
        return cells_touched(relation)
    if name == "stays":
        return LATTICE
    return sensitivity_of(name, relation, lives_are_public)


def panel_count_findings() -> Iterator[Finding]:
    """Yield the exact check of every table of a panel, and of a whole pooled fit."""
    for case, (relation, lives_are_public) in CASES.items():
        measured = MEASURED[:3] if lives_are_public else MEASURED
        for name, measure, values in measured:
            largest, pairs = farthest(measure, values, case)
            for word, distance in largest.items():
                note = f"{len(values)} kinds of values, every life within {PERIODS} periods"
                figure = distance / sensitivity(word, case)
                yield found(f"panel, {case}, {name}: {word}", figure, pairs, note, relation)


MEASURED: tuple[tuple[str, Measure, Sequence[Any]], ...] = (
    ("lead", lead_tables, VALUES),
    ("follower", follower_tables, BOTH),
    ("place", place_tables, VALUES),
    ("absence", absence_tables, (0.0, 1.0)),
    ("units", life_tables, ((0.0, 0.0), (2.0, 1.0), (2000.0, 0.0))),
    ("changing", change_tables, (0.0, 1.0, 2.0)),
)


def found(name: str, figure: float, pairs: int, note: str, relation: Relation) -> Finding:
    """Return a finding of loss against a budget of 1."""
    return Finding("exact", name, relation, figure, 1.0, pairs, "pairs", figure <= 1.0, note)
