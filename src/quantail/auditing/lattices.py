"""The table of cases: every mechanism on small lattices, claimed epsilon 1: all tables, all neighbours, both relations.

A lattice on which a mechanism with too little noise would pass as well shows nothing. So every case has its negative
control: on the same tables, half of the noise (half of every sensitivity) must be seen to cost more than is claimed.
`quantail audit` and the tests of `tests/privacy` share these cases. Sizes are such that each takes seconds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import partial
from itertools import product
from typing import Any, get_args

import numpy as np

from quantail.auditing import answer_mechanisms as answers
from quantail.auditing import mechanisms as make
from quantail.auditing import order_mechanisms as orders
from quantail.auditing import yearly_mechanisms as yearly
from quantail.auditing.enumeration import (
    SECRET_DROPPED,
    Mechanism,
    Table,
    Worst,
    law_of,
    leaf_loss,
    loss,
    search,
)
from quantail.auditing.findings import Finding
from quantail.orders.steps import Order
from quantail.privacy import Relation

TOLERANCE = 1e-9  # of the enumeration's own arithmetic
SHOWS = 1.05  # from which on a loss is beyond doubt more than is claimed
RELATIONS: tuple[Relation, ...] = ("replace-one", "add-remove")
GRID = np.arange(1.0, 6.0)
HALF = F(1, 2)

# Domains. Values lie on and above the candidates; points below, between and above the cuts .5 and 1.5 of x.
VALUES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
STILL = tuple((value, 0.5) for value in VALUES)
MOVED = tuple(product((0.5, 1.0, 2.4, 4.0, 9.0), (0.0, 0.3, SECRET_DROPPED)))
POINTS = tuple(product((0.0, 1.0, 3.0), (0.0, 1.0, 2.0)))
ABSENT = float("nan")  # one and the same, so that tables can be told apart
STILL_OR_ABSENT = (*STILL[::2], (ABSENT, 0.5))
FEW_POINTS = tuple(product((0.0, 1.0, 3.0), (0.0, 2.0)))
POINTS_OR_ABSENT = (*FEW_POINTS[1:5], (ABSENT, 1.0), (1.0, ABSENT))
THREE_LABELS = tuple(product((0, 1), repeat=3))
PLACED = tuple(product((0.0, 1.0), (-1.0, 0.5, 2.0)))
PAIRS = ((0.0, 0.0), (0.0, 3.0), (4.0, 1.0), (4.0, 4.0))


@dataclass(frozen=True)
class Lattice:
    """One case: how to build a mechanism with a budget, and its tables."""

    name: str
    relation: Relation
    build: Callable[..., Mechanism]
    domain: Sequence[Any]
    rows: int
    kept: float = 0.5

    def worst(self, budget: int = 1) -> Worst:
        """Return the worst case over all tables and neighbours; a budget of 2 halves the noise of what is claimed."""
        return search(self.build(budget=budget), self.domain, self.rows, self.relation, self.kept)

    def control(self, pair: tuple[Table, Table]) -> float:
        """Return the loss of a pair, or of its sharpest leaf as a share of its cost, with half of the noise."""
        mechanism = self.build(budget=2)
        first, second = (law_of(partial(mechanism, table), self.kept) for table in pair)
        return max(2 * leaf_loss(first, second) if first.leaves else loss(first, second), loss(first, second))


def check(lattice: Lattice) -> Finding:
    """Enumerate one case; on the same tables, half of the noise must show."""
    worst = lattice.worst()
    control = lattice.control(worst.sharpest_pair)
    return Finding(
        "exact",
        lattice.name,
        lattice.relation,
        worst.loss,
        1.0,
        worst.pairs,
        "pairs",
        max(worst.loss, worst.sharpest) <= 1.0 + TOLERANCE and control > SHOWS,
        f"a leaf up to {worst.sharpest:.2f} of its cost, {control:.2f} with half of the noise",
    )


def lattices() -> list[Lattice]:
    """Return all cases."""
    parts = (_quantiles, _answers, _slopes, _tables, _orders, _panels)
    return [case for part in parts for relation in RELATIONS for case in part(relation)]


def _quantiles(relation: Relation) -> Iterator[Lattice]:
    rows = 4 if relation == "replace-one" else 3
    for levels in ((0.5,), (0.25, 0.75)):
        joint = partial(make.joint_mechanism, relation, levels, GRID, rows)
        yield Lattice(f"joint draw, levels {levels}", relation, joint, STILL, rows)
    absent = partial(make.joint_mechanism, relation, (0.4, 0.8), GRID, rows)
    yield Lattice("joint draw, absent values", relation, absent, STILL_OR_ABSENT, rows)
    jittered = partial(make.joint_mechanism, relation, (0.25, 0.75), GRID[:4], rows - 1)
    yield Lattice("joint draw, every jitter", relation, jittered, MOVED, rows - 1)
    dear = partial(make.joint_mechanism, relation, (0.25, 0.75), GRID, rows, 1, "epsilon", GRID)
    yield Lattice("joint draw, prior of the range", relation, dear, STILL, rows)


def _answers(relation: Relation) -> Iterator[Lattice]:
    if relation == "replace-one":
        for levels, cells, fine in (((0.5,), 3, 2), ((0.25, 0.75), 5, 1), ((0.3, 0.6), 3, 2)):
            asked = partial(answers.quantiles_mechanism, levels, cells, fine, 4.0)
            name = f"quantiles, levels {levels}, {cells} cells of {fine}"
            yield Lattice(name, relation, asked, (0.0, 1.0, 2.0, 4.0), 4)
    else:
        # Fewer places than rows: where none are cut, a row more costs half, and half of the noise would not show.
        held = partial(answers.protected_quantiles_mechanism, (0.25, 0.75), 5, 1, 2)
        yield Lattice("quantiles, protected number of rows", relation, held, (0.0, 1.0, 4.0, -1.0), 4)
    bound = partial(answers.bound_mechanism, (1.0, 2.0, 5.0), 2, relation=relation)
    yield Lattice("bound, three candidates", relation, bound, (-3.0, 0.5, 2.0, 9.0, np.nan), 4)


def _slopes(relation: Relation) -> Iterator[Lattice]:
    rows = 4 if relation == "replace-one" else 3
    yield Lattice("slope", relation, partial(make.slope_mechanism, relation, rows), POINTS, rows)
    apart = partial(make.slope_mechanism, relation, rows, (1,), 0.0, make.STEADY, (0.5, 1.5))
    yield Lattice("slope, two cuts apart", relation, apart, POINTS, rows)
    stages = partial(make.slope_mechanism, relation, rows - 2, (HALF, HALF))
    yield Lattice("slope in two stages", relation, stages, FEW_POINTS, rows - 2)
    absent = partial(make.slope_mechanism, relation, rows - 1)
    yield Lattice("slope, absent values", relation, absent, POINTS_OR_ABSENT, rows - 1)
    most = rows - 2 + len(make.STEADY) - 1
    few = replace(make.FEW_SLOPES, rows=lambda epsilon, last: most)
    part = partial(make.slope_mechanism, relation, rows - 2, rules=few)
    yield Lattice("slope, secret subsample", relation, part, FEW_POINTS, rows - 2, most / (most + 1))


def _tables(relation: Relation) -> Iterator[Lattice]:
    choice = partial(make.table_mechanism, relation, 3)
    yield Lattice("choice of a table", relation, choice, THREE_LABELS, 3)


def _orders(relation: Relation) -> Iterator[Lattice]:
    rows = 4 if relation == "replace-one" else 3
    taus, main = (HALF, F(3, 4), F(19, 20)), (HALF, F(19, 20))
    for order in get_args(Order):
        fewer = rows - (order == "kng")  # kng has no constraint, so the most outcomes
        levels = [float(tau) for tau in taus], [float(tau) for tau in main]
        column = partial(orders.column_mechanism, order, relation, fewer, *levels)
        yield Lattice(f"{order}, one column", relation, column, orders.GRID, fewer)
        varying = partial(orders.lines_mechanism, order, relation, taus, main)
        yield Lattice(f"{order}, varying slopes", relation, varying, PLACED, fewer - 1)
        for kind in ("fixed", "varying"):
            table = partial(orders.two_column_mechanism, order, kind, relation, rows - 2)
            name = f"{order}, two columns, {kind} slopes"
            yield Lattice(name, relation, table, PAIRS, rows - 2)


def _panels(relation: Relation) -> Iterator[Lattice]:
    if relation == "replace-one":  # units of a panel keep their public entry and exit
        for order, kind in product(get_args(Order), ("fixed", "varying")):
            panel = partial(yearly.yearly_mechanism, order, kind, 2)
            name = f"panel by year, {order}, {kind} slopes"
            yield Lattice(name, relation, panel, yearly.HISTORIES, 2)
