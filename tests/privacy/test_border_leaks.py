"""Every way in which a release was found to carry something of the confidential table, one by one.

Answers come from a script, so both tables of a pair must be released alike; each test failed on the first version.
"""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from scripted import answering, frame_bytes, released

from quantail.engines import synthesize_panel
from quantail.io import read_table, write_table
from quantail.panel import PanelSynthesizer
from quantail.release import model
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

ROWS = 24
PAY = Column("pay", "numeric", 0, 1000)
FIRM = Column("firm", "integer", 0, 1000, public=True)


def assert_same(first: Any, second: Any, schema: Schema, given: bool = False) -> None:
    names = [column.name for column in schema.columns if column.public]
    one, other = (released(frame, schema, frame[names] if given else None, 5) for frame in (first, second))
    for what in one:
        assert one[what] == other[what], what


# Row order.


def firms(by_pay: bool) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"firm": np.arange(ROWS) * 7, "pay": rng.exponential(100, ROWS)})
    return frame.sort_values("pay", ignore_index=True) if by_pay else frame


def test_a_table_sorted_by_pay_does_not_list_its_public_firms_in_that_order():
    assert_same(firms(by_pay=True), firms(by_pay=False), Schema((FIRM, PAY), "firm"), given=True)


def test_a_fit_does_not_depend_on_the_order_of_public_rows():
    first, second = firms(by_pay=True), firms(by_pay=False)
    schema = Schema((FIRM, PAY), "firm")
    with answering():
        one, other = (TableSynthesizer(schema, 5).fit(frame).to_dict() for frame in (first, second))
    assert one == other


def test_given_rows_come_back_sorted_whatever_order_they_had():
    schema = Schema((replace_public(FIRM), PAY), "firm")
    with answering():
        fitted = TableSynthesizer(schema, 5).fit(firms(by_pay=False))
    given = firms(by_pay=True)[["firm"]]
    drawn = fitted.sample(given=given, seed=1)
    assert drawn["firm"].tolist() == sorted(given["firm"])
    assert frame_bytes(drawn) == frame_bytes(fitted.sample(given=given[::-1].reset_index(drop=True), seed=1))


def test_given_rows_beyond_the_bounds_do_not_keep_their_order_either():
    schema = Schema((replace_public(FIRM), PAY), "firm")
    with answering():
        fitted = TableSynthesizer(schema, 5).fit(firms(by_pay=False))
    orders = ([5000, 7000, 6000], [7000, 6000, 5000])  # clipped, all are 1000
    one, other = (fitted.sample(given=pd.DataFrame({"firm": order}), seed=1) for order in orders)
    assert one["firm"].tolist() == other["firm"].tolist() == [5000, 6000, 7000]


def replace_public(column: Column) -> Column:
    return Column(column.name, column.type, column.lower, column.upper)


# Dictionaries.

PANEL = Schema(
    (Column("city", "category", public=True), Column("emp", "integer", 0, 500)),
    "plant",
    panel=Panel("id", "first", "last", 2000, 2001, synthesis="partial"),
)
UNITS = [f"unit {k:02}" for k in range(ROWS)]


def plants(order: Any, encode: Any = lambda texts: texts) -> pa.Table:
    rng = np.random.default_rng(int(order[0]))
    ids, cities = (pa.array([f"{word}{k:02}" for k in order]) for word in ("unit ", "city "))
    years = {f"emp_{year}": rng.integers(0, 500, ROWS) for year in (2000, 2001)}
    return pa.table(
        {"id": encode(ids), "city": encode(cities), "first": [2000] * ROWS, "last": [2001] * ROWS, **years}
    )


def in_order_of_rows(texts: pa.Array) -> pa.Array:
    return texts.dictionary_encode()


def with_dropped_units(texts: pa.Array) -> pa.Array:
    more = pa.concat_arrays([pa.array(["unit gone"]), texts])
    return more.dictionary_encode().slice(1)


FORWARD, BACKWARD = np.arange(ROWS), np.arange(ROWS)[::-1]


LIBRARIES = {"arrow": lambda table: table, "pandas": lambda table: table.to_pandas(), "polars": pl.from_arrow}


@pytest.mark.parametrize("library", LIBRARIES)
def test_dictionaries_of_a_panel_are_not_in_the_order_of_its_rows(library):
    frames = (LIBRARIES[library](plants(order, in_order_of_rows)) for order in (FORWARD, BACKWARD))
    assert_same(*frames, PANEL)


def test_units_that_were_dropped_before_the_fit_are_in_no_dictionary():
    one, other = (
        released(plants(FORWARD, encode), PANEL, epsilon=5)
        for encode in (in_order_of_rows, with_dropped_units)
    )
    assert one == other
    assert b"unit gone" not in other["table"]


def test_files_of_engines_hold_no_dictionary_of_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(model.secrets, "randbits", lambda bits: 12345)
    written = []
    for order, encode in ((FORWARD, in_order_of_rows), (BACKWARD, with_dropped_units)):
        folder = tmp_path / f"in {order[0]}"
        folder.mkdir()
        pq.write_table(plants(order, encode), folder / "part-0.parquet")
        out = tmp_path / f"out {order[0]}"
        with answering():
            synthesize_panel(folder, out, PanelSynthesizer(PANEL, 5))
        written.append({path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()})
    assert written[0] == written[1]


# Types.

MOMENT = datetime(2020, 3, 1, 12)
EAST, WEST = timezone(timedelta(hours=2)), timezone(timedelta(hours=-7))
TYPES = {
    "offset of the first row": (
        Column("x", "datetime", "2020-01-01", "2020-12-31"),
        [MOMENT.replace(tzinfo=EAST), MOMENT.replace(tzinfo=WEST)],
        [MOMENT.replace(tzinfo=WEST), MOMENT.replace(tzinfo=EAST)],
    ),
    "3 or 3.0, category": (Column("x", "category", categories=("3", "4")), [3, 4], [3, 4.0]),
    "1 or 1.0, boolean": (Column("x", "boolean"), [0, 1], [0, 1.0]),
    "3 or 3.0, gaps": (Column("x", "category", categories=("3", "4"), missing=True), [3, None], [3.0, None]),
    "3 or 3.0, whole numbers": (Column("x", "integer", 0, 9, missing=True), [3, None], [3.0, None]),
    "all missing or one there, label": (
        Column("x", "category", categories=("1", "2"), missing=True),
        [None] * 2,
        [1, None],
    ),
    "all missing or one there, truth": (Column("x", "boolean", missing=True), [None] * 2, [1, None]),
    "all missing or one there, moment": (
        Column("x", "datetime", "2020-01-01", "2020-12-31", missing=True),
        [None] * 2,
        [MOMENT.replace(tzinfo=EAST), None],
    ),
    "all missing or one there, text of a day": (
        Column("x", "date", "2020-01-01", "2020-12-31", missing=True),
        [None] * 2,
        ["2020-03-01", None],
    ),
    "a label that is a number": (
        Column("x", "category", categories=("1", "b"), other=True),
        [1, 2],
        ["1", "b"],
    ),
}


@pytest.mark.parametrize("name", TYPES)
def test_types_of_objects_tell_nothing_about_single_rows(name):
    column, one, other = TYPES[name]
    frames = (
        pd.DataFrame({"x": pd.Series(values * 12, dtype=object), "pay": 1.0}) for values in (one, other)
    )
    assert_same(*frames, Schema((column, PAY), "person"))


def test_an_empty_table_looks_like_one_with_a_row():
    columns = (Column("day", "date", "2020-01-01", "2020-12-31"), Column("open", "boolean"), PAY)
    schema = Schema(columns, "person", neighbours="add-remove")
    one = pd.DataFrame({"day": [date(2020, 3, 1)], "open": [True], "pay": [1.0]}, dtype=object)
    assert_same(one.iloc[:0], one, schema)


HISTORY = Schema(
    (Column("pay", "numeric", 0, 100),),
    "plant",
    panel=Panel("id", "first", "last", 2000, 2000, synthesis="partial"),
)


def histories(ids: list[Any], pay: list[Any]) -> pd.DataFrame:
    columns = {"id": ids, "first": [2000] * ROWS, "last": [2000] * ROWS}
    return pd.DataFrame(columns | {"pay_2000": pd.Series(pay * 12, dtype=object)})


WHOLE = list(range(ROWS))


def test_digits_of_a_value_beyond_the_bound_do_not_change_the_type_of_a_panel():
    small, large = [Decimal("1.5"), Decimal("99")], [Decimal("1.5"), Decimal("123456789.25")]
    assert_same(histories(WHOLE, small), histories(WHOLE, large), HISTORY)


def test_3_or_3_0_does_not_show_in_a_panel():
    assert_same(histories(WHOLE, [3, 4]), histories(WHOLE, [3, 4.5]), HISTORY)


def test_identities_stored_as_floats_are_the_same_identities():
    assert_same(histories(WHOLE, [1.5, 2]), histories([float(k) for k in WHOLE], [1.5, 2]), HISTORY)


# Widths and storage in statistical files.

HEADERS = {
    "text of a boolean": (Column("x", "boolean"), ["1", "0"], ["1", "false"]),
    "text of a day": (
        Column("x", "date", "2020-01-01", "2020-12-31"),
        ["2020-03-01"] * 2,
        ["2020-03-01", "2020-03-01 00:00"],
    ),
}


@pytest.mark.parametrize("kind", ["dta", "sav"])
@pytest.mark.parametrize("name", HEADERS)
def test_widths_that_programs_make_of_texts_are_not_copied(name, kind, tmp_path):
    column, *pair = HEADERS[name]
    made = []
    for number, values in enumerate(pair):
        path = tmp_path / f"{number}.{kind}"
        getattr(pyreadstat, f"write_{kind}")(pd.DataFrame({"x": values * 12, "pay": 1.0}), path)
        made.append(through_file(path, Schema((column, PAY), "person")))
    assert made[0] == made[1]


def test_whether_compress_stored_a_byte_or_more_is_not_copied(tmp_path):
    # Stata's bytes end at 100, so the type tells whether the maximum is above it.
    made = []
    for largest, dtype in ((99, "int8"), (101, "int16")):
        path = tmp_path / f"{largest}.dta"
        frame = pd.DataFrame({"x": [3, largest] * 12, "pay": 1.0}).astype({"x": dtype})
        frame.to_stata(path, write_index=False)
        made.append(through_file(path, Schema((Column("x", "integer", 0, 500), PAY), "person")))
    assert made[0] == made[1]


def through_file(path: Path, schema: Schema) -> tuple[dict[str, bytes], str]:
    """Return what is released of a statistical file, and the header of its synthetic copy."""
    table = read_table(path, schema)
    with answering():
        drawn = TableSynthesizer(schema, 5).fit(table).sample(seed=1)
    copy = path.with_name(f"copy-{path.name}")
    write_table(drawn, copy)
    head = getattr(pyreadstat, f"read_{path.suffix[1:]}")(copy, metadataonly=True)[1]
    told = (head.original_variable_types, head.variable_storage_width, head.readstat_variable_types)
    return released(table, schema, epsilon=5), repr(told)
