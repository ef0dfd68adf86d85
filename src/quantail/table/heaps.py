"""Round figures: how many values are multiples of 1000, of 500, ... counted once, and values rounded as they are drawn.

A column declares its heaps, coarsest first. A number belongs to the first of them that it is a multiple of, if it is
not below it; how many rows belong to each is counted through the gate once all else is released (proofs/counts.md). Of
the drawn numbers that are large enough, as many are then rounded to the nearest such multiple. Some figures are more
popular than others: where the budget allows, rows on every figure are counted as well (`value_counts.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.curves import Vector
from quantail.privacy import (
    Definition,
    Gate,
    Plan,
    count_epsilon,
    geometric_cost,
    unit_of,
)
from quantail.schema import Column, Schema, core_of
from quantail.table.column_leaves import NOTHING, ColumnLeaves
from quantail.table.stage_one.counting import release_counts
from quantail.table.tuning import (
    AMPLE_HEAP_N_EPSILON,
    HEAP_SHARE,
    LEAST_HEAP_N_EPSILON,
    LOWEST_DOUBT,
    MOST_VALUES,
)

# Parts of a uniform number: where it lies within one tells nothing of where it lies as a whole.
_FINE = 2.0**20

# A multiple lies within half a step of the lattice: amounts in constant prices, or converted, are rounded after it.
_HALF = 0.5 - 1e-6


@dataclass(frozen=True)
class Heap:
    """Multiples of `step`: the share of numbers that become one, of those that are as large and in no earlier heap."""

    step: float
    share: float

    def __post_init__(self) -> None:
        """Refuse what a damaged file may hold."""
        if not (self.step > 0 and 0 <= self.share <= 1):
            raise ValueError("a heap that is none")


def plan_heaps(schema: Schema, rows: int, cost: Fraction, definition: Definition) -> ColumnLeaves:
    """Return the counts of declared heaps: little each, and none where noise would drown it."""
    columns = [column for column in core_of(schema).schema.columns if column.heaps and not column.public]
    if not columns:
        return NOTHING
    ample = geometric_cost(Fraction(AMPLE_HEAP_N_EPSILON) / max(rows, 1), definition)
    part = min(cost * HEAP_SHARE / len(columns), ample)
    if rows * float(count_epsilon(part, definition)) < LEAST_HEAP_N_EPSILON:
        return NOTHING
    unit = unit_of(definition)

    def leaf(column: Column) -> Plan:
        steps = ", ".join(f"{step:g}" for step in column.heaps)
        return Plan.leaf(column.name, part, f"rows on multiples of {steps}", unit)

    return ColumnLeaves("heaps", "rows on round multiples", {c.name: leaf(c) for c in columns})


def heap_of(values: Floats, steps: Sequence[float], lattice: float) -> Integers:
    """Return the place of the first step that each value is a multiple of, rounded to the lattice; else their number.

    Examples
    --------
    >>> heap_of(np.array([2000.0, 1500.0, 1501.0, 500.0, 0.0, np.nan]), (1000.0, 500.0), 1.0).tolist()
    [0, 1, 2, 1, 2, 2]
    >>> heap_of(np.array([237.42, 356.13, 237.43]), (118.7084,), 0.01).tolist()
    [0, 0, 1]
    """
    found = np.full(values.size, len(steps), dtype=np.int64)
    size = np.abs(np.where(np.isnan(values), 0.0, values))
    for place in reversed(range(len(steps))):
        times = np.rint(size / steps[place])
        found[(times >= 1) & (np.abs(size - times * steps[place]) <= lattice * _HALF)] = place
    return found


def figures_of(column: Column) -> Integers:
    """Return the round figures of a column that can be counted one by one, ascending, in steps of its lattice.

    Examples
    --------
    >>> figures_of(Column("pay", "integer", 0, 1000, heaps=(500, 200))).tolist()
    [200, 400, 500, 600, 800, 1000]
    """
    if not column.heaps or column.lower is None or column.upper is None or column.lower < 0:
        return np.zeros(0, dtype=np.int64)
    multiples = [
        step * np.arange(1, min(column.upper // step, MOST_VALUES) + 1, dtype=np.float64)
        for step in column.heaps
    ]
    figures = np.unique(np.rint(np.concatenate(multiples) / column.lattice).astype(np.int64))
    return figures[figures * column.lattice >= column.lower][:MOST_VALUES]


def count_figures(values: Floats, figures: Integers, lattice: float) -> Integers:
    """Count the numbers on each round figure; numbers that are absent, or on none, are in no cell.

    What lies beyond the last figure is on none, however far out: no whole number may overflow, nor say that one did.
    """
    beyond = figures[-1] + 1
    places = np.rint(np.clip(values[~np.isnan(values)] / lattice, -beyond, beyond)).astype(np.int64)
    found = np.minimum(np.searchsorted(figures, places), figures.size - 1)
    return np.bincount(found[figures[found] == places], minlength=figures.size)


def draw_heaps(
    gate: Gate, leaf: Plan, values: Vector | Floats, steps: Sequence[float], lattice: float
) -> tuple[Floats, float]:
    """Release how many rows belong to each heap; return the counts, and the scale of their noise."""
    number = len(steps)

    def count(part: Floats) -> Integers:
        return np.bincount(heap_of(part, steps, lattice), minlength=number + 1)[:number]

    return release_counts(gate, leaf, Vector.of(values), count)


def heap_shares(
    noisy: Floats, noise: float, drawn: Floats, present: float, steps: Sequence[float], lattice: float
) -> tuple[Heap, ...]:
    """Return heaps from released counts and drawn numbers; what noise alone could show is none.

    Parameters
    ----------
    drawn : array
        Numbers drawn from the model, in the column's unit.
    present : float
        Released number of rows that have a number.
    """
    heaps, taken = list[Heap](), 0.0
    for step, count in zip(steps, noisy.tolist(), strict=True):
        large = present * float(np.mean(np.abs(drawn) >= step)) - taken
        believed = count > LOWEST_DOUBT * noise and large > 0
        chance = lattice / step
        share = (count / large - chance) / (1 - chance) if believed else 0.0
        heaps.append(Heap(step, float(np.clip(share, 0.0, 1.0))))
        taken += count if believed else 0.0
    return tuple(heaps)


def fine_digits(u: Floats) -> Floats:
    """Return uniform numbers made of the finest digits of others, of which they tell next to nothing."""
    return np.mod(u * _FINE, 1.0)


def chosen_heaps(values: Floats, u: Floats, heaps: Sequence[Heap]) -> Integers:
    """Return the place of the heap that each number is rounded to; their number where it is left as it is.

    `u`: the uniform numbers that the values were drawn by.
    """
    chosen, found = fine_digits(u), np.full(values.size, len(heaps), dtype=np.int64)
    for place, heap in enumerate(heaps):
        large = (found == len(heaps)) & (np.abs(values) >= heap.step)
        taken = large & (chosen < heap.share)
        chosen = np.where(large & ~taken, (chosen - heap.share) / max(1 - heap.share, 1e-9), chosen)
        found[taken] = place
    return found


def rounded(values: Floats, chosen: Integers, heaps: Sequence[Heap], lower: float, upper: float) -> Floats:
    """Return numbers of which some are rounded to the nearest multiple of the heap that was chosen for them."""
    found = values.copy()
    for place, heap in enumerate(heaps):
        taken = chosen == place
        found[taken] = _nearest(values[taken], heap.step, [h.step for h in heaps[:place]], lower, upper)
    return found


def _nearest(values: Floats, step: float, coarser: Sequence[float], lower: float, upper: float) -> Floats:
    """Return the nearest multiples of a step within the bounds that are no multiples of a coarser one."""
    near = np.rint(values / step) * step
    for other in coarser:
        on = np.abs(near - np.rint(near / other) * other) < step / 4
        near = np.where(on, near + np.where(values >= near, step, -step), near)
    return np.where((near >= lower) & (near <= upper), near, values)


def heaps_from(forms: Sequence[Mapping[str, Any]]) -> tuple[Heap, ...]:
    """Rebuild heaps from their saved form."""
    return tuple(Heap(form["step"], form["share"]) for form in forms)
