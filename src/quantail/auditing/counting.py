"""Counts have infinitely many answers, so their law is compared analytically: the L1 distance over the scale.

The two-sided geometric law gives log-ratios of at most sum |c_k - c'_k| / scale, reached by answers beyond all counts.
What follows from an answer must be the same for neighbours.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from quantail.auditing.enumeration import Table, Worst, neighbours
from quantail.auditing.findings import Finding
from quantail.auditing.mechanisms import table_scores
from quantail.auditing.noise import AuditNoise
from quantail.curves import HeldRows, Scale, StepCurve
from quantail.curves.tail import Threshold, draw_tail_sum
from quantail.privacy import Gate, Plan, Relation, Source, cells_touched
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer
from quantail.table.heaps import Heap, draw_heaps, heap_shares
from quantail.table.lowest import draw_lowest
from quantail.table.stage_one import counting as stage_one_counts
from quantail.table.stage_one import fit_state
from quantail.table.stage_one.column import NumericModel
from quantail.table.stage_one.design import ColumnDesign
from quantail.table.value_counts import release_figures, release_values

ANSWER = 3


@dataclass
class Watching(AuditNoise):
    """Noise that keeps what it was asked to hide and answers the same always."""

    seed = 5
    asked: list[tuple[tuple[int, ...], float]] = field(default_factory=list)

    def geometric(self, counts: Any, scale: float) -> Any:
        """Keep the counts, and answer."""
        self.asked.append((tuple(counts.tolist()), scale))
        return np.full(counts.size, ANSWER)

    def gaussian(self, counts: Any, scale: float) -> Any:
        """Keep the counts, and answer."""
        return self.geometric(counts, scale)

    def random(self, size: int) -> Any:
        """Move no row."""
        return np.full(size, 0.5)


Counting = Callable[[Table, Watching], Any]
"""Asks for counts and returns what is released; compared by ==."""


def count_loss(counting: Counting, first: Table, second: Table) -> float:
    """Return the worst log-ratio over all answers, added up over questions."""
    one, other = Watching(), Watching()
    same = counting(first, one) == counting(second, other)
    shapes = [[(len(counts), scale) for counts, scale in noise.asked] for noise in (one, other)]
    if not same or shapes[0] != shapes[1]:
        return math.inf
    total = 0.0
    for (counts, scale), (others, _) in zip(one.asked, other.asked, strict=True):
        total += sum(abs(a - b) for a, b in zip(counts, others, strict=True)) / scale
    return total


def search_counts(counting: Counting, domain: Sequence[Any], rows: int, relation: str) -> Worst:
    """Return the worst case over all tables on a domain and all their neighbours."""
    found = [(count_loss(counting, a, b), (a, b)) for a, b in neighbours(domain, rows, relation)]
    worst, pair = max(found, key=lambda case: case[0])
    return Worst(worst, len(found), pair, worst, pair)


def labels_alone(relation: Relation, labels: int = 2) -> Counting:
    """Count labels; a row is its label. Two of them are told by one count where rows are public."""
    column = Column("kind", "category", categories=tuple("abc"[:labels]))
    plan = Plan.sequence("kind", [Plan.leaf("count", Fraction(1))])

    def counting(table: Table, noise: Watching) -> Any:
        rows = HeldRows({"kind": np.array(table, dtype=np.int64)})
        fit = fit_state.Fit(Gate(plan, noise, relation), 4, rows, noise.generator())
        return stage_one_counts.fit_category(fit, ColumnDesign(column, plan, cells=True))

    return counting


def cells_of_tables(relation: Relation) -> Counting:
    """Count the cells of every table over three labels, one leaf each; a row is its labels."""

    def counting(table: Table, noise: Watching) -> Any:
        scores = table_scores(tuple(table), 3)
        number = len(scores.candidates)
        plan = Plan.sequence("tables", [Plan.leaf(f"table {k}", Fraction(1, number)) for k in range(number)])
        gate, touched = Gate(plan, noise, relation), cells_touched(relation)
        return [
            gate.histogram(leaf, scores.counts(k).ravel(), touched).tolist()
            for k, leaf in enumerate(plan.leaves())
        ]

    return counting


def values_of_a_column(relation: Relation) -> Counting:
    """Count every value of a column with five of them."""
    scale, leaf = Scale.of(Column("jobs", "integer", 0, 4)), Plan.leaf("count", Fraction(1))

    def counting(table: Table, noise: Watching) -> Any:
        rows = HeldRows({"jobs": np.array(table, dtype=float)})
        fit = fit_state.Fit(Gate(leaf, noise, relation), 4, rows, noise.generator())
        return stage_one_counts.count_cells(fit, leaf, scale, rows.column("jobs"))

    return counting


def values_within_cells(relation: Relation) -> Counting:
    """Count every value of a column whose cells and drawn numbers are known; NaN where a row has none."""
    scale, leaf = Scale.of(Column("jobs", "integer", 0, 4)), Plan.leaf("values", Fraction(1))
    column = NumericModel("jobs", scale, (), StepCurve((-0.5, 4.5), (1.0,)))
    drawn, edges = np.linspace(-0.4, 4.4, 50), np.array([1.5])

    def counting(table: Table, noise: Watching) -> Any:
        rows = HeldRows({"jobs": np.array(table, dtype=float)})
        fit = fit_state.Fit(Gate(leaf, noise, relation), 4, rows, noise.generator())
        return release_values(fit, leaf, column, drawn, edges)

    return counting


def tail_sum(relation: Relation) -> Counting:
    """Add up what lies above a threshold, cut; a row is its value, infinite or absent ones included."""
    leaf = Plan.leaf("tail", Fraction(1))
    threshold = Threshold(start=2.0, cut=6.0, share=0.1, growth=0.5, rows=3.0)

    def counting(table: Table, noise: Watching) -> Any:
        return draw_tail_sum(Gate(leaf, noise, relation), leaf, np.array(table, dtype=float), threshold)

    return counting


def rows_at_the_lowest(relation: Relation) -> Counting:
    """Count rows that hold the lowest value; a row is its value on a lattice from 0 on, NaN if it is absent."""
    leaf, scale = Plan.leaf("lowest", Fraction(1)), Scale(log=False, step=1.0, lower=0.0, upper=9.0)

    def counting(table: Table, noise: Watching) -> Any:
        values = np.array(table, dtype=float)
        return draw_lowest(Gate(leaf, noise, relation), leaf, values, scale, 4.0)

    return counting


def rows_in_heaps(relation: Relation) -> Counting:
    """Count rows on multiples of 6 and of 2; a row is its value, NaN if it is absent."""
    leaf = Plan.leaf("heaps", Fraction(1))

    def counting(table: Table, noise: Watching) -> Any:
        values = np.array(table, dtype=float)
        noisy, scale = draw_heaps(Gate(leaf, noise, relation), leaf, values, (6.0, 2.0), 1.0)
        return heap_shares(noisy, scale, np.arange(20.0), 4.0, (6.0, 2.0), 1.0)

    return counting


def rows_on_figures(relation: Relation) -> Counting:
    """Count rows on each of the round figures 2, 4, 6, 8 and 12; a row is its value, NaN if it is absent."""
    scale, leaf = Scale.of(Column("jobs", "integer", 0, 13)), Plan.leaf("figures", Fraction(1))
    column = NumericModel("jobs", scale, (), StepCurve((-0.5, 13.5), (1.0,)))
    figures, drawn, edges = np.array([2, 4, 6, 8, 12]), np.linspace(-0.4, 13.4, 50), np.array([5.5])

    def counting(table: Table, noise: Watching) -> Any:
        rows = HeldRows({"jobs": np.array(table, dtype=float)})
        fit = fit_state.Fit(Gate(leaf, noise, relation), 4, rows, noise.generator())
        return release_figures(fit, leaf, column, (Heap(4.0, 0.5), Heap(2.0, 0.5)), figures, drawn, edges)

    return counting


def rows_of_groups(table: Table, noise: Watching) -> Any:
    """Count the rows of all groups under one leaf (add/remove only); a row is its group."""
    columns = (Column("g", "category", categories=("a", "b", "c")), Column("v", "integer", 0, 9))
    synthesizer = TableSynthesizer(Schema(columns, unit="firm", neighbours="add-remove", by=("g",)), 1)
    watched = synthesizer._drawing_from(Source(lambda group: noise, private=False))
    return watched._released_sizes({(group,): table.count(group) for group in range(3)}, Fraction(1))


def count_findings() -> Iterator[Finding]:
    """Yield the exact check of every kind of count."""
    relations: tuple[Relation, ...] = ("replace-one", "add-remove")
    for relation in relations:
        yield _found("count of categories", relation, labels_alone(relation, 3), range(3))
        yield _found("count of labels", relation, labels_alone(relation), range(2))
        triples = list(product(range(2), repeat=3))
        yield _found("cells of a table", relation, cells_of_tables(relation), triples)
        yield _found("count of values", relation, values_of_a_column(relation), range(5))
        yield _found(
            "values within cells", relation, values_within_cells(relation), (0.0, 1.0, 4.0, math.nan)
        )
        yield _found("heaps", relation, rows_in_heaps(relation), (0.0, 5.0, 6.0, 8.0, math.nan))
        yield _found(
            "round figures", relation, rows_on_figures(relation), (0.0, 2.0, 5.0, 6.0, 13.0, math.nan)
        )
        yield _found("lowest value", relation, rows_at_the_lowest(relation), (0.0, 0.5, 0.51, math.nan))
        yield _found("tail sum", relation, tail_sum(relation), (-1.0, 2.0, 2.5, 6.0, math.inf, math.nan))
    yield _found("rows of groups", "add-remove", rows_of_groups, range(3))


def _found(name: str, relation: str, counting: Counting, domain: Sequence[Any], rows: int = 3) -> Finding:
    worst = search_counts(counting, domain, rows, relation)
    note = f"{len(domain)} kinds of rows, {rows} rows"
    return Finding("exact", name, relation, worst.loss, 1.0, worst.pairs, "pairs", worst.loss <= 1.0, note)
