"""Rich columns become plain parts row by row and come back exactly, whatever library they came from."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.errors import DataError
from quantail.frames import check_table, confidential_columns, release_table
from quantail.frames.encoding import decode, encode
from quantail.io import library_kind
from quantail.schema import Column, Identity, Inequality, Schema, core_of

DAY, LATER = datetime.date(2020, 1, 31), datetime.date(2020, 3, 1)
MOMENT = datetime.datetime(2020, 1, 1, 12, 30, 15)


def schema_of(*columns, **table):
    return Schema(columns, unit="person", **table)


def reborn(frame, schema):
    return release_table(confidential_columns(frame, schema), schema, library_kind(frame))


RICH = schema_of(
    Column("pay", "numeric", 0, 1000, decimals=2, missing=True, missing_codes=(-8, -9), atoms=(0, 5000)),
    Column("jobs", "integer", 0, 50, missing=True, missing_codes=(99,), storage="int8"),
    Column("mood", "ordinal", categories=("bad", "good"), missing=True),
    Column("owner", "boolean", missing=True),
    Column("sector", "category", categories=("farm", "mill"), other=True),
    Column("hired", "date", "2020-01-01", "2020-12-31", missing=True),
    Column("seen", "datetime", "2020-01-01", "2020-01-02", resolution=15, storage="timestamp[ms]"),
)
TABLE = pa.table(
    {
        "pay": pa.array([12.34, None, -8.0, -9.0, 0.0, 5000.0]),
        "jobs": pa.array([3, 99, None, 4, 5, 50], pa.int8()),
        "mood": ["good", None, "bad", "bad", "good", "good"],
        "owner": pa.array([True, None, False, False, True, True]),
        "sector": ["mill", "farm", "other", "mill", "mill", "farm"],
        "hired": pa.array([DAY, None, LATER, DAY, DAY, LATER]),
        "seen": pa.array([MOMENT] * 6, pa.timestamp("ms")),
    }
)


def test_arrow_tables_come_back_exactly():
    assert reborn(TABLE, RICH).equals(TABLE)


def test_polars_tables_come_back_exactly():
    frame = pl.from_arrow(TABLE)
    assert reborn(frame, RICH).equals(frame)


@pytest.mark.parametrize("nullable", [False, True])
def test_pandas_tables_come_back_in_the_types_of_the_schema(nullable):
    frame = expected = TABLE.to_pandas().astype({"jobs": "float64", "owner": "boolean"})
    if nullable:
        mood = pd.Categorical(frame["mood"], categories=["good", "bad", "stale"], ordered=True)
        frame = frame.astype({"pay": "Float64", "jobs": "Int8", "sector": "string"}).assign(mood=mood)
    pd.testing.assert_frame_equal(reborn(frame, RICH), expected)


def test_status_tells_what_stands_in_place_of_a_value():
    parts = confidential_columns(TABLE, RICH)
    assert parts["pay (status)"].tolist() == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(parts["pay"], [12.34] + [np.nan] * 5)
    assert parts["mood"].tolist() == [1, 2, 0, 0, 1, 1]
    assert parts["seen"][0] == (12 * 3600 + 30 * 60 + 15) / 15
    assert list(parts) == list(core_of(RICH).schema.names)


def test_labels_that_are_not_listed_are_other_row_by_row():
    frame = TABLE.set_column(4, "sector", pa.array(["mill", "x", "y", "mill", "z", "farm"]))
    assert confidential_columns(frame, RICH)["sector"].tolist() == [1, 2, 2, 1, 2, 0]
    assert reborn(frame, RICH)["sector"].to_pylist() == ["mill", "other", "other", "mill", "other", "farm"]


def test_values_beyond_bounds_are_clipped_and_codes_are_not():
    frame = pa.table({"pay": [-50.0, 2000.0, -8.0, 5000.0]})
    schema = schema_of(RICH.column("pay"))
    assert reborn(frame, schema)["pay"].to_pylist() == [0.0, 1000.0, -8.0, 5000.0]
    assert [p.what for p in check_table(frame, schema, internal=True)] == ["holds values outside its bounds"]
    inside = pa.table({"pay": [5.0, -8.0, 5000.0]})
    assert check_table(inside, schema, internal=True) == []


@pytest.mark.parametrize("text", [pa.string(), pa.large_string()])
def test_dates_written_as_text_and_moments_with_zones(text):
    schema = schema_of(
        Column("hired", "date", "2020-01-01", "2020-12-31", missing=True),
        Column("seen", "datetime", "2020-01-01", "2020-12-31"),
        Column("flag", "boolean", missing=True),
    )
    frame = pa.table(
        {
            "hired": pa.array(["2020-02-29", None], text),
            "seen": pa.array([MOMENT, MOMENT], pa.timestamp("us", tz="Europe/Warsaw")),
            "flag": pa.array([1, 0], pa.int8()),
        }
    )
    made = reborn(frame, schema)
    assert made.schema.types == [pa.date32(), pa.timestamp("us"), pa.bool_()]
    assert made["hired"].to_pylist() == [datetime.date(2020, 2, 29), None]
    assert made["seen"].to_pylist() == [MOMENT, MOMENT]  # the moment in UTC
    assert made["flag"].to_pylist() == [True, False]


BAD = {
    "null": ({"jobs": [1, None]}, Column("jobs", "integer", 0, 9), "missing = true"),
    "no date": ({"day": ["soon"]}, Column("day", "date", "2020-01-01", "2020-12-31"), "no date"),
    "numbers": ({"day": [3]}, Column("day", "date", "2020-01-01", "2020-12-31"), "does not hold dates"),
    "third truth": ({"flag": [2]}, Column("flag", "boolean"), "neither true nor false"),
    "half": ({"jobs": [0.5, -8.0]}, Column("jobs", "integer", 0, 9, missing_codes=(-8,)), "not whole"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_refused_without_a_value(case):
    data, column, said = BAD[case]
    with pytest.raises(DataError, match=said) as caught:
        confidential_columns(pa.table(data), schema_of(column))
    assert "soon" not in str(caught.value)


amounts = st.integers(-20, 120)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(amounts, amounts, amounts), min_size=1, max_size=12), st.randoms())
def test_relations_hold_whatever_is_decoded(rows, random):
    """Parts add up and stay below their totals for positions and statuses that no table ever had."""
    wages, rents, income, tips, fees = (Column(name, "integer", 0, 50) for name in "writf")
    income = Column("i", "integer", 0, 80)
    for order in ((income, wages, rents), (wages, rents, Column("i", "integer", 0, 100))):
        schema = schema_of(
            *order,
            tips,
            fees,
            identities=(Identity("i", ("w", "r")),),
            inequalities=(Inequality("t", "w"), Inequality("f", "i")),
        )
        table = {name: np.array([row[k % 3] for row in rows], dtype=float) for k, name in enumerate("writf")}
        parts = encode(table, schema)
        for column in core_of(schema).schema.columns:  # something else in place of every part
            values = parts[column.name]
            if column.type == "category":
                parts[column.name] = np.array([random.randrange(len(column.categories)) for _ in rows])
            else:
                low, high = column.lower, column.upper
                parts[column.name] = np.array([random.uniform(low, high) for _ in values])
        made = decode(parts, schema)
        np.testing.assert_array_equal(made["i"], made["w"] + made["r"])
        assert (made["t"] <= made["w"]).all() and (made["f"] <= made["i"]).all()
        for name, values in made.items():
            column = schema.column(name)
            assert ((values >= column.lower) & (values <= column.upper) & (values == np.rint(values))).all()


def test_tables_that_keep_their_relations_come_back_exactly():
    schema = schema_of(
        Column("income", "numeric", 0, 1000, decimals=2),
        Column("wages", "numeric", 0, 1000, decimals=2),
        Column("rents", "numeric", 0, 1000, decimals=2),
        Column("tips", "numeric", 0, 1000, decimals=2, missing=True),
        identities=(Identity("income", ("wages", "rents")),),
        inequalities=(Inequality("tips", "wages"),),
    )
    frame = pa.table(
        {
            "income": [100.1, 0.0, 50.0],
            "wages": [33.3, 0.0, 50.0],
            "rents": [66.8, 0.0, 0.0],
            "tips": [33.3, 0.0, None],
        }
    )
    assert reborn(frame, schema).equals(frame)
    parts = confidential_columns(frame, schema)
    assert parts["wages (status)"].tolist() == [0, 1, 2]
    assert parts["tips (status)"].tolist() == [3, 2, 1]


@pytest.mark.parametrize("resolution", [None, 7])
def test_a_date_is_never_after_the_one_that_bounds_it(resolution):
    """A policy that ends before it starts was drawn in one row of twenty, and no rule could forbid it."""
    end, start = (
        Column(name, "date", lower, "2023-12-31", missing=name == "start", resolution=resolution)
        for name, lower in (("end", "2018-01-15"), ("start", "2018-01-01"))
    )
    schema = schema_of(end, start, inequalities=(Inequality("start", "end"),))
    rng = np.random.default_rng(1)
    drawn = {
        "end": rng.uniform(0, core_of(schema).schema.column("end").upper, 500),
        "start (status)": rng.integers(0, 4, 500),
        "start": rng.random(500),
    }
    made = decode(drawn, schema)
    there = ~np.isnan(made["start"])
    assert (made["start"] <= made["end"])[there].all() and 0 < there.sum() < 500
    assert ((made["start"][there] - start.lower) % (resolution or 1) == 0).all()
    again = decode(encode(made, schema), schema)
    np.testing.assert_array_equal(again["start"], made["start"])
    np.testing.assert_array_equal(again["end"], made["end"])


def test_a_row_is_encoded_by_itself():
    whole = confidential_columns(TABLE, RICH)
    for row in range(TABLE.num_rows):
        alone = confidential_columns(TABLE.slice(row, 1), RICH)
        for name, values in alone.items():
            np.testing.assert_array_equal(values, whole[name][row : row + 1])
