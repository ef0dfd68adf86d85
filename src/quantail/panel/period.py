"""What is asked about a new period of a panel that was released before, and what the answers say.

A unit that is there in the new period or in the one before is counted once: gone, continuing or born. Those there in
the new period also give LATTICE points to bounded sums: their value up to a cap, and how far the ratio of a later
column to the first lies from a released middle. Caps and middles are computed on the released panel. So a unit's record
moves the count by at most 2 (1 if units are put in or taken out) and each sum by at most 2 LATTICE (LATTICE), or
LATTICE where no term is negative (proofs/period.md).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quantail.arrays import Flags, Floats, Integers
from quantail.frames import PanelData
from quantail.panel.pay import Lead, ratio_of
from quantail.panel.scale import PanelScale
from quantail.panel.tables import LATTICE, Track, sensitivity_of
from quantail.panel.tuning import BEYOND_PERIOD_CAP, PERIOD_SHARES, RATIO_BOUND
from quantail.privacy import Gate, Plan, cells_touched, split
from quantail.schema import Schema

_NOTES = {
    "flows": "units that are gone, that continue, and that are new",
    "total": "total up to a cap",
}


@dataclass(frozen=True)
class Answer:
    """A released sum over units, with the standard deviation of its noise, both in units.

    A unit counts with (x - centre) / width, bounded by 1.
    """

    sum: float
    deviation: float
    centre: float
    width: float

    def terms(self, x: Floats) -> Floats:
        """Return what each unit counts; nothing where x is not known."""
        return np.asarray(np.nan_to_num(np.clip((x - self.centre) / self.width, -1.0, 1.0)))


@dataclass(frozen=True)
class PeriodAnswers:
    """Everything released about a new period of one group of units."""

    flows: tuple[float, float, float]  # units gone, continuing and born, with noise
    deviation: float  # standard deviation of that noise
    total: Answer  # values of the first column
    ratios: tuple[Answer, ...]  # ratios of later columns to the first


@dataclass(frozen=True, eq=False)
class Present:
    """The units of a panel in one of its periods (n,) or in all of them (n, T), on the scales of its columns."""

    there: Flags  # who is active
    values: Floats  # of the first column
    # of later columns to the first; NaN where either is not known or in the zero state
    ratios: tuple[Floats, ...]

    @classmethod
    def of(cls, data: PanelData, place: int | slice) -> "Present":
        """Look at the period at a place, or at all of them."""
        columns = [PanelScale.of(column) for column in data.schema.histories]
        values = [array[:, place] for array in data.values.values()]
        tracks = [scale.track(np.nan_to_num(array)) for scale, array in zip(columns, values, strict=True)]
        lead = Lead(columns[0], tracks[0])
        ratios = [
            _known(ratio_of(lead, track, scale), array)
            for scale, track, array in zip(columns[1:], tracks[1:], values[1:], strict=True)
        ]
        return cls(~np.isnan(values[0]), values[0], tuple(ratios))


def _known(track: Track, values: Floats) -> Floats:
    return np.asarray(np.where(np.isnan(values) | track.idle, np.nan, track.size))


def plan_period(schema: Schema, cost: Fraction, name: str) -> Plan:
    """Return the budget of a new period of one group of units; it depends on the schema alone."""
    lead, *followers = schema.histories
    words = list(PERIOD_SHARES)
    shares = [Fraction(PERIOD_SHARES[word]) for word in words]
    sizes = sum(shares[1:]) / (2 * max(len(followers), 1))
    parts = split(cost, [*shares, *(sizes for _ in followers)])
    asked = [
        Plan.leaf(word, part, _NOTES[word]) for word, part in zip(words, parts[: len(words)], strict=True)
    ]
    for column, part in zip(followers, parts[len(words) :], strict=True):
        note = f"ratios to {lead.name}, within a bounded distance of the released middle"
        asked.append(Plan.leaf(f"ratio {column.name}", part, note))
    return Plan.sequence(name, asked)


def flow_table(before: Flags, now: Flags) -> Integers:
    """Count units that are gone, that continue and that are born; those never there are in no cell.

    Examples
    --------
    >>> flow_table(np.array([True, True, False, False]), np.array([True, False, True, False])).tolist()
    [1, 1, 1]
    """
    return np.array([(before & ~now).sum(), (before & now).sum(), (now & ~before).sum()], dtype=np.int64)


def bounded_table(terms: Floats) -> Integers:
    """Sum terms between -1 and 1 in points, each rounded towards zero, shape (1,)."""
    return np.array([np.trunc(LATTICE * terms).sum()]).astype(np.int64)


def ask_period(gate: Gate, real: PanelData, released: PanelData) -> PeriodAnswers:
    """Ask about the last period of a group of a confidential panel, given the same group of the released one.

    Parameters
    ----------
    gate : Gate
        On a plan of `plan_period`.
    real : PanelData
        Histories up to the new period, of which the last two periods are looked at.
    released : PanelData
        The released panel, up to the period before.
    """
    before, now, known = Present.of(real, -2), Present.of(real, -1), Present.of(released, -1)
    touched = cells_touched(gate.relation)
    flows = gate.count(gate.plan.find("flows"), flow_table(before.there, now.there), touched)
    signed = PanelScale.of(real.schema.histories[0]).scale.lower < 0
    asking = _Asking(gate)
    cap = _cap(released.values[real.schema.histories[0].name], asking.deviation("total", signed))
    total = asking.bounded("total", now.values, 0.0, cap, signed)
    ratios = [
        asking.bounded(f"ratio {column.name}", own, _middle(made), RATIO_BOUND)
        for column, own, made in zip(real.schema.histories[1:], now.ratios, known.ratios, strict=True)
    ]
    gone, continuing, born = (float(count) for count in flows)
    return PeriodAnswers((gone, continuing, born), asking.deviation("flows"), total, tuple(ratios))


@dataclass(frozen=True, eq=False)
class _Asking:
    gate: Gate

    def sensitivity(self, word: str, signed: bool = True) -> int:
        return sensitivity_of("sums" if word == "total" else word, self.gate.relation, False, signed)

    def deviation(self, word: str, signed: bool = True) -> float:
        """Return the standard deviation of the noise of an answer, in units."""
        leaf = self.gate.plan.find(word)
        if word == "flows":
            return self.gate.count_noise(leaf, cells_touched(self.gate.relation))
        return self.gate.count_noise(leaf, self.sensitivity(word, signed)) / LATTICE

    def bounded(self, word: str, x: Floats, centre: float, width: float, signed: bool = True) -> Answer:
        """Release a sum of bounded terms."""
        asked = Answer(0.0, self.deviation(word, signed), centre, width)
        table = bounded_table(asked.terms(x))
        noisy = self.gate.count(self.gate.plan.find(word), table, self.sensitivity(word, signed))
        return Answer(float(noisy[0]) / LATTICE, asked.deviation, centre, width)


def _middle(ratios: Floats) -> float:
    """Return the middle of released ratios."""
    ratios = ratios[~np.isnan(ratios)]
    return float(np.median(ratios)) if ratios.size else 0.0


def _cap(values: Floats, noise: float) -> float:
    """Weigh the noise of a capped total, which grows with the cap, against what released values (n, T) have above."""
    periods, values = values.shape[1], np.abs(values[~np.isnan(values)])
    caps = np.unique(np.quantile(values, np.linspace(0.5, 1.0, 51)))
    caps = caps[caps > 0]
    if not caps.size:
        return 1.0
    beyond = np.array([np.maximum(values - cap, 0.0).sum() / periods for cap in caps])
    return float(caps[np.argmin((noise * caps) ** 2 + (BEYOND_PERIOD_CAP * beyond) ** 2)])
