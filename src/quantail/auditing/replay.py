"""Whole fits, replayed: the same answers on a neighbouring table, with the exact log-ratio of every leaf.

A fit is run on one table with answers drawn from their exact laws. Then it is run on a neighbour and made to give the
same answers. What is released must then be the same to the last bit (nothing may reach the model but through the gate),
and no leaf may be more likely under one table than under the other by more than it costs.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from quantail.auditing.enumeration import Floats, stretches
from quantail.auditing.laws import noisy_max_log_law
from quantail.privacy import SimulatedNoise, Source
from quantail.privacy.gate import Call
from quantail.privacy.noise import Integers, Stream, drawn_subset
from quantail.synthesis import PanelSynthesizer, TableSynthesizer

Synthesizer = TableSynthesizer | PanelSynthesizer


class Divergence(Exception):
    """A neighbour was asked something else: the questions themselves depend on the table."""


class Replayed:
    """Noise that draws answers from their exact laws, or repeats those of an earlier run.

    Parameters
    ----------
    removed : int, optional
        The place, in its group, of the row that the neighbour lacks, with the numbers that belonged to it.
    """

    private = False

    def __init__(self, seed: int, earlier: "Replayed | None" = None, removed: int | None = None) -> None:
        self.rng, self.earlier, self.removed = np.random.default_rng(seed), earlier, removed
        self.answers: list[Any] = []
        self.uniform: list[Floats] = []
        self.logs: dict[str, float] = defaultdict(float)
        self.costs: dict[str, Fraction] = {}
        self.asked: set[tuple[str, int]] = set()
        self.leaf = ""

    def answer(self, log_law: Floats) -> int:
        """Draw from a law, or repeat."""
        if self.earlier is None:
            index = int(self.rng.choice(log_law.size, p=np.exp(log_law) / np.exp(log_law).sum()))
        else:
            index = self._earlier_answer()
        if not index < log_law.size:
            raise Divergence("the candidates depend on the table")
        self.answers.append(index)
        self.logs[self.leaf] += float(log_law[index])
        return index

    def noisy_max(self, scores: Any, scale: float, definition: str) -> int:
        """Answer a selection."""
        return self.answer(noisy_max_log_law(scores, scale, definition))

    def geometric(self, counts: Any, scale: float) -> Any:
        """Answer a count."""
        if self.earlier is None:
            noisy = SimulatedNoise(int(self.rng.integers(2**31))).geometric(counts, scale)
        else:
            noisy = self._earlier_answer()
        if np.size(noisy) != counts.size:
            raise Divergence("the cells depend on the table")
        self.answers.append(noisy)
        self.logs[self.leaf] -= float(np.abs(noisy - counts).sum() / scale)
        return noisy

    def random(self, size: int) -> Floats:
        """Give each row its own numbers: in the neighbour those of the removed row are missing."""
        if self.earlier is None:
            numbers = self.rng.random(size)
        else:
            numbers = self.earlier.uniform[len(self.uniform)]
            if self.removed is not None and numbers.size != size:  # groups without that row have all numbers
                numbers = np.delete(numbers, self.removed)
        self.uniform.append(numbers)
        return numbers

    def stream(self, rows: int) -> Stream:
        """Return the numbers of `random`, by position."""
        return stretches(self.random(rows))

    def pick(self, logs: Floats) -> int:
        """Answer a step of a path."""
        return self.answer(logs - np.logaddexp.reduce(logs))

    def generator(self) -> np.random.Generator:
        """Return a generator for simulations from released models: the same for both tables."""
        return np.random.default_rng(11)

    def subset(self, rows: int, size: int) -> Integers:
        """Return a part of fixed size: the same positions for both tables."""
        return drawn_subset(self.generator(), rows, size)

    def watch(self, call: Call) -> None:
        """Take note of the leaf that is being used."""
        self.leaf = f"{len(self.costs)} {call.leaf}"
        self.costs[self.leaf] = call.cost
        self.asked.add((call.leaf, call.questions))

    def source(self) -> Source:
        """Return itself as the source of a fit's noise."""
        return Source(lambda group: self, private=False, watch=self.watch)

    def _earlier_answer(self) -> Any:
        if self.earlier is None or len(self.answers) >= len(self.earlier.answers):
            raise Divergence("the number of questions depends on the table")
        return self.earlier.answers[len(self.answers)]


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
        return self.same and all(loss <= float(self.costs[leaf]) + 1e-9 for leaf, loss in self.losses.items())

    @property
    def total(self) -> float:
        """The log-ratio of the whole run, if all leaves pointed the same way."""
        return sum(self.losses.values())


def replay(
    synthesizer: Synthesizer,
    first: Any,
    second: Any,
    seed: int = 0,
    removed: int | None = None,
    settings: Any = None,
) -> Replay:
    """Fit a table, then its neighbour with the same answers.

    Parameters
    ----------
    synthesizer : TableSynthesizer or PanelSynthesizer
        How to fit; its noise is that of the replay.
    removed : int, optional
        Under add/remove, the place in its group of the row that `second` lacks.
    settings : optional
        Rules to use instead of the method's own.

    Raises
    ------
    Divergence
        If the questions themselves differ.
    """
    one = Replayed(seed)
    released = synthesizer._drawing_from(one.source(), settings).fit(first).to_dict()
    other = Replayed(seed, one, removed)
    again = synthesizer._drawing_from(other.source(), settings).fit(second).to_dict()
    if one.costs != other.costs or one.asked != other.asked or len(one.answers) != len(other.answers):
        raise Divergence("which questions are asked depends on the table")
    losses = {leaf: abs(one.logs[leaf] - other.logs[leaf]) for leaf in one.logs}
    return Replay(released == again, losses, one.costs, frozenset(one.asked))
