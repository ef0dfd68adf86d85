"""Quantail's own: the ladder on a fine public grid, and the joint draw as the table synthesizer asks for it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from benchmarks.quantile_mechanisms.exponential import NotApplicable
from quantail.curves import joint_quantiles
from quantail.curves.depth import near_candidates
from quantail.curves.grid import near, wide
from quantail.curves.tuning import LOCATE_SHARE
from quantail.privacy import Gate, Plan, SimulatedNoise, split
from quantail.privacy.paths import MOST_QUANTILES
from studies.ladder import climb, count_blocks, ladder_depth

CANDIDATES = 2**18
_QUARTILES = np.array([0.25, 0.5, 0.75])


def ladder(
    values: np.ndarray,
    levels: np.ndarray,
    epsilon: float,
    bounds: tuple[float, float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Climb a ladder over evenly spaced candidates between the bounds, every depth with an equal share."""
    taus = [Fraction(float(level)).limit_denominator(10**6) for level in levels]
    depth = ladder_depth(len(taus))
    gate = _gate(epsilon, [1.0] * depth, rng)
    grid = np.linspace(*bounds, CANDIDATES)
    cells = count_blocks(values, np.zeros(values.size, dtype=np.int64), 1, grid)
    return climb(gate, gate.plan.leaves(), cells, taus, grid)[0]


def joint_draw(
    values: np.ndarray,
    levels: np.ndarray,
    epsilon: float,
    bounds: tuple[float, float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Locate the quartiles among wide candidates, then draw all rungs at once among near ones."""
    if levels.size >= MOST_QUANTILES:
        raise NotApplicable("the joint draw is for few rungs")
    gate = _gate(epsilon, [LOCATE_SHARE, 1 - LOCATE_SHARE], rng)
    locate, draw = gate.plan.leaves()
    # Even candidates of the modelling scale, whatever it is.
    first, _, last = joint_quantiles(gate, locate, values, wide(*bounds, log=True), _QUARTILES, values.size)
    last = max(last, first + (bounds[1] - bounds[0]) * 1e-6)
    grid = near(first, last, *bounds, near_candidates(values.size * float(draw.cost)))
    return joint_quantiles(gate, draw, values, grid, levels, values.size)


def _gate(epsilon: float, shares: list[float], rng: np.random.Generator) -> Gate:
    costs = split(Fraction(epsilon).limit_denominator(10**6), shares)
    plan = Plan.sequence("column", [Plan.leaf(f"part {k}", cost) for k, cost in enumerate(costs, start=1)])
    return Gate(plan, SimulatedNoise(int(rng.integers(2**31))), "replace-one")
