"""KNG on a list of candidate lines: full data in every score, sensitivity right for every tau.

Notation: a row has a residual e (from the released median plane) and an index v in [0, 1], rounded to one of a few
public places. A candidate line c has the value c(v) = (1 - v) c_0 + v c_1. Instruments w are functions of v with
values in [0, 1]: 1, z and 1 - z. At level tau = p / q

    score(c) = - max over w of | sum_i w(v_i) (q 1{e_i <= c(v_i)} - p) |,

the max norm of the quantile-regression gradient, with instruments in multiples of 1 / STEPS to keep it an integer.
A row's term lies in [-p, q - p] times w, so replacing a row moves the score by at most q for every tau, and adding or
removing one by max(p, q - p). With fixed slopes there is one place and one instrument, 1.
Proof: privacy/proofs/orders.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.orders.lattice import Candidates, Surroundings, candidates_for
from quantail.orders.rules import LINE_RULES
from quantail.orders.steps import MEDIAN, Step
from quantail.privacy import Gate, Plan, Relation, Selection, selection_epsilon

STEPS = 64  # instruments are multiples of 1 / STEPS
_LARGEST_NAT = Fraction(2**50)  # keeps bonuses within 64 bits whatever the budget


@dataclass(frozen=True)
class Instruments:
    """Public: the places of the index and the instruments there, as integers between 0 and `unit`."""

    places: Floats
    weights: Integers
    unit: int


INTERCEPT = Instruments(np.zeros(1), np.ones((1, 1), dtype=np.int64), 1)
"""The only instrument of a line whose slopes are fixed."""


def index_instruments(first: float, last: float, number: int = LINE_RULES.places) -> Instruments:
    """Return 1, z and 1 - z at so many places; z rises from 0 to 1 between two released points of the index."""
    places = np.linspace(0.0, 1.0, number)
    rise = np.clip((places - first) / max(last - first, 1 / number), 0.0, 1.0)
    z = np.rint(STEPS * rise).astype(np.int64)
    return Instruments(places, np.stack([np.full_like(z, STEPS), z, STEPS - z]), STEPS)


@dataclass(frozen=True)
class Rows:
    """Confidential: residuals, sorted within each place of the index."""

    residuals: tuple[Floats, ...]

    @classmethod
    def of(cls, residual: Floats, index: Floats | None, instruments: Instruments) -> "Rows":
        """Sort residuals; `index` is None where there is one place only."""
        if index is None:
            return cls((np.sort(residual),))
        last = instruments.places.size - 1
        place = np.rint(index * last).astype(np.int64)
        order = np.lexsort((residual, place))
        starts = np.searchsorted(place[order], np.arange(1, last + 1))
        return cls(tuple(np.split(residual[order], starts)))


def line_sensitivity(tau: Fraction, unit: int, relation: Relation) -> int:
    """Return how far one row can move any score."""
    p, q = tau.numerator, tau.denominator
    return unit * (q if relation == "replace-one" else max(p, q - p))


def score_lines(rows: Rows, instruments: Instruments, candidates: Floats, tau: Fraction) -> Integers:
    """Return the integer score of every candidate line, by counting in sorted residuals."""
    p, q = tau.numerator, tau.denominator
    gradient = np.empty((len(rows.residuals), len(candidates)), dtype=np.int64)
    for k, residuals in enumerate(rows.residuals):
        below = np.searchsorted(residuals, line_values(candidates, instruments.places[k]), side="right")
        gradient[k] = q * below - p * residuals.size
    return np.asarray(-np.abs(instruments.weights @ gradient).max(axis=0))


def line_values(lines: Floats, index: float | Floats) -> Floats:
    """Return the offset of each line at an index; rounding never makes two ordered lines cross."""
    if lines.shape[-1] == 1:
        return lines[..., 0]
    return np.asarray((1 - index) * lines[..., 0] + index * lines[..., 1])


def choose_line(
    gate: Gate, leaf: Plan, rows: Rows, instruments: Instruments, candidates: Candidates, tau: Fraction
) -> Floats:
    """Release the line of level tau, one of the candidates."""
    sensitivity = line_sensitivity(tau, instruments.unit, gate.relation)
    scores = score_lines(rows, instruments, candidates.lines, tau)
    scores += prior_bonus(candidates.prior, sensitivity, selection_epsilon(leaf.cost, gate.definition))
    (index,) = gate.select(leaf, [Selection(scores, sensitivity)])
    return np.asarray(candidates.lines[index])


def prior_bonus(prior: Floats, sensitivity: int, epsilon: Fraction) -> Integers:
    """Return a public log prior in units of the score: so many nats of the noise that is to come."""
    nat = min(2 * sensitivity / epsilon, _LARGEST_NAT)
    return np.rint(prior * float(nat)).astype(np.int64)


def release_lines(
    gate: Gate,
    leaves: Sequence[Plan],
    rows: Rows,
    instruments: Instruments,
    steps: Sequence[Step],
    around: Surroundings,
) -> dict[Fraction, Floats]:
    """Release the lines of all steps of an order, each constrained by those before it; see `candidates_for`.

    Returns
    -------
    dict
        Offsets by level, with the median's, which are zero.
    """
    released = {MEDIAN: np.zeros(1 if instruments is INTERCEPT else 2)}
    for leaf, step in zip(leaves, steps, strict=True):
        candidates = candidates_for(step, released, around)
        released[step.tau] = choose_line(gate, leaf, rows, instruments, candidates, step.tau)
    return released
