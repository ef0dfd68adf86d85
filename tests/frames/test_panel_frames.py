"""Panels: wide and long tables of any kind become the same arrays and the same release, and bad ones are refused."""

import logging
import re
import traceback
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.errors import DataError, ModelError, SchemaError
from quantail.frames import check_table, confidential_columns, confidential_panel, release_panel
from quantail.schema import Column, Panel, Schema
from studies.lbd.standin import lbd_industry, lbd_long

COLUMNS = (
    Column("sic3", "category", categories=("178", "239", "542")),
    Column("mu", "integer", public=True),
    Column("emp", "integer", 0, 2000),
    Column("pay", "numeric", 0, 5000, decimals=1),
)
WIDE = Schema(
    COLUMNS,
    "establishment",
    by=("sic3",),
    panel=Panel("id", "first", "last", 2000, 2002, synthesis="partial"),
)
LONG = replace(WIDE, panel=Panel("id", "first", "last", 2000, 2002, "long", "year", synthesis="partial"))
NA = None

# Three units, none in industry 239; b exits after the second period, c enters in the last.
TABLE = {
    "pay_2002": [7.5, NA, 9.25],
    "id": ["c1", "b", "a"],
    "emp_2000": [1, 5, NA],
    "emp_2001": [2, 5, NA],
    "emp_2002": [3, NA, 0],
    "sic3": [542, 178, 178],
    "mu": [1, 0, 1],
    "first": [2000, 2000, 2002],
    "last": [2002, 2001, 2002],
    "pay_2000": [1.5, 0.0, NA],
    "pay_2001": [2.5, 0.1, NA],
}
# The same panel with rows out of order.
ROWS = {
    "year": [2001, 2001, 2002, 2000, 2002, 2000],
    "id": ["c1", "b", "a", "b", "c1", "c1"],
    "emp": [2, 5, 0, 5, 3, 1],
    "pay": [2.5, 0.1, 9.25, 0.0, 7.5, 1.5],
    "last": [2002, 2001, 2002, 2001, 2002, 2002],
    "first": [2000, 2000, 2002, 2000, 2000, 2000],
    "mu": [1, 0, 1, 0, 1, 1],
    "sic3": [542, 178, 178, 178, 542, 542],
}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "pyarrow": pa.table}
CANARY = 918273

each_kind = pytest.mark.parametrize("kind", KINDS)
each_layout = pytest.mark.parametrize("layout", ["wide", "long"])


def case(layout):
    return (WIDE, TABLE) if layout == "wide" else (LONG, ROWS)


@each_kind
@each_layout
def test_wide_and_long_tables_of_every_kind_give_the_same_arrays(kind, layout):
    schema, columns = case(layout)
    data = confidential_panel(KINDS[kind](columns), schema)
    assert data.units.to_pylist() == ["a", "b", "c1"]  # sorted: the order of rows is not public
    np.testing.assert_array_equal(data.entry, [2002, 2000, 2000])
    np.testing.assert_array_equal(data.exit, [2002, 2001, 2002])
    np.testing.assert_array_equal(data.values["emp"], [[np.nan, np.nan, 0], [5, 5, np.nan], [1, 2, 3]])
    np.testing.assert_array_equal(data.values["pay"][2], [1.5, 2.5, 7.5])
    assert data.groups == (("178",), ("239",), ("542",))
    np.testing.assert_array_equal(data.group, [0, 0, 2])
    assert data.public["mu"].to_pylist() == [1, 0, 1]
    np.testing.assert_array_equal(data.active, ~np.isnan(data.values["pay"]))


RELEASED_WIDE = pa.table(
    {
        "id": ["a", "b", "c1"],
        "first": [2002, 2000, 2000],
        "last": [2002, 2001, 2002],
        "sic3": ["178", "178", "542"],
        "mu": [1, 0, 1],
        "emp_2000": [NA, 5, 1],
        "emp_2001": [NA, 5, 2],
        "emp_2002": [0, NA, 3],
        "pay_2000": [NA, 0.0, 1.5],
        "pay_2001": [NA, 0.1, 2.5],
        "pay_2002": [9.2, NA, 7.5],
    }
)
RELEASED_LONG = pa.table(
    {
        "id": ["a", "b", "b", "c1", "c1", "c1"],
        "year": [2002, 2000, 2001, 2000, 2001, 2002],
        "first": [2002, 2000, 2000, 2000, 2000, 2000],
        "last": [2002, 2001, 2001, 2002, 2002, 2002],
        "sic3": ["178", "178", "178", "542", "542", "542"],
        "mu": [1, 0, 0, 1, 1, 1],
        "emp": [0, 5, 5, 1, 2, 3],
        "pay": [9.2, 0.0, 0.1, 1.5, 2.5, 7.5],
    }
)


@each_layout
@each_kind
def test_a_release_has_the_order_and_types_of_the_schema(kind, layout):
    schema, columns = case(layout)
    made = release_panel(confidential_panel(KINDS[kind](columns), schema))
    assert made.equals(RELEASED_WIDE if layout == "wide" else RELEASED_LONG)


CODES = pd.Series([542, 178, 178])
STALE = pa.DictionaryArray.from_arrays(pa.array([3, 1, 2]), pa.array(["gone", "b", "a", "c1"]))
# The same panel, stored in other types.
REPRESENTED = {
    "Int64": ("pandas", lambda f: f.astype({"emp_2000": "Int64", "emp_2002": "Int16", "mu": "Int8"})),
    "arrow": ("pandas", lambda f: f.astype({"emp_2000": "int32[pyarrow]", "pay_2000": "double[pyarrow]"})),
    "labels": ("pandas", lambda f: f.assign(sic3=f["sic3"].astype("category"))),
    "text": ("pandas", lambda f: f.assign(sic3=f["sic3"].astype(str), id=f["id"].astype(object))),
    "stale": ("pandas", lambda f: f.assign(id=pd.Categorical(f["id"], ["x", "c1", "b", "a"]))),
    "objects": (
        "pandas",
        lambda f: f.assign(sic3=CODES.astype(object), mu=pd.Series([1, 0, 1], dtype=object)),
    ),
    "floats": ("pandas", lambda f: f.astype({"first": "float64", "last": "int16", "mu": "float32"})),
    "small": ("polars", lambda f: f.cast({"emp_2000": pl.Int16, "emp_2001": pl.UInt32, "last": pl.Int32})),
    "enum": ("polars", lambda f: f.cast({"id": pl.Enum(["x", "c1", "b", "a"])})),
    "categorical": ("polars", lambda f: f.cast({"id": pl.Categorical})),
    "dictionary": ("pyarrow", lambda f: f.set_column(1, "id", f["id"].dictionary_encode())),
    "old dictionary": ("pyarrow", lambda f: f.set_column(1, "id", STALE)),
    "decimal": (
        "pyarrow",
        lambda f: f.set_column(2, "emp_2000", pa.array([1, 5, None], pa.decimal128(9, 1))),
    ),
    "whole decimals": ("pyarrow", lambda f: f.set_column(6, "mu", pa.array([1, 0, 1], pa.decimal128(9, 2)))),
}


@pytest.mark.parametrize("name", REPRESENTED)
def test_how_a_panel_was_stored_does_not_show(name):
    kind, change_ = REPRESENTED[name]
    data = confidential_panel(change_(KINDS[kind](TABLE)), WIDE)
    made = release_panel(data)
    assert made.equals(RELEASED_WIDE)
    assert made.schema.equals(RELEASED_WIDE.schema)


IDENTITIES = {
    "whole": (
        [[3, 4], [3.0, 4.0], pa.array([3, 4], pa.decimal128(9, 2)), pa.array([3, 4], pa.uint8())],
        [3, 4],
    ),
    "text": ([["007", "8"], pa.array(["007", "8"], pa.large_string()).dictionary_encode()], ["007", "8"]),
    "fractions": ([[1.5, 2.0], pa.array([1.5, 2.0], pa.float32())], ["1.5", "2"]),
    "large": ([pa.array([1, 2**64 - 1], pa.uint64())], ["1", str(2**64 - 1)]),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_are_whole_numbers_or_text_whatever_they_were_stored_as(name):
    schema = Schema(
        (Column("emp", "integer", 0, 9),),
        "firm",
        panel=Panel("id", "first", "last", 2000, 2000, synthesis="partial"),
    )
    stored, expected = IDENTITIES[name]
    for ids in stored:
        table = pa.table({"id": ids, "first": [2000] * 2, "last": [2000] * 2, "emp_2000": [1, 2]})
        found = confidential_panel(table, schema).units
        assert found.to_pylist() == expected
        assert found.type == (pa.int64() if name == "whole" else pa.string())


def test_identities_of_several_types_are_refused():
    schema = Schema(
        (Column("emp", "integer", 0, 9),),
        "firm",
        panel=Panel("id", "first", "last", 2000, 2000, synthesis="partial"),
    )
    columns = {"id": [3, "x"], "first": [2000] * 2, "last": [2000] * 2, "emp_2000": [1, 2]}
    with pytest.raises(DataError, match="column 'id' holds values of several types"):
        confidential_panel(pd.DataFrame(columns), schema)


def test_public_columns_are_stored_as_declared_and_may_be_missing():
    columns = (
        replace(COLUMNS[0], storage="int16"),
        Column("mu", "category", public=True),
        replace(COLUMNS[2], storage="int16"),
        replace(COLUMNS[3], storage="decimal128(9, 1)"),
    )
    table = pa.table({**TABLE, "mu": [1.0, None, 2.5]})
    made = release_panel(confidential_panel(table, replace(WIDE, columns=columns)))
    assert made.schema.field("sic3").type == pa.int16() and made["sic3"].to_pylist() == [178, 178, 542]
    assert made["mu"].to_pylist() == ["2.5", None, "1"]
    assert made.schema.field("emp_2000").type == pa.int16()
    assert made.schema.field("pay_2001").type == pa.decimal128(9, 1)
    narrow = (COLUMNS[0], replace(COLUMNS[1], storage="int8"), *COLUMNS[2:])
    with pytest.raises(DataError, match="column 'mu' holds values that its storage cannot hold"):
        confidential_panel(pa.table(change(TABLE, "mu", 0, 300)), replace(WIDE, columns=narrow))


def test_public_whole_numbers_that_floats_cannot_hold_are_refused_and_labels_are_kept():
    table = pa.table({**TABLE, "mu": [2**53 + 1, 0, 1]})
    with pytest.raises(DataError, match=r"column 'mu' holds whole numbers beyond .*category"):
        confidential_panel(table, WIDE)
    columns = (COLUMNS[0], Column("mu", "category", public=True), *COLUMNS[2:])
    kept = confidential_panel(table, replace(WIDE, columns=columns)).public["mu"]
    assert kept.to_pylist() == ["1", "0", "9007199254740993"]


def test_whole_numbers_of_a_wide_panel_are_floats_in_pandas_whether_or_not_one_is_missing():
    made = release_panel(confidential_panel(pa.table(TABLE), WIDE), "pandas")
    assert made["emp_2000"].dtype == made["emp_2001"].dtype == "float64"
    assert made["mu"].dtype == "int64"
    full = confidential_panel(pa.table(TABLE).slice(0, 1), WIDE)
    assert release_panel(full, "pandas").dtypes["emp_2000"] == "float64"


@st.composite
def histories(draw):
    count, periods = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    start = draw(st.integers(-3, 2000))
    years = [sorted(draw(st.tuples(*[st.integers(start, start + periods - 1)] * 2))) for _ in range(count)]
    values = [
        [draw(st.integers(0, 9)) if a <= start + k <= b else None for k in range(periods)] for a, b in years
    ]
    ids = draw(st.lists(st.integers(0, 99), min_size=count, max_size=count, unique=True))
    return start, ids, years, values


@settings(max_examples=60, deadline=None)
@given(histories(), st.randoms(use_true_random=False))
def test_long_and_wide_agree_on_any_panel_and_any_order_of_rows(panel, random):
    start, ids, years, values = panel
    end = start + len(values[0]) - 1
    wide = Schema(
        (Column("emp", "integer", 0, 9),),
        "firm",
        panel=Panel("id", "a", "b", start, end, synthesis="partial"),
    )
    long = replace(wide, panel=Panel("id", "a", "b", start, end, "long", "t", synthesis="partial"))
    table = pa.table(
        {"id": ids, "a": [a for a, _ in years], "b": [b for _, b in years]}
        | {
            f"emp_{start + k}": pa.array([row[k] for row in values], pa.int64())
            for k in range(len(values[0]))
        }
    )
    rows = [
        {"t": start + k, "id": i, "a": a, "b": b, "emp": v}
        for i, (a, b), row in zip(ids, years, values, strict=True)
        for k, v in enumerate(row)
        if v is not None
    ]
    random.shuffle(rows)
    lengthened = pa.Table.from_pylist(rows)
    one = confidential_panel(table, wide)
    other = confidential_panel(lengthened, long)
    order = np.argsort(ids)
    assert release_panel(one).equals(table.take(order))
    assert release_panel(other).sort_by("id").num_rows == len(rows)
    assert one.units.equals(other.units)
    np.testing.assert_array_equal(one.values["emp"], other.values["emp"])
    np.testing.assert_array_equal(one.exit, other.exit)


def change(columns, name, place, value):
    return {**columns, name: [value if k == place else v for k, v in enumerate(columns[name])]}


BAD_WIDE = {
    "unit twice": ("id", 1, "c1", "same unit more than once"),
    "unit missing": ("id", 1, NA, "column 'id' holds missing values"),
    "exit before entry": ("last", 2, 2001, "column 'last' lies before the entry"),
    "entry too early": ("first", 0, 1999, "column 'first' holds periods outside start to end"),
    "exit too late": ("last", 0, 2003, "column 'last' holds periods outside start to end"),
    "entry missing": ("first", 0, NA, "column 'first' holds missing values"),
    "half a year": ("first", 0, 2000.5, "column 'first' does not hold whole numbers"),
    "gap": ("emp_2001", 0, NA, "column 'emp' has gaps"),
    "nan": ("pay_2001", 0, float("nan"), "column 'pay' has gaps"),
    "after exit": ("emp_2002", 1, CANARY, "column 'emp' holds values outside the active"),
    "zero after exit": ("emp_2002", 1, 0, "column 'emp' holds values outside the active"),
    "before entry": ("pay_2000", 2, float(CANARY), "column 'pay' holds values outside the active"),
    "not whole": ("emp_2001", 0, CANARY + 0.5, "column 'emp_2001' holds values that are not whole"),
    "infinite": ("pay_2001", 0, float("inf"), "column 'pay_2001' holds infinite values"),
    "unknown group": ("sic3", 0, CANARY, "column 'sic3' holds a value that is not among"),
    "no group": ("sic3", 0, NA, "column 'sic3' holds missing values"),
}


@each_kind
@pytest.mark.parametrize("name", BAD_WIDE)
def test_bad_wide_panels_are_refused_without_a_value_or_a_count(kind, name, caplog):
    column, place, value, said = BAD_WIDE[name]
    frame = KINDS[kind](change(TABLE, column, place, value))
    with caplog.at_level(logging.INFO), pytest.raises(DataError) as caught:
        confidential_panel(frame, WIDE)
    told = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert said in str(caught.value)
    assert str(CANARY) not in told
    # The only numbers are those in names of columns: no value and no count.
    assert set(re.findall(r"\d+", str(caught.value))) <= {"3", "2000", "2001", "2002"}
    assert [str(problem) for problem in check_table(frame, WIDE)] == str(caught.value).split("\n  ")[1:]


BAD_LONG = {
    "unit-year twice": ("year", 0, 2000, "holds a unit twice in the same period"),
    "entry differs": ("first", 4, 2001, "column 'first' differs between rows of one unit"),
    "exit differs": ("last", 3, 2002, "column 'last' differs between rows of one unit"),
    "group differs": ("sic3", 4, 178, "column 'sic3' differs between rows of one unit"),
    "public differs": ("mu", 4, 0, "column 'mu' differs between rows of one unit"),
    "period too late": ("year", 2, 2003, "column 'year' holds periods outside start to end"),
    "period missing": ("year", 2, NA, "column 'year' holds missing values"),
    "value missing": ("emp", 0, NA, "column 'emp' has gaps"),
    "row moved outside": ("year", 2, 2001, "column 'emp' holds values outside the active"),
}


@each_kind
@pytest.mark.parametrize("name", BAD_LONG)
def test_bad_long_panels_are_refused(kind, name):
    column, place, value, said = BAD_LONG[name]
    with pytest.raises(DataError, match=said):
        confidential_panel(KINDS[kind](change(ROWS, column, place, value)), LONG)


def test_a_missing_row_inside_a_history_is_a_gap():
    table = pa.table(ROWS).filter(pa.array([False, *[True] * 5]))
    with pytest.raises(DataError, match="column 'emp' has gaps"):
        confidential_panel(table, LONG)


def test_rows_outside_the_active_years_may_stand_empty_and_are_left_out():
    empty = pa.table(ROWS).to_pylist()[2] | {"year": 2000, "emp": NA, "pay": NA}
    table = pa.Table.from_pylist([*pa.table(ROWS).to_pylist(), empty])
    # Which of them the table holds is not declared public.
    assert release_panel(confidential_panel(table, LONG)).equals(RELEASED_LONG)


@pytest.mark.parametrize("name", ["emp_2001", "id", "mu", "sic3", "first"])
def test_missing_columns_are_all_named(name):
    table = pa.table(TABLE).drop_columns([name, "pay_2002"])
    with pytest.raises(DataError, match=f"'{name}'.* is missing") as caught:
        confidential_panel(table, WIDE)
    assert "'pay_2002' is missing" in str(caught.value)


def test_all_problems_of_the_values_are_told_together():
    table = change(change(TABLE, "emp_2001", 0, NA), "pay_2001", 0, float("inf"))
    assert [problem.column for problem in check_table(pa.table(table), WIDE)] == ["emp", "pay_2001"]


def test_values_are_clipped_on_both_sides_and_only_the_internal_check_says_so():
    table = pa.table(change(change(TABLE, "emp_2000", 0, CANARY), "pay_2000", 0, -1.0))
    data = confidential_panel(table, WIDE)
    assert (data.values["emp"][2, 0], data.values["pay"][2, 0]) == (2000, 0)
    assert check_table(table, WIDE) == []
    assert [problem.column for problem in check_table(table, WIDE, internal=True)] == ["emp", "pay"]


@pytest.mark.parametrize("sizes", [(0, 1, 20), (20, 0, 0)])
def test_industries_of_any_size_can_be_taken_out(sizes):
    codes = [label for label, size in zip(("178", "239", "542"), sizes, strict=True) for _ in range(size)]
    n = len(codes)
    table = {"id": list(range(n)), "sic3": codes, "mu": [0] * n, "first": [2001] * n, "last": [2001] * n}
    for year in (2000, 2001, 2002):
        empty = pa.nulls(n)  # a year without any active unit may be a column of the null type
        table |= {f"{c}_{year}": [1] * n if year == 2001 else empty for c in ("emp", "pay")}
    data = confidential_panel(pa.table(table), WIDE)
    parts = [data.of_group(k) for k in range(3)]
    assert [len(part) for part in parts] == list(sizes)
    assert all(part.values["emp"].shape == (len(part), 3) for part in parts)
    back = release_panel(parts[0])
    assert back.num_rows == sizes[0]
    assert back["emp_2000"].null_count == sizes[0]


def test_groups_of_two_columns_are_numbered_row_by_row():
    status = Column("mu", "category", categories=("0", "1"))
    schema = replace(WIDE, columns=(COLUMNS[0], status, *COLUMNS[2:]), by=("sic3", "mu"))
    data = confidential_panel(pa.table(TABLE), schema)
    assert [data.groups[k] for k in data.group] == [("178", "1"), ("178", "0"), ("542", "1")]
    assert data.of_group(1).units.to_pylist() == ["a"]
    assert replace(schema, by=()).confidential == WIDE.confidential
    single = confidential_panel(pa.table(TABLE), replace(schema, by=()))
    assert (single.groups, single.group.tolist()) == (((),), [0, 0, 0])


def test_a_table_without_rows_is_refused():
    with pytest.raises(DataError, match="has no rows"):
        confidential_panel(pa.table(TABLE).slice(0, 0), WIDE)


def test_synthetic_values_keep_everything_public_and_are_rounded_and_clipped():
    data = confidential_panel(pa.table(TABLE), WIDE)
    made = replace(data, values={"emp": data.values["emp"] * 1000.4, "pay": data.values["pay"] + 0.26})
    back = release_panel(made)
    public = ["id", "sic3", "mu", "first", "last"]
    assert back.select(public).equals(RELEASED_WIDE.select(public))
    assert back["emp_2000"].to_pylist() == [None, 2000, 1000]
    assert back["pay_2002"].to_pylist() == [9.5, None, 7.8]


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_values_that_miss_an_active_year_are_refused(wrong):
    data = confidential_panel(pa.table(TABLE), WIDE)
    broken = np.array(data.values["emp"])
    broken[2, 0] = wrong
    with pytest.raises(ModelError, match="column 'emp' must be finite from entry to exit"):
        replace(data, values={"emp": broken, "pay": data.values["pay"]})
    outside = np.nan_to_num(data.values["emp"])
    with pytest.raises(ModelError, match="missing elsewhere"):
        replace(data, values={"emp": outside, "pay": data.values["pay"]})


def test_arrays_of_a_panel_cannot_be_changed_by_accident():
    data = confidential_panel(pa.table(TABLE), WIDE)
    with pytest.raises(ValueError, match="read-only"):
        data.values["emp"][0, 0] = 7
    with pytest.raises(ValueError, match="read-only"):
        data.entry[0] = 7


def test_the_order_of_units_tells_nothing_of_the_order_of_rows():
    other = confidential_panel(pa.table(ROWS).take(pa.array([5, 3, 1, 0, 4, 2])), LONG)
    assert other.units.to_pylist() == ["a", "b", "c1"]
    assert release_panel(other).equals(RELEASED_LONG)


def test_panels_and_tables_are_not_confused():
    with pytest.raises(DataError, match="describes a panel"):
        confidential_columns(pa.table(ROWS), LONG)
    with pytest.raises(SchemaError, match=r"no \[panel\] section"):
        confidential_panel(pa.table(ROWS), Schema((COLUMNS[2],), "firm"))


def test_the_stand_in_for_establishments_is_taken_as_it_is():
    columns = (*COLUMNS[:3], Column("pay", "integer", 0, 10**7))
    wide = Schema(
        columns,
        "establishment",
        by=("sic3",),
        panel=Panel("lbdnum", "firstyear", "lastyear", 1976, 2000, synthesis="partial"),
    )
    long = replace(wide, panel=replace(wide.panel, layout="long", time="year"))
    one, other = lbd_industry(178), lbd_long(178)
    data, rows = confidential_panel(one, wide), confidential_panel(other, long)
    assert data.values["emp"].shape == (10_975, 25)
    np.testing.assert_array_equal(data.values["emp"], rows.values["emp"])
    np.testing.assert_array_equal(data.values["pay"], rows.values["pay"])
    made = release_panel(data)
    for name in ("lbdnum", "mu", "emp_1976", "pay_2000"):
        assert made[name].cast("double").equals(one.sort_by("lbdnum")[name].cast("double")), name
    assert release_panel(rows).num_rows == other.num_rows


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_numbers_that_may_stand_for_several_units_are_refused(kind):
    """One unit would be two, or two one, depending on the type that others give the column."""
    panel = Panel("id", start=2000, end=2000)
    schema = Schema((Column("emp", "integer", 0, 9),), "firm", panel=panel)
    limit = 2 ** (24 if kind == pa.float32() else 53)
    for number, fits in ((limit - 1, True), (limit, False)):
        table = pa.table({"id": pa.array([1.0, number]).cast(kind), "emp_2000": [1, 2]})
        assert [str(problem) for problem in check_table(table, schema)] == (
            []
            if fits
            else [
                "column 'id' holds floating-point numbers too large to be told apart; "
                "store identities as whole numbers or as text"
            ]
        )
