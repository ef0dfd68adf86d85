"""Released tables: names, order and types are those of the schema, whatever table was fitted."""

import datetime
import importlib
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import DataError, ModelError
from quantail.frames import confidential_columns, empty_release, release_table
from quantail.io import library_kind
from quantail.io.codebook import Codebook
from quantail.schema import Column, Schema

DAY = datetime.date(2020, 2, 1)


def schema_of(*columns, **table):
    return Schema(columns, unit="firm", **table)


def reborn(frame, schema, kind=None):
    """Release what a model that knows a table by heart would draw."""
    return release_table(confidential_columns(frame, schema), schema, kind or library_kind(frame))


EVERY = schema_of(
    Column("jobs", "integer", 0, 100),
    Column("pay", "numeric", 0, 1000),
    Column("region", "category", categories=("north", "south", "west")),
    Column("size", "ordinal", categories=("1", "2", "3")),
    Column("open", "boolean"),
    Column("day", "date", "2020-01-01", "2020-12-31"),
    Column("seen", "datetime", "2020-01-01", "2020-12-31"),
)
ROWS = {
    "seen": [datetime.datetime(2020, 3, 1, 12, 30), datetime.datetime(2020, 1, 1)],
    "jobs": [3, 4],
    "pay": [1.5, 2.0],
    "region": ["west", "north"],
    "size": ["3", "1"],
    "open": [True, False],
    "day": [DAY, DAY],
}
DEFAULTS = {
    "jobs": pa.int64(),
    "pay": pa.float64(),
    "region": pa.string(),
    "size": pa.string(),
    "open": pa.bool_(),
    "day": pa.date32(),
    "seen": pa.timestamp("us"),
}


@pytest.mark.parametrize("library", [pa.table, pd.DataFrame, pl.DataFrame])
def test_without_a_word_in_the_schema_types_are_those_of_the_kinds_of_columns(library):
    frame = library(ROWS)
    made = reborn(frame, EVERY, "pyarrow")
    assert dict(zip(made.column_names, made.schema.types, strict=True)) == DEFAULTS
    assert made.column_names == list(EVERY.names)  # the order of the schema, not of the table
    assert made.to_pydict() == {name: ROWS[name] for name in EVERY.names}
    assert isinstance(reborn(frame, EVERY), type(frame))


STORED = {
    "int16": (Column("x", "integer", 0, 100, storage="int16"), [3, 4], pa.int16()),
    "uint64": (Column("x", "integer", 0, 2**53, storage="uint64"), [3, 2**53], pa.uint64()),
    "float32": (Column("x", "numeric", 0, 9, storage="float32"), [1.5, 2.0], pa.float32()),
    "decimal": (
        Column("x", "numeric", 0, 99, storage="decimal128(12, 2)"),
        [Decimal("1.50"), Decimal("99.00")],
        pa.decimal128(12, 2),
    ),
    "category": (
        Column("x", "category", categories=("b", "a", "c"), storage="category"),
        ["a", "b"],
        pa.dictionary(pa.int32(), pa.string()),
    ),
    "ordered": (
        Column("x", "ordinal", categories=("low", "high"), storage="category"),
        ["high", "low"],
        pa.dictionary(pa.int32(), pa.string(), ordered=True),
    ),
    "codes": (Column("x", "category", categories=("1", "22"), storage="int8"), [22, 1], pa.int8()),
    "truth": (Column("x", "boolean", storage="int8"), [1, 0], pa.int8()),
    "truth as text": (Column("x", "boolean", storage="string"), ["true", "false"], pa.string()),
    "date as moment": (
        Column("x", "date", "2020-01-01", "2020-12-31", storage="timestamp[s]"),
        [datetime.datetime(2020, 2, 1)],
        pa.timestamp("s"),
    ),
    "date as text": (
        Column("x", "date", "2020-01-01", "2020-12-31", storage="string"),
        ["2020-02-01"],
        pa.string(),
    ),
    "zone": (
        Column("x", "datetime", "2020-01-01", "2020-12-31", storage="timestamp[ms, tz=Europe/Berlin]"),
        [datetime.datetime(2020, 2, 1, 12, tzinfo=datetime.UTC)],
        pa.timestamp("ms", tz="Europe/Berlin"),
    ),
}


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("missing", [False, True])
def test_a_column_is_stored_as_the_schema_declares(name, missing):
    column, values, kind = STORED[name]
    schema = schema_of(Column(**{**vars(column), "missing": missing}))
    again = Schema.from_toml(schema.to_toml())
    assert again == schema
    made = reborn(pa.table({"x": [*values, None] if missing else values}), again)
    assert made.schema.field("x").type == kind
    assert made["x"].to_pylist() == ([*values, None] if missing else values)
    assert empty_release(schema).schema.equals(made.schema)


def test_labels_of_categories_are_those_of_the_schema_in_its_order():
    schema = schema_of(Column("x", "ordinal", categories=("low", "mid", "high"), storage="category"))
    stale = pd.DataFrame({"x": pd.Categorical(["high"], categories=["SECRET", "high", "low"])})
    made = reborn(stale, schema)
    assert made["x"].cat.categories.tolist() == ["low", "mid", "high"] and made["x"].cat.ordered
    assert reborn(stale, schema, "polars").schema["x"] == pl.Enum(["low", "mid", "high"])
    assert reborn(stale, schema, "pyarrow")["x"].combine_chunks().dictionary.to_pylist() == [
        "low",
        "mid",
        "high",
    ]


def test_moments_with_zones_are_released_in_utc_unless_a_zone_is_declared():
    berlin = pa.array([0, 3600], pa.timestamp("s", "Europe/Berlin"))
    plain = Column("x", "datetime", "1970-01-01", "1970-12-31")
    made = reborn(pa.table({"x": berlin}), schema_of(plain))
    assert made.schema.field("x").type == pa.timestamp("us")
    assert made["x"].to_pylist() == [datetime.datetime(1970, 1, 1), datetime.datetime(1970, 1, 1, 1)]


PANDAS_TYPES = {
    "whole numbers": (Column("x", "integer", 0, 9, missing=True), [1.0, 2.0], [1.0, np.nan], "float64"),
    "booleans": (Column("x", "boolean", missing=True), [0, 1], [0, 2], "boolean"),
}


@pytest.mark.parametrize("name", PANDAS_TYPES)
def test_types_in_pandas_do_not_tell_whether_a_drawn_value_is_missing(name):
    column, full, gappy, dtype = PANDAS_TYPES[name]
    for values in (full, gappy):
        columns = {"x": np.array(values), "x (status)": np.isnan(values).astype(int)}
        made = release_table(columns, schema_of(column), "pandas")
        assert made["x"].dtype == dtype
        assert made["x"].isna().tolist() == [False, values is gappy]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.integers(0, 6))
def test_numbers_are_rounded_to_their_decimals_within_the_bounds(values, decimals):
    schema = schema_of(Column("pay", "numeric", -1000, 1000, decimals=decimals))
    built = release_table({"pay": np.array(values)}, schema, "pyarrow")["pay"].to_numpy()
    clipped = np.clip(values, -1000, 1000)
    assert np.all(np.abs(built) <= 1000)
    assert np.all(np.abs(built - clipped) <= 0.5 * 10.0**-decimals + 1e-9)
    assert built.tolist() == [round(value, decimals) for value in built.tolist()]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1))
def test_integers_are_whole_and_within_the_bounds(values):
    schema = schema_of(Column("jobs", "integer", -5, 100, storage="int8"))
    built = release_table({"jobs": np.array(values)}, schema, "polars")["jobs"]
    assert built.dtype == pl.Int8
    assert np.all(np.abs(built.to_numpy() - np.clip(values, -5, 100)) <= 0.5)


@given(st.lists(st.integers(0, 2), min_size=1))
def test_codes_and_labels_are_inverse(codes):
    schema = schema_of(EVERY.column("region"))
    built = release_table({"region": np.array(codes)}, schema, "pyarrow")
    assert confidential_columns(built, schema)["region"].tolist() == codes


def test_nothing_lies_behind_a_missing_value():
    schema = schema_of(
        Column("x", "numeric", 0, 9, missing=True),
        Column("y", "category", categories=("a", "b"), missing=True, storage="category"),
    )
    columns = {"x": np.array([5.0, 7.0]), "x (status)": np.array([0, 1]), "y": np.array([1, 2])}
    made = release_table(columns, schema, "pyarrow")
    assert np.frombuffer(made["x"].chunk(0).buffers()[1], np.float64)[:2].tolist() == [5.0, 0.0]
    assert np.frombuffer(made["y"].chunk(0).indices.buffers()[1], np.int32)[:2].tolist() == [1, 0]


def test_kept_columns_keep_their_values_beyond_bounds_and_decimals():
    schema = schema_of(Column("x", "numeric", 0, 9, decimals=1), Column("y", "integer", 0, 9))
    columns = {"x": np.array([9.0]), "y": np.array([3.0])}
    made = release_table(columns, schema, "pyarrow", {"x": np.array([12.345])})
    assert made.to_pylist() == [{"x": 12.345, "y": 3}]
    tight = schema_of(Column("x", "integer", 0, 9, storage="int8"), Column("y", "integer", 0, 9))
    with pytest.raises(DataError, match="column 'x' holds values that its storage cannot hold"):
        release_table(columns, tight, "pyarrow", {"x": np.array([300.0])})


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_library_that_is_not_installed_is_told_and_pyarrow_offered(kind, monkeypatch):
    schema = schema_of(Column("pay", "numeric", 0, 1000))

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ModelError, match=f"{kind} is not installed.*pyarrow"):
        release_table({"pay": np.array([1.0])}, schema, kind)


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
    with pytest.raises(ModelError):
        release_table({name: np.array(values) for name, values in columns.items()}, schema, "pyarrow")


def test_the_codebook_of_a_release_follows_from_the_schema():
    schema = schema_of(
        Column("jobs", "integer", 0, 500, missing_codes=(-8, -9), label="Jobs in March"),
        Column("pay", "numeric", 0, 10_000, decimals=2, label="Yearly pay"),
        Column("region", "category", categories=("north", "far south"), other=True),
        Column("open", "boolean"),
        name="Wages of 2020",
    )
    book = Codebook.of(empty_release(schema))
    assert (book.label, book.entry("pay").label, book.entry("pay").format) == (
        "Wages of 2020",
        "Yearly pay",
        "8.2",
    )
    jobs = book.entry("jobs")
    assert (jobs.storage, jobs.missing) == ("int16", ((-8.0, -8.0), (-9.0, -9.0)))
    assert book.entry("region").size == len("far south")
    assert book.entry("open").values == ((0.0, "false"), (1.0, "true"))
