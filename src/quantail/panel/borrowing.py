"""Small groups borrow: what moves units is asked of all small groups at once, what tells a group apart of itself.

Every unit is in one group, so a question to all groups together costs what it costs one of them, and its noise is
shared by all of their units. Half of the budget goes to a pooled fit of all small groups as if they were one: hazards,
dynamics, tails, pay per head. The other half goes to each group by itself: four cells of lives and how long they are,
its mean size, total and trend, its mean ratios and its attributes. A group's model is the pooled one, bent towards
these as far as they are to be believed. Which groups borrow follows from their public sizes and epsilon
(proofs/panel.md, "Groups that borrow").
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.frames import PanelData
from quantail.frames.panel import panel_of
from quantail.panel.attributes import release_attributes
from quantail.panel.changing import plan_changing, release_changing
from quantail.panel.curve import Curve
from quantail.panel.effects import Sums
from quantail.panel.history import Asking, HistoryModel, ask_total, plan_questions
from quantail.panel.pay import FollowerModel, Lead, lead_knots, ratio_of
from quantail.panel.place import mean_table, unit_means
from quantail.panel.pooled import PooledModel, fit_pooled, plan_pooled, real_lives
from quantail.panel.scale import PanelScale
from quantail.panel.skeleton import counted_out, release_units
from quantail.panel.tables import LATTICE, Track, growth_table, year_table
from quantail.panel.tuning import (
    BEYOND_CAP,
    BEYOND_CAP_TREND,
    BORROWED_ERROR,
    BORROWED_REACH,
    BORROWED_SHARE,
    BORROWING_UNITS,
    CENTRE_LEVEL,
    GROUP_RATIO_SPREAD,
    GROUP_SHARES,
    GROUP_SPREAD,
    LIFE_SPREAD,
    LIFE_TILT,
    STAY_SPREAD,
    TILT_LIMIT,
    TILT_SPREADS,
)
from quantail.panel.unit_periods import UnitPeriods
from quantail.panel.units import PanelUnits
from quantail.privacy import Gate, Plan, cells_touched, split
from quantail.schema import Schema

_LIVES = "units by stock or birth, and by gone or there"
_STAYS = "how long units stay"
_POOLED = "asked of all small groups at once"


def borrowing_groups(schema: Schema, units: Mapping[int, int], epsilon: Fraction) -> tuple[int, ...]:
    """Return which groups are small and borrow from each other; it takes two.

    A rule on public facts: under add/remove sizes are protected, under partial synthesis lives are public and need
    no model, so that nobody borrows; nor where the schema says so.

    Examples
    --------
    >>> from quantail.schema import Column, Panel
    >>> trade = Column("trade", "category", categories=("a", "b", "c"))
    >>> columns, panel = (trade, Column("emp", "integer", 0, 99)), Panel("id", start=1, end=9)
    >>> schema = Schema(columns, "firm", panel=panel, by=("trade",))
    >>> borrowing_groups(schema, {0: 400, 1: 90_000, 2: 700}, Fraction(1))
    (0, 2)
    """
    panel = panel_of(schema)
    if not panel.borrow or not panel.is_full or schema.neighbours == "add-remove" or len(panel.periods) < 2:
        return ()
    small = tuple(group for group, number in units.items() if number * epsilon < BORROWING_UNITS)
    return small if len(small) > 1 else ()


def plan_borrowing(schema: Schema, names: Mapping[str, int], cost: Fraction) -> Plan:
    """Return the budget of small groups (names and units): pooled questions, then each group's own."""
    pooled, own = split(cost, [BORROWED_SHARE, 1 - BORROWED_SHARE])
    whole = plan_pooled(None, _as_one(schema), sum(names.values()), pooled, "pooled")
    each = Plan.parallel("each", [_plan_group(schema, name, own) for name in names])
    return Plan.sequence("small groups", [replace(whole, note=_POOLED), each])


def _plan_group(schema: Schema, name: str, cost: Fraction) -> Plan:
    lead, *followers = schema.histories
    attributes, changing = panel_of(schema).attributes, panel_of(schema).changing
    words = [
        ("lives", 1),
        ("stays", 1),
        ("lead", 1),
        ("mean", len(followers)),
        ("attribute", len(attributes)),
        ("changing", len(changing)),
    ]
    shares = [GROUP_SHARES[word] for word, times in words for _ in range(times)]
    lives, stays, first, *rest = split(cost, shares)
    means = [
        Plan.sequence(column.name, [Plan.leaf("mean", part, "mean of units, around that of all groups")])
        for column, part in zip(followers, rest, strict=False)
    ]
    kept = [
        Plan.leaf(f"attribute {attribute}", part, "categories by kind of unit")
        for attribute, part in zip(attributes, rest[len(followers) :], strict=False)
    ]
    parts = rest[len(followers) + len(attributes) :]
    kept += [plan_changing(name, part) for name, part in zip(changing, parts, strict=True)]
    questions = plan_questions(
        lead.name,
        first,
        {word: GROUP_SHARES[word] for word in ("mean", "sums", "trends")},
        len(panel_of(schema).periods),
    )
    return Plan.sequence(
        name, [Plan.leaf("lives", lives, _LIVES), Plan.leaf("stays", stays, _STAYS), questions, *means, *kept]
    )


def _as_one(schema: Schema) -> Schema:
    """Return the schema of all groups as one, without categories."""
    panel = panel_of(schema)
    kept = tuple(c for c in schema.columns if c.name not in (*schema.by, *panel.categories))
    return replace(schema, columns=kept, by=(), panel=replace(panel, attributes=(), changing=()))


def release_small(
    open_gate: Callable[[Plan], Gate],
    plan: Plan,
    data: PanelData,
    groups: Sequence[int],
    tell: Callable[[str], None],
) -> list[tuple[int, PooledModel, PanelUnits]]:
    """Release groups that borrow from each other, on a plan of `plan_borrowing`: models and synthetic units."""
    shared = Shared.fit(open_gate(plan.find("pooled")), data.of_groups(groups), tell)
    return [
        (group, *shared.fit_group(open_gate(own), data.of_group(group), group))
        for group, own in zip(groups, plan.find("each").children, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Shared:
    """What small groups borrow: the model of all of them as one, and the lives of its synthetic units."""

    model: PooledModel
    units: PanelUnits

    @classmethod
    def fit(cls, gate: Gate, data: PanelData, tell: Callable[[str], None]) -> "Shared":
        """Ask the pooled questions of all units of the small groups."""
        schema = _as_one(data.schema)
        nobody = np.zeros(len(data), dtype=np.int64)
        one = replace(data, schema=schema, group=nobody, public={}, attributes={})
        units = release_units(gate, one, 0)
        return cls(fit_pooled(None, gate, one, units, tell), units)

    def fit_group(self, gate: Gate, data: PanelData, group: int) -> tuple[PooledModel, PanelUnits]:
        """Ask a group's own questions; return its model and its synthetic units."""
        units = self._units(gate, data, group)
        first, *others = data.schema.histories
        scale, real = PanelScale.of(first), real_lives(data)
        asking = Asking(gate, gate.plan.find(first.name), real, units.unit_periods, scale.scale.lower < 0)
        values = real.flat(data.values[first.name])
        track = scale.track(values)
        curve = group_curve(asking, track, self.model.lead.curve)
        lead = self._lead(asking, scale, values, curve)
        followers = [
            self._follower(
                replace(asking, plan=gate.plan.find(column.name)),
                model,
                Lead(scale, track),
                data,
                column.name,
                curve,
            )
            for column, model in zip(others, self.model.followers, strict=True)
        ]
        attributes = release_attributes(gate, data, real, units.unit_periods.order.size, track, curve)
        changing = release_changing(gate, data, real, units.unit_periods, track, curve)
        return PooledModel(lead, tuple(followers), self.model.gaps, attributes, changing), units

    def _units(self, gate: Gate, data: PanelData, group: int) -> PanelUnits:
        """Return new units of a group: the pooled lives, with as many of each kind, and as long, as the group's own."""
        panel = panel_of(data.schema)
        first, last = self.units.entry - panel.first, self.units.exit - panel.first
        real = data.entry - panel.first, data.exit - panel.first
        lives = group_lives(gate, real, (first, last), len(panel.periods))
        return PanelUnits.made_up(data.schema, group, *counted_out(lives, len(data)))

    def _lead(self, asking: Asking, scale: PanelScale, values: Floats, curve: Curve) -> HistoryModel:
        total = ask_total(asking, "sums", values, scale, curve, BEYOND_CAP)
        trend = ask_total(asking, "trends", values, scale, curve, BEYOND_CAP_TREND)
        sums = self._sums(self.model.lead.sums, asking.known, curve)
        return replace(
            self.model.lead,
            curve=curve,
            sums=replace(sums, total=total, trend=trend),
            units=asking.known.order.size,
        )

    def _follower(
        self, asking: Asking, model: FollowerModel, lead: Lead, data: PanelData, name: str, curve: Curve
    ) -> FollowerModel:
        """Move the pooled ratios to the mean of the group's units."""
        scale, real = PanelScale.of(data.schema.column(name)), asking.real
        values = data.values[name]
        known = real.without(real.lacking(values) | ~real.there)
        ratio = ratio_of(lead, scale.track(real.flat(values)), scale)
        relative = lead.scale.relative and scale.relative
        pooled = model.ratio.curve
        reach = BORROWED_REACH if relative else 2.0 * pooled.spread
        table = mean_table(unit_means(known, ratio), pooled.mean, reach)
        noisy, noise = asking.ask("mean", table)
        by = shift_of(pooled, reach, float(noisy[0]) / asking.units, noise / asking.units, relative)
        own = pooled.moved(by)
        sums = self._sums(model.ratio.sums, asking.known, own)
        history = replace(model.ratio, curve=own, sums=sums, units=asking.known.order.size)
        knots = tuple(lead_knots(curve).tolist())
        return replace(
            model, ratio=history, beside_idle=model.beside_idle.moved(by if relative else 0.0), knots=knots
        )

    def _sums(self, pooled: Sums, own: UnitPeriods, curve: Curve) -> Sums:
        """Return the pooled sums as they would be on a group's own lives, measured from its own centre."""
        lives, share = self.units.unit_periods, own.order.size / max(len(self.units), 1)
        parts = []
        for sums, of_all, of_own in zip(
            (pooled.year, pooled.growth), weights_of(lives), weights_of(own), strict=True
        ):
            ratio = np.divide(of_own, of_all, out=np.zeros(of_all.size), where=of_all > 0)
            parts.append(tuple((np.array(sums) * ratio[: len(sums)]).tolist()))
        error = BORROWED_ERROR * own.order.size / own.periods
        deviations = [float(np.hypot(share * deviation, error)) for deviation in pooled.deviations]
        return replace(
            pooled,
            year=parts[0],
            hat=tuple(share * part for part in pooled.hat),
            growth=parts[1],
            deviations=(deviations[0], deviations[1], deviations[2]),
            centre=curve.quantile(CENTRE_LEVEL),
            width=curve.spread,
        )


def weights_of(lives: UnitPeriods) -> tuple[Integers, Integers]:
    """Return what sums of levels and of growth are at most on given lives, cell by cell."""
    rising = Track(lives.age.astype(np.float64), ~lives.there)
    return year_table(lives, np.ones(len(lives))), growth_table(lives, rising, 1.0)


def life_kind(first: Integers, last: Integers, periods: int) -> Integers:
    """Return the kind of every life: stock or birth, and gone or there."""
    return np.asarray(2 * (first > 0) + (last == periods - 1), dtype=np.int64)


def life_kinds(first: Integers, last: Integers, periods: int) -> Integers:
    """Count units by the kind of their lives; each is in one of four cells.

    Examples
    --------
    >>> life_kinds(np.array([0, 0, 2]), np.array([1, 2, 2]), 3).tolist()
    [1, 1, 0, 1]
    """
    return np.bincount(life_kind(first, last, periods), minlength=4)


def stay_table(first: Integers, last: Integers, periods: int) -> Integers:
    """Sum periods after the first of every life, in points of LATTICE for one over all periods, shape (1,)."""
    return np.array([(LATTICE * (last - first) // (periods - 1)).sum()], dtype=np.int64)


def group_lives(
    gate: Gate, real: tuple[Integers, Integers], pooled: tuple[Integers, Integers], periods: int
) -> Floats:
    """Release the kinds of a group's lives and how long they are; return expected units by entry and exit, (T, T).

    Lives are those of all groups, weighted by their kind and by exp(t length).
    """
    units, touched = float(real[0].size), cells_touched(gate.relation)
    leaf, stays = gate.plan.find("lives"), gate.plan.find("stays")
    noisy = gate.count(leaf, life_kinds(*real, periods), touched).astype(np.float64)
    noise = gate.count_noise(leaf, touched)
    stayed = float(gate.count(stays, stay_table(*real, periods), LATTICE)[0]) / LATTICE
    deviation = gate.count_noise(stays, LATTICE) / LATTICE
    kinds = life_kinds(*pooled, periods)
    own = towards(noisy, kinds / kinds.sum(), units, noise)
    place = np.arange(periods**2)
    kind = life_kind(place // periods, place % periods, periods)
    length = np.maximum(place % periods - place // periods, 0) / (periods - 1)
    table = np.bincount(pooled[0] * periods + pooled[1], minlength=periods**2)
    tilted = []
    for tilt in np.linspace(-LIFE_TILT, LIFE_TILT, 81):
        weights = table * np.exp(tilt * length)
        tilted.append(weights * (own / np.maximum(np.bincount(kind, weights, 4), 1e-300))[kind])
    made = np.array([lives @ length for lives in tilted])
    cost = ((made - stayed) / deviation) ** 2 + ((made / made[made.size // 2] - 1.0) / STAY_SPREAD) ** 2
    return np.asarray(tilted[int(np.argmin(cost))]).reshape(periods, periods)


def towards(noisy: Floats, shares: Floats, units: float, noise: float) -> Floats:
    """Return a group's own cells: what all groups lead to expect, moved towards noisy counts by how much these tell."""
    expected = units * shares
    spread = (LIFE_SPREAD * expected) ** 2
    own = expected + (noisy - expected) * spread / (spread + noise**2 + 1e-300)
    own = np.maximum(own, 0.1 * expected)
    return np.asarray(own * (units / max(own.sum(), 1e-9)))


def group_curve(asking: Asking, track: Track, pooled: Curve) -> Curve:
    """Release the mean size of a group's units; return the pooled curve, tilted towards it.

    A tilt weighs sizes by exp(t size): it moves the mean and keeps to sizes that there are.
    """
    reach = TILT_SPREADS * pooled.spread
    noisy, noise = asking.ask("mean", mean_table(unit_means(asking.real, track), pooled.mean, reach))
    tilted = [pooled.tilted(tilt) for tilt in np.linspace(-TILT_LIMIT, TILT_LIMIT, 121) / pooled.spread]
    middle = (np.arange(500) + 0.5) / 500
    made = np.array([np.clip((one.at(middle) - pooled.mean) / reach, -1.0, 1.0).mean() for one in tilted])
    usual = GROUP_SPREAD / TILT_SPREADS
    mean = float(noisy[0]) / asking.units
    cost = ((made - mean) * asking.units / noise) ** 2 + ((made - made[made.size // 2]) / usual) ** 2
    return tilted[int(np.argmin(cost))]


def shift_of(curve: Curve, reach: float, mean: float, noise: float, relative: bool) -> float:
    """Return by how much to move a curve for its bounded mean to be the released one, shrunk by its noise."""
    sizes = curve.at((np.arange(500) + 0.5) / 500) - curve.mean
    shifts = np.linspace(-reach, reach, 201)
    made = np.clip((sizes + shifts[:, None]) / reach, -1.0, 1.0).mean(axis=1)
    usual = GROUP_RATIO_SPREAD if relative else curve.spread
    cost = ((made - mean) / max(noise, 1e-9)) ** 2 + (shifts / usual) ** 2
    return float(shifts[np.argmin(cost)])
