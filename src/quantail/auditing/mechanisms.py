"""Production mechanisms as functions of a small table and a source of noise, ready for enumeration.

Each factory returns `mechanism(table, noise)`, which opens the production gate on a plan of total cost 1 (unless told
otherwise) and returns what is released. Candidate lists that would be too long to enumerate are shortened by rules
that are handed in (`FEW_SLOPES`, `FEW_TILTS`); nothing else differs from a release.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from quantail.auditing.enumeration import Branching, Mechanism, Table, gate_of
from quantail.curves import (
    Reach,
    Vector,
    choose_slope,
    climb,
    draw_bend,
    draw_rungs,
    draw_tilt,
    ladder_depth,
)
from quantail.curves.ladder import count_blocks
from quantail.curves.slopes import SlopeRules
from quantail.curves.tilt import TiltRules, choose_growth
from quantail.privacy import Relation
from quantail.table.ladder.choosing import Cells, choose

Floats = NDArray[np.float64]
Unit = Literal["epsilon", "rho"]

FEW_SLOPES = SlopeRules(
    lambda reach, step: np.array([-2.0, -0.5, 0.0, 0.5, 1.0]),
    lambda signal: 0.15,  # seven candidates in a second stage
)
FEW_TILTS = TiltRules(
    steps=1,
    curve_doubt=0.5,
    spread_doubt=0.5,
    slopes=SlopeRules(lambda reach, step: np.array([-1.0, 0.0, 1.0])),
)


def ladder_mechanism(
    relation: Relation, taus: Sequence[Fraction], grid: Floats, blocks: int = 0, *, budget: int = 1
) -> Mechanism:
    """Return the ladder of all rows, or of so many blocks of rows (block, value)."""
    depth = ladder_depth(len(taus))

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, *[Fraction(budget, depth)] * depth)
        rows = table if blocks else [(0, value) for value in table]
        block, values = np.array(rows, dtype=float).reshape(-1, 2).T
        cells = count_blocks(values, block.astype(np.int64), max(blocks, 1), grid)
        return climb(gate, gate.plan.leaves(), cells, taus, grid).tobytes()

    return mechanism


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
        return draw_rungs(
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


def choice_mechanism(relation: Relation, rows: int, always: Table = (), *, budget: int = 1) -> Mechanism:
    """Return the choice of a context out of two, or none; a row is (first, second, target), negative: absent."""

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, budget)
        (leaf,) = gate.plan.leaves()
        first, second, target = np.array((*always, *table), dtype=np.int64).reshape(-1, 3).T
        cells = [Cells("", Vector.of(codes), np.full(2, 0.5)) for codes in (first, second, target)]
        return choose(gate, leaf, cells[2], cells[:2], len(always) + rows, lambda candidate: 0.1)

    return mechanism


def bend_mechanism(relation: Relation, *, budget: int = 1) -> Mechanism:
    """Return a bend with two bins, three candidates and two levels; a row is (bin, residual)."""
    half = Fraction(budget, 2)
    grid = np.array([1.0, 2.0, 3.0])

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, half, half)
        bins = np.array([cell for cell, _ in table], dtype=np.int64)
        residual = np.array([value for _, value in table])
        expected, centres = np.array([1.5, 1.5]), np.array([0.0, 1.0])
        leaves = gate.plan.leaves()
        return repr(draw_bend(gate, leaves, residual, bins, expected, centres, grid, grid, 2.0, steps=False))

    return mechanism


def tilt_mechanism(
    relation: Relation,
    rows: int,
    costs: Sequence[Fraction],
    always: Sequence[Table] = (),
    rules: TiltRules = FEW_TILTS,
    *,
    budget: int = 1,
) -> Mechanism:
    """Return a whole tilt around the median 1; a row is (log size, normal score, side).

    The rows `always` are there in every table, so that one more row can pull candidates apart.
    """

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, *(budget * cost for cost in costs))
        size, x, side = np.array((*always, *table)).T
        noise.given = 0.5  # jitter is enumerated with the joint draw
        residual = 1 + side * np.exp(size)
        grid = np.array([-1.0, 1.0])
        known = len(always) + rows
        leaves = gate.plan.leaves()
        return repr(draw_tilt(gate, leaves, residual, x, ndtri, grid, 2.0, known, rules=rules))

    return mechanism


def growth_mechanism(
    relation: Relation,
    rows: int,
    always: Sequence[Table] = (),
    cost: Fraction | int = 1,
    unit: Unit = "epsilon",
    rules: TiltRules = FEW_TILTS,
    *,
    budget: int = 1,
) -> Mechanism:
    """Return the last question of a tilt alone: how spread grows, on one or both sides of the median."""
    known = len(always) + rows

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, budget * cost, unit=unit)
        (leaf,) = gate.plan.leaves()
        sizes, z, side = np.array((*always, *table)).reshape(-1, 3).T
        vectors = (Vector.of(sizes), Vector.of(z), Vector.of(side > 0))
        return choose_growth(gate, leaf, *vectors, known, rules)

    return mechanism
