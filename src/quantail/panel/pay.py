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

from quantail.arrays import Floats
from quantail.panel.absence import Absence, draw_absence, missing_table
from quantail.panel.curve import Curve, even_weights, normal_weights, smooth_weights
from quantail.panel.history import (
    Answers,
    Asking,
    HistoryModel,
    ask_mean,
    ask_moves,
    draw_history,
    fit_history,
    plan_history,
)
from quantail.panel.latent import Draws, Dynamics
from quantail.panel.scale import PanelScale
from quantail.panel.stage import Stage
from quantail.panel.tables import Track, follower_table, size_splines
from quantail.panel.tuning import (
    CELL_UNITS,
    FEWEST_CELLS,
    FOLLOWER_SHARES,
    IDLE_CELLS,
    LEAD_KNOTS,
    MISSING_SHARE,
    RATIO_CELLS,
    RATIO_REACH,
    USUAL_RATIO_SPREAD,
    ZERO_NOISE,
)
from quantail.privacy import Plan, split
from quantail.schema import Column


@dataclass(frozen=True)
class FollowerModel:
    """Everything released about a following column."""

    ratio: HistoryModel  # history of the ratio to the lead
    beside_idle: Curve  # sizes where the lead is idle
    zeros: tuple[float, float]  # chances of zero beside an active and beside an idle lead
    knots: tuple[float, ...]  # sizes of the lead at which its effects have knots
    missing: Absence | None = None  # how values are missing


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


def plan_follower(lead: Column, column: Column, cost: Fraction, periods: int) -> Plan:
    """Return the budget of a following column."""
    located = PanelScale.of(lead).relative
    if not column.missing:
        return plan_history(column, cost, periods, FOLLOWER_SHARES, located)
    missing, rest = split(cost, [MISSING_SHARE, 1 - MISSING_SHARE])
    plan = plan_history(column, rest, periods, FOLLOWER_SHARES, located)
    return Plan.sequence(column.name, [Plan.leaf("missing", missing, "missing values"), *plan.children])


@dataclass(frozen=True, eq=False)
class RatioCells:
    """Cells of ratios to the lead, and what is expected of them: around a released mean, or over all bounds."""

    edges: Floats
    prior: Floats
    mean: float | None


def ratio_cells(asking: Asking, lead: Lead, scale: PanelScale, ratio: Track) -> RatioCells:
    """Locate ratios and release the mean of units; without logarithmic scales cells span the bounds."""
    low, high = scale.edges[0] - lead.scale.edges[-1], scale.edges[-1] - lead.scale.edges[0]
    middle = asking.locate(ratio, low, high)
    if middle is None:
        edges = np.array(scale.edges)
        centre, wide = (edges[0] + edges[-1]) / 2, (edges[-1] - edges[0]) / 8
        return RatioCells(edges, normal_weights(edges, centre, wide), None)
    mean = ask_mean(asking, ratio, middle)
    cells = int(np.clip(asking.units / (CELL_UNITS * asking.noise("sizes")), FEWEST_CELLS, RATIO_CELLS))
    edges = np.linspace(mean - RATIO_REACH, mean + RATIO_REACH, cells + 1)
    return RatioCells(edges, normal_weights(edges, mean, USUAL_RATIO_SPREAD), mean)


def zero_share(zeros: float, others: float, deviation: float) -> float:
    """Return the share of zeros; none where their number is not beyond noise."""
    if zeros < ZERO_NOISE * deviation:
        return 0.0
    return float(np.clip(zeros / max(zeros + others + 2 * deviation, 1e-9), 0.0, 1.0))


def ask_follower(
    asking: Asking, lead: Lead, scale: PanelScale, values: Floats, knots: Floats
) -> tuple[Answers, Curve, tuple[float, float]]:
    """Ask everything about a following column."""
    own = scale.track(values)
    ratio = ratio_of(lead, own, scale)
    cells = ratio_cells(asking, lead, scale, ratio)
    own_edges = np.linspace(scale.edges[0], scale.edges[-1], IDLE_CELLS + 1)
    table = follower_table(asking.real, lead.track.idle, own, ratio, own_edges, cells.edges)
    sizes, deviation = asking.ask("sizes", table)
    ratios, beside = sizes[2 : 1 + cells.edges.size], sizes[1 + cells.edges.size :]
    known = float(np.clip(ratios.sum(), 0.2 * asking.units, asking.units))
    curve = Curve.of(cells.edges, smooth_weights(cells.edges, ratios, deviation, known, cells.prior))
    if cells.mean is None:
        level = curve.tail_level(known, deviation)
        curve = curve.with_tail(level, curve.fall_below(level))
    else:
        curve = curve.moved(cells.mean - curve.mean)
    known = float(np.clip(beside.sum(), 0.0, asking.units - known))
    # Beside an idle lead a follower is expected to be that of a unit of the smallest size.
    prior = even_weights(own_edges)
    if cells.mean is not None:
        prior = normal_weights(own_edges, cells.mean + lead.scale.edges[0], 1.0)
    idle_curve = Curve.of(own_edges, smooth_weights(own_edges, beside, deviation, known, prior))
    shares = tuple(
        zero_share(zero, float(rest.sum()), deviation)
        for zero, rest in ((sizes[0], ratios), (sizes[1], beside))
    )
    splines = size_splines(lead.track, knots)
    unit = min(1.0, 2 * curve.spread) if scale.scale.log else curve.spread
    moves, sums = ask_moves(asking, ratio, splines, curve, unit)
    return Answers(curve, Dynamics(), moves, sums), idle_curve, (shares[0], shares[1])


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
        missing = Absence.of(*asking.ask("missing", missing_table(asking.real, absent)))
        known = asking.known
        asking = replace(
            asking,
            real=asking.real.without(absent | ~asking.real.there),
            known=known.without(draw_absence(missing, known, rng) | ~known.there),
        )
    line = asking.real.flat(values)
    answers, beside, zeros = ask_follower(asking, lead, scale, line, knots)
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
    nothing = nothing | (idle & (rng.random(idle.size) < model.zeros[1]))
    return own.unit_periods.unfold(np.where(nothing & scale.idle, 0.0, scale.value(size)))


def _stage(
    stage: Stage,
    lead: Lead,
    zeros: tuple[float, float],
    knots: Floats,
    rng: np.random.Generator,
    missing: Absence | None,
) -> Stage:
    """Return the same unit-periods with random numbers of the follower's own, beside a given lead."""
    lives = stage.unit_periods
    if missing is not None:
        lives = lives.without(draw_absence(missing, lives, rng) | ~lives.there)
    idle = lead.track.idle | (rng.random(len(lives)) < zeros[0])
    draws, splines = Draws.of(lives, rng), size_splines(lead.track, knots)
    return replace(stage, unit_periods=lives, splines=splines, draws=draws, scale=None, idle=idle)
