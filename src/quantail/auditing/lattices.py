"""Every mechanism on small lattices, claimed epsilon 1: all tables, all neighbours, both relations.

Sizes are such that each case takes seconds. The tests of `tests/privacy` enumerate the same mechanisms further.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product
from typing import Any, get_args

import numpy as np

from quantail.auditing import mechanisms as make
from quantail.auditing import order_mechanisms as orders
from quantail.auditing import yearly_mechanisms as yearly
from quantail.auditing.enumeration import SECRET_DROPPED, Mechanism, enumerable, replaced, search
from quantail.auditing.findings import Finding
from quantail.auditing.mechanisms import Replacement
from quantail.privacy import Relation
from quantail.quantiles import slopes, tilt
from quantail.quantiles.orders import Order

TOLERANCE = 1e-9  # of the enumeration's own arithmetic
RELATIONS: tuple[Relation, ...] = ("replace-one", "add-remove")
GRID = np.arange(1.0, 6.0)
HALF = F(1, 2)
EVEN, UNEVEN = (F(1, 4), HALF, F(3, 4)), (F(1, 20), F(9, 10), F(97, 100))

# Domains. Values lie on and above the candidates; points below, between and above the cuts .5 and 1.5 of x.
VALUES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
STILL = tuple((value, 0.5) for value in VALUES)
MOVED = tuple(product((0.5, 1.0, 2.4, 4.0, 9.0), (0.0, 0.3, SECRET_DROPPED)))
BLOCKS = tuple(product((0, 1), (1.0, 2.0, 3.0)))
POINTS = tuple(product((0.0, 1.0, 3.0), (0.0, 1.0, 2.0)))
ABSENT = float("nan")  # one and the same, so that tables can be told apart
STILL_OR_ABSENT = (*STILL[::2], (ABSENT, 0.5))
FEW_POINTS = tuple(product((0.0, 1.0, 3.0), (0.0, 2.0)))
POINTS_OR_ABSENT = (*FEW_POINTS[1:5], (ABSENT, 1.0), (1.0, ABSENT))
MARKED = tuple(product((0, 1), (0, 1), (-1, 0, 1)))
BINNED = tuple(product((0, 1), (0.5, 1.5, 2.5, 3.5)))
SIZES = tuple(product((-0.3, 1.0), (-0.5, 0.5, 1.5), (-1.0, 1.0)))
ALWAYS = tuple(
    (*row, side) for row in ((-1.0, -1.5), (-1.0, -1.5), (-0.3, 0.5), (-0.3, 1.5)) for side in (-1.0, 1.0)
)
PLACED = tuple(product((0.0, 1.0), (-1.0, 0.5, 2.0)))
PAIRS = ((0.0, 0.0), (0.0, 3.0), (4.0, 1.0), (4.0, 4.0))


@dataclass(frozen=True)
class Lattice:
    """One case: how to build the mechanism, its tables, and what is shortened while it is enumerated."""

    name: str
    relation: Relation
    build: Callable[[], Mechanism]
    domain: Sequence[Any]
    rows: int
    short: tuple[Replacement, ...] = ()
    kept: float = 0.5


def check(lattice: Lattice) -> Finding:
    """Enumerate one case."""
    with enumerable(), replaced(*lattice.short):
        worst = search(lattice.build(), lattice.domain, lattice.rows, lattice.relation, lattice.kept)
    return Finding(
        "exact",
        lattice.name,
        lattice.relation,
        worst.loss,
        1.0,
        worst.pairs,
        "pairs",
        worst.loss <= 1.0 + TOLERANCE,
        f"{len(lattice.domain)} kinds of rows, {lattice.rows} rows",
    )


def lattices() -> list[Lattice]:
    """Return all cases."""
    parts = (_quantiles, _slopes, _shapes, _orders, _panels)
    return [case for part in parts for relation in RELATIONS for case in part(relation)]


def _quantiles(relation: Relation) -> Iterator[Lattice]:
    rows = 4 if relation == "replace-one" else 3
    for name, taus in (("median", (HALF,)), ("quartiles", EVEN), ("levels .05 .9 .97", UNEVEN)):
        ladder = _later(make.ladder_mechanism, relation, taus, GRID)
        yield Lattice(f"ladder, {name}", relation, ladder, VALUES, rows)
    for tau in (HALF, F(2, 3)):
        blocks = _later(make.ladder_mechanism, relation, (tau,), GRID[:2], 2)
        yield Lattice(f"ladder in two bins, level {tau}", relation, blocks, BLOCKS, rows + 1)
    for levels in ((0.5,), (0.25, 0.75)):
        joint = _later(make.joint_mechanism, relation, levels, GRID, rows)
        yield Lattice(f"joint draw, levels {levels}", relation, joint, STILL, rows)
    absent = _later(make.joint_mechanism, relation, (0.4, 0.8), GRID, rows)
    yield Lattice("joint draw, absent values", relation, absent, STILL_OR_ABSENT, rows)
    jittered = _later(make.joint_mechanism, relation, (0.25, 0.75), GRID[:4], rows - 1)
    yield Lattice("joint draw, every jitter", relation, jittered, MOVED, rows - 1)
    dear = _later(make.joint_mechanism, relation, (0.25, 0.75), GRID, rows, 1, "epsilon", GRID)
    yield Lattice("joint draw, tolls", relation, dear, STILL, rows)


def _slopes(relation: Relation) -> Iterator[Lattice]:
    rows = 4 if relation == "replace-one" else 3
    yield Lattice(
        "slope", relation, _later(make.slope_mechanism, relation, rows), POINTS, rows, make.few_slopes
    )
    apart = _later(make.slope_mechanism, relation, rows, (1,), 0.0, make.STEADY, (0.5, 1.5))
    yield Lattice("slope, two cuts apart", relation, apart, POINTS, rows, make.few_slopes)
    stages = _later(make.slope_mechanism, relation, rows - 2, (HALF, HALF))
    yield Lattice("slope in two stages", relation, stages, FEW_POINTS, rows - 2, make.few_slopes)
    absent = _later(make.slope_mechanism, relation, rows - 1)
    yield Lattice("slope, absent values", relation, absent, POINTS_OR_ABSENT, rows - 1, make.few_slopes)
    choice = _later(make.choice_mechanism, relation, rows - 1)
    yield Lattice("choice of a context", relation, choice, MARKED, rows - 1)
    most = rows - 2 + len(make.STEADY) - 1
    short = (*make.few_slopes, (slopes, "rows_needed", lambda strength, last: most))
    part = _later(make.slope_mechanism, relation, rows - 2)
    yield Lattice("slope, secret subsample", relation, part, FEW_POINTS, rows - 2, short, most / (most + 1))


def _shapes(relation: Relation) -> Iterator[Lattice]:
    rows = 2 if relation == "replace-one" else 1
    yield Lattice("bend in two bins", relation, _later(make.bend_mechanism, relation), BINNED, rows)
    costs = (F(4, 10), F(3, 10), F(3, 10))
    for name, signal in (("one growth question", np.inf), ("two growth questions", 0.0)):
        short = (*make.few_tilts, (tilt, "_TWO_SIDES", signal))
        whole = _later(make.tilt_mechanism, relation, rows - 1, costs, ALWAYS)
        growth = _later(make.growth_mechanism, relation, rows, ALWAYS)
        yield Lattice(f"tilt, {name}", relation, whole, SIZES, rows - 1, short)
        yield Lattice(f"growth of a tilt, {name}", relation, growth, SIZES, rows, short)


def _orders(relation: Relation) -> Iterator[Lattice]:
    rows = 4 if relation == "replace-one" else 3
    taus, main = (HALF, F(3, 4), F(19, 20)), (HALF, F(19, 20))
    for order in get_args(Order):
        fewer = rows - (order == "kng")  # kng has no constraint, so the most outcomes
        levels = [float(tau) for tau in taus], [float(tau) for tau in main]
        column = _later(orders.column_mechanism, order, relation, fewer, *levels)
        yield Lattice(f"{order}, one column", relation, column, orders.GRID, fewer, orders.short_lists)
        varying = _later(orders.lines_mechanism, order, relation, taus, main)
        yield Lattice(f"{order}, varying slopes", relation, varying, PLACED, fewer - 1, orders.short_lists)
        for kind in ("fixed", "varying"):
            table = _later(orders.two_column_mechanism, order, kind, relation, rows - 2)
            name = f"{order}, two columns, {kind} slopes"
            yield Lattice(name, relation, table, PAIRS, rows - 2, orders.shortest_lists)


def _panels(relation: Relation) -> Iterator[Lattice]:
    if relation == "replace-one":  # units of a panel keep their public entry and exit
        for order, kind in product(get_args(Order), ("fixed", "varying")):
            panel = _later(yearly.yearly_mechanism, order, kind, 2)
            name = f"panel by year, {order}, {kind} slopes"
            yield Lattice(name, relation, panel, yearly.HISTORIES, 2, yearly.yearly_lists)


def _later(factory: Callable[..., Mechanism], *parts: Any) -> Callable[[], Mechanism]:
    """Build a mechanism only when its lists have been shortened."""
    return lambda: factory(*parts)
