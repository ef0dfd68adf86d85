"""The pooled method: all periods of a panel at once, each unit with the same weight, one column after the other.

The first column with a history leads (employment); the others follow it (pay). Attributes of units come last. Under
full synthesis the lives of units are synthetic (`skeleton`), and so are gaps in them. Questions and their costs are in
`history`, `pay`, `absence` and `attributes`; proofs/panel.md and proofs/skeleton.md show what a unit can do to each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from quantail.errors import OptionError
from quantail.frames import PanelData
from quantail.frames.panel import panel_of
from quantail.panel.absence import Absence, draw_absence, gap_table
from quantail.panel.attributes import (
    AttributeModel,
    draw_attribute,
    release_attributes,
    size_cuts,
    unit_kinds,
)
from quantail.panel.changing import ChangingModel, draw_changing, plan_changing, release_changing
from quantail.panel.curve import Curve
from quantail.panel.effects import Sums, Total
from quantail.panel.history import (
    Asking,
    HistoryModel,
    ask_history,
    draw_history,
    fit_history,
    plan_history,
)
from quantail.panel.latent import Draws, Dynamics
from quantail.panel.pay import (
    FollowerModel,
    Lead,
    Zeros,
    draw_follower,
    fit_follower,
    lead_knots,
    plan_follower,
)
from quantail.panel.scale import PanelScale
from quantail.panel.skeleton import has_skeleton, plan_skeleton
from quantail.panel.stage import Stage
from quantail.panel.tables import Track, age_splines
from quantail.panel.tuning import (
    ATTRIBUTE_SHARE,
    ATTRIBUTE_UNITS,
    FEW_UNIT_EPSILON,
    FEW_UNITS_SHARES,
    GAP_SHARE,
    LARGE_STAGE,
    LARGEST_ATTRIBUTE_SHARE,
    LEAD_SHARE,
    SHARES,
    SKELETON_SHARE,
    SMALL_STAGE,
    USUAL_GAPS,
)
from quantail.panel.unit_periods import UnitPeriods
from quantail.panel.units import Drawn, PanelUnits
from quantail.privacy import Gate, Plan, split
from quantail.schema import Schema


@dataclass(frozen=True)
class PooledModel:
    """Released models of all columns of one group of units."""

    lead: HistoryModel  # the first column
    followers: tuple[FollowerModel, ...]  # later ones
    gaps: Absence | None = None  # how units are away between entry and exit
    attributes: tuple[AttributeModel, ...] = ()  # categories that belong to units
    changing: tuple[ChangingModel, ...] = ()  # categories that may change over their lives


def no_settings(given: Mapping[str, Any]) -> None:
    """Refuse options that belong to other methods."""
    for option, value in given.items():
        if value is not None:
            raise OptionError(f"{option} does not belong to the pooled method; leave it out")


def plan_pooled(settings: None, schema: Schema, units: int, cost: Fraction, name: str) -> Plan:
    """Return the budget of one group of units; it depends on public facts alone.

    The number of units counts only where it is public.
    """
    panel, counted = panel_of(schema), schema.neighbours == "add-remove"
    periods, weights = len(panel.periods), dict[str, Fraction]()
    if panel.is_full and has_skeleton(periods, counted):
        weights["skeleton"] = SKELETON_SHARE
    if panel.gaps:
        weights["gaps"] = GAP_SHARE
    share = ATTRIBUTE_SHARE
    if not counted:
        share = min(max(ATTRIBUTE_UNITS / (units * cost), share), LARGEST_ATTRIBUTE_SHARE)
    weights |= dict.fromkeys((f"attribute {name}" for name in panel.attributes), share)
    weights |= dict.fromkeys((f"changing {name}" for name in panel.changing), 3 * ATTRIBUTE_SHARE)
    rest = 1 - sum(weights.values(), Fraction(0))
    parts = dict(zip([*weights, "rest"], split(cost, [*weights.values(), rest]), strict=True))
    asked: list[Plan] = []
    if "skeleton" in weights:
        asked.append(plan_skeleton(parts["skeleton"], periods, counted))
    if panel.gaps:
        asked.append(Plan.leaf("gaps", parts["gaps"], "periods in which units are away"))
    asked += _plan_histories(schema, None if counted else units, parts["rest"], periods)
    for attribute in panel.attributes:
        note = "categories by stock or birth, gone or there, and first size"
        asked.append(Plan.leaf(f"attribute {attribute}", parts[f"attribute {attribute}"], note))
    asked += [plan_changing(category, parts[f"changing {category}"]) for category in panel.changing]
    return Plan.sequence(name, asked)


def _plan_histories(schema: Schema, units: int | None, cost: Fraction, periods: int) -> list[Plan]:
    lead, *followers = schema.histories
    first, *rest = split(cost, [LEAD_SHARE, *(1 for _ in followers)])
    few = units is not None and units * first < FEW_UNIT_EPSILON
    shared = [plan_follower(c, part, periods, units) for c, part in zip(followers, rest, strict=True)]
    return [plan_history(lead, first, periods, FEW_UNITS_SHARES if few else SHARES), *shared]


def fit_pooled(
    settings: None, gate: Gate, data: PanelData, units: PanelUnits, tell: Callable[[str], None]
) -> PooledModel:
    """Release the columns of one group of units; `units` are the real ones if they are public, else made up."""
    known, rng = units.unit_periods, gate.noise.generator()
    first, *others = data.schema.histories
    tell(first.name)
    real = real_lives(data) if panel_of(data.schema).is_full else known
    gaps = None
    if panel_of(data.schema).gaps:
        answer = Asking(gate, gate.plan, real, known).ask("gaps", gap_table(real))
        gaps = Absence.of(*answer, USUAL_GAPS)
        known = known.without(draw_absence(gaps, known, rng, ends=False))
    scale = PanelScale.of(first)
    values = real.flat(data.values[first.name])
    asking = Asking(gate, gate.plan.find(first.name), real, known, scale.scale.lower < 0)
    answers = ask_history(asking, scale, values, age_splines(real))
    small, large = (_stage(known.part(most, rng), known, scale, rng) for most in (SMALL_STAGE, LARGE_STAGE))
    model = fit_history(answers, small, large, known.order.size)
    followers: list[FollowerModel] = []
    lead, knots = Lead(scale, scale.track(values)), lead_knots(model.curve)
    drawn = (
        [(stage, Lead(scale, _drawn_lead(model, stage, scale)[1])) for stage in (small, large)]
        if others
        else []
    )
    for column in others:
        tell(column.name)
        own = PanelScale.of(column)
        asking = Asking(gate, gate.plan.find(column.name), real, known, own.scale.lower < 0)
        followers.append(fit_follower(asking, lead, own, data.values[column.name], drawn, knots, rng))
    attributes = (
        release_attributes(gate, data, real, known.order.size, lead.track, model.curve)
        if data.attributes
        else ()
    )
    changing = release_changing(gate, data, real, known, lead.track, model.curve) if data.attributes else ()
    return PooledModel(model, tuple(followers), gaps, attributes, changing)


def real_lives(data: PanelData) -> UnitPeriods:
    """Return the confidential lives of a panel."""
    panel = panel_of(data.schema)
    active = data.active if panel.gaps else None
    return UnitPeriods.of(data.entry - panel.first, data.exit - panel.first, len(panel.periods), active)


def draw_pooled(model: PooledModel, units: PanelUnits, rng: np.random.Generator) -> Drawn:
    """Draw the columns of one group, in parts that bound the memory needed."""
    whole = Drawn.empty(units.schema, len(units))
    parts = max(-(-len(units) // LARGE_STAGE), 1)
    for places in np.array_split(rng.permutation(len(units)) if parts > 1 else np.arange(len(units)), parts):
        whole.put(places, _draw_part(model, units.take(places), rng))
    return whole


def _draw_part(model: PooledModel, units: PanelUnits, rng: np.random.Generator) -> Drawn:
    unit_periods = units.unit_periods
    if model.gaps is not None:
        unit_periods = unit_periods.without(draw_absence(model.gaps, unit_periods, rng, ends=False))
    first, *others = units.schema.histories
    scale = PanelScale.of(first)
    stage = _stage(unit_periods, unit_periods, scale, rng, model.lead.units)
    latent, track = _drawn_lead(model.lead, stage, scale)
    shown = np.where(track.idle, 0.0, scale.value(track.size))
    values = {first.name: unit_periods.unfold(shown)}
    lead = Lead(scale, track)
    for column, follower in zip(others, model.followers, strict=True):
        values[column.name] = draw_follower(follower, stage, lead, latent, PanelScale.of(column), rng)
    kinds = np.empty(len(units), dtype=np.int64)
    kinds[unit_periods.order] = unit_kinds(unit_periods, track, size_cuts(model.lead.curve))
    codes = {one.name: draw_attribute(one, kinds, rng) for one in model.attributes}
    codes |= {one.first.name: draw_changing(one, kinds, unit_periods, rng) for one in model.changing}
    return Drawn(values, codes)


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
    form = asdict(model)
    if not model.changing:
        del form["changing"]
    return form


def read_pooled(form: Mapping[str, Any]) -> PooledModel:
    """Read what `write_pooled` wrote."""
    followers = tuple(
        FollowerModel(
            _read_history(item["ratio"]),
            _read_curve(item["beside_idle"]),
            _read_zeros(item["zeros"]),
            tuple(item["knots"]),
            _read_absence(item["missing"]),
        )
        for item in form["followers"]
    )
    attributes = tuple(_read_attribute(item) for item in form["attributes"])
    changing = tuple(
        ChangingModel(_read_attribute(item["first"]), tuple(item["rates"]))
        for item in form.get("changing", ())
    )
    gaps = _read_absence(form["gaps"])
    return PooledModel(_read_history(form["lead"]), followers, gaps, attributes, changing)


def _read_attribute(form: Mapping[str, Any]) -> AttributeModel:
    return AttributeModel(form["name"], tuple(tuple(row) for row in form["shares"]))


def _read_zeros(form: Mapping[str, float] | Sequence[float]) -> Zeros:
    # Models of 0.1 have two chances; there zeros came anew in every period.
    return Zeros(**form) if isinstance(form, Mapping) else Zeros(form[0], form[1], form[0])


def _read_absence(form: Mapping[str, Any] | None) -> Absence | None:
    return None if form is None else Absence(**form)


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
