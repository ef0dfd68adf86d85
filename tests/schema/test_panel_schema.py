"""The panel section: complete, unambiguous, and the same after writing and reading back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import SchemaError
from quantail.schema import Column, Panel, Schema

LBD = """\
[table]
unit = "establishment"
neighbours = "replace-one"
by = ["sic3"]

[panel]
layout = "wide"
synthesis = "partial"
unit = "lbdnum"
entry = "firstyear"
exit = "lastyear"
start = 1976
end = 2000

[[column]]
name = "sic3"
type = "category"
categories = ["178", "239"]
public = true

[[column]]
name = "mu"
type = "integer"
public = true

[[column]]
name = "emp"
type = "integer"
lower = 0
upper = 2000
grid = "log"

[[column]]
name = "pay"
type = "numeric"
lower = 0
upper = 100000
decimals = 1
"""

PANEL = Panel("id", "first", "last", 2000, 2004, synthesis="partial")
EMP = Column("emp", "integer", 0, 2000)


def schema(*columns, panel=PANEL, **options):
    return Schema(columns or (EMP,), "establishment", panel=panel, **options)


def test_the_file_of_an_establishment_panel_is_canonical_and_read_in_full():
    read = Schema.from_toml(LBD)
    assert read.panel == Panel("lbdnum", "firstyear", "lastyear", 1976, 2000, synthesis="partial")
    assert read.to_toml() == LBD
    assert [column.name for column in read.confidential] == ["emp", "pay"]
    assert len(read.panel.stored_as("emp")) == 25
    assert read.panel.stored_as("emp")[-1] == "emp_2000"


@given(
    start=st.integers(-50, 50),
    count=st.integers(1, 40),
    long=st.booleans(),
    public=st.booleans(),
)
def test_writing_and_reading_back_is_the_identity(start, count, long, public):
    kind = {"synthesis": "partial"} if public else {"attributes": ("mu",), "gaps": True}
    layout = ("long", "t") if long else ("wide", "")
    panel = Panel('i"d', "a", "b", start, start + count - 1, *layout, **kind)
    made = schema(
        Column("mu", "category", categories=("0", "1"), public=public),
        replace(EMP, name="jobs"),
        panel=panel,
    )
    again = Schema.from_toml(made.to_toml())
    assert again == made
    assert again.fingerprint() == made.fingerprint()
    assert len(again.panel.periods) == count


def test_a_schema_without_a_panel_writes_what_it_always_wrote():
    text = Schema((EMP,), "firm").to_toml()
    assert "panel" not in text
    assert "public" not in text


def test_the_panel_is_part_of_the_fingerprint():
    prints = {
        made.fingerprint()
        for made in (
            Schema((EMP,), "establishment"),
            schema(),
            schema(panel=replace(PANEL, end=2005)),
            schema(panel=replace(PANEL, layout="long", time="year")),
        )
    }
    assert len(prints) == 4


def test_grouping_columns_are_public_whether_or_not_they_say_so():
    sic = Column("sic3", "category", categories=("178",))
    silent = schema(sic, EMP, by=("sic3",))
    assert silent == schema(replace(sic, public=True), EMP, by=("sic3",))
    assert silent.column("sic3").public
    assert Schema((sic, EMP), "firm", by=("sic3",)).column("sic3").public is False


def test_public_columns_need_no_bounds_and_confidential_ones_still_do():
    blank = LBD.replace("lower = 0\nupper = 2000\n", 'lower = ""\n')
    with pytest.raises(SchemaError, match=r"column 'emp': lower and upper blank"):
        Schema.from_toml(blank)
    assert Schema.from_toml(LBD).column("mu").lower is None


BAD_PANELS = {
    "no exit": ({"exit": ""}, "exit"),
    "unit twice": ({"exit": "id"}, "names a column twice"),
    "reversed": ({"start": 2005}, "start is after end"),
    "fraction": ({"start": 2000.5}, "start must be a whole number"),
    "month and year": ({"start": "2020-01"}, "written in different ways"),
    "month and quarter": ({"start": "2020-01", "end": "2020Q4"}, "written in different ways"),
    "no month": (
        {"start": "2020-13", "end": "2021-01"},
        "start must be a whole number, or a month or quarter",
    ),
    "week": ({"start": "2020-W01", "end": "2021-W01"}, "weeks and days are numbered"),
    "months as numbers": ({"start": 202011, "end": 202102}, 'start = "202011", end = "202102"'),
    "months reversed": ({"start": "2021-01", "end": "2020-12"}, "start is after end"),
    "truth value": ({"end": True}, "end must be a whole number"),
    "too long": ({"end": 4000}, "more than 1000 periods"),
    "layout": ({"layout": "tall"}, "wide, long"),
    "long without time": ({"layout": "long"}, "time"),
    "wide with time": ({"time": "year"}, 'time belongs to layout = "long"'),
    "not text": ({"unit": 3}, "unit is not text"),
}


@pytest.mark.parametrize("case", BAD_PANELS)
def test_a_contradictory_panel_is_refused(case):
    change, said = BAD_PANELS[case]
    with pytest.raises(SchemaError, match=said):
        replace(PANEL, **change)


@pytest.mark.parametrize(
    ("start", "end", "stored"),
    [
        ("2020-11", "2021-01", ("2020-11", "2020-12", "2021-01")),
        ("202011", "202101", ("202011", "202012", "202101")),
        ("2020-11-01", "2021-01-01", ("2020-11-01", "2020-12-01", "2021-01-01")),
        ("2020_11", "2021_01", ("2020_11", "2020_12", "2021_01")),
        ("2020M11", "2021M01", ("2020M11", "2020M12", "2021M01")),
        ("2020Q3", "2021Q1", ("2020Q3", "2020Q4", "2021Q1")),
        ("2020-Q3", "2021-Q1", ("2020-Q3", "2020-Q4", "2021-Q1")),
    ],
)
def test_months_and_quarters_are_named_as_the_table_names_them(start, end, stored):
    monthly = replace(PANEL, start=start, end=end)
    assert monthly.stored_as("emp") == tuple(f"emp_{period}" for period in stored)
    assert len(monthly.periods) == 3
    assert monthly.until(monthly.last - 1).end == stored[1]
    assert Schema.from_toml(schema(panel=monthly).to_toml()).panel == monthly


def test_a_date_of_toml_names_a_month():
    text = LBD.replace("start = 1976", "start = 1976-01-01").replace("end = 2000", "end = 1977-12-01")
    panel = Schema.from_toml(text).panel
    assert panel.start == "1976-01-01"
    assert len(panel.periods) == 24


BAD_SCHEMAS = {
    "described twice": ((EMP, Column("first", "integer", 0, 1)), {}, "is named in \\[panel\\] already"),
    "confidential labels": ((Column("x", "category", categories=("a",)), EMP), {}, "numeric or integer"),
    "nothing confidential": ((replace(EMP, lower=None, upper=None, public=True),), {}, "nothing is left"),
    "name of a period": ((EMP, Column("emp_2001", "integer", public=True)), {}, "'emp_2001' would stand"),
    "unit's name is a period": (
        (Column("i", "integer", 0, 1),),
        {"panel": replace(PANEL, unit="i_2003")},
        "'i_2003' would stand",
    ),
    "add-remove": ((EMP,), {"neighbours": "add-remove"}, "partial synthesis keeps the units"),
    "groups without labels": (
        (Column("g", "category", public=True), EMP),
        {"by": ("g",)},
        "needs its labels",
    ),
    "public in a table": ((EMP, Column("mu", "integer", public=True)), {"panel": None}, "no lower and upper"),
    "rich kinds": ((EMP, Column("mu", "boolean", public=True)), {}, "columns of a panel are"),
    "bounds of a public one": ((EMP, Column("mu", "integer", 0, 1, public=True)), {}, "kept as it is"),
}


@pytest.mark.parametrize("case", BAD_SCHEMAS)
def test_columns_that_do_not_suit_a_panel_are_refused(case):
    columns, options, said = BAD_SCHEMAS[case]
    with pytest.raises(SchemaError, match=said):
        schema(*columns, **options)


FULL = Panel("id", start=2000, end=2004)
REGION = Column("region", "category", categories=("north", "south"))


def test_full_synthesis_is_the_default_and_needs_no_columns_of_entry_and_exit():
    made = schema(REGION, EMP, panel=replace(FULL, attributes=["region"]), neighbours="add-remove")
    assert made.panel.is_full and made.panel.named == ("id",)
    assert [column.name for column in made.histories] == ["emp"]
    assert made.panel.stored_as("region") == ("region",)
    assert Schema.from_toml(made.to_toml()) == made


BAD_FULL = {
    "public": ((replace(REGION, public=True), EMP), {}, "copies nothing of a unit"),
    "labels with a history": ((REGION, EMP), {}, "list it in \\[panel\\] attributes"),
    "unknown attribute": ((EMP,), {"attributes": ("region",)}, "lists 'region', which is not a category"),
    "number as attribute": ((EMP, replace(EMP, name="jobs")), {"attributes": ("jobs",)}, "lists 'jobs'"),
    "attributes only": ((REGION,), {"attributes": ("region",)}, "no column has a history"),
    "missing lead": ((replace(EMP, missing=True),), {}, "without missing values"),
}


@pytest.mark.parametrize("case", BAD_FULL)
def test_columns_that_do_not_suit_full_synthesis_are_refused(case):
    columns, options, said = BAD_FULL[case]
    with pytest.raises(SchemaError, match=said):
        schema(*columns, panel=replace(FULL, **options))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gaps": True}, "full synthesis only"),
        ({"attributes": ("region",)}, "belong to full synthesis"),
        ({"synthesis": "half"}, "full, partial"),
    ],
)
def test_partial_synthesis_has_neither_gaps_nor_attributes(change, said):
    with pytest.raises(SchemaError, match=said):
        replace(PANEL, **change)


def test_a_range_of_periods_is_needed():
    with pytest.raises(SchemaError, match="write the first period"):
        Panel("id")


def test_a_period_of_a_long_panel_may_be_a_columns_name():
    long = replace(PANEL, layout="long", time="year")
    assert schema(EMP, Column("emp_2001", "integer", public=True), panel=long).panel == long


BAD_FILES = {
    "unknown key": ("start = 1976", "begin = 1976", "unknown key 'begin'"),
    "near miss": ("exit =", "exits =", "did you mean 'exit'"),
    "missing": ('entry = "firstyear"\n', "", "no entry"),
    "blank": ("start = 1976", 'start = ""', r"\[panel\]: write start = 2001"),
    "twice": ("[panel]", "[[panel]]", "single brackets"),
    "public is text": (
        'name = "mu"\ntype = "integer"\npublic = true',
        'name = "mu"\ntype = "integer"\nlower = 0\nupper = 1\npublic = "yes"',
        "true or false",
    ),
    "bounds of a public column": ('name = "mu"\n', 'name = "mu"\nlower = 0\n', "remove lower"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_mistakes_in_the_file_are_told_precisely(case):
    old, new, said = BAD_FILES[case]
    assert old in LBD
    with pytest.raises(SchemaError, match=said):
        Schema.from_toml(LBD.replace(old, new, 1))
