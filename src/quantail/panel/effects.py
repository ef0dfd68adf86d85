"""Effects of period, age and remaining life on latent sizes, by Gauss-Newton steps against released sums.

Notation: b the effects (one per period, one per knot of `tables.Splines`), x their factors at a unit-period. Each
step simulates the panel, measures the same sums as were released, and solves

    min over b of  sum ((made + J (b - b_now) - released) / deviation)^2 + prior(b)

where J comes from the simulated panel shifted up and down. The prior is a random walk over periods and small
effects of age; it decides where a sum is noisier than the effect.
"""

from dataclasses import dataclass

import numpy as np

from quantail.arrays import Flags, Floats, Integers
from quantail.panel.curve import Curve
from quantail.panel.latent import Dynamics, shock_scale
from quantail.panel.stage import Stage
from quantail.panel.tables import (
    LATTICE,
    SIGN,
    Splines,
    Track,
    growth_table,
    level,
    spline_table,
    sum_points,
    sum_table,
    trend_points,
    year_table,
)
from quantail.panel.tuning import (
    COHORT_EFFECT,
    DERIVATIVE_SHIFT,
    FIRST_EFFECT,
    LONGEST_EFFECT_STEP,
    PERIOD_WALK,
    SPREAD_TREND,
    SUM_MODEL_ERROR,
    UNREST_EFFECT,
)


@dataclass(frozen=True)
class Total:
    """A released sum of values up to a cap, in units of the cap, and the standard deviation of its noise."""

    cap: float
    sum: float
    deviation: float


@dataclass(frozen=True)
class Sums:
    """Released sums of bounded levels and of signs of growth, in units."""

    year: tuple[float, ...]  # levels by period, then those of births by period
    hat: tuple[float, ...]  # levels over linear splines
    # signs of growth by period, then bounded sizes of moves; empty if there is one period only
    growth: tuple[float, ...]
    deviations: tuple[float, float, float]  # standard deviations of the noise of the three
    # centre, width: what levels are measured from, and in which unit
    centre: float
    width: float
    reach: float  # growth at which the size of a move is bounded
    # total, trend: capped totals of a leading column: of all periods, and later against earlier ones
    total: Total | None = None
    trend: Total | None = None
    # share of pairs of consecutive periods without change, as `unchanged_table` counts them
    unchanged: float | None = None

    @property
    def all(self) -> Floats:
        """Every sum in one row, except for the total of all periods."""
        trend = () if self.trend is None else (self.trend.sum,)
        return np.array([*self.year, *self.hat, *self.growth, *trend])

    def roots(self, least: float) -> Floats:
        """Return the deviation of each, where `least` is what any model may be off."""
        parts = [*zip(self.deviations, (self.year, self.hat, self.growth), strict=True)]
        if self.trend is not None:
            parts.append((self.trend.deviation, (self.trend.sum,)))
        return np.concatenate([np.full(len(part), np.hypot(deviation, least)) for deviation, part in parts])


def fit_effects(
    stage: Stage, curve: Curve, dynamics: Dynamics, effects: Floats, sums: Sums, rounds: int
) -> Floats:
    """Improve the effects by so many steps; a step that makes things worse is cut."""
    best, least, move = effects, np.inf, np.zeros(effects.size)
    prior = _prior(stage.unit_periods.periods, stage.splines)
    for _ in range(rounds):
        tried = best + move
        misses, jacobian = _measured(stage, curve, dynamics, tried, sums)
        cost = float(misses @ misses + np.sum((prior @ tried) ** 2))
        if cost < least:
            best, least = tried, cost
            system, target = np.vstack([jacobian, prior]), np.concatenate([misses, -prior @ tried])
            move = np.linalg.solve(system.T @ system, system.T @ target)
            move *= min(1.0, LONGEST_EFFECT_STEP / max(float(np.abs(move).max()), 1e-9))
        else:
            move *= 0.4
    return best


def _measured(
    stage: Stage, curve: Curve, dynamics: Dynamics, effects: Floats, sums: Sums
) -> tuple[Floats, Floats]:
    """Simulate with given effects; return what is missing from the sums, standardised, and its reduction."""
    unit_periods = stage.unit_periods
    latent = stage.simulate(dynamics, effects)
    sizes = stage.size_map(latent, curve)
    shown, up, down = (
        stage.show(latent, sizes, shift) for shift in (0.0, DERIVATIVE_SHIFT, -DERIVATIVE_SHIFT)
    )
    levels, higher, lower = (level(track, sums.centre, sums.width) for track in (shown, up, down))
    made = [year_table(unit_periods, levels), spline_table(unit_periods, levels, stage.splines)]
    slopes = [
        _without_common(_level_slopes(stage, (higher - lower) / (2 * DERIVATIVE_SHIFT)), stage, latent.idle)
    ]
    if sums.growth:
        wider = stage.show(latent, sizes, DERIVATIVE_SHIFT * shock_scale(dynamics) * stage.draws.shock)
        made.append(growth_table(unit_periods, shown, sums.reach))
        slopes += [_sign_slopes(stage, shown, up, down), _move_slopes(stage, shown, wider, sums.reach)]
    if sums.trend is not None and sums.total is not None:
        values = stage.value(shown)
        trend = sum_table(values, sums.trend.cap, trend_points(unit_periods))
        whole = sum_table(values, sums.total.cap, sum_points(unit_periods))[0] * stage.ratio / LATTICE
        # The total is met by the curve's upper half in the end: here a trend matters relative to it.
        made.append(trend * np.clip(sums.total.sum / max(whole, 1e-9), 0.5, 2.0))
        slopes.append(_trend_slopes(stage, latent, up, down, sums.trend.cap))
    misses = sums.all - np.concatenate(made) * (stage.ratio / LATTICE)
    roots = sums.roots(SUM_MODEL_ERROR * stage.ratio * unit_periods.order.size / unit_periods.periods)
    return misses / roots, stage.ratio * np.vstack(slopes) / roots[:, None]


def _level_slopes(stage: Stage, slope: Floats) -> Floats:
    """Return how sums of levels (rows) change with effects (columns)."""
    unit_periods, splines = stage.unit_periods, stage.splines
    points, measured = stage.points * slope, 2 * unit_periods.periods + splines.number
    rows = [(unit_periods.place + unit_periods.periods * unit_periods.newborn, np.ones(len(unit_periods)))]
    rows += [(2 * unit_periods.periods + cell, factor / splines.families) for cell, factor in splines.parts]
    jacobian = np.zeros((measured, stage.effects))
    for row, share in rows:
        for column, factor in stage.features:
            jacobian += _cross(row, column, points * share * factor, jacobian.shape)
    return jacobian


def _trend_slopes(stage: Stage, latent: Track, up: Track, down: Track, cap: float) -> Floats:
    """Return how the trend of capped totals changes with shifts and with the trend of the spread."""
    higher, lower = (np.clip(stage.value(track) / cap, -1.0, 1.0) for track in (up, down))
    slope = trend_points(stage.unit_periods) / LATTICE * (higher - lower) / (2 * DERIVATIVE_SHIFT)
    sums = [np.bincount(column, slope * factor, stage.effects) for column, factor in stage.features]
    jacobian = np.asarray(sum(sums))[None, :]
    jacobian[0, -1] += float(slope @ (latent.size * stage.trend[stage.unit_periods.place]))
    return _without_common(jacobian, stage, latent.idle)


def _sign_slopes(stage: Stage, shown: Track, up: Track, down: Track) -> Floats:
    """Return how sums of signs of growth change with shifts."""
    unit_periods = stage.unit_periods
    later, earlier = unit_periods.pairs(1)
    before = shown.size[earlier]
    slope = (np.sign(up.size[later] - before) - np.sign(down.size[later] - before)) / (2 * DERIVATIVE_SHIFT)
    slope = np.where(shown.idle[later] | shown.idle[earlier], 0.0, slope)
    points = SIGN / LATTICE * slope / np.maximum(unit_periods.length[unit_periods.unit[later]] - 1, 1)
    jacobian = np.zeros((unit_periods.periods, stage.effects))
    for column, factor in stage.features:
        jacobian += _cross(unit_periods.place[later], column[later], points * factor[later], jacobian.shape)
        jacobian -= _cross(
            unit_periods.place[later], column[earlier], points * factor[earlier], jacobian.shape
        )
    return jacobian


def _move_slopes(stage: Stage, shown: Track, wider: Track, reach: float) -> Floats:
    """Return how sums of the sizes of moves change with the log scale of shocks in their period."""
    unit_periods = stage.unit_periods
    later, earlier = unit_periods.pairs(1)
    before = shown.size[earlier]
    moves = [np.minimum(np.abs(track.size[later] - before) / reach, 1.0) for track in (wider, shown)]
    slope = np.where(shown.idle[later] | shown.idle[earlier], 0.0, (moves[0] - moves[1]) / DERIVATIVE_SHIFT)
    points = (1 - SIGN / LATTICE) * slope / np.maximum(unit_periods.length[unit_periods.unit[later]] - 1, 1)
    jacobian = np.zeros((unit_periods.periods, stage.effects))
    unrest = slice(stage.shifts, stage.shifts + unit_periods.periods)
    jacobian[:, unrest] = np.diag(np.bincount(unit_periods.place[later], points, unit_periods.periods))
    return jacobian


def _without_common(jacobian: Floats, stage: Stage, idle: Flags) -> Floats:
    """Take out what a common shift of all sizes does: the size map takes it back."""
    points = np.where(idle, 0.0, stage.points)
    sums = [np.bincount(cell, points * factor, stage.effects) for cell, factor in stage.features]
    mean = np.asarray(sum(sums)) / max(points.sum(), 1e-9)
    return np.asarray(jacobian - np.outer(jacobian[:, : stage.unit_periods.periods].sum(axis=1), mean))


def _cross(row: Integers, column: Integers, weight: Floats, shape: tuple[int, ...]) -> Floats:
    return np.asarray(np.bincount(row * shape[1] + column, weight, shape[0] * shape[1]).reshape(shape), float)


def _prior(periods: int, splines: Splines) -> Floats:
    """Return the prior as rows: random walks over periods and over knots, independent cohorts and unrest, a trend."""
    cohorts = periods + splines.number
    unrest, trend = cohorts + periods, cohorts + 2 * periods
    rows = np.zeros((trend + 1, trend + 1))
    first = {0, *(periods + start for start in splines.starts)}
    for row in range(trend + 1):
        if row in first:
            rows[row, row] = 1 / FIRST_EFFECT
        elif row >= cohorts:
            rows[row, row] = 1 / (
                COHORT_EFFECT if row < unrest else UNREST_EFFECT if row < trend else SPREAD_TREND
            )
        else:
            rows[row, row] = 1 / (PERIOD_WALK if row < periods else splines.walk)
            rows[row, row - 1] = -rows[row, row]
    return rows
