"""One column of a panel: its questions to the gate, the fit to the answers, and draws from what was released.

Questions, each against its own leaf: sizes (counts of size cells), sums (capped sums), pairs (sizes now and some
periods before), unchanged (pairs without change), years and splines (bounded levels by period, age and remaining life),
growth (signs of growth by period). Later questions use cells and centres that follow from earlier answers. Then
everything is post-processing.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quantail.panel.curve import Curve, smooth_weights
from quantail.panel.dynamics import (
    Moves,
    dynamics_at,
    enter_as_often,
    fit_dynamics,
    repeat_as_often,
    share_of,
    zero_chances,
)
from quantail.panel.effects import Sums, Total, fit_effects
from quantail.panel.latent import Dynamics
from quantail.panel.scale import PanelScale
from quantail.panel.stage import Stage
from quantail.panel.tables import (
    GROWTH_SENSITIVITY,
    LATTICE,
    SENSITIVITY,
    PairCells,
    Splines,
    Track,
    growth_table,
    kind_points,
    level,
    pair_table,
    size_table,
    spline_table,
    sum_points,
    sum_table,
    trend_points,
    unchanged_points,
    unchanged_table,
    year_table,
)
from quantail.panel.tuning import (
    BEYOND_CAP,
    BEYOND_CAP_TREND,
    CELL_UNITS,
    CENTRE_LEVEL,
    CLASS_CUTS,
    EFFECT_ROUNDS,
    GROWTH_REACH,
    LARGE_JUMPS,
    NARROWEST_STRETCH,
    PRIOR,
    SEARCH_ROUNDS,
    SHARES,
    STRETCH_PRIOR,
    TAIL_FROM,
    TAIL_INDEX,
    USUAL_UNCHANGED,
    WIDEST_STRETCH,
)
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import Gate, Plan, geometric_strength, split

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CHANGES = ("trends", "pairs", "unchanged", "growth")
_NOTES = {
    "sizes": "size classes, weight 1 per unit",
    "sums": "total up to a cap",
    "trends": "totals up to a cap, later periods against earlier ones",
    "pairs": "sizes at lags 1, 2, 4, 8, 16",
    "unchanged": "pairs of consecutive periods without change",
    "years": "bounded levels by period, births apart",
    "splines": "bounded levels on linear splines of age and remaining life",
    "growth": "signs and sizes of growth by period",
}


@dataclass(frozen=True)
class HistoryModel:
    """Everything released about the sizes of one column.

    Attributes
    ----------
    curve : Curve
        Distribution of sizes on the modelling scale.
    dynamics : Dynamics
        How they move.
    effects : tuple of float
        Effects of period, splines and cohorts on latent sizes.
    sums : Sums
        Released sums, to which drawn panels are calibrated.
    units : int
        Public number of units.
    """

    curve: Curve
    dynamics: Dynamics
    effects: tuple[float, ...]
    sums: Sums
    units: int


def plan_history(name: str, cost: Fraction, periods: int, without: tuple[str, ...] = ()) -> Plan:
    """Return the budget of one column."""
    asked = [word for word in SHARES if word not in without and (periods > 1 or word not in _CHANGES)]
    parts = split(cost, [SHARES[word] for word in asked])
    return Plan.sequence(
        name, [Plan.leaf(word, part, _NOTES[word]) for word, part in zip(asked, parts, strict=True)]
    )


def asks(plan: Plan, word: str) -> bool:
    """Say whether a column's plan holds a question."""
    return any(child.name == word for child in plan.children)


def ask(
    gate: Gate, plan: Plan, word: str, table: Integers, sensitivity: int = SENSITIVITY
) -> tuple[Floats, float]:
    """Release a table; return it in units, with the standard deviation of its noise."""
    leaf = plan.find(word)
    noisy = gate.count(leaf, table.ravel(), sensitivity).reshape(table.shape) / LATTICE
    return noisy, deviation_of(gate, leaf, sensitivity)


def deviation_of(gate: Gate, leaf: Plan, sensitivity: int) -> float:
    """Return the standard deviation of a leaf's noise, in units."""
    return 2**0.5 * sensitivity / (LATTICE * float(geometric_strength(leaf.cost, gate.definition)))


@dataclass(frozen=True, eq=False)
class Answers:
    """What was released about a column."""

    curve: Curve
    zero: Dynamics
    moves: Moves | None
    sums: Sums
    idle: float | None = None  # share of unit-periods after the first in the zero state, where there is one


def ask_sizes(
    gate: Gate, plan: Plan, unit_periods: UnitPeriods, scale: PanelScale, values: Floats
) -> tuple[Curve, Floats, float]:
    """Release the size table; return the curve, the table and its noise."""
    units, signed = float(unit_periods.order.size), scale.scale.lower < 0
    noise = deviation_of(gate, plan.find("sizes"), SENSITIVITY)
    edges = np.array(scale.coarse(units / (CELL_UNITS * noise)).edges)
    sizes, deviation = ask(gate, plan, "sizes", size_table(unit_periods, scale.track(values), edges))
    total = max(units - max(float(sizes[:3].sum()), 0.0), 0.2 * units)
    weights = smooth_weights(edges, sizes[3:], deviation, total, scale.scale.log, signed)
    return Curve.of(edges, weights).with_tail(total, deviation, scale.scale.log), sizes, deviation


def ask_total(
    gate: Gate, leaf: Plan, values: Floats, points: Integers, scale: PanelScale, curve: Curve, beyond: float
) -> Total:
    """Release a capped sum of values with given points."""
    # Values of one sign move their sum by at most the points of one unit.
    sensitivity = LATTICE if scale.scale.lower >= 0 else SENSITIVITY
    noise = deviation_of(gate, leaf, sensitivity)
    cap = best_cap(scale, curve, noise, beyond * float(np.abs(points).sum()) / LATTICE)
    noisy = gate.count(leaf, sum_table(values, cap, points), sensitivity)
    return Total(cap, float(noisy[0]) / LATTICE, noise)


def best_cap(scale: PanelScale, curve: Curve, noise: float, weight: float) -> float:
    """Weigh the noise, which grows with the cap, against what is expected above it, which counts with a weight."""
    sizes = np.abs(scale.value(curve.at((np.arange(20_000) + 0.5) / 20_000)))
    caps = np.unique(np.maximum(np.quantile(sizes, 1.0 - np.geomspace(0.0002, 0.2, 30)), scale.scale.step))
    share = np.array([np.mean(sizes > cap) for cap in caps])
    if scale.scale.log:
        # A curve that falls too fast by chance must not lead to a cap that hides the tail.
        share = np.maximum(share, (1.0 - TAIL_FROM) * (np.quantile(sizes, TAIL_FROM) / caps) ** TAIL_INDEX)
    above = caps * np.minimum(share, 1.0)  # what a Pareto tail of index 2 holds above
    return float(caps[np.argmin((noise * caps) ** 2 + (weight * above) ** 2)])


def ask_moves(
    gate: Gate,
    plan: Plan,
    unit_periods: UnitPeriods,
    track: Track,
    splines: Splines,
    curve: Curve,
    unit: float,
) -> tuple[Moves | None, Sums]:
    """Release pairs and sums of levels and growth, with cells and centres from the released curve."""
    moves, unchanged = None, None
    if asks(plan, "pairs"):
        cells = PairCells.of(curve.at(np.array(CLASS_CUTS)), unit)
        pairs, paired = ask(gate, plan, "pairs", pair_table(unit_periods, track, cells))
        moves = Moves(pairs, cells, paired)
        unchanged = ask_unchanged(gate, plan.find("unchanged"), unit_periods, track)
    centre, width, reach = curve.quantile(CENTRE_LEVEL), curve.spread, GROWTH_REACH * unit
    levels = level(track, centre, width)
    year, yearly = ask(gate, plan, "years", year_table(unit_periods, levels))
    spline, splined = ask(gate, plan, "splines", spline_table(unit_periods, levels, splines))
    growth, grown = np.zeros(0), 1.0
    if asks(plan, "growth"):
        growth, grown = ask(
            gate, plan, "growth", growth_table(unit_periods, track, reach), GROWTH_SENSITIVITY
        )
    lists = [tuple(part.tolist()) for part in (year, spline, growth)]
    deviations = (yearly, splined, grown)
    return moves, Sums(lists[0], lists[1], lists[2], deviations, centre, width, reach, unchanged=unchanged)


def ask_unchanged(gate: Gate, leaf: Plan, unit_periods: UnitPeriods, track: Track) -> float:
    """Release the share of pairs of consecutive periods without change, shrunk towards a usual one by its noise."""
    noisy = float(gate.count(leaf, unchanged_table(unit_periods, track), LATTICE)[0]) / LATTICE
    pairs = float(unchanged_points(unit_periods).sum()) / LATTICE
    known = (USUAL_UNCHANGED * pairs) ** 2
    trust = known / (known + deviation_of(gate, leaf, LATTICE) ** 2)
    return float(np.clip(trust * noisy / max(pairs, 1e-9) + (1.0 - trust) * USUAL_UNCHANGED, 0.0, 0.95))


def ask_history(
    gate: Gate, plan: Plan, unit_periods: UnitPeriods, scale: PanelScale, values: Floats, splines: Splines
) -> Answers:
    """Ask everything about the leading column of a panel."""
    curve, sizes, deviation = ask_sizes(gate, plan, unit_periods, scale, values)
    total = ask_total(gate, plan.find("sums"), values, sum_points(unit_periods), scale, curve, BEYOND_CAP)
    trend = None
    if asks(plan, "trends"):
        trend = ask_total(
            gate, plan.find("trends"), values, trend_points(unit_periods), scale, curve, BEYOND_CAP_TREND
        )
    unit = 1.0 if scale.scale.log else curve.spread
    moves, sums = ask_moves(gate, plan, unit_periods, scale.track(values), splines, curve, unit)
    sums = replace(sums, total=total, trend=trend)
    if not scale.idle:
        return Answers(curve, Dynamics(), moves, sums)
    kinds = kind_points(unit_periods) / LATTICE
    zero = zero_chances(sizes, kinds, deviation, moves)
    return Answers(curve, zero, moves, sums, share_of(sizes[2], kinds[2], 0.0, deviation))


def fit_history(answers: Answers, small: Stage, large: Stage, units: int) -> HistoryModel:
    """Fit dynamics on the small stage and effects on the large one, in turn."""
    moves, effects = answers.moves, np.zeros(large.effects)
    if moves is None:
        dynamics = dynamics_at(PRIOR, answers.zero)
        effects = fit_effects(large, answers.curve, dynamics, effects, answers.sums, EFFECT_ROUNDS)
    else:

        def turn(x: Floats, zero: Dynamics, effects: Floats) -> tuple[Floats, Dynamics, Floats, float]:
            x, cost = fit_dynamics(small, answers.curve, effects, zero, moves, x, SEARCH_ROUNDS)
            if answers.idle is not None:
                zero = enter_as_often(small, effects, x, zero, answers.idle)
            effects = fit_effects(
                large, answers.curve, dynamics_at(x, zero), effects, answers.sums, EFFECT_ROUNDS
            )
            return x, zero, effects, cost

        tried = [turn(*turn(start, answers.zero, effects)[:3]) for start in (PRIOR, LARGE_JUMPS)]
        x, zero, effects, _ = turn(*min(tried, key=lambda found: found[3])[:3])
        dynamics = dynamics_at(x, zero)
        if answers.sums.unchanged is not None:
            dynamics = repeat_as_often(large, answers.curve, effects, dynamics, answers.sums.unchanged)
    return HistoryModel(answers.curve, dynamics, tuple(effects.tolist()), answers.sums, units)


def draw_history(model: HistoryModel, stage: Stage, steps: int = 2) -> tuple[Track, Track]:
    """Simulate on a stage, calibrated to the released sums; return latent sizes and sizes."""
    effects = fit_effects(stage, model.curve, model.dynamics, np.array(model.effects), model.sums, steps)
    dynamics, latent = model.dynamics, stage.simulate(model.dynamics, effects)
    curve, total = model.curve, model.sums.total
    if total is not None:
        curve = _stretched(curve, total, stage, latent)
    if model.sums.unchanged is not None:
        dynamics = repeat_as_often(stage, curve, effects, dynamics, model.sums.unchanged)
        latent = stage.simulate(dynamics, effects)
    knots = stage.size_map(latent, curve)
    return latent, Track(np.interp(latent.size, *knots), latent.idle)


def _stretched(curve: Curve, released: Total, stage: Stage, latent: Track) -> Curve:
    """Stretch the curve's upper half towards the released total, the less the noisier that is."""
    points = sum_points(stage.unit_periods) * (stage.ratio / LATTICE)
    trust = max(abs(released.sum), released.deviation) / released.deviation**2
    low, high = NARROWEST_STRETCH, WIDEST_STRETCH
    for _ in range(12):
        middle = (low + high) / 2
        tried = curve.stretched(float(np.exp(middle)))
        shown = Track(np.interp(latent.size, *stage.size_map(latent, tried)), latent.idle)
        made = float(points @ np.clip(stage.value(shown) / released.cap, -1.0, 1.0))
        # The prior is strong against a wider tail than the curve's, and weak against a narrower one.
        pull = (made - released.sum) * trust + middle / (STRETCH_PRIOR**2 + min(middle, 0.0) ** 2)
        low, high = (middle, high) if pull < 0 else (low, middle)
    return curve.stretched(float(np.exp((low + high) / 2)))
