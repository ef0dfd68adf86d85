"""The border admits what fits the schema, clips it, and never tells a value of what it refuses."""

import datetime
import decimal
import logging
import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import DataError
from quantail.frames import check_table, confidential_columns
from quantail.schema import Column, Schema

SCHEMA = Schema(
    (
        Column("region", "category", categories=("north", "south")),
        Column("jobs", "integer", 0, 500),
        Column("pay", "numeric", 0, 1000),
    ),
    unit="firm",
)
GOOD = {"pay": [1.5, 2.5], "extra": ["CANARY-7", "x"], "jobs": [3, 4], "region": ["south", "north"]}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "pyarrow": pa.table}
CANARIES = ("918273", "CANARY-7")

each_kind = pytest.mark.parametrize("kind", KINDS)


def one(column, values):
    return confidential_columns(pa.table({column.name: values}), Schema((column,), unit="firm"))[column.name]


@each_kind
def test_columns_come_in_synthesis_order_whatever_the_order_of_the_table(kind):
    columns = confidential_columns(KINDS[kind](GOOD), SCHEMA)
    assert list(columns) == ["region", "jobs", "pay"]
    np.testing.assert_array_equal(columns["region"], [1, 0])
    np.testing.assert_array_equal(columns["jobs"], [3.0, 4.0])
    np.testing.assert_array_equal(columns["pay"], [1.5, 2.5])
    assert [values.dtype.name for values in columns.values()] == ["int64", "float64", "float64"]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_values_are_clipped_on_both_sides_and_otherwise_kept(values):
    clipped = one(Column("pay", "numeric", -10, 1000), values)
    assert [min(max(value, -10.0), 1000.0) for value in values] == clipped.tolist()
    assert not np.any(np.signbit(clipped) & (clipped == 0))


BAD = {
    "missing column": ("pay", None, "is missing"),
    "text": ("pay", ["918273.645", "CANARY-7"], "does not hold numbers"),
    "boolean": ("pay", [True, False], "does not hold numbers"),
    "dates": ("pay", [datetime.date(2020, 1, 1)] * 2, "does not hold numbers"),
    "null": ("pay", [918273.645, None], "missing values"),
    "all null": ("pay", [None, None], "missing values"),
    "nan": ("pay", [918273.645, float("nan")], "missing values"),
    "infinity": ("pay", [918273.645, float("-inf")], "infinite values"),
    "not whole": ("jobs", [918273.645, 1.0], "not whole"),
    "unlisted label": ("region", ["north", "CANARY-7"], "not among its categories"),
    "unlisted number": ("region", [918273, 1], "not among its categories"),
    "null label": ("region", ["CANARY-7", None], "missing values"),
    "blank label": ("region", ["north", ""], "missing values"),
    "lists": ("region", [["CANARY-7"], ["north"]], "cannot be labels"),
}


@each_kind
@pytest.mark.parametrize("case", BAD)
def test_bad_columns_are_refused_by_name_and_without_a_value(kind, case, caplog):
    name, values, said = BAD[case]
    columns = {key: column for key, column in GOOD.items() if key != name}
    frame = KINDS[kind](columns if values is None else {**columns, name: values})
    with caplog.at_level(logging.INFO), pytest.raises(DataError) as caught:
        confidential_columns(frame, SCHEMA)
    assert f"column '{name}'" in str(caught.value)
    assert said in str(caught.value)
    assert caught.value.__context__ is None
    told = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert not any(canary in told for canary in CANARIES)
    assert [(problem.column, said in problem.what) for problem in check_table(frame, SCHEMA)] == [
        (name, True)
    ]


def test_mixed_python_objects_are_refused_without_a_value():
    frames = [
        pd.DataFrame({**GOOD, "pay": pd.Series([918273.645, "CANARY-7"], dtype=object)}),
        pl.DataFrame({**GOOD, "pay": pl.Series([918273.645, "CANARY-7"], dtype=pl.Object)}),
    ]
    for frame in frames:
        with pytest.raises(DataError, match="column 'pay'") as caught:
            confidential_columns(frame, SCHEMA)
        assert caught.value.__context__ is None
        assert not any(canary in str(caught.value) for canary in CANARIES)


@each_kind
def test_an_empty_table_is_refused(kind):
    frame = KINDS[kind]({name: pa.array(values)[:0].to_pylist() for name, values in GOOD.items()})
    with pytest.raises(DataError, match="the table has no rows"):
        confidential_columns(frame, SCHEMA)


def test_one_row_and_a_constant_column_are_fine():
    assert one(Column("pay", "numeric", 0, 10), [5.0]).tolist() == [5.0]
    assert one(Column("pay", "numeric", 0, 10), [5.0] * 9).tolist() == [5.0] * 9


@pytest.mark.parametrize("thing", [None, 7, [1, 2], {"pay": [1.0]}, np.ones(3)])
def test_what_is_no_table_is_refused(thing):
    with pytest.raises(DataError, match="pandas, polars or pyarrow"):
        confidential_columns(thing, SCHEMA)


def test_two_columns_of_one_name_are_refused_without_quoting_it():
    # The header of a file that has none is its first row.
    frame = pa.table([[1.0], [2.0]], names=["918273.645", "918273.645"])
    with pytest.raises(DataError, match="same name") as caught:
        confidential_columns(frame, SCHEMA)
    assert "918273" not in str(caught.value)


def test_a_lazy_query_that_fails_is_refused_without_its_message():
    query = pl.LazyFrame({**GOOD, "pay": ["CANARY-7", "1"]}).with_columns(pl.col("pay").cast(pl.Float64))
    with pytest.raises(DataError) as caught:
        confidential_columns(query, SCHEMA)
    assert "CANARY" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("values", "categories", "codes"),
    [
        ([2, 1, 2], ("1", "2"), [1, 0, 1]),
        ([True, False], ("False", "True"), [1, 0]),
        ([True, False], ("true", "false"), [0, 1]),
        ([1.5, 2.0], ("2.0", "1.5"), [1, 0]),
        ([datetime.date(2020, 2, 1)], ("2019-01-01", "2020-02-01"), [1]),
        (pa.array(["b", "a", "b"]).dictionary_encode(), ("a", "b"), [1, 0, 1]),
        (pa.chunked_array([["b"], ["a"]]), ("a", "b"), [1, 0]),
        (pa.array(["b"], pa.string_view()), ("a", "b"), [1]),
    ],
)
def test_labels_are_matched_by_their_text(values, categories, codes):
    assert one(Column("region", "category", categories=categories), values).tolist() == codes


def test_categorical_types_may_carry_labels_that_do_not_occur():
    column = Column("region", "category", categories=("b", "a"))
    schema = Schema((column,), unit="firm")
    for values in (
        pd.DataFrame({"region": pd.Categorical(["a", "b"], categories=["CANARY-7", "a", "b"])}),
        pl.DataFrame({"region": pl.Series(["a", "b"], dtype=pl.Enum(["a", "CANARY-7", "b"]))}),
        pl.DataFrame({"region": pl.Series(["a", "b"], dtype=pl.Categorical)}),
    ):
        assert confidential_columns(values, schema)["region"].tolist() == [1, 0]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2], pa.uint8()),
        pa.array([1, 2], pa.float32()),
        pa.array([1, 2]).cast(pa.decimal128(21, 2)),
        pa.array(np.array([1, 2], np.float16)),
        pa.chunked_array([[1], [2]]),
    ],
)
@pytest.mark.parametrize("kind", ["numeric", "integer"])
def test_every_stored_type_of_number_is_read(values, kind):
    assert one(Column("pay", kind, 0, 10), values).tolist() == [1.0, 2.0]


def test_numbers_beyond_exact_floats_are_clipped_not_refused():
    assert one(Column("jobs", "integer", 0, 10), [2**63 - 1, -(2**63)]).tolist() == [10.0, 0.0]


def test_python_decimals_in_pandas_are_read():
    frame = pd.DataFrame({"pay": [decimal.Decimal("1.25"), decimal.Decimal("2")]})
    schema = Schema((Column("pay", "numeric", 0, 10),), unit="firm")
    assert confidential_columns(frame, schema)["pay"].tolist() == [1.25, 2.0]


def test_what_was_clipped_goes_to_the_internal_log_at_debug_level_only(caplog):
    frame = pa.table({**GOOD, "pay": [-1.0, 918273.645], "jobs": [3, 918273]})
    with caplog.at_level(logging.INFO):
        confidential_columns(frame, SCHEMA)
    assert caplog.text == ""
    with caplog.at_level(logging.DEBUG, logger="quantail.internal"):
        confidential_columns(frame, SCHEMA)
    assert {record.name for record in caplog.records} == {"quantail.internal"}
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}
    assert "'pay': 1 values raised to the lower bound, 1 lowered" in caplog.text
    assert "'jobs': 0 values raised to the lower bound, 1 lowered" in caplog.text
    assert "918273" not in caplog.text


def test_the_table_itself_is_left_as_it_is():
    frame = pd.DataFrame({"pay": [-5.0, 5000.0]})
    confidential_columns(frame, Schema((Column("pay", "numeric", 0, 10),), unit="firm"))
    assert frame["pay"].tolist() == [-5.0, 5000.0]
