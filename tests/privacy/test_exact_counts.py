"""Counts have infinitely many outcomes, so their law is compared analytically: the L1 distance over the scale."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from exact_laws import neighbours

from quantail.privacy import Gate
from quantail.quantiles import Scale, draw_calibration
from quantail.schema import Column, Schema
from quantail.synthesis import TableSynthesizer, fitting
from quantail.synthesis.column import CategoryModel
from quantail.synthesis.design import ColumnDesign, Plan

RELATIONS = ("replace-one", "add-remove")
ANSWER = 3


class Watching:
    """Noise that keeps what it was asked to hide and answers the same always."""

    private = False

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[int, ...], float]] = []

    def geometric(self, counts, scale):
        self.asked.append((tuple(counts.tolist()), scale))
        return np.full(counts.size, ANSWER)

    def generator(self):
        return np.random.default_rng(5)


def loss(first: Watching, second: Watching) -> float:
    """Return the worst log-ratio over all answers of the two-sided geometric law, added up over questions."""
    total = 0.0
    for (counts, scale), (others, same) in zip(first.asked, second.asked, strict=True):
        assert scale == same and len(counts) == len(others)
        total += sum(abs(a - b) for a, b in zip(counts, others, strict=True)) / scale
    return total


def category(cells: int, context: str) -> ColumnDesign:
    column = Column("kind", "category", categories=("a", "b"))
    plan = Plan.sequence("kind", [Plan.leaf("count", F(1))])
    return ColumnDesign(column, plan, context=context, bins=cells, cells=True)


def count_in_context(table, relation):
    """Ask for `kind` within the categories of `place`; rows are (place, kind)."""
    place, kind = np.array(table, dtype=np.int64).reshape(-1, 2).T
    design, noise = category(3, "place"), Watching()
    fit = fitting.Fit(Gate(design.plan, noise, relation), 4, {"kind": kind}, noise.generator())
    fit.values["place"] = fit.innovations["place"] = place
    fit.models["place"] = CategoryModel("place", "", (), ((1 / 3,) * 3,))
    return noise, fitting._fit_category(fit, design)


@pytest.mark.parametrize("relation", RELATIONS)
def test_category_counts_cost_exactly_their_leaf(relation):
    rows = list(product(range(3), range(2)))
    worst = 0.0
    for a, b in neighbours(rows, 3, relation):
        (first, one), (second, other) = (count_in_context(table, relation) for table in (a, b))
        worst = max(worst, loss(first, second))
        assert one == other  # the same answers give the same release
    assert 0.99 < worst <= 1


def test_add_remove_sensitivity_under_replace_one_is_caught():
    rows = list(product(range(3), range(2)))
    worst = max(
        loss(count_in_context(a, "add-remove")[0], count_in_context(b, "add-remove")[0])
        for a, b in neighbours(rows, 3, "replace-one")
    )
    assert worst > 1.9


@pytest.mark.parametrize("relation", RELATIONS)
def test_values_of_a_column_cost_exactly_their_leaf(relation):
    scale, leaf = Scale.of(Column("jobs", "integer", 0, 4)), Plan.leaf("count", F(1))

    def count(table):
        noise = Watching()
        fit = fitting.Fit(Gate(leaf, noise, relation), 4, {}, noise.generator())
        return noise, fitting._count_cells(fit, leaf, scale, np.array(table, dtype=float))

    worst = 0.0
    for a, b in neighbours(range(5), 3, relation):
        (first, one), (second, other) = count(a), count(b)
        worst = max(worst, loss(first, second))
        assert one == other
    assert 0.99 < worst <= 1


def calibration(table, relation, implied=None):
    """Ask for a calibration in cells of what a model implies, unless told otherwise."""
    noise, leaf = Watching(), Plan.leaf("calibration", F(1))
    values = np.array(table, dtype=float)
    public = np.linspace(0, 8, 65) if implied is None else implied(values)
    return noise, draw_calibration(Gate(leaf, noise, relation), leaf, values, public, 0.5, 4, 4)


@pytest.mark.parametrize("relation", RELATIONS)
def test_calibration_costs_exactly_its_leaf(relation):
    # Values in the cell of the atom, on a cut, between cuts and beyond all that is implied.
    worst = 0.0
    for a, b in neighbours((-3.0, 0.5, 2.0, 2.1, 5.0, 99.0), 3, relation):
        (first, one), (second, other) = calibration(a, relation), calibration(b, relation)
        worst = max(worst, loss(first, second))
        assert one == other
    assert 0.99 < worst <= 1


def test_calibration_in_cells_of_the_rows_themselves_is_caught():
    rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    one, other = (
        calibration([*rows, last], "replace-one", implied=lambda values: values)[1] for last in (0.6, 8.0)
    )
    assert one != other


def test_row_numbers_of_all_groups_cost_one_leaf():
    categories = tuple("abc")
    schema = Schema(
        (Column("g", "category", categories=categories), Column("v", "integer", 0, 9)),
        unit="firm",
        neighbours="add-remove",
        by=("g",),
    )
    synthesizer = TableSynthesizer(schema, 1)
    worst = 0.0
    for a, b in neighbours(range(3), 3, "add-remove"):
        seen = []
        for table in (a, b):
            noise = Watching()
            members = synthesizer._members({"g": np.array(table), "v": np.zeros(len(table))})
            sizes = synthesizer._sizes(members, F(1), noise)
            assert sizes == {(k,): ANSWER for k in range(3)}  # empty groups are asked like full ones
            seen.append(noise)
        worst = max(worst, loss(*seen))
    assert 0.99 < worst <= 1
