"""Reruns start from relations that bend or fan: what a mechanism cannot tell of them is doubt, what it can is not."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail import Column, Schema, TableSynthesizer, infer
from quantail.inference.estimand import Estimand
from quantail.inference.interval import corrected
from quantail.inference.relation_doubt import Bent, Relation, doubted_interval, doubted_relation
from quantail.schema import Inequality

X = Column("x", "numeric", 0, 100, decimals=1, source="made up")
Y = Column("y", "numeric", 0, 1000, decimals=1, missing=True, missing_codes=(-8,), source="made up")
G = Column("g", "category", categories=("a", "b"), source="made up")
SCHEMA = Schema((X, Y, G), "row")
TIED = Schema((replace(Y, missing=False, missing_codes=()), X), "row", inequalities=(Inequality("x", "y"),))
QUESTION = Estimand.parse("y ~ x + g")


def rows(n=4000):
    rng = np.random.default_rng(1)
    x = np.round(rng.exponential(10, n), 1)
    return {
        "x": x,
        "y": np.round(20 + 3 * x + rng.exponential(10, n), 1),
        "g": np.array(["a", "b"] * (n // 2)),
    }


@pytest.fixture(scope="module")
def relation():
    found = doubted_relation(SCHEMA, QUESTION, rows())
    assert found is not None
    return found


def test_the_line_is_that_of_the_rows(relation):
    assert [column.name for column in relation.on] == ["x"]
    assert relation.line == pytest.approx([30, 3], abs=0.6)


def test_a_bend_moves_the_line_and_a_fan_its_spread(relation):
    table = rows()
    bent, fanned = (Bent("q", relation, change).columns(table)["y"] for change in ("bend", "fan"))
    line = np.column_stack([np.ones(table["x"].size), table["x"]]) @ relation.line
    high, low = line > np.quantile(line, 0.95), line < np.quantile(line, 0.05)
    assert np.mean((bent - table["y"])[high]) > 5
    assert np.std((bent - table["y"])[high]) > 1  # more, the farther out
    spreads = [np.std((values - line)[part]) for part in (low, high) for values in (table["y"], fanned)]
    assert spreads[1] < 0.9 * spreads[0] and spreads[3] > 1.5 * spreads[2]
    assert abs(np.mean((fanned - table["y"])[high])) < 3  # the mean stays on the line


def test_missing_values_codes_bounds_and_types_are_kept(relation):
    table = pa.table({"x": [1.0, 2.0, 99.0, 5.0], "y": pa.array([None, -8.0, 999.0, 44.4])})
    made = Bent("q", relation, "bend").table(table, SCHEMA)
    assert made.schema == table.schema and made["x"] == table["x"]
    first, second, third, fourth = made["y"].to_pylist()
    assert first is None and second == -8.0 and third == 1000.0 and round(fourth, 1) == fourth


def test_relations_between_logarithms_bend_there():
    rng = np.random.default_rng(2)
    x = np.exp(rng.normal(3, 1, 2000))
    table = {"x": x, "y": 2 * x * np.exp(rng.normal(0, 0.3, 2000))}
    columns = [replace(column, grid="log", upper=1e6, missing_codes=()) for column in (X, Y)]
    found = Relation.of(columns[1], (columns[0],), table)
    assert found is not None and found.line == pytest.approx([np.log(2), 1], abs=0.05)
    assert (found.changed(table, "bend") > 0).all()


@pytest.mark.parametrize(
    ("schema", "question", "kept"),
    [
        (SCHEMA, "mean(y)", ()),
        (SCHEMA, "y ~ g", ()),
        (SCHEMA, "y ~ C(x)", ()),
        (SCHEMA, "logistic: g ~ x", ()),
        (SCHEMA, "y ~ x", ("y",)),
        (
            replace(SCHEMA, columns=(replace(Y, public=True, missing=False, missing_codes=()), X, G)),
            "y ~ x",
            (),
        ),
        (
            Schema(
                (replace(Y, missing=False, missing_codes=()), X), "row", inequalities=(Inequality("x", "y"),)
            ),
            "y ~ x",
            (),
        ),
    ],
)
def test_other_questions_rest_on_no_relation(schema, question, kept):
    assert doubted_relation(schema, Estimand.parse(question), rows(), frozenset(kept)) is None


def test_doubt_is_what_lies_beyond_the_scatter_of_reruns():
    errors = np.array([-1.0, 0.0, 1.0, 0.0])
    found = corrected(5.0, errors, 0.95)
    doubt, low, high = doubted_interval(found, errors, np.array([0.5, -0.5]), 0.95)
    assert doubt == 0 and (low, high) == pytest.approx((found.low, found.high))
    doubt, low, high = doubted_interval(found, errors, np.array([30.0, -40.0]), 0.95)
    assert doubt == pytest.approx(50, rel=0.01) and high - 5 == pytest.approx(1.96 * 50, rel=0.02)
    assert np.isnan(doubted_interval(found, errors, np.array([np.nan, 1.0]), 0.95)).all()


@pytest.mark.parametrize("library", ["pyarrow", "pandas"])
def test_a_release_that_tells_little_says_so(library):
    schema = Schema((X, replace(Y, missing=False, missing_codes=())), "row")
    table = pa.table({name: values for name, values in rows().items() if name != "g"})
    frame = table if library == "pyarrow" else table.to_pandas()
    model = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(frame)
    found, mean = infer(model, model.sample(seed=1), ["y ~ x", "mean(y)"], effort=10, seed=1)
    slope = found["x"]
    assert slope.doubt > slope.error and slope.doubted_low < slope.low and slope.high < slope.doubted_high
    assert "bends" in found.remarks[0] and "x " in found.remarks[0]
    assert mean.to_dicts()[0]["doubt"] is None  # it rests on no relation
