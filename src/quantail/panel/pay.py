"""Columns that follow a panel's leading one, such as pay after employment.

The follower's ratio to the lead (a difference on the logarithmic scale) has a history of its own: a permanent
part, so that last year's pay predicts this year's, effects of periods, and effects of the lead's size. Where the
lead is idle the follower has a distribution of sizes of its own, taken in the order of both latent sizes. Zeros of
the follower are as frequent as released, beside an active and beside an idle lead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from quantail.arrays import Flags, Floats
from quantail.panel.absence import Absence, draw_absence, missing_table
from quantail.panel.curve import (
    Curve,
    fine_edges,
    normal_weights,
    ratio_laws,
    smooth_within,
    weighed_laws,
)
from quantail.panel.dynamics import Moves, share_of
from quantail.panel.history import (
    Answers,
    Asking,
    HistoryModel,
    ask_mean,
    ask_moves,
    draw_history,
    fit_history,
    plan_questions,
)
from quantail.panel.latent import Draws, Dynamics
from quantail.panel.place import Located
from quantail.panel.scale import PanelScale
from quantail.panel.stage import Stage
from quantail.panel.tables import LATTICE, Track, follower_table, period_points, size_splines
from quantail.panel.tuning import (
    CELL_UNITS,
    FEW_FOLLOWER_SHARES,
    FEW_FOLLOWER_UNITS,
    FEWEST_RATIO_CELLS,
    FOLLOWER_SHARES,
    IDLE_CELLS,
    LEAD_KNOTS,
    LOCATING_SHARES,
    MISSING_SHARE,
    POINTS_PER_CELL,
    RATIO_BEND,
    RATIO_CELLS,
    RATIO_REACH,
    RATIO_WINDOW,
    USUAL_MISSING,
    USUAL_ZERO_STAY,
    ZEROS_BESIDE_ACTIVE,
    ZEROS_BESIDE_IDLE,
)
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import Plan, split
from quantail.schema import Column


@dataclass(frozen=True, eq=False)
class Lead:
    """A leading column along the line of unit-periods, real or drawn."""

    scale: PanelScale
    track: Track

    @property
    def logs(self) -> Floats:
        """Logarithms of its values, which ratios are measured from; 0 in the zero state."""
        return np.where(self.track.idle, 0.0, self.scale.logs(self.scale.value(self.track.size)))


def ratio_of(lead: Lead, own: Track, scale: PanelScale) -> Track:
    """Return the follower relative to the lead; as it is if either is not on a logarithmic scale."""
    relative = lead.scale.relative and scale.relative
    size = own.size - lead.logs if relative else own.size
    return Track(size, lead.track.idle | own.idle)


def lead_knots(curve: Curve) -> Floats:
    """Return rising knots of the lead's size from its released curve."""
    knots = curve.at(np.array(LEAD_KNOTS))
    return np.asarray(np.maximum.accumulate(knots + 1e-6 * np.arange(knots.size)))


def plan_follower(column: Column, cost: Fraction, periods: int, units: int | None) -> Plan:
    """Return the budget of a following column; `units` is their number if that is public."""
    if not column.missing:
        return plan_questions(column.name, cost, follower_shares(cost, units), periods)
    missing, rest = split(cost, [MISSING_SHARE, 1 - MISSING_SHARE])
    plan = plan_questions(column.name, rest, follower_shares(rest, units), periods)
    return Plan.sequence(column.name, [Plan.leaf("missing", missing, "missing values"), *plan.children])


def follower_shares(cost: Fraction, units: int | None) -> dict[str, Fraction]:
    """Return the shares of a follower's questions: where its ratios lie gets what it needs, all others the rest.

    Examples
    --------
    >>> few, many = (follower_shares(Fraction(1, 4), units) for units in (400, 40_000))
    >>> float(few["place"]), float(many["place"]), sum(few.values()) == 1
    (0.35, 0.02, True)
    """
    known = None if units is None else units * cost
    first = {
        word: most if known is None else min(max(needed / known, least), most)
        for word, (needed, least, most) in LOCATING_SHARES.items()
    }
    others = FEW_FOLLOWER_SHARES if known is not None and known < FEW_FOLLOWER_UNITS else FOLLOWER_SHARES
    left = (1 - sum(first.values(), Fraction(0))) / sum(others.values())
    return first | {word: share * left for word, share in others.items()}


@dataclass(frozen=True, eq=False)
class RatioCells:
    """Where ratios to the lead (sizes of its own, if either is not on a logarithmic scale) are counted."""

    edges: Floats
    unit: float  # of distances on the scale
    located: Located


def ratio_cells(asking: Asking, lead: Lead, scale: PanelScale, ratio: Track) -> RatioCells:
    """Locate ratios, release the mean of units, and lay cells around it: narrow ones next to it, wide ones far off."""
    relative = lead.scale.relative and scale.relative
    low, high, unit = scale.edges[0], scale.edges[-1], scale.unit
    if relative:
        low, high = low - lead.scale.edges[-1], high - lead.scale.edges[0]
    middle = asking.locate(ratio, low, high, unit, RATIO_WINDOW)
    located = ask_mean(asking, ratio, middle, unit)
    cells = int(np.clip(asking.units / (CELL_UNITS * asking.noise("sizes")), FEWEST_RATIO_CELLS, RATIO_CELLS))
    ends = np.sinh(RATIO_BEND * np.linspace(-1.0, 1.0, cells + 1)) / np.sinh(RATIO_BEND)
    return RatioCells(located.centre + unit * RATIO_REACH * ends, unit, located)


def zero_chance(zeros: float, weight: float, deviation: float, usual: Sequence[float]) -> float:
    """Return the share of zeros among unit-periods of a given weight, as their noisy number leads to expect.

    `usual` says how often there are none, how often all are zeros, and how often any share is as likely as another.
    The most likely of the three is taken: a column that has no zeros must not be given some.

    Examples
    --------
    >>> zero_chance(530.0, 1000.0, 100.0, (0.8, 0.0, 0.2)), zero_chance(200.0, 1000.0, 100.0, (0.8, 0.0, 0.2))
    (0.53, 0.0)
    >>> zero_chance(20.0, 30.0, 100.0, (0.2, 0.6, 0.2))
    1.0
    """
    chances = np.linspace(0.0, 1.0, 201)
    likely = np.exp(-np.sqrt(2.0) * np.abs(zeros - weight * chances) / deviation)
    none, every, any_ = likely[0] * usual[0], likely[-1] * usual[1], float(likely.mean()) * usual[2]
    if max(none, every) >= any_:
        return 0.0 if none >= every else 1.0
    return float(np.round(likely @ chances / likely.sum(), 3))


@dataclass(frozen=True)
class Zeros:
    """How often a follower is zero."""

    # active, idle: chance of zero beside an active and beside an idle lead
    active: float = 0.0
    idle: float = 0.0
    stay: float = 0.0  # chance of zero after a zero, beside an active lead

    @classmethod
    def of(cls, active: float, idle: float, moves: Moves | None = None) -> "Zeros":
        """Read how long zeros last off released pairs, shrunk by their noise towards what is usual."""
        usual = active + (1.0 - active) * USUAL_ZERO_STAY
        if moves is None or active in (0.0, 1.0):
            return cls(active, idle, usual)
        moved, stayed = moves.pairs[0][0:4:2].sum(), moves.pairs[0][1:4:2].sum()
        return cls(active, idle, share_of(float(stayed), float(moved + stayed), usual, moves.deviation))

    def drawn(self, lives: UnitPeriods, lead_idle: Flags, rng: np.random.Generator) -> Flags:
        """Draw where ratios have no value, for the lead or the follower is zero."""
        leave = min(self.active * (1.0 - self.stay) / max(1.0 - self.active, 1e-9), 1.0)
        return np.asarray(lead_idle | draw_absence(Absence(self.active, leave, self.stay), lives, rng))

    def any_share(self, lives: UnitPeriods, lead_idle: Flags, rng: np.random.Generator) -> float:
        """Return the share of units that have a ratio in any period."""
        nothing = self.drawn(lives, lead_idle, rng) | ~lives.there
        return max(np.unique(lives.unit[~nothing]).size / lives.order.size, 0.1)


@dataclass(frozen=True)
class FollowerModel:
    """Everything released about a following column."""

    ratio: HistoryModel  # history of the ratio to the lead
    beside_idle: Curve  # sizes where the lead is idle
    zeros: Zeros  # how often it is zero
    knots: tuple[float, ...]  # sizes of the lead at which its effects have knots
    missing: Absence | None = None  # how values are missing


def ask_follower(
    asking: Asking,
    lead: Lead,
    scale: PanelScale,
    values: Floats,
    knots: Floats,
    drawn: tuple[UnitPeriods, Flags],
    rng: np.random.Generator,
) -> tuple[Answers, Curve, Zeros]:
    """Ask everything about a following column; `drawn` says where a simulated lead is idle, on which lives."""
    own = scale.track(values)
    ratio = ratio_of(lead, own, scale)
    cells = ratio_cells(asking, lead, scale, ratio)
    own_edges = np.linspace(scale.edges[0], scale.edges[-1], IDLE_CELLS + 1)
    table = follower_table(asking.real, lead.track.idle, own, ratio, own_edges, cells.edges)
    sizes, deviation = asking.ask("sizes", table)
    ratios, beside = sizes[2 : 1 + cells.edges.size], sizes[1 + cells.edges.size :]
    lives, lead_idle = drawn
    points = period_points(lives).astype(np.float64)
    idle = float(points @ lead_idle) / max(float(points.sum()), 1e-9)
    weight = float(period_points(asking.known).sum()) / LATTICE
    zeros = Zeros()
    if scale.idle:
        zeros = Zeros.of(
            zero_chance(float(sizes[0]), weight * (1.0 - idle), deviation, ZEROS_BESIDE_ACTIVE),
            zero_chance(float(sizes[1]), weight * idle, deviation, ZEROS_BESIDE_IDLE),
        )
    located = cells.located.among(zeros.any_share(lives, lead_idle, rng))
    fine, middles = fine_edges(cells.edges), (np.arange(500) + 0.5) / 500
    starts = np.arange(cells.edges.size - 1) * POINTS_PER_CELL
    laws, often = ratio_laws(fine, located, cells.unit)
    usual = weighed_laws(laws, starts, ratios, deviation, often)
    known = max(weight * (1.0 - idle) * (1.0 - zeros.active), deviation)
    curve = smooth_within(cells.edges, ratios, deviation, known, usual)
    curve = curve.moved(located.shift(curve.at(middles)))
    unit = min(1.0, 2 * curve.spread) if scale.scale.log else curve.spread
    moves, sums = ask_moves(asking, ratio, size_splines(lead.track, knots), curve, unit)
    zeros = Zeros.of(zeros.active, zeros.idle, moves)
    located = cells.located.among(zeros.any_share(lives, lead_idle, rng))
    curve = curve.moved(located.shift(curve.at(middles)))
    beside_idle = _beside_idle(lead, scale, beside, deviation, curve)
    return Answers(curve, Dynamics(), moves, sums, steady=True), beside_idle, zeros


def _beside_idle(lead: Lead, scale: PanelScale, beside: Floats, deviation: float, curve: Curve) -> Curve:
    """Return the sizes of a follower beside an idle lead, expected to be those of a unit of the smallest size."""
    edges = np.linspace(scale.edges[0], scale.edges[-1], IDLE_CELLS + 1)
    relative = lead.scale.relative and scale.relative
    centre = curve.mean + (lead.scale.edges[0] if relative else 0.0)
    usual = normal_weights(fine_edges(edges), centre, curve.spread)
    known = max(float(beside.sum()), deviation)
    return smooth_within(edges, beside, deviation, known, usual)


def fit_follower(
    asking: Asking,
    lead: Lead,
    scale: PanelScale,
    values: Floats,
    drawn: Sequence[tuple[Stage, Lead]],
    knots: Floats,
    rng: np.random.Generator,
) -> FollowerModel:
    """Release a follower: questions on the real panel, the fit on stages with drawn leads (small, large).

    `values` has shape (n, T); where it is missing although the unit is active, the unit-period counts for nothing.
    """
    missing = None
    if asking.asks("missing"):
        absent = asking.real.lacking(values)
        missing = Absence.of(*asking.ask("missing", missing_table(asking.real, absent)), USUAL_MISSING)
        known = asking.known
        asking = replace(
            asking,
            real=asking.real.without(absent | ~asking.real.there),
            known=known.without(draw_absence(missing, known, rng) | ~known.there),
        )
    line = asking.real.flat(values)
    stage, made = drawn[-1]
    places = (stage.unit_periods, made.track.idle)
    answers, beside, zeros = ask_follower(asking, lead, scale, line, knots, places, rng)
    small, large = (_stage(stage, lead, zeros, knots, rng, missing) for stage, lead in drawn)
    history = fit_history(answers, small, large, asking.known.order.size)
    return FollowerModel(history, beside, zeros, tuple(knots.tolist()), missing)


def draw_follower(
    model: FollowerModel, stage: Stage, lead: Lead, latent: Track, scale: PanelScale, rng: np.random.Generator
) -> Floats:
    """Draw a follower beside a drawn lead (`latent` are the lead's latent sizes), shape (n, T)."""
    own = _stage(stage, lead, model.zeros, np.array(model.knots), rng, model.missing)
    hidden, ratio = draw_history(model.ratio, own)
    relative = lead.scale.relative and scale.relative
    size = ratio.size + lead.logs if relative else ratio.size
    idle = lead.track.idle
    if idle.any():
        rank = np.argsort(np.argsort((latent.size + hidden.size)[idle]))
        size[idle] = model.beside_idle.at((rank + 0.5) / rank.size)
    nothing = own.idle & ~idle if own.idle is not None else np.zeros(idle.size, dtype=bool)
    nothing = nothing | (idle & (rng.random(idle.size) < model.zeros.idle))
    return own.unit_periods.unfold(np.where(nothing & scale.idle, 0.0, scale.value(size)))


def _stage(
    stage: Stage,
    lead: Lead,
    zeros: Zeros,
    knots: Floats,
    rng: np.random.Generator,
    missing: Absence | None,
) -> Stage:
    """Return the same unit-periods with random numbers of the follower's own, beside a given lead."""
    lives = stage.unit_periods
    if missing is not None:
        lives = lives.without(draw_absence(missing, lives, rng) | ~lives.there)
    idle = zeros.drawn(lives, lead.track.idle, rng)
    draws, splines = Draws.of(lives, rng), size_splines(lead.track, knots)
    return replace(stage, unit_periods=lives, splines=splines, draws=draws, scale=None, idle=idle)
