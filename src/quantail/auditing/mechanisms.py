"""Production mechanisms as functions of a small table and a source of noise, ready for enumeration.

Each factory returns `mechanism(table, noise)`, which opens the production gate on a plan of total cost 1 (unless told
otherwise) and returns what is released. Candidate lists that would be too long to enumerate are shortened by rules
that are handed in (`FEW_SLOPES`); nothing else differs from a release.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cache
from typing import Literal

import numpy as np

from quantail.arrays import Floats
from quantail.auditing.enumeration import Branching, Mechanism, Table, gate_of
from quantail.curves import (
    HeldRows,
    Reach,
    choose_slope,
    joint_quantiles,
)
from quantail.curves.slopes import SlopeRules
from quantail.privacy import Relation, Selection, cells_touched
from quantail.table.candidates import Scores, count_sets, field_sets
from quantail.table.cells import label_cells

Unit = Literal["epsilon", "rho"]

FEW_SLOPES = SlopeRules(
    lambda reach, step: np.array([-2.0, -0.5, 0.0, 0.5, 1.0]),
    lambda n_epsilon: 0.15,  # seven candidates in a second stage
)


def joint_mechanism(
    relation: Relation,
    levels: Sequence[float],
    grid: Floats,
    rows: int,
    cost: Fraction | int = 1,
    unit: Unit = "epsilon",
    range_prior: Floats | None = None,
    height_prior: Floats | None = None,
    *,
    budget: int = 1,
) -> Mechanism:
    """Return the joint draw; a row is (value, number), the number being its jitter."""

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, budget * cost, unit=unit)
        values, noise.given = np.array(table, dtype=float).reshape(-1, 2).T
        (leaf,) = gate.plan.leaves()
        return joint_quantiles(
            gate, leaf, values, grid, np.array(levels), rows, range_prior, height_prior
        ).tobytes()

    return mechanism


STEADY: Table = ((0.0, 1.0), (0.0, 1.0), (3.0, 0.0), (3.0, 0.0))


def slope_mechanism(
    relation: Relation,
    rows: int,
    costs: Sequence[Fraction | int] = (1,),
    doubt: float = 0.0,
    always: Table = STEADY,
    cuts: tuple[float, float] = (0.5, 0.5),
    rules: SlopeRules = FEW_SLOPES,
    *,
    budget: int = 1,
    price: float = 0.0,
) -> Mechanism:
    """Return the choice of a slope in as many stages as there are costs; a row is (x, y).

    The rows `always` are there in every table, so that one more row can pull candidates apart.
    """

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, *(budget * cost for cost in costs))
        x, y = np.array((*always, *table), dtype=float).reshape(-1, 2).T
        told, reach = len(always) + rows, Reach(2.0, price)
        return choose_slope(gate, gate.plan.leaves(), y, x, cuts, reach, told, doubt, rules=rules)

    return mechanism


LABELS = (label_cells(np.array([0.5, 0.5])),) * 3
SETS = field_sets(LABELS, [frozenset(range(place)) for place in range(3)])
SIMULATED = tuple(np.array(cells) for cells in ((0, 0, 1, 1), (0, 1, 1, 0), (0, 0, 1, 0)))


@cache  # a table is its own neighbour's neighbour: each is met many times
def table_scores(table: Table, rows: int) -> Scores:
    """Return scores and counts of all tables over three labels, against four simulated rows; a row is its labels."""
    columns = np.array(table, dtype=np.int64).reshape(-1, 3).T
    held = HeldRows(dict(zip("abc", columns, strict=True)), size=columns.shape[1])
    counts = count_sets([held.column(name) for name in "abc"], LABELS, SETS)
    scores = Scores(SETS, LABELS, counts, rows, 0.1)
    scores.update(SIMULATED, {0, 1, 2})
    return scores


def table_mechanism(relation: Relation, rows: int, *, budget: int = 1) -> Mechanism:
    """Return the choice of the table that a model misses most; a row is three labels."""

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, budget)
        (leaf,) = gate.plan.leaves()
        scores = table_scores(tuple(table), rows).scores
        (index,) = gate.select(leaf, [Selection(scores, cells_touched(relation))])
        return index

    return mechanism
