"""A released panel with one period more: who leaves, who enters, and what everybody who is there looks like.

Earlier periods of all synthetic units stay as they are. How many leave and enter follows from the noisy counts and from
what the released panel leads one to expect, each trusted by its precision. Units that continue move as their donors did
(`donors`); units that are new begin as a synthetic unit that entered before began, with an id of their own.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from quantail.arrays import Flags, Floats, Integers
from quantail.frames import PanelData
from quantail.frames.panel import panel_of
from quantail.panel.donors import Candidates, Donors, Followed, Histories, Tilting, above_cap, next_values
from quantail.panel.period import Answer, PeriodAnswers, Present
from quantail.panel.scale import PanelScale
from quantail.panel.tuning import (
    FEW_UNITS,
    LEVEL_ERROR,
    RATIO_BOUND,
    RECENT,
    SUM_MODEL_ERROR,
    TILT_STEPS,
    USUAL_ROUGHNESS,
    USUAL_SHIFT,
)
from quantail.panel.units import PanelUnits
from quantail.schema import Schema


def expected_flows(there: Flags, answers: PeriodAnswers) -> tuple[int, int]:
    """Return how many units of a released panel (n, T) continue, and how many enter."""
    many, (gone, continuing, born) = int(there[:, -1].sum()), answers.flows
    before, after = there[:, :-1], there[:, 1:]
    active = np.maximum(before.sum(axis=0), 1)
    left = _rate((before & ~after).sum(axis=0) / active, many)
    new = _rate((after & ~before).sum(axis=0) / active, many)
    noise = answers.deviation**2
    slow = noise + (LEVEL_ERROR * many) ** 2
    leaving = _weighed([left, (gone, noise), (many - continuing, slow)])
    entering = _weighed([new, (born, noise)])
    return int(np.clip(np.rint(many - leaving), 0, many)), max(int(np.rint(entering)), 0)


def _rate(rates: Floats, many: int) -> tuple[float, float]:
    """Return units expected by the rates of recent periods, and the variance of that.

    How rough rates are is taken from all periods: those appended lie closer together, since they were weighed.
    """
    mean = float(rates[-RECENT:].mean())
    rough = max(float(rates.std()), USUAL_ROUGHNESS * mean, FEW_UNITS)
    return mean * many, (rough * max(many, 1)) ** 2


def _weighed(known: list[tuple[float, float]]) -> float:
    """Return a mean weighted by precision, of pairs of a value and its variance."""
    precision = np.array([1.0 / variance for _, variance in known])
    return float(np.array([value for value, _ in known]) @ precision / precision.sum())


def extended(
    released: PanelData, schema: Schema, group: int, answers: PeriodAnswers, rng: np.random.Generator
) -> PanelData:
    """Return one group of a released panel with a period more.

    Parameters
    ----------
    released : PanelData
        Units of the group, up to the period before.
    schema : Schema
        Of the panel with the new period.
    group : int
        Place of the group.
    answers : PeriodAnswers
        What was released about the new period.
    """
    histories = Histories.of(released)
    continuing, entering = expected_flows(histories.there, answers)
    first = _first_periods(released, histories, entering, rng)
    scale = PanelScale.of(schema.histories[0])
    donors = Donors.of(histories, rng).staying(continuing, rng)
    candidates = Candidates.of(donors, rng)
    column, cap = schema.histories[0].name, answers.total.width
    above = above_cap(released.values[column], cap)
    tilt = Tilting(candidates, scale, answers.total, first.values[column][:, 0], above).found()
    lead = next_values(scale, candidates.grown(tilt)[0])
    followed = donors.at(candidates.donors(tilt))
    new = [np.concatenate([lead, first.values[column][:, 0]])]
    for number, answer in enumerate(answers.ratios):
        new.append(_following(released, number, followed, first, new[0], answer))
    codes = {name: _changed(released.attributes[name], followed) for name in panel_of(schema).changing}
    return _joined(released, schema, group, donors.units, new, first, codes)


def _first_periods(
    released: PanelData, histories: Histories, number: int, rng: np.random.Generator
) -> PanelData:
    """Return new units in their first period, which is that of units spread evenly over those that entered before."""
    for since in (max(histories.there.shape[1] - RECENT, 1), 1, 0):
        born = np.flatnonzero(histories.first >= since)
        if born.size >= number:
            break
    order = np.lexsort((rng.random(born.size), histories.size[born, histories.first[born]]))
    place = ((rng.random() + np.arange(number)) * (born.size / max(number, 1))).astype(np.int64)
    chosen = born[order[place % max(born.size, 1)]]
    part, when = released.take(chosen), histories.first[chosen]
    values = {name: array[np.arange(number), when][:, None] for name, array in part.values.items()}
    panel = panel_of(released.schema)
    schema = replace(released.schema, panel=replace(panel, start=panel.end))
    ends = np.full(number, panel.last)
    codes = {name: part.attributes[name] for name in panel.attributes}
    codes |= {name: part.attributes[name][np.arange(number), when][:, None] for name in panel.changing}
    return replace(part, schema=schema, entry=ends, exit=ends, values=values, attributes=codes)


def _following(
    released: PanelData, number: int, followed: Followed, first: PanelData, lead: Floats, answer: Answer
) -> Floats:
    """Return a later column: the ratio of a unit to the first moves as its donor's did, and all by a common shift.

    Where there is no ratio (a value is missing, or either column in the zero state), the donor's value is taken.
    """
    column = released.schema.histories[1 + number]
    ratios = Present.of(released, slice(None)).ratios[number]
    own, before = ratios[followed.units, -1], ratios[followed.donor, followed.place]
    after = ratios[followed.donor, followed.after]
    moved = np.where(np.isnan(own) | np.isnan(before), after, own + after - before)
    ratio = np.concatenate([moved, Present.of(first, -1).ratios[number]])
    taken = np.concatenate(
        [released.values[column.name][followed.donor, followed.after], first.values[column.name][:, 0]]
    )
    lead_scale, scale = PanelScale.of(released.schema.histories[0]), PanelScale.of(column)
    size = ratio + _shift(ratio, answer)
    if lead_scale.relative and scale.relative:
        size = size + lead_scale.logs(lead)
    known = ~np.isnan(size)
    return np.asarray(np.where(known, scale.value(np.where(known, size, 0.0)), taken))


def _changed(codes: Integers, followed: Followed) -> Integers:
    """Return a category in the new period: the unit's own, or the donor's if that changed then."""
    own, before = codes[followed.units, -1], codes[followed.donor, followed.place]
    after = codes[followed.donor, followed.after]
    return np.asarray(np.where(after != before, after, own))


def _shift(ratio: Floats, answer: Answer) -> float:
    """Return the common shift of ratios that meets an answer as far as that is to be believed."""
    low, high = -RATIO_BOUND, RATIO_BOUND
    error = answer.deviation**2 + (SUM_MODEL_ERROR * ratio.size) ** 2
    for _ in range(TILT_STEPS):
        shift = (low + high) / 2
        terms = answer.terms(ratio + shift)
        slope = (np.abs(terms) < 1.0).sum() / answer.width
        pull = (terms.sum() - answer.sum) * slope / error + shift / USUAL_SHIFT**2
        low, high = (shift, high) if pull < 0 else (low, shift)
    return (low + high) / 2


def _joined(
    released: PanelData,
    schema: Schema,
    group: int,
    continuing: Integers,
    new: list[Floats],
    first: PanelData,
    changed: Mapping[str, Integers],
) -> PanelData:
    """Return the released units, with a column for the new period, and the new ones below."""
    many, end = continuing.size, panel_of(schema).last
    exit_ = released.exit.copy()
    exit_[continuing] = end
    values = {}
    for column, array in zip(schema.histories, new, strict=True):
        old = released.values[column.name]
        whole = np.full((len(released) + len(first), old.shape[1] + 1), np.nan)
        whole[: len(released), :-1] = old
        whole[continuing, -1] = array[:many]
        whole[len(released) :, -1] = array[many:]
        values[column.name] = whole
    codes = {
        name: np.concatenate([released.attributes[name], first.attributes[name]])
        for name in panel_of(schema).attributes
    }
    for name, own in changed.items():
        outside = len(schema.column(name).categories)
        history = np.full(whole.shape, outside, dtype=np.int64)
        history[: len(released), :-1] = released.attributes[name]
        history[continuing, -1] = own
        history[len(released) :, -1] = first.attributes[name][:, 0]
        codes[name] = history
    names = PanelUnits.new_ids(schema, group, len(first), released.units)
    return PanelData(
        schema,
        pa.concat_arrays([released.units, names]),
        np.concatenate([released.entry, np.full(len(first), end)]),
        np.concatenate([exit_, np.full(len(first), end)]),
        np.full(len(released) + len(first), group),
        {name: pa.concat_arrays([released.public[name], first.public[name]]) for name in released.public},
        values,
        codes,
    )
