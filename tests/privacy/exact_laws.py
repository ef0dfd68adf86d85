"""Exact laws of the production mechanisms, for the tests of this folder.

A mechanism is run again and again with a source of noise that follows a script, until every random outcome has
been taken once (depth first). Nothing of the mechanism is copied here except the laws of single draws.
"""

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from quantail.privacy import Gate, Plan

SECRET_KEPT, SECRET_DROPPED = 0.0, 1.0 - 2.0**-53


@functools.cache
def _unit_nodes(degree: int):
    """Return Gauss-Legendre nodes and weights on [0, 1], exact for polynomials up to `degree`."""
    nodes, weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return (nodes + 1) / 2, weights / 2


def noisy_max_log_law(scores, scale: float, definition: str):
    """Return log P(argmax of score + noise = i) for every i.

    Exponential noise: with a_j = (s_j - max s) / scale,  P(i) = e^{a_i} int_0^1 prod_{j != i} (1 - e^{a_j} z) dz,
    the integral of a polynomial with positive values. Gumbel noise: a softmax.
    """
    return _noisy_max_log_law(tuple(np.asarray(scores).tolist()), scale, definition)


@functools.lru_cache(maxsize=100_000)
def _noisy_max_log_law(scores: tuple[float, ...], scale: float, definition: str):
    a = (np.array(scores, dtype=float) - max(scores)) / scale
    if definition == "zcdp":
        return a - np.logaddexp.reduce(a)
    z, w = _unit_nodes(a.size - 1)
    values, place, number = np.unique(a, return_inverse=True, return_counts=True)
    parts = np.log1p(-np.exp(values)[:, None] * z)
    logs = number @ parts - parts + np.log(w)
    return (values + np.logaddexp.reduce(logs, axis=1))[place]


class Branching:
    """Noise that follows a script of outcomes and multiplies up their probabilities."""

    private = False

    def __init__(self, script: Sequence[int] = (), kept: float = 0.5) -> None:
        self.script, self.kept = list(script), kept
        self.taken: list[int] = []
        self.options: list[list[int]] = []
        self.shown: list[int] = []
        self.log_probability = 0.0
        self.given: Any = None  # numbers that belong to the rows of the table: jitter as part of a row

    def choose(self, log_law, secret: bool = False) -> int:
        """Take the scripted outcome, or the first that is possible."""
        possible = np.flatnonzero(np.isfinite(log_law)).tolist()
        place = len(self.taken)
        index = self.script[place] if place < len(self.script) else 0
        self.taken.append(index)
        self.options.append(possible)
        self.log_probability += float(log_law[possible[index]])
        if not secret:
            self.shown.append(possible[index])
        return possible[index]

    def noisy_max(self, scores, scale, definition) -> int:
        return self.choose(noisy_max_log_law(scores, scale, definition))

    def geometric(self, counts, scale):
        raise AssertionError("counts have infinitely many outcomes: see test_exact_counts.py")

    def below(self, total):
        raise AssertionError("replace paths._pick by `branching_pick` first")

    def random(self, size: int):
        """Keep or drop each row of a Poisson subsample; the outcome stays secret."""
        if self.given is not None:
            assert len(self.given) == size
            return np.array(self.given)
        law = np.log([self.kept, 1 - self.kept])
        return np.array([(SECRET_KEPT, SECRET_DROPPED)[self.choose(law, secret=True)] for _ in range(size)])

    def generator(self) -> "Branching":
        return self

    def choice(self, rows: int, size: int, replace: bool):
        """Take each subset of fixed size; the outcome stays secret."""
        assert not replace
        subsets = list(combinations(range(rows), size))
        return np.array(subsets[self.choose(np.full(len(subsets), -math.log(len(subsets))), secret=True)])


def branching_pick(logs, noise: Any) -> int:
    """Stand in for `paths._pick`, whose exactness test_paths.py proves apart."""
    return noise.choose(logs - np.logaddexp.reduce(logs))


def law_of(mechanism: Callable[[Branching], Hashable], kept: float = 0.5) -> dict[Hashable, float]:
    """Return the probability of everything that a mechanism may release, answers and result."""
    law: dict[Hashable, float] = defaultdict(float)
    script: list[int] = []
    while True:
        noise = Branching(script, kept)
        released = mechanism(noise)
        law[tuple(noise.shown), released] += math.exp(noise.log_probability)
        script, options = noise.taken, noise.options
        while script and script[-1] + 1 == len(options[-1]):
            script.pop(), options.pop()
        if not script:
            assert math.isclose(sum(law.values()), 1.0, rel_tol=1e-9)
            return dict(law)
        script[-1] += 1


def loss(first: dict[Hashable, float], second: dict[Hashable, float]) -> float:
    """Return the largest absolute log-ratio of two laws; infinite where one of them cannot happen."""
    if first.keys() != second.keys():
        return math.inf
    p, q = (np.array([law[key] for key in first]) for law in (first, second))
    return float(np.max(np.abs(np.log(p) - np.log(q))))


Table = tuple[Any, ...]


def tables(domain: Sequence[Any], rows: int) -> list[Table]:
    """Return all tables of so many rows; the order of rows never matters to these mechanisms."""
    return list(combinations_with_replacement(domain, rows))


def neighbours(domain: Sequence[Any], rows: int, relation: str) -> Iterator[tuple[Table, Table]]:
    """Yield all pairs of neighbouring tables, of `rows` rows or (add/remove) one more in the second."""
    order = {value: place for place, value in enumerate(domain)}
    for rest in tables(domain, rows - 1 if relation == "replace-one" else rows):
        grown = [tuple(sorted((*rest, row), key=order.__getitem__)) for row in domain]
        yield from combinations(grown, 2) if relation == "replace-one" else ((rest, more) for more in grown)


def worst_loss(
    mechanism: Callable[[Table, Branching], Hashable],
    domain: Sequence[Any],
    rows: int,
    relation: str,
    kept: float = 0.5,
) -> float:
    """Return the largest loss of a mechanism over all pairs of neighbours."""
    law = functools.cache(lambda table: law_of(lambda noise: mechanism(table, noise), kept))
    return max(loss(law(a), law(b)) for a, b in neighbours(domain, rows, relation))


def gate_of(noise: Any, relation: str, *costs: Fraction | int, unit: str = "epsilon") -> Gate:
    """Return the production gate on a plan of numbered leaves."""
    leaves = [Plan.leaf(f"leaf {k}", Fraction(cost), unit=unit) for k, cost in enumerate(costs)]
    return Gate(Plan.sequence("test", leaves), noise, relation)
