"""Flows of panels: right on examples computed by hand, and consistent on all others."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quantail.errors import DataError, OptionError
from quantail.evaluation import Histories, flows, flows_of
from quantail.schema import Column, Panel, Schema

NAN = float("nan")
# Five firms over three years; firm e is idle in 2002 and comes back.
BY_HAND = {
    "firm": ["a", "a", "a", "b", "b", "c", "c", "d", "e", "e", "e"],
    "year": [2001, 2002, 2003, 2001, 2002, 2002, 2003, 2003, 2001, 2002, 2003],
    "emp": [10, 14, 14, 6, 4, 2, 3, 7, 8, 0, 5],
    "region": ["n", "n", "n", "n", "n", "s", "s", "s", "s", "s", "s"],
}


def by_period(table, *keys):
    return {tuple(row[key] for key in keys): row for row in table.to_pylist()}


def test_a_panel_computed_by_hand():
    table = by_period(flows(BY_HAND, "emp", panel=("firm", "year")), "year")
    first = table[2002,]
    # 2001: 10 + 6 + 8 = 24; 2002: 14 + 4 + 2 = 20; a +4, b -2, c born with 2, e gone with 8.
    assert (first["estabs"], first["emp"], first["denom"]) == (3, 20, 22)
    assert (first["job_creation"], first["job_creation_births"], first["job_creation_continuers"]) == (
        6,
        2,
        4,
    )
    assert (first["job_destruction"], first["job_destruction_deaths"]) == (10, 8)
    assert first["net_job_creation"] == -4 and first["net_job_creation_rate"] == pytest.approx(-100 * 4 / 22)
    assert (first["estabs_entry"], first["estabs_exit"], first["startups"]) == (1, 1, 1)
    assert first["entry_rate"] == pytest.approx(100 / 3) and first["exit_rate"] == pytest.approx(100 / 3)
    assert first["reallocation_rate"] == pytest.approx(100 * (6 + 10 - 4) / 22)
    second = table[2003,]
    # b gone with 4, d born with 7, e back with 5: two entries, one of which is a startup; c +1.
    assert (second["estabs_entry"], second["startups"], second["estabs_exit"]) == (2, 1, 1)
    assert (second["job_creation"], second["job_creation_births"]) == (13, 12)
    assert second["startup_rate"] == pytest.approx(100 / 3.5)


def test_cells_by_age_and_size_computed_by_hand():
    ages = by_period(flows(BY_HAND, "emp", panel=("firm", "year"), by=["age"]), "year", "age")
    assert ages[2002, "0"]["job_creation"] == 2 and ages[2002, "left censored"]["net_job_creation"] == -6
    assert ages[2003, "1"]["job_creation"] == 1  # c, born in 2002
    sizes = by_period(flows(BY_HAND, "emp", panel=("firm", "year"), by=["size"]), "year", "size")
    assert sizes[2002, "10-19"]["job_creation"] == 4  # a had 10 the year before
    assert sizes[2002, "5-9"]["job_destruction"] == 10  # b had 6, e had 8
    assert sizes[2002, "1-4"]["job_creation_births_rate"] == 200  # c, by its first size


def test_units_that_are_gone_belong_to_their_last_label():
    cells = by_period(flows(BY_HAND, "emp", panel=("firm", "year"), by=["region"]), "year", "region")
    assert cells[2003, "n"]["job_destruction_deaths"] == 4 and cells[2003, "s"]["job_creation"] == 13


def test_wide_and_long_and_every_library_give_the_same():
    long = pd.DataFrame(BY_HAND)
    wide = long.pivot(index="firm", columns="year", values="emp").add_prefix("emp_").reset_index()
    expected = flows(BY_HAND, "emp", panel=("firm", "year")).drop_columns(["year"]).to_pydict()
    schema = Schema(
        (Column("emp", "integer", 0, 100),), "firm", panel=Panel("firm", "x", "y", 2001, 2003, "long", "year")
    )
    for table in (
        flows(wide, "emp", panel=("firm",)).drop_columns(["period"]),
        flows(pl.DataFrame(BY_HAND), "emp", panel=("firm", "year")).drop_columns(["year"]),
        flows(long.sample(frac=1, random_state=1), schema=schema).drop_columns(["year"]),
    ):
        assert table.to_pydict() == expected


panels = arrays.arrays(
    float,
    st.tuples(st.integers(1, 12), st.integers(2, 6)),
    elements=st.one_of(st.just(NAN), st.just(0.0), st.integers(1, 2000).map(float)),
)


@given(panels)
def test_flows_add_up(values):
    sizes = np.nan_to_num(values)
    table = flows_of(Histories(np.arange(values.shape[1]), values, {}))
    for row in table.to_pylist():
        before, after = sizes[:, row["period"] - 1], sizes[:, row["period"]]
        assert row["net_job_creation"] == row["job_creation"] - row["job_destruction"]
        assert row["net_job_creation"] == after.sum() - before.sum()
        assert row["emp"] == after.sum() and row["denom"] == (after + before).sum() / 2
        assert row["job_creation"] == row["job_creation_births"] + row["job_creation_continuers"]
        assert row["job_destruction"] == row["job_destruction_deaths"] + row["job_destruction_continuers"]
        assert row["estabs_entry"] - row["estabs_exit"] == (after > 0).sum() - (before > 0).sum()
        assert row["startups"] <= row["estabs_entry"]
        for name in ("job_creation_rate", "job_destruction_rate", "entry_rate", "exit_rate"):
            assert 0 <= row[name] <= 200 + 1e-9
        assert row["reallocation_rate"] + 1e-9 >= 0


@given(panels, st.sampled_from([("age",), ("size",), ("age", "size"), ("kind",), ("kind", "age")]))
def test_cells_add_up_to_the_whole(values, by):
    kinds = np.repeat(np.array(["x", "y"])[np.arange(len(values)) % 2][:, None], values.shape[1], axis=1)
    histories = Histories(np.arange(values.shape[1]), values, {"kind": kinds})
    whole, parts = flows_of(histories), flows_of(histories, by)
    for row in whole.to_pylist():
        cells = [cell for cell in parts.to_pylist() if cell["period"] == row["period"]]
        assert len({tuple(cell[name] for name in by) for cell in cells}) == len(cells)
        for name in ("estabs", "emp", "denom", "estabs_entry", "estabs_exit", "startups", "job_creation"):
            assert sum(cell[name] for cell in cells) == pytest.approx(row[name])


@given(panels, st.integers(1, 1000))
def test_rates_do_not_depend_on_the_unit_of_measure(values, factor):
    one, other = (flows_of(Histories(np.arange(values.shape[1]), v, {})) for v in (values, values * factor))
    for name in ("job_creation_rate", "net_job_creation_rate", "entry_rate", "reallocation_rate"):
        np.testing.assert_allclose(one[name].to_numpy(), other[name].to_numpy(), atol=1e-9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"year": [2001] * 11}, "twice in the same period"),
        ({"year": [2001.5, *BY_HAND["year"][1:]]}, "whole numbers"),
        ({"emp": ["secret"] * 11}, "does not hold numbers"),
        ({"year": [1, *BY_HAND["year"][1:]]}, "far apart"),
    ],
)
def test_what_is_no_panel_is_refused_without_a_value(change, said):
    with pytest.raises(DataError, match=said) as caught:
        flows(BY_HAND | change, "emp", panel=("firm", "year"))
    assert "secret" not in str(caught.value)


def test_options_that_make_no_sense_are_refused():
    named = {"panel": ("firm", "year")}
    for options in (
        {"by": ["age", "age"], **named},
        {"size_ends": (5, 1), "by": ["size"], **named},
        {},
        {"schema": Schema((Column("emp", "integer", 0, 9),), "firm")},
    ):
        with pytest.raises(OptionError):
            flows(BY_HAND, "emp", **options)
    with pytest.raises(DataError, match="nowhere"):
        flows(BY_HAND, "emp", by=["nowhere"], **named)
    with pytest.raises(OptionError, match="two periods"):
        flows({"firm": [1], "year": [2001], "emp": [3]}, "emp", **named)
