"""Designs: the plan costs exactly what was asked for, and a fit uses every leaf of it exactly once."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quantail.curves import HeldRows
from quantail.privacy import Gate, Plan, SimulatedNoise
from quantail.schema import Column, Schema
from quantail.table.design import draw_tables_design
from quantail.table.fitting import fit_tables
from quantail.table.stage_one.rules import StageOneRules, TablesSettings

COSTS = [Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(100), Fraction(10, 3)]
ROWS = [20, 100, 1000, 5000, 50_000]
FEW_SIMULATED = TablesSettings(StageOneRules(simulated_rows=2**10))


def draw_design(schema, rows, cost, definition):
    return draw_tables_design(FEW_SIMULATED, schema, rows, cost, definition, "table")


@st.composite
def schemas(draw):
    """Schemas of 1 to 8 columns of any type, categories anywhere, with predictors open, listed or none."""
    columns = []
    for k in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(["numeric", "numeric", "integer", "category"]))
        earlier = [column.name for column in columns]
        predictors = draw(
            st.one_of(st.none(), st.just(()), st.lists(st.sampled_from(earlier), unique=True).map(tuple))
            if earlier
            else st.none()
        )
        name = f"c{k}"
        if kind == "category":
            labels = tuple(f"label {j}" for j in range(draw(st.integers(1, 6))))
            columns.append(Column(name, kind, categories=labels, predictors=predictors))
        else:
            upper = draw(st.sampled_from([3, 100, 10**6]))
            lower = draw(st.sampled_from([0, -50, 1]))
            grid = draw(st.sampled_from(["linear", "log"]))
            columns.append(Column(name, kind, lower, upper, grid=grid, predictors=predictors))
    return Schema(tuple(columns), unit="row", neighbours=draw(st.sampled_from(["replace-one", "add-remove"])))


def confidential(schema, rows, seed=0):
    """Return data inside the bounds, with some dependence between all columns."""
    rng = np.random.default_rng(seed)
    common = rng.random(rows)
    data = {}
    for column in schema.columns:
        u = (common + rng.random(rows)) / 2
        if column.type == "category":
            data[column.name] = np.minimum(u * len(column.categories), len(column.categories) - 1).astype(int)
        else:
            values = column.lower + u**3 * (column.upper - column.lower)
            data[column.name] = np.rint(values) if column.type == "integer" else values
    return data


@settings(max_examples=80, deadline=None)
@given(schemas(), st.sampled_from(ROWS), st.sampled_from(COSTS), st.sampled_from(["pure", "zcdp"]))
def test_the_plan_costs_exactly_what_was_asked_for(schema, rows, cost, definition):
    design = draw_design(schema, rows, cost, definition)
    assert design.plan.cost == cost
    assert sum((leaf.cost for leaf in design.plan.leaves()), Fraction(0)) == cost
    assert all(leaf.cost > 0 for leaf in design.plan.leaves())
    assert [child.name for child in design.columns.plan.children] == list(schema.names)
    assert {leaf.unit for leaf in design.plan.leaves()} == {"epsilon" if definition == "pure" else "rho"}
    assert Plan.from_dict(design.plan.to_dict()) == design.plan


THREE = Schema(tuple(Column(f"x{k}", "numeric", 0, 100, grid="log") for k in range(3)), unit="row")


@settings(max_examples=15, deadline=None)
@given(schemas(), st.sampled_from(ROWS[:3]), st.sampled_from(COSTS), st.sampled_from(["pure", "zcdp"]))
@example(THREE, 5000, COSTS[3], "pure")  # asks for everything that there is
def test_a_fit_uses_every_leaf_exactly_once(schema, rows, cost, definition):
    check_fit(schema, rows, cost, definition)


def check_fit(schema, rows, cost, definition):
    design = draw_design(schema, rows, cost, definition)
    gate = Gate(design.plan, SimulatedNoise(1), schema.neighbours)
    told = []
    models = fit_tables(gate, design, HeldRows(confidential(schema, rows)), told.append)
    assert gate.unused == 0
    assert len(gate.journal) == len(design.plan.leaves())
    assert sum((call.cost for call in gate.journal), Fraction(0)) == cost
    assert told == [model.name for model in models] == list(schema.names)


@pytest.mark.parametrize("position", range(5))
def test_a_category_may_stand_anywhere(position):
    columns = [Column(f"x{k}", "numeric", 0, 10) for k in range(4)]
    columns.insert(position, Column("kind", "category", categories=("a", "b", "c")))
    check_fit(Schema(tuple(columns), unit="row"), 3000, Fraction(2), "pure")


def test_a_table_of_categories_alone_can_be_designed_and_fitted():
    columns = tuple(Column(f"k{k}", "category", categories=("a", "b")) for k in range(3))
    check_fit(Schema(columns, unit="row"), 500, Fraction(1), "pure")


def test_the_design_knows_nothing_but_schema_rows_and_cost(schema):
    one, two = (draw_design(schema, 4000, Fraction(1), "pure") for _ in range(2))
    assert one == two
    assert draw_design(schema, 4000, Fraction(1), "zcdp").plan != one.plan


def test_equal_schemas_have_equal_designs(schema):
    """However often a schema was made or read: what is asked depends on what it says."""
    again = Schema.from_toml(schema.to_toml())
    assert again is not schema
    assert draw_design(again, 4000, Fraction(1), "pure") == draw_design(schema, 4000, Fraction(1), "pure")


def test_slopes_and_tables_are_asked_on_declared_predictors_only():
    columns = (
        Column("kind", "category", categories=("a", "b")),
        Column("x", "numeric", 0, 1),
        Column("y", "numeric", 0, 1),
        Column("z", "numeric", 0, 1, predictors=("x",)),
        Column("alone", "numeric", 0, 1, predictors=()),
    )
    design = draw_design(Schema(columns, unit="row"), 50_000, Fraction(100), "pure")
    by_name = {column.column.name: column for column in design.columns.columns}
    assert set(by_name["z"].slopes) == set(by_name["y"].slopes) == {"x"}
    assert not by_name["alone"].slopes
    assert design.explained == (frozenset(), frozenset({0}), frozenset({0, 1}), frozenset({1}), frozenset())


def test_small_tables_with_labels_have_rounds_and_those_of_numbers_keep_their_slopes():
    numbers = Column("x", "numeric", 0, 1e6, grid="log"), Column("y", "numeric", 0, 1e6, grid="log")
    labelled = Schema((Column("kind", "category", categories=("a", "b")), *numbers), unit="row")
    whole, plain = (
        draw_design(s, 1250, Fraction(1), "pure") for s in (labelled, Schema(numbers, unit="row"))
    )
    assert whole.rounds and whole.columns.columns[-1].slopes
    assert not plain.rounds
    assert not draw_design(labelled, 400, Fraction(1), "pure").rounds


def test_more_n_epsilon_never_asks_for_less(schema):
    """With more rows or more budget, questions are added and never dropped."""

    def effects(rows, cost):
        design = draw_design(schema, rows, cost, "pure")
        return sum(len(column.slopes) for column in design.columns.columns), len(design.rounds)

    steps = [effects(rows, Fraction(1)) for rows in (100, 1000, 10_000, 100_000)]
    steps += [effects(100_000, cost) for cost in (Fraction(3), Fraction(30))]
    for fewer, more in pairwise(steps):
        assert fewer[0] <= more[0]
        assert fewer[1] <= more[1]
    assert min(steps[-1]) > 0
