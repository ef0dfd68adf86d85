"""Flaws of scores and their sensitivities; epsilon 1 is claimed."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from quantail.arrays import Floats
from quantail.auditing.enumeration import Table, gate_of
from quantail.curves.joint import targets
from quantail.curves.slope_scores import score_slopes
from quantail.curves.slopes import slope_sensitivity
from quantail.privacy import Gate, PathQuestion, Plan, Relation, Selection

GRID = np.arange(1.0, 6.0)
SLOPES = np.array([-2.0, -0.5, 0.0, 0.5, 1.0])
HIGH = Fraction(19, 20)
HALF = Fraction(1, 2)


def choose(gate: Gate, leaf: Plan, values: Any, grid: Floats, tau: Fraction, sensitivity: int) -> float:
    """Release the quantile of level tau = p / q, scores -|q #{y <= g} - p n|."""
    below = np.searchsorted(np.sort(np.asarray(values, dtype=float)), grid, side="right").astype(np.int64)
    scores = -np.abs(tau.denominator * below - tau.numerator * len(values))
    (index,) = gate.select(leaf, [Selection(scores, sensitivity)])
    return float(grid[index])


def valid_quantile(table: Table, noise: Any) -> Hashable:
    """Release a high quantile: a replaced row moves the score by q at most, at every level."""
    gate = gate_of(noise, "replace-one", 1)
    return choose(gate, gate.plan.leaves()[0], table, GRID, HIGH, HIGH.denominator)


def flawed_quantile(table: Table, noise: Any) -> Hashable:
    """Use the paper's sensitivity."""
    gate = gate_of(noise, "replace-one", 1)
    sensitivity = 2 * (HIGH.denominator - HIGH.numerator)  # flaw: 2 (1 - tau), right at the median only
    return choose(gate, gate.plan.leaves()[0], table, GRID, HIGH, sensitivity)


def _in_two_bins(table: Table, noise: Any, sensitivity: Sequence[int]) -> Hashable:
    """Ask two bins for quantiles 1/4 and 3/4 under one leaf; a row is (bin, value)."""
    gate = gate_of(noise, "replace-one", 1)
    questions = []
    for cell, p in ((0, 1), (1, 3)):
        values = np.sort([value for k, value in table if k == cell])
        below = np.searchsorted(values, GRID[:2], side="right").astype(np.int64)
        questions.append(Selection(-np.abs(4 * below - p * values.size), sensitivity[cell]))
    return tuple(gate.select(gate.plan.leaves()[0], questions))


def valid_bins(table: Table, noise: Any) -> Hashable:
    """Charge for a row that changes bins: it moves each score by max(p, q - p) = 3: half of the sensitivity, twice."""
    return _in_two_bins(table, noise, (6, 6))


def flawed_bins(table: Table, noise: Any) -> Hashable:
    """Use S = 1 (that is q in integers) in both bins, with unequal levels."""
    return _in_two_bins(table, noise, (4, 4))  # flaw: enough for a row that stays, not for one that moves


def _joint_in_bins(table: Table, noise: Any, rows: Sequence[int]) -> Hashable:
    """Draw the median of two bins by `path` under one leaf; `rows` sets the targets."""
    gate = gate_of(noise, "replace-one", 1)
    questions = []
    for cell in (0, 1):
        values = np.sort([value for k, value in table if k == cell])
        below = np.searchsorted(values, GRID[:2], side="right").astype(np.int64)
        questions.append(PathQuestion(below, values.size, targets(rows[cell], np.array([0.5]))))
    return tuple(tuple(path.tolist()) for path in gate.path(gate.plan.leaves()[0], questions))


def valid_joint(table: Table, noise: Any) -> Hashable:
    """Take targets from a public size."""
    return _joint_in_bins(table, noise, (3, 3))


def flawed_joint(table: Table, noise: Any) -> Hashable:
    """Draw jointly inside bins of private size."""
    second = sum(k for k, _ in table)
    sizes = (max(len(table) - second, 1), max(second, 1))  # flaw: the targets move with the rows
    return _joint_in_bins(table, noise, sizes)


def _slope(table: Table, noise: Any, relation: Relation, score: Any) -> Hashable:
    gate = gate_of(noise, relation, 1)
    x, y = np.array(table, dtype=float).reshape(-1, 2).T
    selection = Selection(score(gate, y, x), slope_sensitivity(relation))
    (index,) = gate.select(gate.plan.leaves()[0], [selection])
    return float(SLOPES[index])


def valid_slope(table: Table, noise: Any) -> Hashable:
    """Take the minimum over cuts, the half of a row being part of its residual: tied rows are alike."""
    return _slope(table, noise, "add-remove", lambda gate, y, x: score_slopes(y, x, 0.5, SLOPES))


def flawed_slope(table: Table, noise: Any) -> Hashable:
    """Take the minimum over prefixes of a sort."""

    def score(gate: Gate, y: Any, x: Any) -> Any:
        return np.array([-_smallest_over_prefixes(y - slope * x, x > 0.5) for slope in SLOPES])

    return _slope(table, noise, "add-remove", score)


def _smallest_over_prefixes(residual: Any, upper: Any) -> int:
    order = np.argsort(residual, kind="heapsort")  # flaw: the order of ties depends on all other rows
    first, second = (np.concatenate([[0], np.cumsum(part[order])]) for part in (upper, ~upper))
    return int(np.min(np.abs(2 * first - first[-1]) + np.abs(2 * second - second[-1])))


def valid_subsample(table: Table, noise: Any) -> Hashable:
    """Subsample by coins: each row is kept or not by one of its own."""
    return _median_of_part(table, noise, np.flatnonzero(noise.random(len(table)) < 0.5))


def flawed_subsample(table: Table, noise: Any) -> Hashable:
    """Subsample to a fixed size under add/remove."""
    kept = noise.subset(len(table), 4)  # flaw: a row more pushes another one out
    return _median_of_part(table, noise, kept)


def _median_of_part(table: Table, noise: Any, kept: Any) -> Hashable:
    gate = gate_of(noise, "add-remove", 1)
    return choose(gate, gate.plan.leaves()[0], np.array(table)[kept], GRID[:3], HALF, 1)
