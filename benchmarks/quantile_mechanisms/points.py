"""`quantail.quantiles`: the law of JointExp on a fine lattice, for as many levels as the budget can tell apart."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from quantail.answers.asking import draw_quantiles
from quantail.curves import Scale
from quantail.privacy import Gate, Plan, SimulatedNoise


def quantiles(
    values: np.ndarray,
    levels: np.ndarray,
    epsilon: float,
    bounds: tuple[float, float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Release the quantiles of values that are on their modelling scale already."""
    leaf = Plan.leaf("quantiles", Fraction(epsilon).limit_denominator(10**6))
    plan = Plan.sequence("column", [leaf])
    gate = Gate(plan, SimulatedNoise(int(rng.integers(2**31))), "replace-one")
    # Values were spread over their steps before; what is recorded is as fine as doubles are.
    scale = Scale(False, (bounds[1] - bounds[0]) * 1e-12, *bounds)
    rows, _ = draw_quantiles(gate, plan, values, scale, levels)
    return np.array([row.value for row in rows])
