"""Counts have infinitely many outcomes, so their law is compared analytically: the L1 distance over the scale."""

import math
from dataclasses import replace
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from quantail.auditing.counting import (
    ANSWER,
    Watching,
    cells_of_tables,
    labels_alone,
    rows_at_the_lowest,
    rows_in_heaps,
    rows_of_groups,
    rows_on_figures,
    search_counts,
    values_of_a_column,
    values_within_cells,
)
from quantail.curves import Scale
from quantail.privacy import Gate, Plan, SimulatedNoise
from quantail.table.lowest import draw_lowest

RELATIONS = ("replace-one", "add-remove")
TRIPLES = list(product(range(2), repeat=3))


# The same answers must give the same release: otherwise the loss is infinite.
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("counting", "domain", "rows"),
    [
        (cells_of_tables, TRIPLES, 2),
        (values_of_a_column, range(5), 3),
        (values_within_cells, (0.0, 1.0, 4.0, math.nan), 3),
    ],
)
def test_counts_cost_exactly_their_leaf(counting, domain, rows, relation):
    assert 0.99 < search_counts(counting(relation), domain, rows, relation).loss <= 1


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("labels", [2, 3])
def test_labels_alone_cost_exactly_their_leaf(labels, relation):
    assert 0.99 < search_counts(labels_alone(relation, labels), range(labels), 3, relation).loss <= 1


def test_two_labels_of_a_public_number_of_rows_are_one_count():
    for relation, counts in (("replace-one", 1), ("add-remove", 2)):
        noise = Watching()
        shares = labels_alone(relation, 2)((0, 1, 1), noise).shares
        assert [len(asked) for asked, _ in noise.asked] == [counts]
        assert sum(shares) == pytest.approx(1)


def test_values_cut_where_the_rows_themselves_lie_are_caught():
    """Were drawn numbers cut by the rows' own values, the same answers would not give the same release."""
    honest = values_within_cells("add-remove")

    def flawed(table, noise):
        cuts = honest(table, noise)
        return replace(cuts, cuts=(*cuts.cuts[:-1], max(cuts.cuts[-1], max(table, default=0.0))))

    assert search_counts(flawed, (0.0, 4.0), 2, "add-remove").loss > 1


HEAPED = (0.0, 1.0, 2.0, 4.0, 6.0, 12.0, math.nan)  # in no heap, in the second, in the first, absent


@pytest.mark.parametrize("relation", RELATIONS)
def test_counts_of_heaps_cost_exactly_their_leaf(relation):
    assert 0.99 < search_counts(rows_in_heaps(relation), HEAPED, 3, relation).loss <= 1


def test_heaps_that_a_row_is_in_twice_are_caught():
    leaf = Plan.leaf("heaps", F(1))

    def twice(table, noise):
        values = np.array(table, dtype=float)
        counts = np.array([np.count_nonzero(values % step == 0) for step in (6, 2)])
        return Gate(leaf, noise, "add-remove").histogram(leaf, counts, 1).tolist()

    assert search_counts(twice, (1.0, 2.0, 6.0), 3, "add-remove").loss > 1.9


FIGURES = (
    0.0,
    2.0,
    3.0,
    6.0,
    8.0,
    13.0,
    math.nan,
)  # none, the first, between, shared by two steps, beyond, absent


@pytest.mark.parametrize("relation", RELATIONS)
def test_counts_of_round_figures_cost_exactly_their_leaf(relation):
    assert 0.99 < search_counts(rows_on_figures(relation), FIGURES, 3, relation).loss <= 1


def test_figures_that_a_row_is_on_twice_are_caught():
    """Were multiples of two steps listed side by side, a row on both would be counted twice."""
    leaf, figures = Plan.leaf("figures", F(1)), np.array([2.0, 4.0, 4.0, 6.0])

    def twice(table, noise):
        counts = np.array([np.count_nonzero(np.array(table) == figure) for figure in figures])
        return Gate(leaf, noise, "add-remove").histogram(leaf, counts, 1).tolist()

    assert search_counts(twice, (1.0, 4.0, 6.0), 3, "add-remove").loss > 1.9


def test_figures_chosen_by_the_rows_themselves_are_caught():
    """Were only figures listed that some row is on, the list would tell of that row."""
    leaf = Plan.leaf("figures", F(1))

    def flawed(table, noise):
        figures = np.unique([value for value in table if value % 2 == 0])
        counts = np.array([np.count_nonzero(np.array(table) == figure) for figure in figures], dtype=int)
        return Gate(leaf, noise, "add-remove").histogram(leaf, counts, 1).tolist()

    assert search_counts(flawed, (1.0, 2.0, 4.0), 2, "add-remove").loss > 1


LOWEST = (-0.5, 0.0, 0.5, 0.51, 7.0, math.nan)  # in the lowest cell, at its end, just beyond, far, absent


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_count_of_lowest_values_costs_exactly_its_leaf(relation):
    assert 0.99 < search_counts(rows_at_the_lowest(relation), LOWEST, 3, relation).loss <= 1


def test_the_share_of_lowest_values_is_that_of_the_noisy_count():
    leaf, scale = Plan.leaf("lowest", F(1, 20)), Scale(log=False, step=1.0, lower=0.0, upper=9.0)
    values = np.repeat([0.0, 5.0], 1000)
    shares = {
        draw_lowest(Gate(leaf, SimulatedNoise(seed), "replace-one"), leaf, values, scale, 2000.0)
        for seed in range(8)
    }
    assert len(shares) > 4 and all(abs(share - 0.5) < 0.2 for share in shares)


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_lowest_value_found_among_the_rows_themselves_is_caught(relation):
    leaf = Plan.leaf("lowest", F(1))

    def own_lowest(table, noise):
        values = np.array(table, dtype=float)
        lowest = Scale(log=False, step=1.0, lower=float(values.min(initial=9.0)), upper=9.0)
        return draw_lowest(Gate(leaf, noise, relation), leaf, values, lowest, 4.0)

    assert search_counts(own_lowest, (0.0, 3.0), 3, relation).loss > 1.9


def test_add_remove_sensitivity_under_replace_one_is_caught():
    assert search_counts(cells_of_tables("add-remove"), TRIPLES, 2, "replace-one").loss > 1.9


def test_row_numbers_of_all_groups_cost_one_leaf():
    assert 0.99 < search_counts(rows_of_groups, range(3), 3, "add-remove").loss <= 1


def test_groups_without_rows_are_counted_like_others():
    assert rows_of_groups((1, 1), Watching()) == {(group,): ANSWER for group in range(3)}
