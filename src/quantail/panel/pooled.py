"""The pooled method: all periods of a panel at once, each unit with the same weight, one column after the other.

The first confidential column leads (employment); the others follow it (pay). Questions and their costs are in
`history` and `pay`; proofs/panel.md shows what a unit's history can do to each of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.errors import OptionError
from quantail.frames import PanelData
from quantail.panel.curve import Curve
from quantail.panel.effects import Sums, Total
from quantail.panel.history import (
    HistoryModel,
    ask_history,
    draw_history,
    fit_history,
    plan_history,
)
from quantail.panel.latent import Draws, Dynamics
from quantail.panel.pay import FollowerModel, Lead, draw_follower, fit_follower, lead_knots
from quantail.panel.scale import PanelScale
from quantail.panel.stage import Stage
from quantail.panel.tables import Track, age_splines
from quantail.panel.tuning import LARGE_STAGE, LEAD_SHARE, SMALL_STAGE
from quantail.panel.unit_periods import UnitPeriods
from quantail.panel.units import PanelUnits
from quantail.privacy import Gate, Plan, split
from quantail.schema import Schema

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PooledModel:
    """Released models of all confidential columns of one group of units."""

    lead: HistoryModel
    followers: tuple[FollowerModel, ...]


def no_settings(given: Mapping[str, Any]) -> None:
    """Refuse options that belong to other methods."""
    for option, value in given.items():
        if value is not None:
            raise OptionError(f"{option} does not belong to the pooled method; leave it out")


def plan_pooled(settings: None, schema: Schema, units: int, cost: Fraction, name: str) -> Plan:
    """Return the budget of one group of units; it depends on the schema alone."""
    assert schema.panel is not None
    lead, *followers = schema.confidential
    periods = len(schema.panel.periods)
    if not followers:
        return Plan.sequence(name, [plan_history(lead.name, cost, periods)])
    first, *rest = split(cost, [LEAD_SHARE * len(followers), *(1 for _ in followers)])
    parts = [plan_history(lead.name, first, periods)]
    for column, part in zip(followers, rest, strict=True):
        parts.append(plan_history(column.name, part, periods, without=("sums", "trends")))
    return Plan.sequence(name, parts)


def fit_pooled(settings: None, gate: Gate, data: PanelData, tell: Callable[[str], None]) -> PooledModel:
    """Release the columns of one group of units."""
    unit_periods, rng = PanelUnits.of(data).unit_periods, gate.noise.generator()
    first, *others = data.schema.confidential
    scale = PanelScale.of(first)
    values = unit_periods.flat(data.values[first.name])
    tell(first.name)
    answers = ask_history(
        gate, gate.plan.find(first.name), unit_periods, scale, values, age_splines(unit_periods)
    )
    small, large = (
        _stage(unit_periods.part(most, rng), unit_periods, scale, rng) for most in (SMALL_STAGE, LARGE_STAGE)
    )
    model = fit_history(answers, small, large, unit_periods.order.size)
    followers: list[FollowerModel] = []
    if others:
        real, knots = Lead(scale, scale.track(values)), lead_knots(model.curve)
        drawn = tuple((stage, Lead(scale, _drawn_lead(model, stage, scale)[1])) for stage in (small, large))
        for column in others:
            tell(column.name)
            own, line = PanelScale.of(column), unit_periods.flat(data.values[column.name])
            plan = gate.plan.find(column.name)
            followers.append(
                fit_follower(gate, plan, (unit_periods, real, own, line), (drawn[0], drawn[1]), knots, rng)
            )
    return PooledModel(model, tuple(followers))


def draw_pooled(model: PooledModel, units: PanelUnits, rng: np.random.Generator) -> dict[str, Floats]:
    """Draw the confidential columns of one group, in parts that bound the memory needed."""
    names = [column.name for column in units.schema.confidential]
    assert units.schema.panel is not None
    values = {name: np.full((len(units), len(units.schema.panel.periods)), np.nan) for name in names}
    parts = max(-(-len(units) // LARGE_STAGE), 1)
    for places in np.array_split(rng.permutation(len(units)) if parts > 1 else np.arange(len(units)), parts):
        drawn = _draw_part(model, units.take(places), rng)
        for name in names:
            values[name][places] = drawn[name]
    return values


def _draw_part(model: PooledModel, units: PanelUnits, rng: np.random.Generator) -> dict[str, Floats]:
    unit_periods = units.unit_periods
    first, *others = units.schema.confidential
    scale = PanelScale.of(first)
    stage = _stage(unit_periods, unit_periods, scale, rng, model.lead.units)
    latent, track = _drawn_lead(model.lead, stage, scale)
    shown = np.where(track.idle, 0.0, scale.value(track.size))
    values = {first.name: unit_periods.unfold(shown)}
    lead = Lead(scale, track)
    for column, follower in zip(others, model.followers, strict=True):
        line = draw_follower(follower, stage, lead, latent, PanelScale.of(column), rng)
        values[column.name] = unit_periods.unfold(line)
    return values


def _drawn_lead(model: HistoryModel, stage: Stage, scale: PanelScale) -> tuple[Track, Track]:
    latent, track = draw_history(model, stage)
    return latent, Track(scale.seen(track.size), track.idle)


def _stage(
    part: UnitPeriods,
    whole: UnitPeriods,
    scale: PanelScale,
    rng: np.random.Generator,
    units: int | None = None,
) -> Stage:
    ratio = (whole.order.size if units is None else units) / max(part.order.size, 1)
    return Stage(part, age_splines(part), Draws.of(part, rng), scale, ratio)


def write_pooled(model: PooledModel) -> dict[str, Any]:
    """Write the model as plain data for JSON."""
    return asdict(model)


def read_pooled(form: Mapping[str, Any]) -> PooledModel:
    """Read what `write_pooled` wrote."""
    followers = tuple(
        FollowerModel(
            _read_history(item["ratio"]),
            _read_curve(item["beside_idle"]),
            (item["zeros"][0], item["zeros"][1]),
            tuple(item["knots"]),
        )
        for item in form["followers"]
    )
    return PooledModel(_read_history(form["lead"]), followers)


def _read_curve(form: Mapping[str, Any]) -> Curve:
    return Curve(tuple(form["levels"]), tuple(form["sizes"]))


def _read_history(form: Mapping[str, Any]) -> HistoryModel:
    sums = dict(form["sums"])
    lists: dict[str, Any] = {name: tuple(sums[name]) for name in ("year", "hat", "growth", "deviations")}
    for name in ("total", "trend"):
        if sums[name] is not None:
            lists[name] = Total(**sums[name])
    return HistoryModel(
        _read_curve(form["curve"]),
        Dynamics(**form["dynamics"]),
        tuple(form["effects"]),
        Sums(**{**sums, **lists}),
        form["units"],
    )
