"""Rows without a number, on small lattices, epsilon 1: absent rows never cost more than others (proofs/absent.md)."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from quantail.auditing.counting import search_counts, values_of_a_column
from quantail.auditing.enumeration import law_of, loss, search
from quantail.auditing.mechanisms import (
    FEW_SLOPES,
    joint_mechanism,
    slope_mechanism,
)
from quantail.curves import slopes

ABSENT = float("nan")
GRID = np.array([1.0, 2.0, 3.0, 4.0])
RELATIONS = ("replace-one", "add-remove")
each_relation = pytest.mark.parametrize("relation", RELATIONS)


@each_relation
@pytest.mark.parametrize("levels", [(0.5,), (0.4, 0.7)], ids=str)
def test_joint_draw_below_all_candidates(levels, relation):
    # A released share of a quarter: the levels are those of the other rows, among all of them.
    among_all = [0.25 + 0.75 * level for level in levels]
    domain = tuple((value, 0.5) for value in (ABSENT, 1.0, 2.0, 5.0))
    rows = 3 if relation == "replace-one" else 2
    found = search(joint_mechanism(relation, among_all, GRID, rows), domain, rows, relation).loss
    assert 0.3 < found <= 1 + 1e-9


def test_absent_rows_filled_by_the_tables_own_mean_are_caught():
    # What is usually done with missing values: one row moves all rows that are filled in.
    def filled(table, noise):
        values = np.array([value for value, _ in table])
        mean = np.nanmean(values) if not np.isnan(values).all() else 0.0
        rows = tuple((mean if np.isnan(value) else value, number) for value, number in table)
        return joint_mechanism("replace-one", (0.5,), GRID, 10)(rows, noise)

    domain = tuple((value, 0.5) for value in (ABSENT, 0.0, 9.0))
    assert search(filled, domain, 10, "replace-one").loss > 1.05


POINTS = tuple((x, y) for x in (0.0, 1.0, 3.0) for y in (0.0, 2.0))
WITH_ABSENT = (*POINTS, (ABSENT, 0.0), (1.0, ABSENT))


@each_relation
def test_slopes_leave_absent_rows_out(relation):
    rows = 3 if relation == "replace-one" else 2
    found = search(slope_mechanism(relation, rows), WITH_ABSENT, rows, relation).loss
    assert 0.4 < found <= 1 + 1e-9


@each_relation
def test_subsamples_are_drawn_before_absent_rows_are_left_out(relation):
    few = replace(FEW_SLOPES, rows=lambda epsilon, last: 4)
    mechanism = slope_mechanism(relation, 1, rules=few)
    found = search(mechanism, WITH_ABSENT[3:], 1, relation, kept=4 / 5).loss
    assert 0.1 < found <= 1 + 1e-9


def test_rows_left_out_for_the_sake_of_others_are_caught(monkeypatch):
    # Complete cases of the whole table or none: an absent number anywhere takes all rows out.
    def all_or_none(cuts, y, x):
        complete = not (np.isnan(y).any() or np.isnan(x).any())
        return (y, x) if complete else (y[:0], x[:0])

    monkeypatch.setattr(slopes, "told_apart", all_or_none)
    table = ((0.0, 0.0), (0.0, 2.0), (3.0, 3.0), (3.0, 5.0)) * 5
    mechanism = slope_mechanism("replace-one", len(table), always=())
    whole, other = (law_of(partial(mechanism, rows)) for rows in (table, (*table[1:], (ABSENT, 0.0))))
    assert loss(whole, other) > 1.05


@each_relation
def test_counts_leave_absent_rows_out(relation):
    found = search_counts(values_of_a_column(relation), (ABSENT, 0.0, 2.0, 4.0), 3, relation)
    assert 0.99 < found.loss <= 1
