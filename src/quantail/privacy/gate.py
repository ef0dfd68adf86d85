"""The gate: the only place where confidential values meet noise.

Everything private is asked through six questions, each against one leaf of the budget plan:

    select      which of these candidates scores best?            (noisy max)
    count       how many rows are in each of these cells?         (two-sided geometric)
    histogram   the same, where every row moves a cell by one     (two-sided geometric; zCDP: discrete Gaussian)
    sum         what do whole numbers of rows add up to?          (two-sided geometric; zCDP: discrete Gaussian)
    path        which ordered cut points give these row counts?   (exact exponential mechanism on paths)
    points      the same on a lattice far finer than the rows     (exact exponential mechanism on lattice points)

A leaf can be used once. Questions asked together under one leaf must touch disjoint rows, with sensitivities such
that the leaf's cost covers a row that moves from one of them to another; the proofs are in `proofs/`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.errors import BudgetError
from quantail.privacy.budget import Plan, Unit
from quantail.privacy.noise import (
    Definition,
    Noise,
    gaussian_loss,
    geometric_loss,
    noisy_max_loss,
)
from quantail.privacy.paths import SLACK, draw_path
from quantail.privacy.points import SHARPEST_RATE, PointsQuestion, draw_points, slack

Relation = Literal["replace-one", "add-remove"]

# Beyond this, rate * rows would eat up the digits of log weights; the noise is then far below sampling error, and
# using less than the budget is always allowed.
SHARPEST = 10_000.0


@dataclass(frozen=True)
class Selection:
    """One question of `select`: integer scores of public candidates and how far one row can move any of them."""

    scores: Integers
    sensitivity: int


@dataclass(frozen=True)
class PathQuestion:
    """One question of `path`."""

    counts: Integers  # rows at or below each candidate
    rows: int  # rows in all
    targets: Integers  # public number of rows wanted in each part
    # public log prior on the range: how far along it each candidate lies, in nats; a path pays for the distance of
    # its ends
    range_prior: Floats | None = None
    # public log prior on the height of the last candidate: what it pays, in nats, for lying there
    height_prior: Floats | None = None


@dataclass(frozen=True)
class NoiseSize:
    """How large the noise of a count is, in rows: its standard deviation, and its mean distance from zero."""

    deviation: float
    distance: float


@dataclass(frozen=True)
class Call:
    """A line of the gate's journal: which leaf was used for what, never what the answer was."""

    kind: str
    leaf: str
    cost: Fraction
    questions: int
    candidates: int


Watch = Callable[[Call], None]


class Gate:
    """Answers questions about confidential rows within a plan.

    Parameters
    ----------
    plan : Plan
        The budget; every question names one of its leaves, and each leaf can be used once.
    noise : Noise
        `SecureNoise` for releases.
    relation : {"replace-one", "add-remove"}
        What neighbouring tables are.
    watch : callable, optional
        Called with every line of the journal, before the question is answered.
    rows_held : int
        How many rows whoever is protected holds at most, all of which are put in or taken out together: the noise of
        counts and selections is that many times as large (proofs/firms.md). Other questions take one row.
    """

    def __init__(
        self,
        plan: Plan,
        noise: Noise,
        relation: Relation,
        watch: Watch | None = None,
        rows_held: int = 1,
    ) -> None:
        if rows_held < 1:
            raise BudgetError("whoever is protected holds at least one row")  # none would need no noise
        self.plan, self.noise, self.relation, self._watch = plan, noise, relation, watch
        self.rows_held = rows_held
        self.definition: Definition = "pure" if plan.unit == "epsilon" else "zcdp"
        self.journal: list[Call] = []
        self._open = {id(leaf) for leaf in plan.leaves()}

    def select(self, leaf: Plan, questions: Sequence[Selection]) -> list[int]:
        """Return the chosen candidate of each question."""
        self._use(leaf, "select", len(questions), sum(q.scores.size for q in questions))
        return [self._noisy_max(leaf, q) for q in questions]

    def count(self, leaf: Plan, counts: Integers, sensitivity: int) -> Integers:
        """Return counts with noise; `sensitivity` is how far one row can move them all together (L1)."""
        self._use(leaf, "count", 1, counts.size)
        farthest = self.rows_held * sensitivity
        scale = rounded_up(farthest, count_epsilon(leaf.cost, self.definition))
        spent = geometric_loss(scale, farthest)
        self._covered(spent, count_epsilon(leaf.cost, self.definition))
        return self.noise.geometric(counts, scale)

    def count_noise(self, leaf: Plan, sensitivity: int) -> float:
        """Return the standard deviation of the noise of `count`: public."""
        return 2**0.5 * sensitivity * self.rows_held / float(count_epsilon(leaf.cost, self.definition))

    def histogram(self, leaf: Plan, counts: Integers, touched: int) -> Integers:
        """Return counts of cells with noise, where one row moves at most `touched` cells, each by one.

        Their L1 distance between neighbours is then at most `touched`, their L2 distance at most its root.
        """
        if self.definition == "pure":
            return self.count(leaf, counts, touched)
        self._use(leaf, "histogram", 1, counts.size)
        scale = gaussian_scale(touched, leaf.cost)
        spent = gaussian_loss(scale, math.nextafter(math.sqrt(touched), math.inf))
        self._covered(spent, leaf.cost)
        return self.noise.gaussian(counts, scale)

    def histogram_noise(self, leaf: Plan, touched: int) -> NoiseSize:
        """Return how large the noise of `histogram` is: public."""
        return histogram_noise(leaf.cost, self.rows_held * touched, self.definition)

    def sum(self, leaf: Plan, total: int, most: int) -> int:
        """Return a sum of whole numbers with noise, where every row adds from 0 to `most`.

        One row put in, taken out or replaced moves the sum by at most `most`.
        """
        self._use(leaf, "sum", 1, 1)
        epsilon = count_epsilon(leaf.cost, self.definition)
        scale = rounded_up(most, epsilon)
        if self.definition == "pure":
            self._covered(geometric_loss(scale, most), epsilon)
            (noisy,) = self.noise.geometric(np.array([total]), scale).tolist()
        else:
            self._covered(gaussian_loss(scale, float(most)), leaf.cost)
            (noisy,) = self.noise.gaussian(np.array([total]), scale).tolist()
        return int(noisy)

    def sum_noise(self, leaf: Plan, most: float) -> float:
        """Return the standard deviation of the noise of `sum`: public."""
        scale = most / float(count_epsilon(leaf.cost, self.definition))
        return scale * math.sqrt(2.0) if self.definition == "pure" else scale

    def path(self, leaf: Plan, questions: Sequence[PathQuestion]) -> list[Integers]:
        """Return the chosen candidate indices of each question.

        One row moves sum |n_k - t_k| over all questions of the leaf by at most 2 under replace-one and by 1 under
        add/remove, so weights exp(-rate * sum) with rate = epsilon / 4 or / 2 cost at most the leaf.
        """
        self._use(leaf, "path", len(questions), sum(q.counts.size for q in questions))
        # A leaf below the slack buys nothing: every path is then as likely as any other.
        epsilon = max(math.nextafter(float(selection_epsilon(leaf.cost, self.definition)), 0.0) - SLACK, 0.0)
        rate = epsilon / (2 * cells_touched(self.relation))
        return [
            draw_path(
                q.counts,
                q.rows,
                q.targets,
                min(rate, SHARPEST / int(q.targets.sum())),
                self.noise,
                q.range_prior,
                q.height_prior,
            )
            for q in questions
        ]

    def points(self, leaf: Plan, question: PointsQuestion) -> Integers:
        """Return the chosen points of a lattice, in rising order.

        One replaced row moves sum |n_k - t_k| by at most 2, so weights exp(-rate * sum) with rate = epsilon / 4 cost
        at most the leaf. Under add/remove the number of rows is private, and with it a bound on rounding: refused.
        """
        if self.relation != "replace-one":
            raise BudgetError("points of a fine lattice are drawn for replace-one neighbours only")
        self._use(leaf, "points", 1, question.cells * question.fine)
        return draw_points(
            question, points_rate(selection_epsilon(leaf.cost, self.definition), question), self.noise
        )

    def n_epsilon(self, leaf: Plan, rows: float) -> float:
        """Return rows * epsilon of a leaf for `count`: the public measure of how well it can be answered."""
        return rows * float(count_epsilon(leaf.cost, self.definition)) / self.rows_held

    @property
    def unused(self) -> int:
        """How many leaves of the plan have not been used."""
        return len(self._open)

    def _noisy_max(self, leaf: Plan, question: Selection) -> int:
        farthest = self.rows_held * question.sensitivity
        scale = rounded_up(2 * farthest, selection_epsilon(leaf.cost, self.definition))
        spent = noisy_max_loss(scale, self.definition, farthest)
        self._covered(spent, leaf.cost)
        return self.noise.noisy_max(question.scores, scale, self.definition)

    def _covered(self, spent: float, cost: Fraction) -> None:
        if Fraction(spent) > cost:
            raise ArithmeticError("OpenDP's own accounting exceeds the leaf; nothing was released")

    def _use(self, leaf: Plan, kind: str, questions: int, candidates: int) -> None:
        if self.rows_held > 1 and (kind not in ("count", "select") or self.definition != "pure"):
            raise BudgetError(f"{kind!r} is answered under {self.definition} for those who hold one row each")
        if id(leaf) not in self._open:
            raise BudgetError(f"the budget of {leaf.name!r} is already spent or not part of the plan")
        self._open.remove(id(leaf))
        self.journal.append(Call(kind, leaf.name, leaf.cost, questions, candidates))
        if self._watch is not None:
            self._watch(self.journal[-1])


def cells_touched(relation: Relation) -> int:
    """Return how many cells of a partition one changed row touches: the L1 sensitivity of its counts."""
    return 2 if relation == "replace-one" else 1


def points_rate(epsilon: Fraction, question: PointsQuestion) -> float:
    """Return what a row weighs in `points`, in nats, when rounding has been paid for: public."""
    lattice, points = question.cells * question.fine, question.targets.size - 1
    highest = min(float(epsilon) / 4, SHARPEST_RATE)
    lost = slack(question.rows + question.cells, points, lattice, highest)
    return min(max(math.nextafter(float(epsilon), 0.0) - lost, 0.0) / 4, SHARPEST_RATE)


def selection_epsilon(cost: Fraction, definition: Definition) -> Fraction:
    """Return the epsilon of an exponential mechanism that costs `cost` (epsilon itself, or rho = epsilon^2 / 8)."""
    return cost if definition == "pure" else root_below(8 * cost)


def count_epsilon(cost: Fraction, definition: Definition) -> Fraction:
    """Return the epsilon of a pure mechanism that costs `cost` (under zCDP epsilon^2 / 2)."""
    return cost if definition == "pure" else root_below(2 * cost)


def geometric_cost(epsilon: Fraction, definition: Definition) -> Fraction:
    """Return what a pure mechanism of this epsilon costs: the inverse of `count_epsilon`."""
    return epsilon if definition == "pure" else epsilon**2 / 2


def unit_of(definition: Definition) -> Unit:
    """Return what a budget is counted in."""
    return "epsilon" if definition == "pure" else "rho"


def gaussian_scale(touched: int, cost: Fraction) -> float:
    """Return the scale of discrete Gaussian noise that costs rho: root of touched / (2 rho), rounded up."""
    return rounded_up(1, root_below(2 * cost / touched))


def histogram_noise(cost: Fraction, touched: int, definition: Definition) -> NoiseSize:
    """Return how large the noise of a histogram is that may cost so much."""
    if definition == "pure":
        scale = touched / float(cost)
        return NoiseSize(math.sqrt(2.0) * scale, scale)
    scale = gaussian_scale(touched, cost)
    return NoiseSize(scale, scale * math.sqrt(2 / math.pi))


def root_below(square: Fraction) -> Fraction:
    """Return a rational number at most the square root, within 2^-60 of it."""
    shift = 1 << 60
    return Fraction(math.isqrt(square.numerator * shift * shift // square.denominator), shift)


def rounded_up(sensitivity: int, epsilon: Fraction) -> float:
    """Return the noise scale sensitivity / epsilon as a double, a hair above (against the user)."""
    scale = float(Fraction(sensitivity) / epsilon)
    return scale * (1 + 2.0**-40)
