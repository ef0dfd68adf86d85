"""Flaws of what is taken to be public: bounds, grids, depth, cells, order of lines, emptiness, the number of rows."""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np

from quantail.auditing.answer_mechanisms import bound_mechanism, quantiles_mechanism
from quantail.auditing.enumeration import Table, gate_of
from quantail.auditing.flawed.scores import GRID, HALF, choose
from quantail.auditing.order_mechanisms import alike
from quantail.curves import joint_quantiles
from quantail.orders.lines import INTERCEPT, Rows, choose_line, index_instruments, line_values

CROSSING = np.array([[a, b] for a in (-2.0, 0.0, 1.0) for b in (-2.0, 0.0, 1.0)])  # some cross the line at 0


def _median(table: Table, noise: Any, grid: Any) -> Hashable:
    gate = gate_of(noise, "replace-one", 1)
    return choose(gate, gate.plan.leaves()[0], table, grid, HALF, 2)


def valid_grid(table: Table, noise: Any) -> Hashable:
    """Release a median on a public grid."""
    return _median(table, noise, GRID)


def flawed_bounds(table: Table, noise: Any) -> Hashable:
    """Use data-derived bounds."""
    grid = np.linspace(0.0, max(table), 5)  # flaw: the maximum can be read off the grid
    return _median(table, noise, grid)


def flawed_grid(table: Table, noise: Any) -> Hashable:
    """Use a data-derived grid."""
    return _median(table, noise, np.unique(table))  # flaw: only values of the table can be released


def valid_depth(table: Table, noise: Any) -> Hashable:
    """Release two quantiles by a joint draw: their number is settled beforehand."""
    return _quantiles(table, noise, (0.25, 0.75))


def flawed_depth(table: Table, noise: Any) -> Hashable:
    """Use a data-derived depth."""
    wide = max(table) - min(table) > 2  # flaw: the number of quantiles tells how spread out the rows are
    return _quantiles(table, noise, (0.25, 0.75) if wide else (0.5,))


def valid_points(table: Table, noise: Any) -> Hashable:
    """Release two quantiles on a lattice between public bounds."""
    return quantiles_mechanism((0.25, 0.75), 4, 1, 6.0)(table, noise)


def flawed_points(table: Table, noise: Any) -> Hashable:
    """Let the lattice of quantiles end at the largest row."""
    return quantiles_mechanism((0.25, 0.75), 4, 1, None)(table, noise)  # flaw: its points follow the maximum


def valid_bound(table: Table, noise: Any) -> Hashable:
    """Select a bound among public candidates."""
    return bound_mechanism((1.0, 2.0, 4.0, 8.0), 1)(table, noise)


def flawed_bound(table: Table, noise: Any) -> Hashable:
    """Select a bound among the rows themselves."""
    return bound_mechanism(None, 1)(table, noise)  # flaw: which bounds there are tells who is in the table


def _quantiles(table: Table, noise: Any, levels: tuple[float, ...]) -> Hashable:
    gate = gate_of(noise, "replace-one", 1)
    noise.given = np.full(len(table), 0.5)
    values = np.array(table, dtype=float)
    (leaf,) = gate.plan.leaves()
    return tuple(joint_quantiles(gate, leaf, values, GRID, np.array(levels), len(table)).tolist())


def _line_above_zero(table: Table, noise: Any, places: Any) -> Hashable:
    """Release a line of level 3/4 that must not cross the line at 0; a row is (index, residual)."""
    gate = gate_of(noise, "replace-one", 1)
    index, residual = np.array(table, dtype=float).T
    instruments = index_instruments(0.0, 1.0)
    kept = [line for line in CROSSING if all(line_values(line, place) >= 0 for place in places(index))]
    rows = Rows.of(residual, index, instruments)
    (leaf,) = gate.plan.leaves()
    return tuple(choose_line(gate, leaf, rows, instruments, alike(np.array(kept)), Fraction(3, 4)).tolist())


def valid_crossing(table: Table, noise: Any) -> Hashable:
    """Keep order at both ends of the public domain."""
    return _line_above_zero(table, noise, lambda index: (0.0, 1.0))


def flawed_crossing(table: Table, noise: Any) -> Hashable:
    """Check crossing at rows."""
    return _line_above_zero(table, noise, np.unique)  # flaw: the support depends on where rows lie


def _bins(table: Table, noise: Any, asked: tuple[int, ...]) -> Hashable:
    gate = gate_of(noise, "replace-one", *[Fraction(1, 2)] * len(asked))
    released = {}
    for leaf, cell in zip(gate.plan.leaves(), asked, strict=True):
        rows = Rows.of(np.array([value for k, value in table if k == cell]), None, INTERCEPT)
        released[cell] = choose_line(gate, leaf, rows, INTERCEPT, alike(GRID[:2, None]), HALF).item()
    return tuple(released.items())


def valid_empty(table: Table, noise: Any) -> Hashable:
    """Release a median of both bins, whether they have rows or not; a row is (bin, value)."""
    return _bins(table, noise, (0, 1))


def flawed_empty(table: Table, noise: Any) -> Hashable:
    """Branch on an empty bin."""
    asked = tuple(sorted({k for k, _ in table}))  # flaw: a bin that is not asked is known to be empty
    return _bins(table, noise, asked)


def _median_of(table: Table, noise: Any, rows: int) -> Hashable:
    gate = gate_of(noise, "add-remove", 1)
    noise.given = np.full(len(table), 0.5)
    values = np.array(table, dtype=float)
    (leaf,) = gate.plan.leaves()
    return rows, joint_quantiles(gate, leaf, values, GRID, np.array([0.5]), rows).item()


def valid_size(table: Table, noise: Any) -> Hashable:
    """Release a median under add/remove, with a released size (here 3, whatever the table)."""
    return _median_of(table, noise, 3)


def flawed_size(table: Table, noise: Any) -> Hashable:
    """Leak n under add/remove."""
    return _median_of(table, noise, len(table))  # flaw: n is private here
