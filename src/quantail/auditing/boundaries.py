"""Thresholds of public rules, and budgets that put each of them between n - 1 and n rows.

Public rules compare the *released* number of rows, or n epsilon of a leaf, with a threshold. A fit that put the true
number into one of them would look right on most tables: only where n - 1 rows lie on one side and n on the other does
it show. `boundary_replays.py` replays whole fits there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from quantail.curves.slopes import SlopeRules
from quantail.privacy import Plan
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer
from quantail.table.stage_one.rules import StageOneRules, TablesSettings

ROWS = 60  # of the larger neighbour
_STEPS = 60  # of the search for a budget

_SIZE = Column("x", "numeric", 0, 100)
_PAY = Column("y", "numeric", 0, 1000, grid="log", resolution=0.1)
_JOBS = Column("jobs", "integer", 0, 30)
_ROUNDED = Column("y", "numeric", 0, 1000, grid="log", resolution=0.1, heaps=(100, 50))
_KIND = Column("kind", "category", categories=("a", "b", "c"))
TABLES: dict[str, Schema] = {
    "one": Schema((_SIZE,), "row", "add-remove"),
    "few values": Schema((Column("jobs", "integer", 0, 9),), "row", "add-remove"),
    "numbers": Schema((_SIZE, _PAY), "row", "add-remove"),
    "explained values": Schema((_SIZE, _JOBS), "row", "add-remove"),
    "round figures": Schema((_SIZE, _ROUNDED), "row", "add-remove"),
    "labels": Schema((_KIND, _SIZE), "row", "add-remove"),
    "missing": Schema((Column("x", "numeric", -50, 100, grid="log", missing=True),), "row", "add-remove"),
}


@dataclass(frozen=True)
class Boundary:
    """A threshold of a public rule."""

    name: str  # the rule
    table: str  # which of the made-up tables
    # from a number of rows and the plan for the released number to whether the threshold is reached
    holds: Callable[[int, Plan], bool]
    follows_plan: bool = False  # the plan itself changes with the number of rows
    most: int = 2000  # the largest budget that is looked at: with more, some questions give way to others

    def synthesizer(self, epsilon: Fraction) -> TableSynthesizer:
        """Return a synthesizer that follows the rule."""
        return TableSynthesizer(TABLES[self.table], epsilon)

    def epsilon(self, released: int, rows: int = ROWS) -> Fraction:
        """Return a budget at which so many rows reach the threshold, and one row less does not."""
        return _budget(self, released, rows)

    def reached(self, rows: int, epsilon: Fraction, released: int) -> bool:
        """Say whether so many rows reach the threshold, if `released` are known."""
        counted = rows if self.follows_plan else released
        return self.holds(rows, self.synthesizer(epsilon).plan(counted))


@cache  # a hundred plans are drawn up for it
def _budget(boundary: Boundary, released: int, rows: int) -> Fraction:
    low, high = Fraction(1, 100), Fraction(boundary.most)
    for _ in range(_STEPS):
        middle = Fraction(float((low + high) / 2))
        low, high = (low, middle) if boundary.reached(rows, middle, released) else (middle, high)
    if not boundary.reached(rows, high, released) or boundary.reached(rows - 1, high, released):
        raise ArithmeticError(
            f"{boundary.name}: no budget puts the threshold between {rows - 1} and {rows} rows"
        )
    return high


def quick(most: int | None = None) -> TablesSettings:
    """Return settings with few simulated rows, and parts of at most so many rows where slopes are chosen."""
    if most is None:
        return TablesSettings(StageOneRules(simulated_rows=2**10))
    return TablesSettings(StageOneRules(2**10, SlopeRules(rows=lambda epsilon, last: most)))


@cache
def boundaries() -> tuple[Boundary, ...]:
    """Return a boundary for every threshold that a fit compares its rows with."""
    return (*_of_leaves(), *_of_plans())


def _of_leaves() -> Iterator[Boundary]:
    """Yield rules that a fit follows: n epsilon of a leaf against a threshold."""
    for quantiles, n_epsilon in ((2, 40), (3, 90), (5, 200), (7, 900), (9, 2500), (15, 8000)):
        yield Boundary(f"{quantiles} quantiles", "one", _n_epsilon("curve/draw", n_epsilon))
    yield Boundary("candidates near the quartiles", "one", _n_epsilon("curve/draw", 2000))
    yield Boundary("candidates of a slope", "numbers", _n_epsilon("slope on x/single", 300), most=400)
    yield Boundary("candidates of a fine slope", "numbers", _n_epsilon("slope on x/fine", 2000))
    yield Boundary("quantiles of a number that may be missing", "missing", _n_epsilon("curve/draw", 200))


def _of_plans() -> Iterator[Boundary]:
    """Yield rules that the plan follows: which questions are asked, in how many stages and rounds."""
    for word, most in (("slope on x/single", 400), ("slope on x/fine", 2000)):
        yield Boundary(f"whether there is {word}", "numbers", _present(word), True, most)
    yield Boundary("whether there are rounds", "labels", _present("rounds/round 1"), True)
    for number in (3, 4):  # of two columns there are no more
        yield Boundary(f"{number} rounds", "labels", _present(f"rounds/round {number}"), True)
    yield Boundary("whether quantiles are located first", "one", _present("curve/locate"), True)
    yield Boundary("whether the lowest value is counted", "one", _present("x/lowest"), True)
    yield Boundary("whether every value is counted", "few values", _present("curve/count"), True)
    yield Boundary("whether the sum of a tail is asked for", "numbers", _present("tails/y"), True)
    yield Boundary(
        "whether every value is counted at the end", "explained values", _present("values/jobs"), True
    )
    yield Boundary("whether round figures are asked about", "round figures", _present("heaps/y"), True)
    yield Boundary("whether every round figure is counted", "round figures", _present("values/y"), True)


def _n_epsilon(leaf: str, threshold: float) -> Callable[[int, Plan], bool]:
    def holds(rows: int, plan: Plan) -> bool:
        return any(rows * float(part.cost) >= threshold for path, part in _parts(plan) if path.endswith(leaf))

    return holds


def _present(leaf: str) -> Callable[[int, Plan], bool]:
    return lambda rows, plan: any(path.endswith(leaf) for path, _ in _parts(plan))


def _parts(plan: Plan, above: str = "") -> Iterator[tuple[str, Plan]]:
    for child in plan.children:
        yield f"{above}/{child.name}", child
        yield from _parts(child, f"{above}/{child.name}")
