"""What is said of relations: asked, found, lost, and which budget would change it."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail.report import release_card
from quantail.report.markdown import render_markdown
from quantail.schema import Column, Inequality, Schema
from quantail.table import TableSynthesizer
from quantail.table.relations import relations_of


def wide(number):
    numbers = [Column(f"x{k}", "numeric", 0, 1e6, grid="log") for k in range(number // 2)]
    labels = [Column(f"g{k}", "category", categories=("a", "b", "c")) for k in range(number // 2)]
    return Schema(tuple(numbers + labels), unit="firm")


def synthesizer(schema, epsilon, **options):
    return TableSynthesizer(schema, epsilon, method="tables", noise="simulated", seed=1, **options)


@pytest.mark.parametrize("options", [{}, {"definition": "zcdp", "delta": "1e-6"}])
def test_a_wide_table_says_in_one_line_that_its_columns_come_out_independent(options):
    schema = wide(100)
    (line,) = synthesizer(schema, 1, **options).relations(5000)
    assert "100 columns come out independent of each other" in line
    enough = re.search(r"about epsilon ([\d.e+]+)", line).group(1)
    # What it names is true: tables can join all columns there, and not at a tenth less.
    assert len(synthesizer(schema, enough, **options).relations(5000)) == 1
    assert "asked for" in synthesizer(schema, enough, **options).relations(5000)[0]
    less = synthesizer(schema, 0.9 * float(enough), **options).relations(5000)
    assert "lost" in less[-1] or "independent" in less[-1]


def test_a_model_names_what_it_found_and_what_it_lost():
    rng = np.random.default_rng(1)
    x = rng.random(3000)
    table = pa.table({"a": x, "b": x + 0.02 * rng.standard_normal(3000), "c": rng.random(3000)})
    columns = (
        Column("a", "numeric", 0, 1),
        Column("b", "numeric", -1, 2, predictors=("a",)),
        Column("c", "numeric", 0, 1, predictors=("b",)),
    )
    model = synthesizer(Schema(columns, unit="row"), 2).fit(table)
    asked, *rest = model.relations()
    assert asked.startswith("Relations asked for")
    assert "a x b" in next(line for line in rest if line.startswith("Relations found"))
    card = release_card(model, rows=3000)
    assert card["dependence"] == list(model.relations())
    assert "a x b" in render_markdown(card)


@pytest.mark.parametrize(("slope", "found"), [(0.0, False), (0.001, False), (0.5, True), (-0.5, True)])
def test_a_slope_is_a_relation_found_only_if_it_moves_something(slope, found):
    """Every released slope other than exactly zero was called a finding, whatever it came to."""
    rng = np.random.default_rng(3)
    columns = tuple(Column(name, "numeric", 0, 1e7, grid="log") for name in "ab")
    schema = Schema(columns, unit="row")
    table = pa.table({name: rng.lognormal(8, 1, 2000) for name in "ab"})
    a, b = synthesizer(schema, 1).fit(table).groups[0].columns
    b = replace(b, slopes=(replace(b.slopes[0], slope=slope),), law=replace(b.law, factors=()))
    told = relations_of((a, b), schema)
    assert (told.found, told.empty) == (((("a", "b"),), ()) if found else ((), (("a", "b"),)))


def test_pairs_that_were_not_asked_about_are_lost_by_name():
    schema = wide(12)
    rng = np.random.default_rng(2)
    table = {c.name: rng.integers(0, 3, 400) if c.is_labelled else rng.random(400) for c in schema.columns}
    table = {name: np.array(["a", "b", "c"])[x] if name[0] == "g" else x for name, x in table.items()}
    model = synthesizer(schema, "1/2").fit(pa.table(table))
    said = model.relations()
    assert "independent" in said[0]
    assert re.search(r"Not asked about, and lost: x0 x x1, .* and \d+ more", said[-1])


def test_what_a_rule_keeps_is_not_called_lost():
    """A county in its state, a part of its total: nothing was asked about them, and nothing of it is lost."""
    schema = Schema(
        (
            Column("state", "category", categories=("A", "B")),
            Column("county", "category", categories=("A1", "A2", "B1"), within="state"),
            Column("place", "category", categories=("A1x", "A2x", "B1x"), within="county"),
            Column("income", "numeric", 0, 100),
            Column("wage", "numeric", 0, 100),
        ),
        unit="row",
        inequalities=(Inequality("wage", "income"),),
    )
    lost = {frozenset(pair) for pair in relations_of((), schema).lost}
    assert not lost & {
        frozenset(pair)
        for pair in (("state", "county"), ("county", "place"), ("state", "place"), ("income", "wage"))
    }
    assert frozenset(("state", "income")) in lost


def test_nothing_is_said_of_a_single_column_and_of_methods_whose_plans_name_all():
    alone = Schema((Column("a", "numeric", 0, 1),), unit="row")
    assert synthesizer(alone, 1).relations(1000) == ()
    two = Schema((Column("a", "numeric", 0, 1), Column("b", "numeric", 0, 1)), unit="row")
    assert TableSynthesizer(two, 1, method="sandwich").relations(1000) == ()
