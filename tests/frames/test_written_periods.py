"""Months and quarters: read as the table writes them, in every type, and written back in the same way."""

from dataclasses import replace
from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quantail.errors import DataError
from quantail.evaluation import flows
from quantail.frames import confidential_panel, release_panel
from quantail.panel import PanelSynthesizer, PeriodSynthesizer
from quantail.schema import Column, Panel, PanelNames, Schema, draft

KWH = (Column("kwh", "numeric", 0, 10_000, grid="log", decimals=1),)
LONG = Schema(
    KWH, "household", panel=Panel("meter", start="2020-11", end="2021-02", layout="long", time="month")
)
MONTHS = ["2020-11", "2020-12", "2021-01", "2021-02", "2020-12", "2021-01"]
METERS = [1, 1, 1, 1, 2, 2]
VALUES = [10.0, 11.0, 12.0, 13.0, 5.0, 6.0]
ARRAY = [[10, 11, 12, 13], [np.nan, 5, 6, np.nan]]
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}

STORED = {
    "text": ("2020-11", "2021-02", MONTHS),
    "labels": ("2020-11", "2021-02", pa.array(MONTHS).dictionary_encode()),
    "whole numbers": ("202011", "202102", [int(month.replace("-", "")) for month in MONTHS]),
    "dates": ("2020-11-01", "2021-02-01", [date.fromisoformat(f"{month}-01") for month in MONTHS]),
    "moments": ("2020-11-01", "2021-02-01", [datetime.fromisoformat(f"{month}-01") for month in MONTHS]),
    "quarters": (
        "2020Q3",
        "2021Q2",
        [f"{q}" for q in (["2020Q3", "2020Q4", "2021Q1", "2021Q2", "2020Q4", "2021Q1"])],
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stored", STORED)
def test_months_are_read_in_every_type_and_written_as_the_schema_writes_them(kind, stored):
    start, end, months = STORED[stored]
    if stored == "labels" and kind != "pyarrow":
        months = MONTHS
    schema = replace(LONG, panel=replace(LONG.panel, start=start, end=end))
    data = confidential_panel(KINDS[kind]({"meter": METERS, "month": months, "kwh": VALUES}), schema)
    np.testing.assert_array_equal(data.values["kwh"], ARRAY)
    written = release_panel(data)["month"].to_pylist()
    assert written == [str(month)[: len(start)] for month in pa.array(months).to_pylist()]
    again = confidential_panel(release_panel(data), schema)
    np.testing.assert_array_equal(again.values["kwh"], ARRAY)


def test_a_wide_panel_and_open_exits():
    panel = Panel("meter", "since", "until", "2020-11", "2021-02")
    wide = {f"kwh_{month}": column for month, column in zip(MONTHS[:4], np.transpose(ARRAY), strict=True)}
    spans = {"since": ["2020-11", "2020-12"], "until": [None, "2021-01"]}
    table = pa.table(
        {"meter": [1, 2], **spans, **{n: pa.array(v, from_pandas=True) for n, v in wide.items()}}
    )
    data = confidential_panel(table, Schema(KWH, "household", panel=panel))
    np.testing.assert_array_equal(data.values["kwh"], ARRAY)
    released = release_panel(data)
    assert released["until"].to_pylist() == ["2021-02", "2021-01"]
    assert released.column_names[3:] == list(wide)


@pytest.mark.parametrize(
    ("month", "said"),
    [
        ("2020Q4", "does not hold periods that are written like 2020-11"),
        ("2021-13", "does not hold periods that are written like 2020-11"),
        ("2021-03", "holds periods outside start to end"),
        ("2020-11", "holds a unit twice in the same period"),
        (None, "holds missing values"),
    ],
)
def test_other_months_are_refused_without_a_value(month, said):
    table = pa.table({"meter": METERS, "month": [*MONTHS[:3], month, *MONTHS[4:]], "kwh": VALUES})
    with pytest.raises(DataError, match=said) as caught:
        confidential_panel(table, LONG)
    assert month is None or month == "2020-11" or month not in str(caught.value)


def test_a_schema_of_years_says_how_months_are_declared():
    years = replace(LONG, panel=replace(LONG.panel, start=2020, end=2021))
    with pytest.raises(
        DataError, match="write start and end in \\[panel\\] as the column writes them, in quotes"
    ):
        confidential_panel(pa.table({"meter": METERS, "month": MONTHS, "kwh": VALUES}), years)


@pytest.mark.parametrize("stored", ["text", "whole numbers", "dates", "quarters"])
def test_flows_without_a_schema_know_months(stored):
    months = STORED[stored][2]
    table = pa.table({"meter": METERS, "month": months, "kwh": VALUES})
    found = flows(table, "kwh", panel=("meter", "month"))
    assert found["month"].to_pylist() == [str(month) for month in months[1:4]]
    assert found["job_creation"].to_pylist() == [6.0, 2.0, 1.0]
    wide = {"meter": [1, 2], **{f"kwh_{m}": v for m, v in zip(months[:4], np.transpose(ARRAY), strict=True)}}
    assert flows(wide, "kwh", panel=("meter",))["job_creation"].to_pylist() == [6.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("between", "start", "end"),
    [
        ("_", "2020-11", "2021-01"),
        ("", "2020Q3", "2021Q1"),
        ("_", "202011", "202101"),
        ("_", "2020_11", "2021_01"),
    ],
)
def test_a_draft_of_a_wide_panel_knows_months(between, start, end):
    panel = Panel("meter", start=start, end=end, between=between)
    text = draft(
        pa.table({"meter": [1], **{name: [1.0] for name in panel.stored_as("kwh")}}),
        panel=PanelNames("meter"),
    )
    assert f'start = "{start}"\nend = "{end}"\n' in text
    assert 'name = "kwh"' in text


def test_a_monthly_panel_is_fitted_and_continued():
    rng = np.random.default_rng(1)
    months = [LONG.panel.form.written(period) for period in LONG.panel.periods]
    rows = {
        "meter": np.repeat(np.arange(300), 4),
        "month": months * 300,
        "kwh": np.exp(rng.normal(5, 0.5, 1200)),
    }
    before = replace(LONG, panel=LONG.panel.until(LONG.panel.last - 1))
    table = pa.table(rows)
    released = (
        PanelSynthesizer(before, 3, noise="simulated", seed=1)
        .fit(table.filter(pa.array(np.array(rows["month"]) != "2021-02")), progress=False)
        .sample(seed=1)
    )
    assert sorted(set(released["month"].to_pylist())) == months[:3]
    made = PeriodSynthesizer(LONG, 1, released, noise="simulated", seed=2).fit(table, progress=False).sample()
    assert sorted(set(made["month"].to_pylist())) == months
