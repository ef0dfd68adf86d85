"""Whole fits, replayed: the same answers on a neighbouring table, with the exact log-ratio of every leaf.

A fit is run on one table with answers drawn from their exact laws, or with extreme ones. Then it is run on a neighbour
and made to give the same answers. What is asked must then be the same (nothing but public facts and earlier answers may
decide), what is released must be the same to the last bit (nothing may reach the model but through the gate), and no
leaf may be more likely under one table than under the other by more than it costs.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.auditing.findings import Finding
from quantail.auditing.laws import noisy_max_log_law
from quantail.auditing.noise import AuditNoise
from quantail.panel import PanelSynthesizer
from quantail.privacy import SimulatedNoise, Source
from quantail.privacy.gate import Call
from quantail.privacy.noise import drawn_subset
from quantail.table import TableSynthesizer

Synthesizer = TableSynthesizer | PanelSynthesizer
Taking = Literal["drawn", "first", "last", "least"]


class Divergence(Exception):
    """A neighbour was asked something else: the questions themselves depend on the table."""


@dataclass(frozen=True)
class Answers:
    """How the answers of a first run are found; whoever holds the tables may not choose them, an adversary may."""

    seed: int = 0  # for answers that are drawn
    # drawn from the exact law, or always the first candidate, the last, or the least likely one
    taking: Taking = "drawn"
    beyond: int | None = None  # added to every count: huge and negative noise
    rows: tuple[int, ...] | None = None  # under add/remove, the released numbers of rows of all groups
    # dither, jitter and coins of the rows, by turns; independent uniform ones if there are none
    numbers: tuple[float, ...] | None = None


class Replayed(AuditNoise):
    """Noise that draws answers from their exact laws, or repeats those of an earlier run.

    Parameters
    ----------
    answers : Answers or int
        How answers are found; a seed stands for answers drawn with it.
    earlier : Replayed, optional
        The run whose answers are repeated.
    removed : int, optional
        The place, in its group, of the row that the neighbour lacks, with the numbers that belonged to it.
    """

    def __init__(
        self, answers: Answers | int, earlier: "Replayed | None" = None, removed: int | None = None
    ) -> None:
        self.how = Answers(answers) if isinstance(answers, int) else answers
        self.rng, self.earlier, self.removed = np.random.default_rng(self.how.seed), earlier, removed
        self.answers: list[Any] = []
        self.uniform: list[Floats] = []
        self.logs: dict[str, Fraction | float] = defaultdict(Fraction)
        self.costs: dict[str, Fraction] = {}
        self.asked: set[tuple[str, int]] = set()
        self.questions: list[tuple[object, ...]] = []
        self.leaf = ""

    def answer(self, log_law: Floats) -> int:
        """Draw from a law, or repeat."""
        index = self._taken(log_law) if self.earlier is None else self._earlier_answer()
        if (
            np.ndim(index) or not index < log_law.size
        ):  # an answer to another kind of question, or out of reach
            raise Divergence("the candidates depend on the table")
        self.answers.append(index)
        self.logs[self.leaf] += float(log_law[index])
        return index

    def noisy_max(self, scores: Any, scale: float, definition: str) -> int:
        """Answer a selection."""
        self.questions.append(("select", len(scores), scale))
        return self.answer(noisy_max_log_law(scores, scale, definition))

    def geometric(self, counts: Any, scale: float) -> Any:
        """Answer a count."""
        self.questions.append(("count", counts.size, scale))
        noisy = self._counted(counts, scale) if self.earlier is None else self._earlier_answer()
        if np.size(noisy) != counts.size:
            raise Divergence("the cells depend on the table")
        self.answers.append(noisy)
        # Exact: of thousands of huge counts a sum in floating point would lose the one row that is looked for.
        self.logs[self.leaf] -= int(np.abs(noisy - counts).sum()) / Fraction(scale)
        return noisy

    def gaussian(self, counts: Any, scale: float) -> Any:
        """Answer a histogram under zCDP; its log-ratio has no bound, only its moments have."""
        self.questions.append(("histogram", counts.size, scale))
        drawn = SimulatedNoise(int(self.rng.integers(2**31))).gaussian(counts, scale)
        noisy = drawn if self.earlier is None else self._earlier_answer()
        if np.size(noisy) != counts.size:
            raise Divergence("the cells depend on the table")
        self.answers.append(noisy)
        return noisy

    def pick(self, logs: Floats) -> int:
        """Answer a step of a path."""
        self.questions.append(("pick", logs.size))
        return self.answer(logs - np.logaddexp.reduce(logs))

    def random(self, size: int) -> Floats:
        """Give each row its own numbers: in the neighbour those of the removed row are missing."""
        self.questions.append(("numbers",))
        if self.earlier is None:
            numbers = self.rng.random(size) if self.how.numbers is None else np.resize(self.how.numbers, size)
        else:
            numbers = self._earlier_numbers(size)
        self.uniform.append(numbers)
        return numbers

    def subset(self, rows: int, size: int) -> Integers:
        """Return a part of fixed size: the same positions for both tables."""
        self.questions.append(("subset", rows, size))
        return drawn_subset(self.generator(), rows, size)

    def watch(self, call: Call) -> None:
        """Take note of the leaf that is being used."""
        self.leaf = f"{len(self.costs)} {call.leaf}"
        self.costs[self.leaf] = call.cost
        self.asked.add((call.leaf, call.questions))
        self.questions.append((call.kind, call.leaf, call.cost, call.questions, call.candidates))

    def source(self) -> Source:
        """Return itself as the source of a fit's noise."""
        return Source(lambda group: self, private=False, watch=self.watch)

    def _taken(self, log_law: Floats) -> int:
        taking = self.how.taking
        if taking == "drawn":
            return int(self.rng.choice(log_law.size, p=np.exp(log_law) / np.exp(log_law).sum()))
        return {"first": 0, "last": log_law.size - 1, "least": int(np.argmin(log_law))}[taking]

    def _counted(self, counts: Any, scale: float) -> Any:
        if self.how.rows is not None and self.leaf.endswith(" rows"):
            return np.resize(self.how.rows, counts.size)
        if self.how.beyond is not None:
            return counts + self.how.beyond
        return SimulatedNoise(int(self.rng.integers(2**31))).geometric(counts, scale)

    def _earlier_answer(self) -> Any:
        if self.earlier is None or len(self.answers) >= len(self.earlier.answers):
            raise Divergence("the number of questions depends on the table")
        return self.earlier.answers[len(self.answers)]

    def _earlier_numbers(self, size: int) -> Floats:
        if self.earlier is None or len(self.uniform) >= len(self.earlier.uniform):
            raise Divergence("whether numbers are drawn depends on the table")
        numbers = self.earlier.uniform[len(self.uniform)]
        if self.removed is not None and numbers.size == size + 1:  # groups without that row have all numbers
            return np.delete(numbers, self.removed)
        return np.resize(numbers, size)  # a table of quite another size


@dataclass(frozen=True)
class Replay:
    """What a replay found: whether releases agree, and per leaf its log-ratio, its cost, and what was asked."""

    same: bool
    losses: dict[str, float]
    costs: dict[str, Fraction]
    asked: frozenset[tuple[str, int]]

    @property
    def kept(self) -> bool:
        """Whether the claim held: equal releases, and no leaf beyond its cost."""
        return self.same and self.worst <= 1 + 1e-9

    @property
    def total(self) -> float:
        """The log-ratio of the whole run, if all leaves pointed the same way."""
        return sum(self.losses.values())

    @property
    def worst(self) -> float:
        """The largest log-ratio of a leaf, as a share of its cost."""
        return max(loss / float(self.costs[leaf]) for leaf, loss in self.losses.items())


def replay(
    synthesizer: Synthesizer,
    first: Any,
    second: Any,
    answers: Answers | int = 0,
    removed: int | None = None,
    settings: Any = None,
) -> Replay:
    """Fit a table, then its neighbour with the same answers.

    Parameters
    ----------
    synthesizer : TableSynthesizer or PanelSynthesizer
        How to fit; its noise is that of the replay.
    answers : Answers or int
        How the answers of the first run are found; a seed stands for answers drawn with it.
    removed : int, optional
        Under add/remove, the place in its group of the row that `second` lacks.
    settings : optional
        Rules to use instead of the method's own.

    Raises a Divergence if the questions themselves differ.
    """

    def fitted(noise: Replayed, table: Any) -> dict[str, Any]:
        watched = synthesizer._drawing_from(noise.source(), settings)
        return watched.fit(table, ledger=False, progress=False).to_dict()

    one = Replayed(answers)
    released = fitted(one, first)
    other = Replayed(answers, one, removed)
    again = fitted(other, second)
    if one.questions != other.questions:
        raise Divergence(_difference(one.questions, other.questions))
    losses = {leaf: _apart(one.logs[leaf], other.logs[leaf]) for leaf in one.logs}
    return Replay(released == again, losses, one.costs, frozenset(one.asked))


def _apart(first: Fraction | float, second: Fraction | float) -> float:
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return float(abs(first - second))
    return abs(float(first) - float(second))


def _difference(first: Sequence[object], second: Sequence[object]) -> str:
    for one, other in zip(first, second, strict=False):
        if one != other:
            return f"what is asked depends on the table: {one} or {other}"
    return "how much is asked depends on the table"


def replays_finding(
    name: str, relation: str, replays: Iterable[Replay], epsilon: float | None = None
) -> Finding:
    """Say what replays found: the largest share of a leaf's cost; with `epsilon`, the largest loss of a whole run.

    Replays are made as they are asked for, and no more of them after a divergence.
    """
    found, trouble = list[Replay](), ""
    try:
        found.extend(replays)
    except Divergence as difference:
        trouble = str(difference)
    checked = len(found) + bool(trouble)
    if not trouble and not all(one.kept for one in found):
        trouble = "models differ, or a leaf overspent"
    if trouble:
        return Finding("exact", name, relation, math.inf, epsilon or 1.0, checked, "pairs", False, trouble)
    worst = max((one.worst for one in found), default=0.0)
    if epsilon is None:
        note = "as a share of a leaf's cost"
        return Finding("exact", name, relation, worst, 1.0, checked, "pairs", True, note)
    total, note = max(one.total for one in found), f"at most {worst:.2f} of the cost of a leaf"
    return Finding("exact", name, relation, total, epsilon, checked, "pairs", True, note)
