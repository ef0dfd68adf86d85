"""One column of a panel: its questions to the gate, the fit to the answers, and draws from what was released.

Questions, each against its own leaf: sizes (counts of size cells), sums (capped sums), pairs (sizes now and some
periods before), years and hats (bounded levels by period, age and remaining life), growth (signs of growth by
period). Later questions use cells and centres that follow from earlier answers. Then everything is
post-processing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quantail.privacy import Gate, Plan, geometric_strength, split
from quantail.synthesis.panel_curve import Curve, smooth_weights
from quantail.synthesis.panel_dynamics import CUTS, PRIOR, Moves, dynamics_at, fit_dynamics, zero_chances
from quantail.synthesis.panel_effects import Sums, fit_effects
from quantail.synthesis.panel_latent import Dynamics
from quantail.synthesis.panel_scale import PanelScale
from quantail.synthesis.panel_spells import Spells
from quantail.synthesis.panel_stage import Stage
from quantail.synthesis.panel_tables import (
    GROWTH_SENSITIVITY,
    LATTICE,
    SENSITIVITY,
    Hats,
    PairCells,
    Track,
    growth_table,
    hat_table,
    kind_points,
    level,
    pair_table,
    size_table,
    sum_points,
    sum_table,
    tail_table,
    year_table,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Shares of a column's budget; questions about change fall away in a panel of one period.
SHARES = {"sizes": 16, "sums": 12, "pairs": 14, "tails": 6, "years": 19, "hats": 9, "growth": 24}
_CHANGES = ("pairs", "growth")
_NOTES = {
    "sizes": "size classes, weight 1 per unit",
    "sums": "total up to a cap",
    "pairs": "sizes at lags 1, 2, 4, 8, 16",
    "tails": "reach of large sizes over periods",
    "years": "bounded levels by period, births apart",
    "hats": "bounded levels by age and remaining life",
    "growth": "signs and sizes of growth by period",
}
CELL_UNITS = 4.0  # units per size cell at least, in deviations of the noise
_BEYOND = 0.4  # relative error of what a curve says about sizes above a cap
_CENTRE = 0.6  # quantile from which levels are measured
_MARKS = (0.85, 0.998)  # quantiles between which the reach of large sizes is measured
_REACH = 0.8  # growth at which moves are bounded
_NARROWEST, _WIDEST = -1.5, 0.15  # log stretch of the upper half, at most
_STRETCH = 0.08  # prior deviation of the stretch of the upper half
_ROUNDS = 3  # dynamics and effects in turn
_SEARCH, _STEPS = 4, 4  # steps of each in a round


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
        Effects of period, hats and cohorts on latent sizes.
    sums : Sums
        Released sums, to which drawn panels are calibrated.
    cap, total, total_deviation : float
        Cap, released total up to it (in units of the cap), and its noise; a cap of 0 means that it was not asked.
    units : int
        Public number of units.
    """

    curve: Curve
    dynamics: Dynamics
    effects: tuple[float, ...]
    sums: Sums
    cap: float
    total: float
    total_deviation: float
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
    cap: float = 0.0
    total: float = 0.0
    total_deviation: float = 1.0


def ask_sizes(
    gate: Gate, plan: Plan, spells: Spells, scale: PanelScale, values: Floats
) -> tuple[Curve, Floats, float]:
    """Release the size table; return the curve, the table and its noise."""
    units, signed = float(spells.order.size), scale.scale.lower < 0
    noise = deviation_of(gate, plan.find("sizes"), SENSITIVITY)
    edges = np.array(scale.coarse(units / (CELL_UNITS * noise)).edges)
    sizes, deviation = ask(gate, plan, "sizes", size_table(spells, scale.track(values), edges))
    total = max(units - max(float(sizes[:3].sum()), 0.0), 0.2 * units)
    weights = smooth_weights(edges, sizes[3:], deviation, total, scale.scale.log, signed)
    return Curve.of(edges, weights).with_tail(total, deviation, scale.scale.log), sizes, deviation


def ask_total(
    gate: Gate, plan: Plan, spells: Spells, scale: PanelScale, values: Floats, curve: Curve
) -> tuple[float, float, float]:
    """Release a capped total; return cap, total and its noise."""
    # Values of one sign move their sum by at most the points of one unit.
    sensitivity = LATTICE if scale.scale.lower >= 0 else SENSITIVITY
    noise = deviation_of(gate, plan.find("sums"), sensitivity)
    cap = best_cap(scale, curve, noise, float(sum_points(spells).sum()) / LATTICE)
    total, noise = ask(gate, plan, "sums", sum_table(spells, values, cap), sensitivity)
    return cap, float(total[0]), noise


def best_cap(scale: PanelScale, curve: Curve, noise: float, weight: float) -> float:
    """Weigh the noise, which grows with the cap, against what is expected above it and known to `_BEYOND` only."""
    sizes = np.abs(scale.value(curve.at((np.arange(20_000) + 0.5) / 20_000)))
    caps = np.unique(np.maximum(np.quantile(sizes, 1.0 - np.geomspace(0.0002, 0.2, 30)), scale.scale.step))
    # A Pareto tail of index 2 holds this much above; log-concave curves may hold far less.
    above = caps * np.array([np.mean(sizes > cap) for cap in caps])
    return float(caps[np.argmin((noise * caps) ** 2 + (_BEYOND * weight * above) ** 2)])


def ask_moves(
    gate: Gate, plan: Plan, spells: Spells, track: Track, hats: Hats, curve: Curve, unit: float
) -> tuple[Moves | None, Sums]:
    """Release pairs, tails and sums of levels and growth, with cells and marks from the released curve."""
    moves = None
    if asks(plan, "pairs"):
        cells = PairCells.of(curve.at(np.array(CUTS)), unit)
        pairs, paired = ask(gate, plan, "pairs", pair_table(spells, track, cells))
        moves = Moves(pairs, cells, paired)
    centre, width, reach = curve.quantile(_CENTRE), curve.spread, _REACH * unit
    levels = level(track, centre, width)
    year, yearly = ask(gate, plan, "years", year_table(spells, levels))
    hat, hatted = ask(gate, plan, "hats", hat_table(spells, levels, hats))
    marks = curve.quantile(_MARKS[0]), max(curve.quantile(_MARKS[1]), curve.quantile(_MARKS[0]) + 1e-6)
    tails, tailed = ask(gate, plan, "tails", tail_table(spells, track, *marks), LATTICE)
    growth, grown = np.zeros(0), 1.0
    if asks(plan, "growth"):
        growth, grown = ask(gate, plan, "growth", growth_table(spells, track, reach), GROWTH_SENSITIVITY)
    lists = [tuple(part.tolist()) for part in (year, hat, growth, tails)]
    deviations = (yearly, hatted, grown, tailed)
    sums = Sums(lists[0], lists[1], lists[2], lists[3], deviations, centre, width, reach, marks)
    return moves, sums


def ask_history(
    gate: Gate, plan: Plan, spells: Spells, scale: PanelScale, values: Floats, hats: Hats
) -> Answers:
    """Ask everything about the leading column of a panel."""
    curve, sizes, deviation = ask_sizes(gate, plan, spells, scale, values)
    cap, total, noise = ask_total(gate, plan, spells, scale, values, curve)
    track = scale.track(values)
    unit = 1.0 if scale.scale.log else curve.spread
    moves, sums = ask_moves(gate, plan, spells, track, hats, curve, unit)
    zero = zero_chances(sizes, kind_points(spells) / LATTICE, deviation, moves) if scale.idle else Dynamics()
    return Answers(curve, zero, moves, sums, cap, total, noise)


def fit_history(answers: Answers, small: Stage, large: Stage, units: int) -> HistoryModel:
    """Fit dynamics on the small stage and effects on the large one, in turn."""
    effects, x = np.zeros(large.effects), PRIOR
    dynamics = dynamics_at(x, answers.zero)
    for _ in range(_ROUNDS):
        if answers.moves is not None:
            x = fit_dynamics(small, answers.curve, effects, answers.zero, answers.moves, x, _SEARCH)
            dynamics = dynamics_at(x, answers.zero)
        effects = fit_effects(large, answers.curve, dynamics, effects, answers.sums, _STEPS)
    return HistoryModel(
        answers.curve,
        dynamics,
        tuple(effects.tolist()),
        answers.sums,
        answers.cap,
        answers.total,
        answers.total_deviation,
        units,
    )


def draw_history(
    model: HistoryModel, stage: Stage, value: Callable[[Floats], Floats] | None = None, steps: int = 2
) -> tuple[Track, Track]:
    """Simulate on a stage, calibrated to the released sums; return latent sizes and sizes.

    Parameters
    ----------
    value : callable, optional
        From sizes to values, to meet the released total as well.
    """
    effects = fit_effects(stage, model.curve, model.dynamics, np.array(model.effects), model.sums, steps)
    latent = stage.simulate(model.dynamics, effects)
    curve = model.curve
    if value is not None and model.cap > 0:
        curve = _stretched(model, stage, latent, value)
    knots = stage.size_map(latent, curve)
    return latent, Track(np.interp(latent.size, *knots), latent.idle)


def _stretched(model: HistoryModel, stage: Stage, latent: Track, value: Callable[[Floats], Floats]) -> Curve:
    """Stretch the curve's upper half so that the panel has the released total, as far as its noise lets us trust it."""
    points = sum_points(stage.spells) * (stage.ratio / LATTICE)
    trust = max(abs(model.total), model.total_deviation) / model.total_deviation**2
    low, high = _NARROWEST, _WIDEST
    for _ in range(12):
        middle = (low + high) / 2
        tried = model.curve.stretched(float(np.exp(middle)))
        values = value(np.interp(latent.size, *stage.size_map(latent, tried)))
        made = float(points @ np.clip(np.where(latent.idle, 0.0, values) / model.cap, -1.0, 1.0))
        # Large totals make a tail believable only slowly; tails that the total contradicts are cut at once.
        pull = (made - model.total) * trust + middle / (_STRETCH**2 + min(middle, 0.0) ** 2)
        low, high = (middle, high) if pull < 0 else (low, middle)
    return model.curve.stretched(float(np.exp((low + high) / 2)))
