"""Effects of period, age and remaining life on latent sizes, by Gauss-Newton steps against released sums.

Notation: b the effects (one per period, one per hat of `panel_tables.hats`), x their factors at a spell. Each step
simulates the panel, measures the same sums as were released, and solves

    min over b of  sum ((made + J (b - b_now) - released) / deviation)^2 + prior(b)

where J comes from the simulated panel shifted up and down. The prior is a random walk over periods and small
effects of age; it matters where a sum is noisier than the effect.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantail.panel.curve import Curve
from quantail.panel.latent import Dynamics, shock_scale
from quantail.panel.stage import Stage
from quantail.panel.tables import (
    LATTICE,
    SIGN,
    Hats,
    Track,
    growth_table,
    hat_table,
    level,
    sum_points,
    sum_table,
    trend_points,
    year_table,
)

Floats = NDArray[np.float64]

_SHIFT = 0.25  # of latent sizes, for derivatives
_MODEL_ERROR = 0.005  # of a sum, relative to its share of the units: what any model may be off
_LONGEST = 0.6  # the most that an effect changes in a step
_WALK = 0.05  # prior deviation of an effect's change from one period to the next
_HAT_WALK = 0.2  # and from one knot to the next
_START = 0.5  # of the first of each
_COHORT = 0.3  # of a cohort's effect
_TREND = 0.045  # of the trend of the log spread
_UNREST = 0.08  # of a period's effect on the log scale of shocks


@dataclass(frozen=True)
class Total:
    """A released sum of values up to a cap, in units of the cap, and the standard deviation of its noise."""

    cap: float
    sum: float
    deviation: float


@dataclass(frozen=True)
class Sums:
    """Released sums of bounded levels and of signs of growth, in units.

    Attributes
    ----------
    year : tuple of float
        Levels by period, then those of births by period.
    hat : tuple of float
        Levels over hat functions.
    growth : tuple of float
        Signs of growth by period, then bounded sizes of moves; empty if there is one period only.
    deviations : tuple of float
        Standard deviations of the noise of the three.
    centre, width : float
        What levels are measured from, and in which unit.
    reach : float
        Growth at which the size of a move is bounded.
    total, trend : Total, optional
        Capped totals of a leading column: of all periods, and later against earlier ones.
    unchanged : float, optional
        Share of pairs of consecutive periods without change, as `stay_table` counts them.
    """

    year: tuple[float, ...]
    hat: tuple[float, ...]
    growth: tuple[float, ...]
    deviations: tuple[float, float, float]
    centre: float
    width: float
    reach: float
    total: Total | None = None
    trend: Total | None = None
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
    prior = _prior(stage.spells.periods, stage.hats)
    for _ in range(rounds):
        tried = best + move
        misses, jacobian = _measured(stage, curve, dynamics, tried, sums)
        cost = float(misses @ misses + np.sum((prior @ tried) ** 2))
        if cost < least:
            best, least = tried, cost
            system, target = np.vstack([jacobian, prior]), np.concatenate([misses, -prior @ tried])
            move = np.linalg.solve(system.T @ system, system.T @ target)
            move *= min(1.0, _LONGEST / max(float(np.abs(move).max()), 1e-9))
        else:
            move *= 0.4
    return best


def _measured(
    stage: Stage, curve: Curve, dynamics: Dynamics, effects: Floats, sums: Sums
) -> tuple[Floats, Floats]:
    """Simulate with given effects; return what is missing from the sums, standardised, and its reduction."""
    spells = stage.spells
    latent = stage.simulate(dynamics, effects)
    knots = stage.size_map(latent, curve)
    shown, up, down = (stage.show(latent, knots, shift) for shift in (0.0, _SHIFT, -_SHIFT))
    levels, higher, lower = (level(track, sums.centre, sums.width) for track in (shown, up, down))
    made = [year_table(spells, levels), hat_table(spells, levels, stage.hats)]
    slopes = [_without_common(_level_slopes(stage, (higher - lower) / (2 * _SHIFT)), stage, latent.idle)]
    if sums.growth:
        wider = stage.show(latent, knots, _SHIFT * shock_scale(dynamics) * stage.draws.shock)
        made.append(growth_table(spells, shown, sums.reach))
        slopes += [_sign_slopes(stage, shown, up, down), _move_slopes(stage, shown, wider, sums.reach)]
    if sums.trend is not None and sums.total is not None:
        values = stage.value(shown)
        trend = sum_table(values, sums.trend.cap, trend_points(spells))
        whole = sum_table(values, sums.total.cap, sum_points(spells))[0] * stage.ratio / LATTICE
        # The total is met by the curve's upper half in the end: here a trend matters relative to it.
        made.append(trend * np.clip(sums.total.sum / max(whole, 1e-9), 0.5, 2.0))
        slopes.append(_trend_slopes(stage, latent, up, down, sums.trend.cap))
    misses = sums.all - np.concatenate(made) * (stage.ratio / LATTICE)
    roots = sums.roots(_MODEL_ERROR * stage.ratio * spells.order.size / spells.periods)
    return misses / roots, stage.ratio * np.vstack(slopes) / roots[:, None]


def _level_slopes(stage: Stage, slope: Floats) -> Floats:
    """Return how sums of levels (rows) change with effects (columns)."""
    spells, hats = stage.spells, stage.hats
    points, measured = stage.points * slope, 2 * spells.periods + hats.number
    rows = [(spells.place + spells.periods * spells.newborn, np.ones(len(spells)))]
    rows += [(2 * spells.periods + cell, factor / hats.families) for cell, factor in hats.parts]
    jacobian = np.zeros((measured, stage.effects))
    for row, share in rows:
        for column, factor in stage.features:
            jacobian += _cross(row, column, points * share * factor, jacobian.shape)
    return jacobian


def _trend_slopes(stage: Stage, latent: Track, up: Track, down: Track, cap: float) -> Floats:
    """Return how the trend of capped totals changes with shifts and with the trend of the spread."""
    higher, lower = (np.clip(stage.value(track) / cap, -1.0, 1.0) for track in (up, down))
    slope = trend_points(stage.spells) / LATTICE * (higher - lower) / (2 * _SHIFT)
    sums = [np.bincount(column, slope * factor, stage.effects) for column, factor in stage.features]
    jacobian = np.asarray(sum(sums))[None, :]
    jacobian[0, -1] += float(slope @ (latent.size * stage.trend))
    return _without_common(jacobian, stage, latent.idle)


def _sign_slopes(stage: Stage, shown: Track, up: Track, down: Track) -> Floats:
    """Return how sums of signs of growth change with shifts."""
    spells = stage.spells
    later, earlier = spells.pairs(1)
    before = shown.size[earlier]
    slope = (np.sign(up.size[later] - before) - np.sign(down.size[later] - before)) / (2 * _SHIFT)
    slope = np.where(shown.idle[later] | shown.idle[earlier], 0.0, slope)
    points = SIGN / LATTICE * slope / np.maximum(spells.length[spells.unit[later]] - 1, 1)
    jacobian = np.zeros((spells.periods, stage.effects))
    for column, factor in stage.features:
        jacobian += _cross(spells.place[later], column[later], points * factor[later], jacobian.shape)
        jacobian -= _cross(spells.place[later], column[earlier], points * factor[earlier], jacobian.shape)
    return jacobian


def _move_slopes(stage: Stage, shown: Track, wider: Track, reach: float) -> Floats:
    """Return how sums of the sizes of moves change with the log scale of shocks in their period."""
    spells = stage.spells
    later, earlier = spells.pairs(1)
    before = shown.size[earlier]
    moves = [np.minimum(np.abs(track.size[later] - before) / reach, 1.0) for track in (wider, shown)]
    slope = np.where(shown.idle[later] | shown.idle[earlier], 0.0, (moves[0] - moves[1]) / _SHIFT)
    points = (1 - SIGN / LATTICE) * slope / np.maximum(spells.length[spells.unit[later]] - 1, 1)
    jacobian = np.zeros((spells.periods, stage.effects))
    unrest = slice(stage.shifts, stage.shifts + spells.periods)
    jacobian[:, unrest] = np.diag(np.bincount(spells.place[later], points, spells.periods))
    return jacobian


def _without_common(jacobian: Floats, stage: Stage, idle: NDArray[np.bool_]) -> Floats:
    """Take out what a common shift of all sizes does: the size map takes it back."""
    points = np.where(idle, 0.0, stage.points)
    sums = [np.bincount(cell, points * factor, stage.effects) for cell, factor in stage.features]
    mean = np.asarray(sum(sums)) / max(points.sum(), 1e-9)
    return np.asarray(jacobian - np.outer(jacobian[:, : stage.spells.periods].sum(axis=1), mean))


def _cross(
    row: NDArray[np.int64], column: NDArray[np.int64], weight: Floats, shape: tuple[int, ...]
) -> Floats:
    return np.asarray(np.bincount(row * shape[1] + column, weight, shape[0] * shape[1]).reshape(shape), float)


def _prior(periods: int, hats: Hats) -> Floats:
    """Return rows that stand for: random walks over periods and over knots, independent cohorts and unrest, a trend."""
    cohorts = periods + hats.number
    unrest, trend = cohorts + periods, cohorts + 2 * periods
    rows = np.zeros((trend + 1, trend + 1))
    first = {0, *(periods + start for start in hats.starts)}
    for row in range(trend + 1):
        if row in first:
            rows[row, row] = 1 / _START
        elif row >= cohorts:
            rows[row, row] = 1 / (_COHORT if row < unrest else _UNREST if row < trend else _TREND)
        else:
            rows[row, row] = 1 / (_WALK if row < periods else _HAT_WALK)
            rows[row, row - 1] = -rows[row, row]
    return rows
