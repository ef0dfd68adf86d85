"""Exact laws of the production mechanisms on small tables, and their worst log-ratio over all neighbours.

A mechanism is run again and again with a source of noise that follows a script, until every random outcome has
been taken once (depth first). Nothing of the mechanism is copied here except the laws of single draws (`laws.py`).
"""

import functools
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any, Literal

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.auditing.laws import noisy_max_log_law
from quantail.auditing.noise import AuditNoise
from quantail.privacy import Gate, Plan, Relation
from quantail.privacy.gate import Call

SECRET_KEPT, SECRET_DROPPED = 0.0, 1.0 - 2.0**-53

Table = tuple[Any, ...]


class Law(dict[Hashable, float]):
    """The probability of everything that may be released, and how it is made up of the answers of each leaf.

    Attributes
    ----------
    leaves : list of list of float
        For every outcome, in order, the log-probability of each leaf's answers given those before; empty where secret
        parts of a table are mixed over, which have no such factors.
    costs : list of list of Fraction
        What these leaves may cost.
    """

    def __init__(self) -> None:
        super().__init__()
        self.leaves: list[list[float]] = []
        self.costs: list[list[Fraction]] = []


class Branching(AuditNoise):
    """Noise that follows a script of outcomes and multiplies up their probabilities; counts have too many of them."""

    def __init__(self, script: Sequence[int] = (), kept: float = 0.5) -> None:
        self.script, self.kept = list(script), kept
        self.taken: list[int] = []
        self.options: list[list[int]] = []
        self.shown: list[int] = []
        self.log_probability = 0.0
        self.is_mixed = False
        self.leaves: list[float] = []
        self.costs: list[Fraction] = []
        self.given: Any = None  # numbers that belong to rows, as part of them, or one for all: jitter, dither

    def choose(self, log_law: Floats, secret: bool = False) -> int:
        """Take the scripted outcome, or the first that is possible."""
        possible: list[int] = np.flatnonzero(np.isfinite(log_law)).tolist()
        place = len(self.taken)
        index = self.script[place] if place < len(self.script) else 0
        self.taken.append(index)
        self.options.append(possible)
        self.log_probability += float(log_law[possible[index]])
        self.is_mixed |= secret
        if not secret:
            self.shown.append(possible[index])
            if self.leaves:
                self.leaves[-1] += float(log_law[possible[index]])
        return possible[index]

    def watch(self, call: Call) -> None:
        """Take note of the leaf that is being used."""
        self.leaves.append(0.0)
        self.costs.append(call.cost)

    def noisy_max(self, scores: Any, scale: float, definition: str) -> int:
        """Take each candidate once."""
        return self.choose(noisy_max_log_law(scores, scale, definition))

    def pick(self, logs: Floats) -> int:
        """Take each step of a path once."""
        return self.choose(np.asarray(logs - np.logaddexp.reduce(logs)))

    def random(self, size: int) -> Any:
        """Keep or drop each row of a Poisson subsample; the outcome stays secret."""
        if self.given is not None:
            if np.ndim(self.given) and len(self.given) != size:
                raise ValueError("a number for every row is needed")
            return np.resize(self.given, size)
        law = np.log([self.kept, 1 - self.kept])
        return np.array([(SECRET_KEPT, SECRET_DROPPED)[self.choose(law, secret=True)] for _ in range(size)])

    def subset(self, rows: int, size: int) -> Integers:
        """Take each subset of fixed size; the outcome stays secret."""
        subsets = list(combinations(range(rows), size))
        return np.array(subsets[self.choose(np.full(len(subsets), -math.log(len(subsets))), secret=True)])


Mechanism = Callable[[Table, Branching], Hashable]


def law_of(mechanism: Callable[[Branching], Hashable], kept: float = 0.5) -> Law:
    """Return the probability of everything that a mechanism may release, answers and result."""
    law, script, mixed = Law(), list[int](), False
    while True:
        noise = Branching(script, kept)
        outcome = (mechanism(noise), tuple(noise.shown))[::-1]
        law[outcome] = law.get(outcome, 0.0) + math.exp(noise.log_probability)
        law.leaves.append(noise.leaves)
        law.costs.append(noise.costs)
        mixed |= noise.is_mixed or not noise.leaves
        script, options = noise.taken, noise.options
        while script and script[-1] + 1 == len(options[-1]):
            script.pop(), options.pop()
        if not script:
            if not math.isclose(sum(law.values()), 1.0, rel_tol=1e-9):
                raise ArithmeticError("the enumerated probabilities do not add up to one")
            if mixed or len(law.leaves) != len(law):
                law.leaves, law.costs = [], []
            return law
        script[-1] += 1


def loss(first: dict[Hashable, float], second: dict[Hashable, float]) -> float:
    """Return the largest absolute log-ratio of two laws; infinite where one of them cannot happen."""
    if first.keys() != second.keys():
        return math.inf
    p, q = (np.array([law[key] for key in first]) for law in (first, second))
    return float(np.max(np.abs(np.log(p) - np.log(q))))


def leaf_loss(first: Law, second: Law) -> float:
    """Return the largest log-ratio of a leaf's answers as a share of its cost: sharper than that of all together.

    Of a law without leaves it is the loss itself: epsilon 1 is claimed.
    """
    if list(first) != list(second) or not first.leaves or first.costs != second.costs:
        return loss(first, second)
    ratios = (
        abs(one - other) / float(cost)
        for ones, others, costs in zip(first.leaves, second.leaves, first.costs, strict=True)
        for one, other, cost in zip(ones, others, costs, strict=True)
    )
    return max(ratios, default=0.0)


def tables(domain: Sequence[Any], rows: int) -> list[Table]:
    """Return all tables of so many rows; the order of rows never matters to these mechanisms."""
    return list(combinations_with_replacement(domain, rows))


def neighbours(domain: Sequence[Any], rows: int, relation: str) -> Iterator[tuple[Table, Table]]:
    """Yield all pairs of neighbouring tables, of `rows` rows or (add/remove) one more in the second."""
    order = {value: place for place, value in enumerate(domain)}
    for rest in tables(domain, rows - 1 if relation == "replace-one" else rows):
        grown = [tuple(sorted((*rest, row), key=order.__getitem__)) for row in domain]
        yield from combinations(grown, 2) if relation == "replace-one" else ((rest, more) for more in grown)


@dataclass(frozen=True)
class Worst:
    """The largest loss over so many pairs of neighbours, the largest share of a leaf's cost, and where they are."""

    loss: float
    pairs: int
    pair: tuple[Table, Table]
    sharpest: float
    sharpest_pair: tuple[Table, Table]


def search(mechanism: Mechanism, domain: Sequence[Any], rows: int, relation: str, kept: float = 0.5) -> Worst:
    """Return the worst case of a mechanism over all tables on a domain and all their neighbours."""
    law = functools.cache(lambda table: law_of(lambda noise: mechanism(table, noise), kept))
    pairs = list(neighbours(domain, rows, relation))
    losses = [loss(law(a), law(b)) for a, b in pairs]
    sharp = [leaf_loss(law(a), law(b)) for a, b in pairs]
    worst, sharpest = int(np.argmax(losses)), int(np.argmax(sharp))
    return Worst(losses[worst], len(pairs), pairs[worst], sharp[sharpest], pairs[sharpest])


def gate_of(
    noise: Any, relation: Relation, *costs: Fraction | int, unit: Literal["epsilon", "rho"] = "epsilon"
) -> Gate:
    """Return the production gate on a plan of numbered leaves."""
    return Gate(_plan_of(costs, unit), noise, relation, getattr(noise, "watch", None))


@functools.cache  # a gate opens the leaves of a plan for itself, and an enumeration makes thousands of gates
def _plan_of(costs: tuple[Fraction | int, ...], unit: Literal["epsilon", "rho"]) -> Plan:
    leaves = [Plan.leaf(f"leaf {k}", Fraction(cost), unit=unit) for k, cost in enumerate(costs)]
    return Plan.sequence("audit", leaves)
