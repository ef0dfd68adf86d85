"""Whole fits of the pooled method with scripted answers: what one unit's record does to all questions together.

Answers do not depend on the panel, so neighbours must lead to the same questions and the same release, and the losses
of all leaves must add up to no more than the budget.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.arrays import Integers
from quantail.auditing.findings import Finding
from quantail.auditing.noise import AuditNoise
from quantail.auditing.panel_counts import found
from quantail.frames import PanelData, release_panel
from quantail.frames.panel import panel_of
from quantail.frames.release import stored
from quantail.panel.borrowing import plan_borrowing, release_small
from quantail.panel.extended import extended
from quantail.panel.period import ask_period, plan_period
from quantail.panel.pooled import fit_pooled, plan_pooled
from quantail.panel.skeleton import release_units
from quantail.panel.tables import LATTICE
from quantail.privacy import Gate, Plan
from quantail.privacy.gate import Relation
from quantail.schema import Column, Panel, Schema

# One unit may have any of these histories of (employment, pay), beside two others that stay as they are.
SCHEMA = Schema(
    (Column("emp", "integer", 0, 2000), Column("pay", "numeric", 0, 5000, grid="log", decimals=1)),
    "establishment",
    panel=Panel("id", "first", "last", 2000, 2001, synthesis="partial"),
)
PAIRS = ((0.0, 0.0), (1.0, 5000.0), (40.0, 800.0), (2000.0, 0.0))
OTHERS = (((3.0, 30.0), (4.0, 45.5)), ((0.0, 2.0), (9.0, 80.0)))

# The same under full synthesis: three periods, gaps, missing pay and an attribute; one unit has any record, or none.
_PAY = replace(SCHEMA.column("pay"), missing=True)
FULL = replace(
    SCHEMA,
    columns=(Column("region", "category", categories=("north", "south")), SCHEMA.column("emp"), _PAY),
    panel=Panel("id", start=2000, end=2002, attributes=("region",), gaps=True),
)
_AWAY, _UNPAID = (np.nan, np.nan), (7.0, np.nan)
RECORDS: tuple[tuple[int, tuple[tuple[float, float], ...]], ...] = (
    (0, ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))),
    (1, ((2000.0, 1.0), (2000.0, 1.0), (2000.0, 1.0))),
    (1, ((2000.0, 5000.0), _AWAY, (1.0, 0.0))),
    (0, (_AWAY, _AWAY, (2000.0, 5000.0))),
    (1, (_UNPAID, _UNPAID, _AWAY)),
)
FULL_OTHERS = (
    (0, ((3.0, 30.0), (4.0, 45.5), (4.0, 44.0))),
    (1, (_AWAY, (0.0, 2.0), (9.0, 80.0))),
    (1, ((5.0, 50.0), _AWAY, _UNPAID)),
)


class Scripted(AuditNoise):
    """Noise that keeps what it was asked to hide and gives answers that do not depend on it."""

    seed = 0

    def __init__(self) -> None:
        self.asked: list[tuple[Integers, float]] = []

    def geometric(self, counts: Integers, scale: float) -> Integers:
        """Keep the counts, and answer."""
        self.asked.append((counts.copy(), scale))
        rng = np.random.default_rng(len(self.asked))
        unit = LATTICE if scale >= LATTICE else 1  # tables of points, or of units
        return np.rint(unit * rng.gamma(1.0, 3.0, counts.size)).astype(np.int64)

    def noisy_max(self, scores: Integers, scale: float, definition: str) -> int:
        """Keep the scores, as one row of a table, and answer."""
        self.asked.append((scores[None, :].copy(), scale))
        return 4


def pooled_panel(history: Sequence[tuple[float, float]]) -> PanelData:
    """Return a panel in which one unit has the given history, beside others that stay as they are."""
    values = np.array([*OTHERS, history])
    units = len(values)
    first, last = np.full(units, 2000), np.full(units, 2000 + values.shape[1] - 1)
    columns = {column.name: values[:, :, k] for k, column in enumerate(SCHEMA.confidential)}
    return PanelData(SCHEMA, pa.array(range(units)), first, last, np.zeros(units, np.int64), {}, columns)


def full_panel(*records: tuple[int, Sequence[tuple[float, float]]], relation: Relation) -> PanelData:
    """Return a panel under full synthesis in which units have the given records, beside others that stay."""
    schema, everybody = replace(FULL, neighbours=relation), [*FULL_OTHERS, *records]
    values = np.array([history for _, history in everybody])
    there, units = ~np.isnan(values[:, :, 0]), len(values)
    entry, exit_ = 2000 + there.argmax(axis=1), 2002 - there[:, ::-1].argmax(axis=1)
    columns = {column.name: values[:, :, k] for k, column in enumerate(schema.histories)}
    regions = {"region": np.array([region for region, _ in everybody])}
    group = np.zeros(units, np.int64)
    return PanelData(schema, pa.array(range(units)), entry, exit_, group, {}, columns, regions)


def changing_panel(*records: tuple[int, Sequence[tuple[float, float]]], relation: Relation) -> PanelData:
    """Return the same with regions that change: units of the second are there in the middle period only."""
    data = full_panel(*records, relation=relation)
    panel = replace(panel_of(data.schema), attributes=(), changing=("region",))
    codes = data.attributes["region"][:, None] * np.array([0, 1, 0])
    codes = {"region": np.where(data.active, codes, 2)}
    return replace(data, schema=replace(data.schema, panel=panel), attributes=codes)


def pooled_fit(data: PanelData) -> tuple[list[tuple[Integers, float]], Any]:
    """Fit a panel with answers that do not depend on it; return what was asked, and all that is released."""
    noise: Any = Scripted()
    plan = plan_pooled(None, data.schema, len(data), Fraction(1), "panel")
    gate = Gate(plan, noise, data.schema.neighbours)
    units = release_units(gate, data, 0)
    model = fit_pooled(None, gate, data, units, lambda name: None)
    if gate.unused:
        raise ArithmeticError("a fit left part of its plan unused: less was audited than was claimed")
    return noise.asked, (model, units.to_text())


def whole_fit_findings() -> Iterator[Finding]:
    """Yield the exact check of whole fits, partial and full."""
    yield whole_pooled()
    yield from whole_full()
    yield from whole_full(changing_panel, "panel, full, changing categories, end to end")
    yield from whole_borrowing()
    yield from whole_periods()


def whole_full(
    made: Callable[..., PanelData] = full_panel, name: str = "panel, full, end to end"
) -> Iterator[Finding]:
    """Compare whole fits under full synthesis: one unit has any record, or under add/remove any or none."""
    for relation in ("replace-one", "add-remove"):
        chosen: list[tuple[Any, ...]] = [(record,) for record in RECORDS]
        if relation == "add-remove":
            chosen.append(())
        runs = [pooled_fit(made(*records, relation=relation)) for records in chosen]
        pairs = combinations(runs, 2) if relation == "replace-one" else ((run, runs[-1]) for run in runs[:-1])
        yield compared(f"{name}, {relation}", list(pairs), relation)


def borrowed_fit(
    data: PanelData, plan: Plan
) -> tuple[list[tuple[Integers, float]], list[tuple[str, float]], Any]:
    """Fit groups that borrow, as `pooled_fit` does; also return the leaves that were asked, with their costs."""
    noise: Any = Scripted()
    gates: list[Gate] = []

    def opened(part: Plan) -> Gate:
        gates.append(Gate(part, noise, data.schema.neighbours))
        return gates[-1]

    made = release_small(opened, plan, data, (0, 1), lambda name: None)
    if any(gate.unused for gate in gates):
        raise ArithmeticError("a fit left part of its plan unused: less was audited than was claimed")
    leaves = [(leaf.name, float(leaf.cost)) for gate in gates for leaf in gate.plan.leaves()]
    return noise.asked, leaves, [(group, model, units.to_text()) for group, model, units in made]


def two_trades(record: tuple[int, Sequence[tuple[float, float]]]) -> PanelData:
    """Return a panel of two small groups, in which a unit of the first has the given record."""
    trade, groups = Column("trade", "category", categories=("mills", "shops")), np.array([0, 1, 1, 0])
    data = full_panel(record, relation="replace-one")
    schema = replace(data.schema, columns=(trade, *data.schema.columns), by=("trade",))
    return replace(data, schema=schema, group=groups, public={"trade": stored(groups, trade)})


def whole_borrowing() -> Iterator[Finding]:
    """Compare whole fits of two groups that borrow: one unit has any record."""
    panels = [two_trades(record) for record in RECORDS]
    plan = plan_borrowing(panels[0].schema, {"mills": 2, "shops": 2}, Fraction(1))
    runs = [(asked, made) for asked, _, made in (borrowed_fit(data, plan) for data in panels)]
    yield compared("panel, groups that borrow, end to end", list(combinations(runs, 2)), "replace-one")


def whole_periods() -> Iterator[Finding]:
    """Compare appended periods: one unit has any record, or none, which is allowed under both relations."""
    released = full_panel(relation="replace-one")
    for relation in ("replace-one", "add-remove"):
        runs = []
        for records in [(), *((record,) for record in RECORDS)]:
            noise: Any = Scripted()
            data = full_panel(*records, relation=relation)
            gate = Gate(plan_period(data.schema, Fraction(1), "panel"), noise, relation)
            answers = ask_period(gate, data, released)
            made = extended(released, _one_later(data.schema), 0, answers, noise.generator())
            runs.append((noise.asked, release_panel(made).to_pydict()))
        pairs = combinations(runs, 2) if relation == "replace-one" else ((runs[0], run) for run in runs[1:])
        yield compared(f"panel, appended period, {relation}", list(pairs), relation)


def _one_later(schema: Schema) -> Schema:
    panel = panel_of(schema)
    return replace(schema, panel=panel.until(panel.last + 1))


def whole_pooled(histories: Sequence[Any] = tuple(product(PAIRS, repeat=2))) -> Finding:
    """Compare whole pooled fits for all pairs of histories of one unit: the losses of all leaves, added up."""
    runs = [pooled_fit(pooled_panel(history)) for history in histories]
    return compared("panel, pooled, end to end", list(combinations(runs, 2)), "replace-one")


def loss_of(one: Integers, other: Integers, scale: float) -> float:
    """Return by how much noise two tables differ; of scores, kept as one row, the farthest counts twice."""
    moved = np.abs(one - other)
    return float(2 * moved.max() if one.ndim == 2 else moved.sum()) / scale


def compared(name: str, runs: list[tuple[Any, Any]], relation: Relation) -> Finding:
    """Add up the losses of all leaves for pairs of runs, which must ask the same and release the same."""
    worst = 0.0
    for (asked, model), (others, other) in runs:
        if model != other or [scale for _, scale in asked] != [scale for _, scale in others]:
            return found(name, math.inf, len(runs), "the questions depend on the panel", relation)
        worst = max(
            worst, sum(loss_of(a, b, scale) for (a, scale), (b, _) in zip(asked, others, strict=True))
        )
    return found(name, worst, len(runs), "pairs of records of one unit, all leaves added up", relation)
