"""Shares: costs add up exactly, a curve is always asked, and more budget never asks for less."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.examples import paper_schema
from quantail.schema import Column, Schema
from quantail.table.stage_one.shares import is_two_sided, questions_of, share_out

BUDGETS = [Fraction(1, 1000), Fraction(1, 50), Fraction(1, 4), Fraction(1), Fraction(7, 3), Fraction(500)]
ROWS = [1, 20, 300, 5000, 10**6]


@st.composite
def schemas(draw):
    """Schemas of 1 to 7 columns: plain, two-sided and categories of several sizes."""
    columns = []
    for k in range(draw(st.integers(1, 7))):
        kind = draw(st.sampled_from(["plain", "plain", "two-sided", "category"]))
        if kind == "category":
            labels = tuple(f"label {j}" for j in range(draw(st.sampled_from([1, 3, 40]))))
            columns.append(Column(f"c{k}", "category", categories=labels))
        else:
            grid, lower = ("log", -1000) if kind == "two-sided" else ("linear", 0)
            columns.append(Column(f"c{k}", "numeric", lower, 1000, grid=grid))
    return Schema(tuple(columns), unit="row")


definitions = st.sampled_from(["pure", "zcdp"])


@settings(max_examples=100, deadline=None)
@given(schemas(), st.sampled_from(ROWS), st.sampled_from(BUDGETS), definitions)
def test_parts_are_positive_and_add_up_exactly(schema, rows, cost, definition):
    shared = share_out(questions_of(schema), rows, cost, definition)
    assert sum(shared.values(), Fraction(0)) == cost
    assert all(part > 0 for part in shared.values())


@settings(max_examples=100, deadline=None)
@given(schemas(), st.sampled_from(ROWS), st.sampled_from(BUDGETS), definitions)
def test_every_column_is_asked_for_its_curve_or_its_cells(schema, rows, cost, definition):
    shared = share_out(questions_of(schema), rows, cost, definition)
    kinds = {name: [q.kind for q in shared if q.column == name] for name in schema.names}
    for column in schema.columns:
        wanted = "cells" if column.type == "category" else "curve"
        assert kinds[column.name].count(wanted) == 1
        assert ("scale" in kinds[column.name]) == is_two_sided(column)


@settings(max_examples=60, deadline=None)
@given(schemas(), st.sampled_from(ROWS), definitions)
def test_more_budget_never_asks_fewer_questions(schema, rows, definition):
    asked = questions_of(schema)
    kept = [set(share_out(asked, rows, cost, definition)) for cost in BUDGETS]
    for fewer, more in pairwise(kept):
        assert fewer <= more
    numbers = [len(share_out(asked, n, Fraction(1), definition)) for n in ROWS]
    assert numbers == sorted(numbers)


@settings(max_examples=30, deadline=None)
@given(schemas(), st.sampled_from(ROWS), st.sampled_from(BUDGETS), definitions)
def test_the_same_facts_give_the_same_shares(schema, rows, cost, definition):
    one, two = (list(share_out(questions_of(schema), rows, cost, definition).items()) for _ in range(2))
    assert one == two


@settings(max_examples=40, deadline=None)
@given(schemas(), st.sampled_from(ROWS), st.sampled_from(BUDGETS), definitions)
def test_questions_keep_the_order_of_asking(schema, rows, cost, definition):
    asked = questions_of(schema)
    places = [asked.index(question) for question in share_out(asked, rows, cost, definition)]
    assert places == sorted(places)


def test_a_little_more_budget_never_drops_a_question_of_the_paper():
    asked = questions_of(paper_schema())
    budgets = [Fraction(k, 100) for k in range(1, 400)]
    numbers = [len(share_out(asked, 5000, cost, "pure")) for cost in budgets]
    assert numbers == sorted(numbers)
    assert numbers[-1] == len(asked)
    assert numbers[0] < len(asked)


def test_a_question_that_is_asked_gets_its_least_n_epsilon():
    asked = questions_of(paper_schema())
    for cost in (Fraction(1, 10), Fraction(1, 4), Fraction(1)):
        for question, part in share_out(asked, 5000, cost, "pure").items():
            assert 5000 * float(part) >= question.least * 0.999


def test_columns_later_in_the_table_lose_their_last_predictors_first():
    columns = tuple(Column(f"x{k}", "numeric", 0, 1) for k in range(6))
    shared = share_out(questions_of(Schema(columns, unit="row")), 1000, Fraction(1), "pure")
    slopes = {name: [q.on for q in shared if q.column == name and q.kind == "slope"] for name in ("x1", "x5")}
    assert slopes["x1"] == ["x0"]
    assert slopes["x5"] == [f"x{k}" for k in range(len(slopes["x5"]))]
    assert len(slopes["x5"]) < 5


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (Column("a", "numeric", -5, 5, grid="log"), True),
        (Column("a", "numeric", -5, 5), False),
        (Column("a", "numeric", 0, 5, grid="log"), False),
        (Column("a", "numeric", -5, 0, grid="log"), False),
        (Column("a", "category", categories=("x",)), False),
    ],
)
def test_two_sided_is_a_log_grid_with_zero_inside(column, expected):
    assert is_two_sided(column) is expected
