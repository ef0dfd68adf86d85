"""Panels known by counts: how far the whole history of one unit can move each table, and a whole pooled fit.

Tables are sums over units, so the histories of one unit suffice: every life (entry and exit) and all pairs of histories
on a small lattice of values. A table released with sensitivity S and strength 1 has log-ratios of at most L1 / S.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.auditing.findings import Finding
from quantail.frames import PanelData
from quantail.panel.pooled import fit_pooled, plan_pooled
from quantail.panel.scale import PanelScale
from quantail.panel.tables import (
    GROWTH_SENSITIVITY,
    LATTICE,
    SENSITIVITY,
    PairCells,
    Track,
    age_splines,
    follower_table,
    growth_table,
    level,
    pair_table,
    size_splines,
    size_table,
    spline_table,
    sum_points,
    sum_table,
    trend_points,
    unchanged_table,
    year_table,
)
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import Gate
from quantail.schema import Column, Panel, Schema

Floats = NDArray[np.float64]
Tables = dict[str, NDArray[np.int64]]
Measure = Callable[[UnitPeriods, Floats], Tables]

PERIODS = 3
VALUES = (0.0, 1.0, 3.0, 1999.0, 2000.0)
BOTH = ((0.0, 0.0), (0.0, 3.0), (1.0, 2000.0), (1.0, 0.0), (2000.0, 1.0), (2000.0, 2000.0))
SENSITIVITIES = {
    "sizes": SENSITIVITY,
    "pairs": SENSITIVITY,
    "years": SENSITIVITY,
    "splines": SENSITIVITY,
    "sums": LATTICE,
    "trends": LATTICE,
    "unchanged": LATTICE,
    "growth": GROWTH_SENSITIVITY,
}
SCALE = PanelScale.of(Column("emp", "integer", 0, 2000))
_CELLS = PairCells.of(np.array([1.0, 2.0, 4.0]), 1.0)
_RATIOS = np.linspace(-9.0, 9.0, 19)

# One unit may have any of these histories of (employment, pay), beside two others that stay as they are.
SCHEMA = Schema(
    (Column("emp", "integer", 0, 2000), Column("pay", "numeric", 0, 5000, grid="log", decimals=1)),
    "establishment",
    panel=Panel("id", "first", "last", 2000, 2001),
)
PAIRS = ((0.0, 0.0), (1.0, 5000.0), (40.0, 800.0), (2000.0, 0.0))
OTHERS = (((3.0, 30.0), (4.0, 45.5)), ((0.0, 2.0), (9.0, 80.0)))


def lead_tables(unit_periods: UnitPeriods, line: Floats) -> Tables:
    """Return all tables of a leading column, with centres between the values of the lattice."""
    track = SCALE.track(line)
    levels = level(track, 1.6, 0.7)
    return {
        "sizes": size_table(unit_periods, track, np.array(SCALE.edges)),
        "pairs": pair_table(unit_periods, track, _CELLS),
        "years": year_table(unit_periods, levels),
        "splines": spline_table(unit_periods, levels, age_splines(unit_periods)),
        "sums": sum_table(line, 40.0, sum_points(unit_periods)),
        "trends": sum_table(line, 40.0, trend_points(unit_periods)),
        "unchanged": unchanged_table(unit_periods, track),
        "growth": growth_table(unit_periods, track, 0.8),
    }


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


def farthest(measure: Measure, values: Sequence[Any] = VALUES) -> tuple[dict[str, int], int]:
    """Return the largest L1 distance of each table over all lives and pairs of histories, and how many pairs."""
    largest: dict[str, int] = {}
    pairs = 0
    for first, last in lives():
        unit_periods = UnitPeriods.of(np.array([first]), np.array([last]), PERIODS)
        made = [measure(unit_periods, np.array(line)) for line in product(values, repeat=last - first + 1)]
        pairs += len(made) * (len(made) - 1) // 2
        for name in made[0]:
            rows = np.array([tables[name].ravel() for tables in made])
            moved = max(
                (int(np.abs(rows[k:] - rows[k]).sum(axis=1).max()) for k in range(len(rows))), default=0
            )
            largest[name] = max(largest.get(name, 0), moved)
    return largest, pairs


class Scripted:
    """Noise that keeps what it was asked to hide and gives answers that do not depend on it."""

    private = False

    def __init__(self) -> None:
        self.asked: list[tuple[NDArray[np.int64], float]] = []

    def geometric(self, counts: NDArray[np.int64], scale: float) -> NDArray[np.int64]:
        """Keep the counts, and answer."""
        self.asked.append((counts.copy(), scale))
        rng = np.random.default_rng(len(self.asked))
        return np.rint(LATTICE * rng.gamma(1.0, 3.0, counts.size)).astype(np.int64)

    def generator(self) -> np.random.Generator:
        """Return a generator for simulations from released models."""
        return np.random.default_rng(0)


def pooled_panel(history: Sequence[tuple[float, float]]) -> PanelData:
    """Return a panel in which one unit has the given history, beside others that stay as they are."""
    values = np.array([*OTHERS, history])
    units = len(values)
    first, last = np.full(units, 2000), np.full(units, 2000 + values.shape[1] - 1)
    columns = {column.name: values[:, :, k] for k, column in enumerate(SCHEMA.confidential)}
    return PanelData(SCHEMA, pa.array(range(units)), first, last, np.zeros(units, np.int64), {}, columns)


def pooled_fit(data: PanelData) -> tuple[list[tuple[NDArray[np.int64], float]], Any]:
    """Fit a panel with answers that do not depend on it; return what was asked, and the model."""
    noise: Any = Scripted()
    gate = Gate(plan_pooled(None, SCHEMA, len(data), Fraction(1), "panel"), noise, "replace-one")
    model = fit_pooled(None, gate, data, lambda name: None)
    if gate.unused:
        raise ArithmeticError("a fit left part of its plan unused: less was audited than was claimed")
    return noise.asked, model


def panel_count_findings() -> Iterator[Finding]:
    """Yield the exact check of every table of a panel, and of a whole pooled fit."""
    measured: tuple[tuple[str, Measure, Sequence[Any]], ...] = (
        ("panel", lead_tables, VALUES),
        ("panel, follower", follower_tables, BOTH),
    )
    for name, measure, values in measured:
        largest, pairs = farthest(measure, values)
        for word, distance in largest.items():
            note = f"{len(values)} kinds of values, every life within {PERIODS} periods"
            yield _found(f"{name}: {word}", distance / SENSITIVITIES[word], pairs, note)
    yield whole_pooled()


def whole_pooled(histories: Sequence[Any] = tuple(product(PAIRS, repeat=2))) -> Finding:
    """Compare whole pooled fits for all pairs of histories of one unit: the losses of all leaves, added up."""
    runs = [pooled_fit(pooled_panel(history)) for history in histories]
    worst = 0.0
    for (asked, model), (others, other) in combinations(runs, 2):
        if model != other or [scale for _, scale in asked] != [scale for _, scale in others]:
            return _found(
                "panel, pooled, end to end", math.inf, len(runs), "the questions depend on the panel"
            )
        losses = (np.abs(a - b).sum() / scale for (a, scale), (b, _) in zip(asked, others, strict=True))
        worst = max(worst, float(sum(losses)))
    pairs = len(runs) * (len(runs) - 1) // 2
    return _found(
        "panel, pooled, end to end",
        worst,
        pairs,
        f"{len(runs)} histories of two columns, all leaves added up",
    )


def _found(name: str, figure: float, pairs: int, note: str) -> Finding:
    return Finding("exact", name, "replace-one", figure, 1.0, pairs, "pairs", figure <= 1.0, note)
