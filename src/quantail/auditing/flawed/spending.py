"""Flaws of budget, sums and randomness; epsilon 1 is claimed."""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np

from quantail.auditing.enumeration import Table, gate_of
from quantail.auditing.flawed.scores import GRID, HALF, choose
from quantail.privacy import Gate, Plan, SecureNoise, SimulatedNoise

BOUND = 3


def valid_twice(table: Table, noise: Any) -> Hashable:
    """Ask two questions, each with half of the budget."""
    gate = gate_of(noise, "replace-one", Fraction(1, 2), Fraction(1, 2))
    return tuple(choose(gate, leaf, table, GRID, HALF, 2) for leaf in gate.plan.leaves())


def flawed_twice(table: Table, noise: Any) -> Hashable:
    """Use a budget twice."""
    leaf = Plan.leaf("all", Fraction(1))
    plan = Plan.sequence("twice", [leaf])
    gates = (Gate(plan, noise, "replace-one"), Gate(plan, noise, "replace-one"))  # flaw: a gate per question
    return tuple(choose(gate, leaf, table, GRID, HALF, 2) for gate in gates)


def _noisy_total(total: int, noise: Any, sensitivity: int) -> Hashable:
    gate = gate_of(noise, "replace-one", 1)
    (noisy,) = gate.count(gate.plan.leaves()[0], np.array([total]), sensitivity)
    return int(noisy)


def valid_clipping(table: Table, noise: Any) -> Hashable:
    """Release a sum of values clipped to 0..BOUND."""
    return _noisy_total(sum(min(max(value, 0), BOUND) for value in table), noise, BOUND)


def flawed_clipping(table: Table, noise: Any) -> Hashable:
    """Leave out the clipping."""
    return _noisy_total(sum(table), noise, BOUND)  # flaw: nothing keeps a row within 0..BOUND


def valid_sum(table: Table, noise: Any) -> Hashable:
    """Take weights between 0 and 1 as integer tenths: their sum is exact in any order, its floor moves by 1."""
    return _noisy_total(sum(table) // 10, noise, 1)


def flawed_sum(table: Table, noise: Any) -> Hashable:
    """Add up in floating point, row by row."""
    total = 0.0
    for tenths in table:
        total += tenths / 10  # flaw: .7 + .2 + .1 is less than 1, .1 + .2 + .7 is not
    return _noisy_total(int(total), noise, 1)


def valid_noise(table: Table, noise: SecureNoise) -> Hashable:
    """Release a median with secure noise."""
    gate = gate_of(noise, "replace-one", 1)
    return choose(gate, gate.plan.leaves()[0], table, GRID, HALF, 2)


def flawed_noise(table: Table, noise: SecureNoise) -> Hashable:
    """Seed a release."""
    return valid_noise(table, SimulatedNoise(20))  # type: ignore[arg-type]  # flaw: known noise can be undone


def valid_chain(table: Table, noise: Any) -> Hashable:
    """Draw from the exponential mechanism, exactly."""
    weights = _weights(table)
    return int(noise.choose(np.log(weights / weights.sum())))


def flawed_chain(table: Table, noise: Any) -> Hashable:
    """Run a short chain that starts at the non-private fit."""
    weights = _weights(table)
    steps = np.zeros((weights.size, weights.size))
    for k in range(weights.size):
        for other in {k - 1, k + 1} & set(range(weights.size)):
            steps[k, other] = 0.5 * min(1.0, weights[other] / weights[k])
        steps[k, k] = 1 - steps[k].sum()
    start = int(np.argmax(weights))  # flaw: no more private than its start until the chain forgets it
    return int(noise.choose(np.log(np.linalg.matrix_power(steps, 8)[start])))


def _weights(table: Table) -> Any:
    below = np.searchsorted(np.sort(table), GRID, side="right")
    return np.exp(-np.abs(2 * below - len(table)) / 4)
