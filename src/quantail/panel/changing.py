"""Categories that may change over a unit's life (legal form, region): the first one, and how often units move to each.

The first category is asked for as that of an attribute. Changes are counted along lives: every step from one active
period to the next goes to one cell, by its category if that is unchanged, else by the new one, and a unit gives at most
LATTICE points away, the same to every step (`unchanged_points`). So it moves that table by at most LATTICE if it is put
in or taken out and by twice that if its record is another (proofs/panel.md). Units move to a category at one rate, the
same in all periods and for all that are elsewhere; where counts of changes are not above their noise nobody moves.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.frames import PanelData
from quantail.frames.panel import panel_of
from quantail.panel.attributes import (
    AttributeModel,
    draw_attribute,
    release_attribute,
    size_cuts,
    unit_kinds,
)
from quantail.panel.curve import Curve
from quantail.panel.history import Asking
from quantail.panel.tables import Track, unchanged_points
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import Gate, Plan, split


@dataclass(frozen=True)
class ChangingModel:
    """Released first categories, and the chance to move to every category, in a step, of units that are elsewhere."""

    first: AttributeModel
    rates: tuple[float, ...]


def plan_changing(name: str, cost: Fraction) -> Plan:
    """Return the budget of one category that may change: a third for the first one, the rest for changes."""
    first, changes = split(cost, [1, 2])
    return Plan.sequence(
        f"changing {name}",
        [
            Plan.leaf("first", first, "first categories by stock or birth, gone or there, and first size"),
            Plan.leaf("changes", changes, "steps without change by category, and changes by the new one"),
        ],
    )


def change_table(unit_periods: UnitPeriods, codes: Integers, categories: int) -> Integers:
    """Count steps without change by category, then changes by the new category; `codes` run along the line.

    Examples
    --------
    >>> from quantail.panel.tables import LATTICE
    >>> one = UnitPeriods.of(np.array([0]), np.array([2]), 3)
    >>> (change_table(one, np.array([0, 0, 1]), 2) * 2 // LATTICE).tolist()
    [1, 0, 0, 1]
    """
    later, earlier = unit_periods.pairs(1)
    cell = codes[later] + np.where(codes[later] == codes[earlier], 0, categories)
    return np.bincount(cell, unchanged_points(unit_periods), 2 * categories).astype(np.int64)


def release_changing(
    gate: Gate, data: PanelData, real: UnitPeriods, known: UnitPeriods, track: Track, curve: Curve
) -> tuple[ChangingModel, ...]:
    """Ask about every category that may change; `track` is the leading column, `curve` was released."""
    found = []
    for name in panel_of(data.schema).changing:
        codes, categories = data.attributes[name], len(data.schema.column(name).categories)
        plan = gate.plan.find(f"changing {name}")
        kinds = unit_kinds(real, track, size_cuts(curve))
        first = release_attribute(
            gate, plan.find("first"), name, kinds, codes[real.order, real.first], categories, known.order.size
        )
        line = codes[real.order[real.unit], real.place]
        answer = Asking(gate, plan, real, known).ask("changes", change_table(real, line, categories))
        found.append(ChangingModel(first, rates_of(*answer)))
    return tuple(found)


def rates_of(table: Floats, noise: float) -> tuple[float, ...]:
    """Return the chance to move to every category: changes as far as they are above their noise, over steps elsewhere.

    Examples
    --------
    >>> np.round(rates_of(np.array([60.0, 30.0, 4.0, 6.0]), 1e-6), 3).tolist()
    [0.12, 0.09]
    >>> rates_of(np.array([60.0, 40.0, 1.0, -1.0]), 3.0)
    (0.0, 0.0)
    """
    categories = table.size // 2
    unchanged, changed = np.maximum(table[:categories], 0.0), np.maximum(table[categories:], 0.0)
    deviation, together = noise * categories**0.5, float(table[categories:].sum())
    if together <= deviation or categories == 1:
        return (0.0,) * categories
    believed = together * (1.0 - (deviation / together) ** 2) * changed / changed.sum()
    # Steps begin in a category as often as they stay in it, nearly.
    elsewhere = 1.0 - unchanged / max(unchanged.sum(), 1e-9)
    rates = believed / np.maximum((unchanged.sum() + together) * elsewhere, believed + 1e-9)
    rates /= max(float(rates.sum()), 1.0)
    return tuple(float(rate) for rate in rates)


def draw_changing(
    model: ChangingModel, kinds: Integers, unit_periods: UnitPeriods, rng: np.random.Generator
) -> Integers:
    """Draw the category of every unit in every period (n, T); the number of categories where it is not active.

    `kinds` are in the order of the panel's units.
    """
    categories = len(model.rates)
    ends = np.cumsum(np.where(np.eye(categories, dtype=bool), 0.0, model.rates), axis=1)
    line = np.zeros(len(unit_periods), dtype=np.int64)
    starts, there = unit_periods.starts, unit_periods.there
    line[: unit_periods.order.size] = draw_attribute(model.first, kinds, rng)[unit_periods.order]
    for age in range(1, unit_periods.counts.size):
        now = slice(starts[age], starts[age + 1])
        before = slice(starts[age - 1], starts[age - 1] + unit_periods.counts[age])
        new = (rng.random(unit_periods.counts[age])[:, None] >= ends[line[before]]).sum(axis=1)
        changes = (new < categories) & there[now] & there[before]
        line[now] = np.where(changes, new, line[before])
    codes = np.full((unit_periods.order.size, unit_periods.periods), categories, dtype=np.int64)
    codes[unit_periods.order[unit_periods.unit], unit_periods.place] = np.where(there, line, categories)
    return codes
