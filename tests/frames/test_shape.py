"""Synthetic rows come back in the library and the types of the original, decided by public facts only."""

import datetime
import decimal
import importlib
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import DataError, ModelError
from quantail.frames import FrameShape, confidential_columns
from quantail.schema import Column, Schema

CANARY = "CANARY-7"


def schema_of(*columns, **table):
    return Schema(columns, unit="firm", **table)


def reborn(frame, schema):
    """Send a frame through the border, JSON and back."""
    shape = FrameShape.of(frame, schema)
    again = FrameShape.from_dict(json.loads(json.dumps(shape.to_dict())))
    assert again == shape
    return again.build(confidential_columns(frame, schema), schema)


NUMBERS = schema_of(
    Column("jobs", "integer", 0, 100), Column("pay", "numeric", 0, 1000), Column("rent", "numeric", 0, 1000)
)
LABELS = schema_of(
    Column("region", "category", categories=("north", "south", "west")),
    Column("size", "category", categories=("1", "2", "3")),
    Column("open", "category", categories=("true", "false")),
    Column("day", "category", categories=("2020-01-01", "2020-02-01")),
)
DAY = datetime.date(2020, 2, 1)


def test_pandas_numbers_keep_their_types():
    for jobs, pay in [("int8", "float32"), ("int64", "float64"), ("Int16", "Float32"), ("uint32", "Float64")]:
        frame = pd.DataFrame({"jobs": [3, 4], "pay": [1.5, 2.5], "rent": [1.0, 2.0]})
        frame = frame.astype({"jobs": jobs, "pay": pay, "rent": "double[pyarrow]"})
        pd.testing.assert_frame_equal(reborn(frame, NUMBERS), frame)


def test_pandas_labels_keep_their_types():
    frame = pd.DataFrame(
        {"region": ["west", "north"], "size": [3, 1], "open": [False, True], "day": [DAY, DAY]}
    )
    pd.testing.assert_frame_equal(reborn(frame, LABELS), frame)
    for text in ("object", "string", "string[pyarrow]"):
        typed = frame.astype({"region": text, "size": "Int8", "open": "boolean"})
        pd.testing.assert_frame_equal(reborn(typed, LABELS), typed)


@pytest.mark.parametrize("ordered", [False, True])
def test_pandas_categoricals_come_back_with_the_labels_of_the_schema(ordered):
    labels = [CANARY, "south", "north"]
    frame = pd.DataFrame(
        {
            "region": pd.Categorical(["south", "north"], categories=labels, ordered=ordered),
            "size": pd.Categorical([2, 1]),
            "open": [True, True],
            "day": [DAY, DAY],
        }
    )
    again = reborn(frame, LABELS)
    assert again["region"].tolist() == ["south", "north"]
    assert again["region"].cat.categories.tolist() == ["north", "south", "west"]
    assert again["region"].cat.ordered is ordered
    assert again["size"].tolist() == [2, 1]
    assert again["size"].cat.categories.tolist() == [1, 2, 3]
    assert CANARY not in json.dumps(FrameShape.of(frame, LABELS).to_dict())


def test_polars_types_are_kept_and_lazy_frames_collected():
    frame = pl.DataFrame(
        {
            "day": pl.Series([DAY, DAY]),
            "region": pl.Series(["west", "north"], dtype=pl.Categorical),
            "size": pl.Series([3, 1], dtype=pl.UInt8),
            "open": [True, False],
        }
    )
    again = reborn(frame, LABELS)
    assert again.schema == frame.schema
    assert again.rows() == frame.rows()
    assert reborn(frame.lazy(), LABELS).rows() == frame.rows()
    numbers = pl.DataFrame(
        {
            "jobs": pl.Series([3], dtype=pl.Int16),
            "pay": pl.Series([1.5], dtype=pl.Float32),
            "rent": pl.Series([decimal.Decimal("2.50")], dtype=pl.Decimal(10, 2)),
        }
    )
    assert reborn(numbers, NUMBERS).equals(numbers)
    assert reborn(numbers, NUMBERS).schema == numbers.schema


def test_polars_enums_come_back_with_the_labels_of_the_schema():
    schema = schema_of(LABELS.columns[0])
    frame = pl.DataFrame({"region": pl.Series(["west"], dtype=pl.Enum([CANARY, "west"]))})
    again = reborn(frame, schema)
    assert again.schema["region"] == pl.Enum(["north", "south", "west"])
    assert again["region"].to_list() == ["west"]
    assert CANARY not in json.dumps(FrameShape.of(frame, schema).to_dict())


def test_pyarrow_types_are_kept():
    for region in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        frame = pa.table(
            {
                "size": pa.array([3, 1], pa.int8()),
                "region": pa.array(["west", "north"]).cast(region),
                "open": [True, False],
                "day": [DAY, DAY],
            }
        )
        again = reborn(frame, LABELS)
        assert again.schema == frame.schema
        assert again.to_pylist() == frame.to_pylist()
    numbers = pa.table(
        {
            "jobs": pa.array([3], pa.uint16()),
            "pay": pa.array([1.5], pa.float32()),
            "rent": pa.array([decimal.Decimal("2.50")], pa.decimal128(9, 2)),
        }
    )
    assert reborn(numbers, NUMBERS).equals(numbers)


def test_the_order_of_columns_is_that_of_the_table():
    frame = pa.table({"rent": [1.0], "extra": [0], "jobs": [3], "pay": [1.5]})
    assert reborn(frame, NUMBERS).column_names == ["rent", "jobs", "pay"]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.integers(0, 6))
def test_numbers_are_rounded_to_their_decimals_within_the_bounds(values, decimals):
    schema = schema_of(Column("pay", "numeric", -1000, 1000, decimals=decimals))
    shape = FrameShape.of(pa.table({"pay": [1.0]}), schema)
    built = shape.build({"pay": np.array(values)}, schema)["pay"].to_numpy()
    clipped = np.clip(values, -1000, 1000)
    assert np.all(np.abs(built) <= 1000)
    assert np.all(np.abs(built - clipped) <= 0.5 * 10.0**-decimals + 1e-9)
    assert built.tolist() == [round(value, decimals) for value in built.tolist()]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1))
def test_integers_are_whole_and_within_the_bounds(values):
    schema = schema_of(Column("jobs", "integer", -5, 100))
    shape = FrameShape.of(pl.DataFrame({"jobs": pl.Series([1], dtype=pl.Int8)}), schema)
    built = shape.build({"jobs": np.array(values)}, schema)["jobs"]
    assert built.dtype == pl.Int8
    assert np.all(np.abs(built.to_numpy() - np.clip(values, -5, 100)) <= 0.5)


@given(st.lists(st.integers(0, 2), min_size=1))
def test_codes_and_labels_are_inverse(codes):
    schema = schema_of(LABELS.columns[0])
    shape = FrameShape.of(pa.table({"region": ["north"]}), schema)
    built = shape.build({"region": np.array(codes)}, schema)
    assert confidential_columns(built, schema)["region"].tolist() == codes


def test_a_type_too_small_for_the_bounds_is_widened():
    schema = schema_of(Column("jobs", "integer", -1, 70_000), Column("pay", "numeric", 0, 1e39))
    frame = pd.DataFrame({"jobs": [3], "pay": [1.0]}).astype({"jobs": "uint16", "pay": "float32"})
    built = FrameShape.of(frame, schema).build(
        {"jobs": np.array([-1, 7e4]), "pay": np.array([0, 1e39])}, schema
    )
    assert built["jobs"].tolist() == [-1, 70_000]
    assert built["pay"].tolist() == [0, 1e39]
    tight = schema_of(Column("pay", "numeric", 0, 100_000))
    frame = pa.table({"pay": pa.array([1]).cast(pa.decimal128(21, 2)).cast(pa.decimal128(5, 2))})
    built = FrameShape.of(frame, tight).build({"pay": np.array([99_999.5])}, tight)
    assert built["pay"].to_pylist() == [99_999.5]


@pytest.mark.parametrize(
    ("column", "one", "other"),
    [
        # What a reader guesses from the values of neighbouring tables must not show in the shape.
        (Column("x", "numeric", 0, 10), [1, 2], [1.5, 2]),
        (Column("x", "integer", 0, 10), [1, 2], [1.0, 2.0]),
        (Column("x", "numeric", 0, 10), [decimal.Decimal("1")], [decimal.Decimal("1.2345")]),
        (Column("x", "category", categories=("1", "2", "x")), [1, 2], ["1", "x"]),
    ],
)
def test_the_shape_does_not_depend_on_guessed_types(column, one, other):
    schema = schema_of(column)
    shapes = [FrameShape.of(pd.DataFrame({"x": values}), schema) for values in (one, other)]
    assert shapes[0].columns[0].storage == shapes[1].columns[0].storage
    assert shapes[0] == shapes[1]


MARCH = datetime.date(2020, 3, 1)
GAPS = [
    (Column("x", "integer", 0, 10, missing=True), pd.Series([1, 2], dtype="int32"), pd.Series([1, None])),
    (Column("x", "integer", 0, 10, missing=True), pd.Series([1, 2]), pd.Series([None, None])),
    (Column("x", "category", categories=("1", "2"), missing=True), pd.Series([1, 2]), pd.Series([1, None])),
    (Column("x", "category", categories=("a", "b"), missing=True), pd.Series(["a"]), pd.Series([None])),
    (
        Column("x", "category", categories=("1", "2"), missing=True),
        pd.Series([1, 2]).astype("category"),
        pd.Series([1, None]).astype("category"),
    ),
    (Column("x", "boolean", missing=True), pd.Series([True, False]), pd.Series([True, None])),
    (Column("x", "boolean", missing=True), pd.Series([True, False]), pd.Series([None, None])),
    (Column("x", "boolean", missing=True), pd.Series([0, 1]), pd.Series([0, None])),
    (Column("x", "date", "2020-01-01", "2021-01-01", missing=True), pd.Series([MARCH]), pd.Series([None])),
    (
        Column("x", "date", "2020-01-01", "2021-01-01", missing=True),
        pd.Series(["2020-03-01"]),
        pd.Series([np.nan]),
    ),
]


@pytest.mark.parametrize(("column", "one", "other"), GAPS)
def test_the_shape_of_a_pandas_table_does_not_tell_whether_a_value_is_missing(column, one, other):
    schema = schema_of(column)
    assert FrameShape.of(pd.DataFrame({"x": one}), schema) == FrameShape.of(
        pd.DataFrame({"x": other}), schema
    )


def test_whole_numbers_with_gaps_come_back_to_pandas_as_floats():
    schema = schema_of(Column("x", "integer", 0, 10, missing=True))
    shape = FrameShape.of(pd.DataFrame({"x": [1, 2]}), schema)
    built = shape.build({"x": np.array([3.0, np.nan]), "x (status)": np.array([0, 1])}, schema)
    assert built["x"].dtype == np.float64
    assert built["x"].isna().tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "category"])
def test_labels_that_do_not_fit_the_original_type_come_back_as_text(dtype):
    schema = schema_of(Column("size", "category", categories=("1", "2", "many")))
    frame = pd.DataFrame({"size": pd.Series([2, 1], dtype=dtype)})
    shape = FrameShape.of(frame, schema)
    assert shape.build({"size": np.array([2, 0])}, schema)["size"].tolist() == ["many", "1"]


def test_numbers_stored_as_categories_come_back_as_numbers():
    schema = schema_of(Column("size", "integer", 0, 9))
    frame = pd.DataFrame({"size": pd.Categorical([2, 1], ordered=True)})
    assert reborn(frame, schema)["size"].tolist() == [2, 1]
    assert reborn(frame, schema)["size"].dtype == "int64"


def test_a_pandas_type_that_does_not_exist_here_is_a_model_error():
    shape = FrameShape.of(pd.DataFrame({"jobs": [1], "pay": [1.0], "rent": [1.0]}), NUMBERS).to_dict()
    shape["columns"][0]["dtype"] = "Int65"
    columns = {name: np.array([1.0]) for name in NUMBERS.names}
    with pytest.raises(ModelError, match="'jobs'"):
        FrameShape.from_dict(shape).build(columns, NUMBERS)


def test_a_missing_column_is_a_data_error():
    with pytest.raises(DataError, match="column 'rent' is missing"):
        FrameShape.of(pa.table({"jobs": [1], "pay": [1.0]}), NUMBERS)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_library_that_is_not_installed_is_told_and_pyarrow_offered(kind, monkeypatch):
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[kind]({"jobs": [3], "pay": [1.5], "rent": [2.0]})
    columns, shape = confidential_columns(frame, NUMBERS), FrameShape.of(frame, NUMBERS)

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ModelError, match=f'{kind} is not installed.*kind="pyarrow"'):
        shape.build(columns, NUMBERS)
    built = shape.build(columns, NUMBERS, kind="pyarrow")
    assert built.to_pylist() == [{"jobs": 3, "pay": 1.5, "rent": 2.0}]


@pytest.mark.parametrize("source", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(("kind", "library"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_another_library_may_be_asked_for(source, kind, library):
    frame = source({"region": ["west"], "size": [3], "open": [False], "day": [DAY]})
    built = FrameShape.of(frame, LABELS).build(confidential_columns(frame, LABELS), LABELS, kind=kind)
    assert isinstance(built, library)
    assert list(built["region"]) == ["west"]


@pytest.mark.parametrize(
    "damage",
    [
        {"kind": "excel"},
        {"columns": None},
        {"columns": [{"name": "jobs"}]},
        {"columns": [7]},
        {"columns": [{"name": "jobs", "storage": 7, "dtype": ""}]},
        {"columns": [{"name": "jobs", "storage": "int65", "dtype": ""}]},
        {"columns": [{"name": "jobs", "storage": "decimal128(99, 2)", "dtype": ""}]},
    ],
)
def test_a_damaged_description_is_a_model_error(damage):
    good = FrameShape.of(pa.table({"jobs": [1], "pay": [1.0], "rent": [1.0]}), NUMBERS).to_dict()
    assert FrameShape.from_dict(good).to_dict() == good
    with pytest.raises(ModelError):
        FrameShape.from_dict({**good, **damage})


@pytest.mark.parametrize(
    "columns",
    [
        {"region": [0]},
        {"region": [0], "pay": [1.0, 2.0]},
        {"region": [2], "pay": [1.0]},
        {"region": [-1], "pay": [1.0]},
        {"region": [0.5], "pay": [1.0]},
        {"region": [0], "pay": [np.nan]},
        {"region": [0], "pay": [np.inf]},
    ],
)
def test_malformed_columns_are_model_errors(columns):
    schema = schema_of(Column("region", "category", categories=("a", "b")), Column("pay", "numeric", 0, 9))
    shape = FrameShape.of(pa.table({"region": ["a"], "pay": [1.0]}), schema)
    with pytest.raises(ModelError):
        shape.build({name: np.array(values) for name, values in columns.items()}, schema)


def test_a_shape_of_another_schema_is_a_model_error():
    shape = FrameShape.of(pa.table({"jobs": [1], "pay": [1.0], "rent": [1.0]}), NUMBERS)
    with pytest.raises(ModelError, match="does not"):
        shape.build({}, LABELS)
