"""The paper's orders (kng, stepwise, sandwich) as functions of a small table and a source of noise.

As in `mechanisms.py`: production code from the gate to the released lines, with short lists of candidates.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from quantail.arrays import Floats
from quantail.auditing.enumeration import Branching, Mechanism, Table, gate_of
from quantail.curves import HeldRows
from quantail.curves.slopes import SlopeRules
from quantail.orders import lines
from quantail.orders.design import draw_lines_design
from quantail.orders.fitting import fit_lines
from quantail.orders.lattice import Candidates, Surroundings
from quantail.orders.lines import Instruments, index_instruments, release_lines
from quantail.orders.rules import LineRules
from quantail.orders.settings import read_settings
from quantail.orders.steps import Order, steps_of
from quantail.privacy import Gate, Plan, Relation
from quantail.schema import Column, Schema

GRID = (0.0, 1.0, 2.0, 3.0, 4.0)
SHORT_LISTS = LineRules(
    smallest=0.1,
    ratio=(2.5, 4.0),
    tilts=(0.5, 2.0),
    parts=(3, 1),
    leans=(-0.2, 0.2),
    places=3,
    intercepts=lambda low, high, log: np.array(GRID) + 0.25,
)
AROUND = Surroundings(np.full(2, -3.0), np.full(2, 3.0), 0.5, 1.0, 0.5, SHORT_LISTS)


def shortest_lists(order: Order) -> LineRules:
    """Return two or three candidates everywhere, for tables of two columns; kng has no constraint, so fewer."""
    return replace(
        SHORT_LISTS,
        smallest=0.3 if order == "kng" else 0.1,
        ratio=(10.0, 10.0) if order == "kng" else (2.5, 4.0),
        tilts=(1.5,),
        intercepts=lambda low, high, log: np.array([1.0, 3.0]),
        simulated_rows=64,
        slopes=SlopeRules(lambda reach, step: np.array([-0.5, 0.5])),
    )


def alike(candidates: Floats) -> Candidates:
    """Return candidates that are equally likely beforehand."""
    return Candidates(candidates, np.zeros(len(candidates)))


def column_mechanism(
    order: Order,
    relation: Relation,
    rows: int,
    taus: Sequence[float],
    main: Sequence[float] | None = None,
    *,
    budget: int = 1,
) -> Mechanism:
    """Return one column without predictors, median and all; a row is a value on `GRID`."""
    schema = Schema((Column("y", "numeric", 0, 4, resolution=1.0),), unit="row", neighbours=relation)
    settings = replace(read_settings(order, {"taus": taus, "main": main}), rules=SHORT_LISTS)
    design = draw_lines_design(settings, schema, rows, Fraction(budget), "pure")

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = _gate_without_dither(design.plan, noise, relation)
        (model,) = fit_lines(gate, design, HeldRows({"y": np.array(table)}), lambda name: None)
        _all_asked(gate)
        return model.base, model.at_low

    return mechanism


def lines_mechanism(
    order: Order,
    relation: Relation,
    taus: Sequence[Fraction],
    main: Sequence[Fraction] = (),
    instruments: Instruments | None = None,
    *,
    budget: int = 1,
) -> Mechanism:
    """Return lines with varying slopes over an index, their median plane given; a row is (index, residual)."""
    steps = steps_of(order, taus, main)
    instruments = instruments or index_instruments(0.0, 1.0, SHORT_LISTS.places)

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, *[Fraction(budget, len(steps))] * len(steps))
        index, residual = np.array(table, dtype=float).reshape(-1, 2).T
        placed = lines.Rows.of(residual, index, instruments)
        released = release_lines(gate, gate.plan.leaves(), placed, instruments, steps, AROUND)
        return tuple(tuple(line.tolist()) for line in released.values())

    return mechanism


def two_column_mechanism(
    order: Order, slopes: str, relation: Relation, rows: int, *, budget: int = 1
) -> Mechanism:
    """Return a whole table of two columns; a row is (x, y)."""
    columns = tuple(Column(name, "numeric", 0, 4, resolution=1.0) for name in ("x", "y"))
    schema = Schema(columns, unit="row", neighbours=relation)
    options = {"taus": [0.5, 0.8], "slopes": slopes}
    settings = replace(read_settings(order, options), rules=shortest_lists(order))
    design = draw_lines_design(settings, schema, rows, Fraction(budget), "pure")

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = _gate_without_dither(design.plan, noise, relation)
        x, y = np.array(table, dtype=float).reshape(-1, 2).T
        models = fit_lines(gate, design, HeldRows({"x": x, "y": y}), lambda name: None)
        _all_asked(gate)
        return models

    return mechanism


def _gate_without_dither(plan: Plan, noise: Branching, relation: Relation) -> Gate:
    noise.given = 0.5  # what holds for every dither holds for its mixture: proofs/dither.md
    return Gate(plan, noise, relation, noise.watch if isinstance(noise, Branching) else None)


def _all_asked(gate: Gate) -> None:
    if gate.unused:
        raise ArithmeticError("a fit left part of its plan unused: less was audited than was claimed")
