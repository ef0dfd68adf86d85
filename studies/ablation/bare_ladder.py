"""The ladder without its refinements: the steps of the ablation between the valid sandwich and the default method.

Budget as in the paper, 1/2, 1/4, 1/4 for X1, X2, X3. X2 and X3 spend half of theirs on slopes (bounded instruments,
one at a time on innovations), the rest, evenly over the levels of bisection, on a ladder of what slopes leave over.
Every private question goes through the gate, so each of these is differentially private; none is the default,
which also narrows its candidates, shares the budget by need and calibrates (see `quantail.table`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quantail.curves import (
    Curve,
    Scale,
    StepCurve,
    choose_slope,
    fit_curve,
    joint_quantiles,
    slope_plan,
    slope_reach,
)
from quantail.curves.balanced import balanced_uniform
from quantail.curves.depth import quantile_levels
from quantail.curves.grid import wide
from quantail.curves.slope import Slope
from quantail.examples import PAPER_COLUMNS, paper_schema
from quantail.orders.levels import PAPER_TAUS, level_weights
from quantail.privacy import Gate, Noise, Plan, split
from quantail.table.stage_one.column import NumericModel
from quantail.table.stage_one.fitting import residual_range
from studies.ablation.squeeze import squeeze
from studies.ladder import ladder_depth

Floats = NDArray[np.float64]

_COLUMN_SHARES = (2, 1, 1)
_QUARTILES = np.array([0.25, 0.5, 0.75])
_LOW_END = 0.05
_THREE_RUNGS = 90.0  # the signal from which there are three: the fewest with a median among them


@dataclass(frozen=True)
class Rungs:
    """Which rungs are asked for, how, and what becomes of them.

    Attributes
    ----------
    few : bool
        As many rungs as rows and budget carry, instead of the paper's 49.
    curve : bool
        Synthetic rows come from an interpolated curve with tails, instead of picking a released rung at random.
    joint : bool
        All rungs in one draw, instead of by bisection.
    """

    few: bool = False
    curve: bool = False
    joint: bool = False

    def levels(self, signal: float) -> tuple[Fraction, ...]:
        """Return the quantile levels of a column that has `signal` = rows * epsilon to spend on them."""
        values = quantile_levels(max(signal, _THREE_RUNGS)).tolist() if self.few else PAPER_TAUS
        return tuple(Fraction(round(1000 * value), 1000) for value in values)


@dataclass
class _Fit:
    """A fit in progress: the gate, confidential arrays, and what was released of earlier columns."""

    gate: Gate
    wanted: Rungs
    rows: int
    train: Mapping[str, Floats]
    innovations: dict[str, Floats] = field(default_factory=dict)
    models: dict[str, NumericModel] = field(default_factory=dict)


def bare_ladder(
    train: Mapping[str, Floats], epsilon: Fraction, noise: Noise, rng: np.random.Generator, rungs: Rungs
) -> dict[str, Floats]:
    """Make a synthetic copy of the study's table; `rng` draws the synthetic rows."""
    rows = len(train["X1"])
    plan = ladder_plan(epsilon, rows, rungs)
    fit = _Fit(Gate(plan, noise, "replace-one"), rungs, rows, train)
    for name, part in zip(PAPER_COLUMNS, plan.children, strict=True):
        fit.models[name] = _fit_column(fit, name, part)
    return _draw(fit.models, rows, rng)


def _draw(models: Mapping[str, NumericModel], rows: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Draw balanced synthetic rows: innovations from the curves, then what slopes on earlier ones add."""
    innovations: dict[str, Floats] = {}
    values: dict[str, Floats] = {}
    for model, u in zip(models.values(), balanced_uniform(len(models), rows, rng), strict=True):
        innovation = model.curve(u)
        built = innovation + sum((slope.at(innovations[slope.on]) for slope in model.slopes), np.zeros(rows))
        innovations[model.name] = innovation if model.slopes else model.scale.recorded(built)
        values[model.name] = model.finish(built)
    return values


def ladder_plan(epsilon: Fraction, rows: int, rungs: Rungs) -> Plan:
    """Return the budget plan: slopes on earlier columns, then rungs."""
    columns = []
    for place, (name, whole) in enumerate(zip(PAPER_COLUMNS, split(epsilon, _COLUMN_SHARES), strict=True)):
        slopes, cost = split(whole, (1, 1)) if place else (Fraction(0), whole)
        each = slopes / max(place, 1)
        parts = [slope_plan(earlier, each, rows * float(each)) for earlier in PAPER_COLUMNS[:place]]
        depth = 1 if rungs.joint else ladder_depth(len(rungs.levels(rows * float(cost))))
        leaves = [Plan.leaf(f"level {k}", part) for k, part in enumerate(split(cost, (1,) * depth), start=1)]
        columns.append(Plan.sequence(name, [*parts, Plan.sequence("rungs", leaves)]))
    return Plan.sequence("table", columns)


def rung_curve(levels: tuple[Fraction, ...], rungs: Floats) -> StepCurve:
    """Return the curve of draws that pick a released rung at random: cells of no width, nothing in between."""
    shares = np.zeros(2 * rungs.size - 1)
    shares[::2] = level_weights([float(level) for level in levels], "midpoint")
    return StepCurve(tuple(np.repeat(rungs, 2).tolist()), tuple(shares.tolist()))


def _fit_column(fit: _Fit, name: str, plan: Plan) -> NumericModel:
    scale = Scale.of(paper_schema().column(name))
    residual = scale.dithered(fit.train[name], fit.gate.noise)
    slopes = []
    for earlier in fit.models:
        slope = _fit_slope(fit, plan.find(f"slope on {earlier}"), scale, residual, earlier)
        residual = residual - slope.slope * (fit.innovations[earlier] - slope.centre)
        slopes.append(slope)
    fit.innovations[name] = residual
    curve = _fit_curve(fit, plan.find("rungs").leaves(), scale, residual, bool(slopes))
    return NumericModel(name, scale, tuple(slopes), curve)


def _fit_slope(fit: _Fit, plan: Plan, scale: Scale, residual: Floats, earlier: str) -> Slope:
    model = fit.models[earlier]
    first, median, last = model.curve(_QUARTILES).tolist()
    reach = slope_reach(scale, last - first, scale.step)
    x = fit.innovations[earlier]
    slope = choose_slope(fit.gate, plan.leaves(), residual, x, (median, median), reach, fit.rows)
    low_end = model.curve(np.array([_LOW_END if slope >= 0 else 1 - _LOW_END]))
    return Slope(earlier, slope, float(low_end[0]))


def _fit_curve(
    fit: _Fit, leaves: tuple[Plan, ...], scale: Scale, residual: Floats, explained: bool
) -> Curve | StepCurve:
    cost = float(sum(leaf.cost for leaf in leaves))
    levels = fit.wanted.levels(fit.rows * cost)
    numbers = np.array([float(level) for level in levels])
    grid = wide(*residual_range(scale, explained), log=False)
    if fit.wanted.joint:
        rungs = joint_quantiles(fit.gate, leaves[0], residual, grid, numbers, fit.rows)
    else:
        rungs = squeeze(fit.gate, leaves, residual, levels, grid, scale.ends)
    if not fit.wanted.curve:
        return rung_curve(levels, rungs)
    noise_rows = (
        4 * len(leaves) / cost
    )  # one row moves two counts, and every level has its own part of the budget
    return fit_curve(numbers, rungs, fit.rows, noise_rows, scale.step)
