"""One column of a panel: its questions to the gate, the fit to the answers, and draws from what was released.

Questions, each against its own leaf: sizes (counts of size cells), tails (how far the largest reach), sums (capped
sums), pairs (sizes now and some periods before), unchanged (pairs without change), years and splines (bounded levels by
period, age and remaining life), growth (signs of growth by period). Later questions use cells and centres that follow
from earlier answers. Then everything is post-processing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.panel.curve import (
    Curve,
    even_weights,
    normal_weights,
    smooth_weights,
    usual_laws,
    weighed_laws,
    within_cells,
    zipf_weights,
)
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
from quantail.panel.place import Located, mean_table, unit_means, window_selection, windows
from quantail.panel.scale import PanelScale
from quantail.panel.stage import Stage
from quantail.panel.tables import (
    LATTICE,
    PairCells,
    Splines,
    Track,
    excess_table,
    growth_table,
    kind_points,
    lag_pairs,
    level,
    pair_table,
    sensitivity_of,
    size_table,
    spline_table,
    sum_points,
    sum_table,
    trend_points,
    unchanged_points,
    unchanged_table,
    year_table,
)
from quantail.panel.tail import TailAnswer
from quantail.panel.tuning import (
    BEYOND_CAP,
    BEYOND_CAP_TREND,
    CELL_UNITS,
    CENTRE_LEVEL,
    CLASS_CUTS,
    EFFECT_ROUNDS,
    EXCESS_REACH,
    GROWTH_REACH,
    LARGE_JUMP,
    LEAD_ZERO_NOISE,
    MEAN_REACH,
    MOVING,
    NARROWEST_STRETCH,
    PLACED_UNITS,
    SEARCH_ROUNDS,
    SHARES,
    STEADY,
    STRETCH_PRIOR,
    TAIL_FROM,
    TAIL_INDEX,
    USUAL_OFFSET,
    USUAL_UNCHANGED,
    WIDEST_STRETCH,
    WINDOW,
)
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import Gate, Plan, split
from quantail.schema import Column

Share = int | Fraction
_CHANGES = ("trends", "pairs", "unchanged", "growth")
_NOTES = {
    "place": "which window of sizes holds most units",
    "mean": "mean of units, within a bounded distance of that window",
    "sizes": "size classes, weight 1 per unit",
    "tails": "how far sizes reach beyond the start of the tail",
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
    """Everything released about the sizes of one column."""

    curve: Curve  # distribution of sizes on the modelling scale
    dynamics: Dynamics  # how they move
    effects: tuple[float, ...]  # effects of period, splines and cohorts on latent sizes
    sums: Sums  # released sums, to which drawn panels are calibrated
    units: int  # number of units, public or released


def plan_history(column: Column, cost: Fraction, periods: int, shares: Mapping[str, Share] = SHARES) -> Plan:
    """Return the budget of a leading column; it is located first if its scale is logarithmic."""
    placed = PanelScale.of(column).relative
    asked = [word for word in shares if placed or word not in ("place", "mean", "tails")]
    return plan_questions(column.name, cost, {word: shares[word] for word in asked}, periods)


def plan_questions(name: str, cost: Fraction, shares: Mapping[str, Share], periods: int) -> Plan:
    """Return the budget of a column by question; of one period nothing about change is asked."""
    shares = {word: share for word, share in shares.items() if periods > 1 or word not in _CHANGES}
    parts = split(cost, list(shares.values()))
    return Plan.sequence(
        name, [Plan.leaf(word, part, _NOTES[word]) for word, part in zip(shares, parts, strict=True)]
    )


@dataclass(frozen=True, eq=False)
class Asking:
    """Questions about one column: the gate, its plan, and on which lives."""

    # gate, plan: who answers, and the budget of the column
    gate: Gate
    plan: Plan
    real: UnitPeriods  # the panel's own lives; confidential unless they are public
    # What everybody knows of them: the same if they are public, else a synthetic skeleton. Whatever decides what is
    # asked, or how an answer is read, is computed on it.
    known: UnitPeriods
    signed: bool = False  # whether values of the column may be negative

    @property
    def units(self) -> float:
        """Number of units, public or released."""
        return float(self.known.order.size)

    def sensitivity(self, word: str) -> int:
        """Return how far one unit can move the table of a question, in points."""
        return sensitivity_of(word, self.gate.relation, self.real is self.known, self.signed)

    def noise(self, word: str) -> float:
        """Return the standard deviation of the noise of an answer, in units."""
        return self.gate.count_noise(self.plan.find(word), self.sensitivity(word)) / LATTICE

    def ask(self, word: str, table: Integers) -> tuple[Floats, float]:
        """Release a table; return it in units, with the standard deviation of its noise."""
        noisy = self.gate.count(self.plan.find(word), table.ravel(), self.sensitivity(word))
        return noisy.reshape(table.shape) / LATTICE, self.noise(word)

    def locate(
        self, track: Track, low: float, high: float, unit: float = 1.0, width: float = WINDOW
    ) -> float:
        """Release the middle of the window that holds most units; `unit` is that of distances on the scale."""
        starts = windows(low / unit, high / unit, width)
        question = window_selection(unit_means(self.real, track) / unit, starts, width)
        (chosen,) = self.gate.select(self.plan.find("place"), [question])
        return unit * (float(starts[chosen]) + width / 2)

    def asks(self, word: str) -> bool:
        """Say whether the plan holds a question."""
        return any(child.name == word for child in self.plan.children)


@dataclass(frozen=True, eq=False)
class Answers:
    """What was released about a column."""

    curve: Curve
    zero: Dynamics
    moves: Moves | None
    sums: Sums
    idle: float | None = None  # share of unit-periods after the first in the zero state, where there is one
    tail: TailAnswer | None = None  # how far the largest sizes reach
    steady: bool = False  # whether sizes are expected to be mostly permanent

    @property
    def prior(self) -> Floats:
        """What dynamics are expected, as a point of the search."""
        return STEADY if self.steady else MOVING


@dataclass(frozen=True, eq=False)
class Sizes:
    """What was released about how sizes are distributed."""

    curve: Curve
    table: Floats  # the size table, zeros first
    deviation: float  # standard deviation of its noise
    tail: TailAnswer | None = None  # None where the scale has no tail to ask about


def ask_sizes(asking: Asking, scale: PanelScale, values: Floats) -> Sizes:
    """Release the size table, and how far the largest sizes reach."""
    units, noise, track = asking.units, asking.noise("sizes"), scale.track(values)
    middle = asking.locate(track, scale.edges[0], scale.edges[-1]) if asking.asks("place") else None
    if middle is not None and asking.gate.n_epsilon(asking.plan.find("place"), asking.units) < PLACED_UNITS:
        middle = scale.edges[0] + WINDOW / 2  # too few units to be found: sizes are taken to be small
    mean = None if middle is None or not asking.asks("mean") else ask_mean(asking, track, middle)
    cells = scale.coarse(units / (CELL_UNITS * noise), middle) if mean is None else scale.around(mean.centre)
    edges = np.array(cells.edges)
    sizes, deviation = asking.ask("sizes", size_table(asking.real, track, edges))
    total = max(units - max(float(sizes[:3].sum()), 0.0), 0.2 * units)
    if mean is None:
        weights = smooth_weights(edges, sizes[3:], deviation, total, size_prior(edges, middle, asking.signed))
        curve = Curve.of(edges, weights)
    else:
        fine = np.array(scale.edges)
        starts = np.searchsorted(fine, edges[:-1])
        usual = weighed_laws(usual_laws(fine, mean), starts, sizes[3:], deviation)
        weights = smooth_weights(edges, sizes[3:], deviation, total, np.add.reduceat(usual, starts))
        curve = within_cells(fine, usual, starts, weights)
    level = curve.tail_level(total, deviation)
    if not asking.asks("tails"):
        return Sizes(curve.with_tail(level, curve.fall_below(level)), sizes, deviation)
    beyond = excess_table(asking.real, track, curve.quantile(level), EXCESS_REACH)
    excess, noise = asking.ask("tails", beyond)
    tail = TailAnswer(curve, level, total, float(excess[0]), noise)
    return Sizes(tail.expected(), sizes, deviation, tail)


def ask_mean(asking: Asking, track: Track, middle: float, unit: float = 1.0) -> Located:
    """Release the mean size of units, bounded around the middle of a window, and shrunk to that by its noise."""
    reach = MEAN_REACH * unit
    total, noise = asking.ask("mean", mean_table(unit_means(asking.real, track), middle, reach))
    trust = USUAL_OFFSET**2 / (USUAL_OFFSET**2 + (noise / asking.units) ** 2)
    return Located(middle, reach, trust * float(np.clip(total[0] / asking.units, -1.0, 1.0)))


def size_prior(edges: Floats, middle: float | None, signed: bool) -> Floats:
    """Return what is expected of sizes of which hardly more than noise is known."""
    if middle is not None:
        return zipf_weights(edges, max(middle - WINDOW / 2, float(edges[0])))
    if signed:
        return normal_weights(edges, float(edges[0] + edges[-1]) / 2, float(edges[-1] - edges[0]) / 8)
    return even_weights(edges)


def ask_total(
    asking: Asking, word: str, values: Floats, scale: PanelScale, curve: Curve, beyond: float
) -> Total:
    """Release a capped sum of values: of all periods ("sums"), or of later against earlier ones ("trends")."""
    points = sum_points if word == "sums" else trend_points
    noise, weight = asking.noise(word), float(np.abs(points(asking.known)).sum()) / LATTICE
    cap = best_cap(scale, curve, noise, beyond * weight)
    noisy, _ = asking.ask(word, sum_table(values, cap, points(asking.real)))
    return Total(cap, float(noisy[0]), noise)


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
    asking: Asking, track: Track, splines: Splines, curve: Curve, unit: float
) -> tuple[Moves | None, Sums]:
    """Release pairs and sums of levels and growth, with cells and centres from the released curve."""
    moves, unchanged, real = None, None, asking.real
    if asking.asks("pairs"):
        cells = PairCells.of(curve.at(np.array(CLASS_CUTS)), unit)
        pairs, paired = asking.ask("pairs", pair_table(lag_pairs(real), track, cells))
        moves = Moves(pairs, cells, paired)
        unchanged = ask_unchanged(asking, track)
    centre, width, reach = curve.quantile(CENTRE_LEVEL), curve.spread, GROWTH_REACH * unit
    levels = level(track, centre, width)
    year, yearly = asking.ask("years", year_table(real, levels))
    spline, splined = asking.ask("splines", spline_table(real, levels, splines))
    growth, grown = np.zeros(0), 1.0
    if asking.asks("growth"):
        growth, grown = asking.ask("growth", growth_table(real, track, reach))
    lists = [tuple(part.tolist()) for part in (year, spline, growth)]
    deviations = (yearly, splined, grown)
    return moves, Sums(lists[0], lists[1], lists[2], deviations, centre, width, reach, unchanged=unchanged)


def ask_unchanged(asking: Asking, track: Track) -> float:
    """Release the share of pairs of consecutive periods without change, shrunk towards a usual one by its noise."""
    noisy, noise = asking.ask("unchanged", unchanged_table(asking.real, track))
    pairs = float(unchanged_points(asking.known).sum()) / LATTICE
    known = (USUAL_UNCHANGED * pairs) ** 2
    trust = known / (known + noise**2)
    share = float(noisy[0]) / max(pairs, 1e-9)
    return float(np.clip(trust * share + (1.0 - trust) * USUAL_UNCHANGED, 0.0, 0.95))


def ask_history(asking: Asking, scale: PanelScale, values: Floats, splines: Splines) -> Answers:
    """Ask everything about the leading column of a panel; `splines` are those of its own lives."""
    sizes = ask_sizes(asking, scale, values)
    curve = sizes.curve
    total = ask_total(asking, "sums", values, scale, curve, BEYOND_CAP)
    trend = None
    if asking.asks("trends"):
        trend = ask_total(asking, "trends", values, scale, curve, BEYOND_CAP_TREND)
    unit = 1.0 if scale.scale.log else curve.spread
    moves, sums = ask_moves(asking, scale.track(values), splines, curve, unit)
    sums = replace(sums, total=total, trend=trend)
    table, deviation = sizes.table, sizes.deviation
    steady = asking.asks("mean")  # asked of few units
    # Three noisy cells hold the zeros: a column that has none must not be given some.
    if not scale.idle or float(table[:3].sum()) < LEAD_ZERO_NOISE * 3.0**0.5 * deviation:
        return Answers(curve, Dynamics(), moves, sums, tail=sizes.tail, steady=steady)
    kinds = kind_points(asking.known) / LATTICE
    zero = zero_chances(table, kinds, deviation, moves)
    idle = share_of(table[2], kinds[2], 0.0, deviation)
    return Answers(curve, zero, moves, sums, idle, sizes.tail, steady)


def fit_history(answers: Answers, small: Stage, large: Stage, units: int) -> HistoryModel:
    """Fit dynamics on the small stage and effects on the large one, in turn."""
    moves, effects = answers.moves, np.zeros(large.effects)
    if moves is None:
        dynamics = dynamics_at(answers.prior, answers.zero)
        effects = fit_effects(large, answers.curve, dynamics, effects, answers.sums, EFFECT_ROUNDS)
        answers = replace(answers, curve=settled(answers, large, dynamics, effects))
    else:

        def turn(x: Floats, zero: Dynamics, effects: Floats) -> tuple[Floats, Dynamics, Floats, float]:
            x, cost = fit_dynamics(
                small, answers.curve, effects, zero, moves, answers.prior, x, SEARCH_ROUNDS
            )
            if answers.idle is not None:
                zero = enter_as_often(small, effects, x, zero, answers.idle)
            effects = fit_effects(
                large, answers.curve, dynamics_at(x, zero), effects, answers.sums, EFFECT_ROUNDS
            )
            return x, zero, effects, cost

        starts = (answers.prior, np.append(answers.prior[:-1], LARGE_JUMP))
        tried = [turn(*turn(start, answers.zero, effects)[:3]) for start in starts]
        x, zero, effects, _ = min(tried, key=lambda found: found[3])
        # Which curve meets the total depends on who stays long, so it is settled once the dynamics are known.
        answers = replace(answers, curve=settled(answers, large, dynamics_at(x, zero), effects))
        x, zero, effects, _ = turn(x, zero, effects)
        dynamics = dynamics_at(x, zero)
        if answers.sums.unchanged is not None:
            dynamics = repeat_as_often(large, answers.curve, effects, dynamics, answers.sums.unchanged)
    return HistoryModel(answers.curve, dynamics, tuple(effects.tolist()), answers.sums, units)


def settled(answers: Answers, stage: Stage, dynamics: Dynamics, effects: Floats) -> Curve:
    """Return the curve that all answers about large sizes lead to expect, the total among them."""
    tail, total = answers.tail, answers.sums.total
    if tail is None or total is None:
        return answers.curve
    return tail.settled(total, stage.capped_total(stage.simulate(dynamics, effects), total.cap))


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
    return latent, Track(stage.size_map(latent, curve).at(latent.size), latent.idle)


def _stretched(curve: Curve, released: Total, stage: Stage, latent: Track) -> Curve:
    """Stretch the curve's upper half towards the released total, the less the noisier that is."""
    points = sum_points(stage.unit_periods) * (stage.ratio / LATTICE)
    trust = max(abs(released.sum), released.deviation) / released.deviation**2
    low, high = NARROWEST_STRETCH, WIDEST_STRETCH
    for _ in range(12):
        middle = (low + high) / 2
        tried = curve.stretched(float(np.exp(middle)))
        shown = Track(stage.size_map(latent, tried).at(latent.size), latent.idle)
        made = float(points @ np.clip(stage.value(shown) / released.cap, -1.0, 1.0))
        # The prior is strong against a wider tail than the curve's, and weak against a narrower one.
        pull = (made - released.sum) * trust + middle / (STRETCH_PRIOR**2 + min(middle, 0.0) ** 2)
        low, high = (middle, high) if pull < 0 else (low, middle)
    return curve.stretched(float(np.exp((low + high) / 2)))
