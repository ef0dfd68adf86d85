"""The pooled method: all periods of a panel at once, each unit with the same weight, one column after the other.

The first confidential column leads (employment); the others follow it (pay). Questions and their costs are in
`panel_history` and `panel_pay`; proofs/panel.md shows what a unit's history can do to each of them.
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
from quantail.panel.tables import Track, age_hats
from quantail.panel.unit_periods import Spells
from quantail.panel.units import PanelUnits
from quantail.privacy import Gate, Plan, split
from quantail.schema import Schema

Floats = NDArray[np.float64]

_LEAD_SHARE = 3  # of the budget, against 1 for all followers together
_SMALL, _LARGE = 6_000, 50_000  # units on the stages of the fit, and drawn together


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
    first, *rest = split(cost, [_LEAD_SHARE * len(followers), *(1 for _ in followers)])
    parts = [plan_history(lead.name, first, periods)]
    for column, part in zip(followers, rest, strict=True):
        parts.append(plan_history(column.name, part, periods, without=("sums", "trends")))
    return Plan.sequence(name, parts)


def fit_pooled(settings: None, gate: Gate, data: PanelData, tell: Callable[[str], None]) -> PooledModel:
    """Release the columns of one group of units."""
    spells, rng = PanelUnits.of(data).spells, gate.noise.generator()
    first, *others = data.schema.confidential
    scale = PanelScale.of(first)
    values = spells.flat(data.values[first.name])
    tell(first.name)
    answers = ask_history(gate, gate.plan.find(first.name), spells, scale, values, age_hats(spells))
    small, large = (_stage(spells.part(most, rng), spells, scale, rng) for most in (_SMALL, _LARGE))
    model = fit_history(answers, small, large, spells.order.size)
    followers: list[FollowerModel] = []
    if others:
        real, knots = Lead(scale, scale.track(values)), lead_knots(model.curve)
        drawn = tuple((stage, Lead(scale, _drawn_lead(model, stage, scale)[1])) for stage in (small, large))
        for column in others:
            tell(column.name)
            own, line = PanelScale.of(column), spells.flat(data.values[column.name])
            plan = gate.plan.find(column.name)
            followers.append(
                fit_follower(gate, plan, (spells, real, own, line), (drawn[0], drawn[1]), knots, rng)
            )
    return PooledModel(model, tuple(followers))


def draw_pooled(model: PooledModel, units: PanelUnits, rng: np.random.Generator) -> dict[str, Floats]:
    """Draw the confidential columns of one group, in parts that bound the memory needed."""
    names = [column.name for column in units.schema.confidential]
    assert units.schema.panel is not None
    values = {name: np.full((len(units), len(units.schema.panel.periods)), np.nan) for name in names}
    parts = max(-(-len(units) // _LARGE), 1)
    for places in np.array_split(rng.permutation(len(units)) if parts > 1 else np.arange(len(units)), parts):
        drawn = _draw_part(model, units.take(places), rng)
        for name in names:
            values[name][places] = drawn[name]
    return values


def _draw_part(model: PooledModel, units: PanelUnits, rng: np.random.Generator) -> dict[str, Floats]:
    spells = units.spells
    first, *others = units.schema.confidential
    scale = PanelScale.of(first)
    stage = _stage(spells, spells, scale, rng, model.lead.units)
    latent, track = _drawn_lead(model.lead, stage, scale)
    shown = np.where(track.idle, 0.0, scale.value(track.size))
    values = {first.name: spells.unfold(shown)}
    lead = Lead(scale, track)
    for column, follower in zip(others, model.followers, strict=True):
        line = draw_follower(follower, stage, lead, latent, PanelScale.of(column), rng)
        values[column.name] = spells.unfold(line)
    return values


def _drawn_lead(model: HistoryModel, stage: Stage, scale: PanelScale) -> tuple[Track, Track]:
    latent, track = draw_history(model, stage)
    return latent, Track(scale.seen(track.size), track.idle)


def _stage(
    part: Spells, whole: Spells, scale: PanelScale, rng: np.random.Generator, units: int | None = None
) -> Stage:
    ratio = (whole.order.size if units is None else units) / max(part.order.size, 1)
    return Stage(part, age_hats(part), Draws.of(part, rng), scale, ratio)


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
