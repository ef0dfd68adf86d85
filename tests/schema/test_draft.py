"""A draft depends on names and types only, and refuses to load until a person has filled it in."""

import tomllib

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import SchemaError
from quantail.schema import CsvFormat, PanelNames, Schema, draft, header_of

CANARY = 918273.645


def frames(rows):
    columns = {
        "jobs": [7] * rows,
        "pay": [CANARY] * rows,
        "region": ["CANARY-7"] * rows,
        "open": [True] * rows,
    }
    return [pd.DataFrame(columns), pl.DataFrame(columns), pl.LazyFrame(columns), pa.table(columns)]


@pytest.mark.parametrize("frame", frames(3), ids=lambda frame: type(frame).__module__.split(".")[0])
def test_types_follow_the_stored_types(frame):
    expected = {"jobs": "integer", "pay": "numeric", "region": "category", "open": "boolean"}
    assert header_of(frame) == expected
    assert draft(frame) == draft(expected)


def test_a_draft_tells_nothing_of_values_or_rows():
    assert len({draft(frame) for rows in (1, 918) for frame in frames(rows)}) == 1
    text = draft(frames(5)[0])
    assert "918273" not in text
    assert "CANARY" not in text


@given(st.lists(st.text(st.characters(codec="utf-8")).filter(str.strip), min_size=1, unique=True))
def test_a_draft_is_toml_with_the_names_in_order(names):
    sections = tomllib.loads(draft(dict.fromkeys(names, "numeric")))["column"]
    assert [section["name"] for section in sections] == names
    assert all(not section.get("lower") and not section.get("categories") for section in sections)


def test_loading_a_draft_names_every_blank():
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(draft({"jobs": "integer", "pay": "numeric", "region": "category"}))
    assert "columns 'jobs', 'pay': lower and upper blank" in str(caught.value)
    assert "column 'region': write every label" in str(caught.value)
    assert "lower = 0" in str(caught.value)
    assert "[table]: write the name of the data set" in str(caught.value)
    assert "categories = [" in str(caught.value)


def test_a_filled_draft_loads():
    text = draft({"jobs": "integer", "region": "category"})
    text = text.replace('lower = ""', "lower = 0").replace('upper = ""', "upper = 500")
    text = text.replace('name = ""', 'name = "payroll"')
    schema = Schema.from_toml(text.replace("categories = []", 'categories = ["north"]'))
    assert schema.names == ("jobs", "region")
    assert schema.neighbours == "replace-one"
    assert schema.unsourced() == ("jobs", "region")


def test_a_column_without_a_name_is_left_out():
    text = draft({"": "integer", "pay": "numeric"})
    assert [section["name"] for section in tomllib.loads(text)["column"]] == ["pay"]
    assert "left out" in text


@pytest.mark.parametrize("bad", [7, {}, {"pay": "float"}, pd.DataFrame([[1, 2]], columns=["a", "a"])])
def test_what_cannot_be_drafted_is_a_schema_error(bad):
    with pytest.raises(SchemaError):
        draft(bad)


def test_a_type_that_nothing_tells_is_blank_and_all_blanks_are_reported_at_once():
    text = draft({"q1": "", "q2": "", "day": "date"})
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(text)
    for said in (
        "remove its section, which leaves it out",
        "columns 'q1', 'q2': write its type",
        "'day': lower and upper blank",
    ):
        assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "declared", "type_", "grid"),
    [
        ("annual_pay", "", "numeric", "log"),
        ("annualPay", "integer", "integer", "log"),
        ("NumberOfEmployees", "", "integer", "log"),
        ("zip", "", "category", None),
        ("naics_code", "integer", "category", None),
        ("pay_grade", "", "category", None),  # what a name ends with says what it is
        ("start_date", "", "date", None),
        ("ApprovalDate", "category", "date", None),  # stored as text
        ("pay", "category", "category", None),  # a declared text stays what it is
        ("height", "numeric", "numeric", "linear"),
        ("q17", "", "", "linear"),
        ("LoanNumber", "", "", "linear"),  # an amount of nothing; a case, or a count
        ("LoanNumber", "integer", "integer", "linear"),
        ("Policy No", "", "", "linear"),
        ("birth year", "", "integer", "linear"),
        ("hhid", "", "key", None),
        ("Umsatz netto", "", "numeric", "log"),
        ("Exportumsatz", "", "numeric", "log"),  # written together: it is what it ends in
        ("Beschäftigte", "", "integer", "log"),
        ("Bescha\u0308ftigte", "", "integer", "log"),  # the same, with a mark of its own
        ("Beschaeftigte", "", "integer", "log"),
        ("Gründungsjahr", "", "integer", "linear"),
        ("Gemeindeschlüssel", "integer", "category", None),
        ("Postleitzahl", "", "category", None),
        ("Steuernummer", "", "", "linear"),
        ("salaire annuel", "", "numeric", "log"),
        ("Código postal", "", "category", None),
        ("cluster", "", "", "linear"),
        ("n_claims", "", "integer", "log"),  # how many, not how much
        ("Anzahl Zimmer", "", "integer", "log"),
        ("wage_year", "", "", "linear"),  # the year of a wage, or the wage of a year
        ("wage_year", "integer", "integer", "linear"),
        ("assessed_at", "", "datetime", None),
        ("updated_at", "category", "datetime", None),  # stored as text
        ("at", "", "", "linear"),
        ("Exportquote in %", "", "numeric", "linear"),  # bounds of 0 and 100, whatever it is a part of
        ("paid_share_pct", "", "numeric", "linear"),
        ("pct_sales", "", "numeric", "linear"),
    ],
)
def test_names_suggest_types_and_log_grids_of_amounts(name, declared, type_, grid):
    (section,) = tomllib.loads(draft({name: declared}))["column"]
    assert (section["type"], section.get("grid")) == (type_, grid)


def test_rules_are_drafted_as_comments_that_are_valid_when_uncommented():
    text = draft({"income": "numeric", "wages": "numeric"})
    assert not {"identity", "inequality"} & set(tomllib.loads(text))
    lines = text.splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("# [[identity]]"))
    last = next(place for place, line in enumerate(lines) if line == '# total = "wages"')
    rules = tomllib.loads("\n".join(line.removeprefix("#") for line in lines[first : last + 1]))
    assert rules["identity"][0]["parts"] == ["wages", "rents"] and rules["inequality"][0]["part"] == "tips"


def test_forms_of_plain_csv_files_are_drafted_as_comments_that_are_valid_when_uncommented():
    lines = draft({"day": ""}, csv=CsvFormat()).splitlines()
    first = lines.index("# [csv]")
    found = tomllib.loads("\n".join(line.removeprefix("# ") for line in lines[first : first + 3]))
    assert CsvFormat(**found["csv"]) == CsvFormat(missing=("NA", "?"), dates="31/01/2020")


def test_decimals_are_drafted_as_a_comment_of_numbers_that_have_them():
    """Without the line synthetic amounts have fifteen digits, and nothing said so."""
    numeric, whole = draft({"pay": "numeric"}), draft({"jobs": "integer"})
    assert "\n# decimals = 2" in numeric and "decimals" not in whole
    uncommented = tomllib.loads(numeric.replace("# decimals", "decimals"))
    assert uncommented["column"][0]["decimals"] == 2


def test_a_form_of_csv_is_drafted_unless_it_is_plain():
    assert "csv" not in tomllib.loads(draft({"pay": ""}, csv=CsvFormat()))
    form = CsvFormat("\t", ",", "", "windows-1252")
    assert CsvFormat(**tomllib.loads(draft({"pay": ""}, csv=form))["csv"]) == form


def test_a_wide_panel_is_drafted_from_the_names_of_its_columns():
    names = ["site", "opened", "closed", "staff_2001", "staff_2003", "staff_2002", "region"]
    document = tomllib.loads(draft(dict.fromkeys(names, "integer"), panel=PanelNames("site")))
    assert {key: document["panel"][key] for key in ("layout", "entry", "exit", "start", "end")} == {
        "layout": "wide",
        "entry": "opened",
        "exit": "closed",
        "start": 2001,
        "end": 2003,
    }
    assert [section["name"] for section in document["column"]] == ["staff", "region"]


def test_all_blanks_of_a_drafted_panel_are_named_at_once():
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(draft({"firm": "", "year": "", "emp": ""}, panel=PanelNames.of("firm, year")))
    for said in ('unit = "firm"', "start = 2001", "end = 2015", "'emp': lower and upper"):
        assert said in str(caught.value)


@pytest.mark.parametrize("text", ["", "a,b,c", "firm,"])
def test_what_does_not_name_a_panel_is_refused(text):
    with pytest.raises(SchemaError, match="firm,year"):
        PanelNames.of(text)


def test_a_panel_without_columns_of_periods_is_refused():
    with pytest.raises(SchemaError, match="staff_2001"):
        draft({"firm": "", "emp": ""}, panel=PanelNames("firm"))


@pytest.mark.parametrize(
    ("type_", "filled"),
    [
        ("category", {"categories = []": 'categories = ["a", "b"]'}),
        ("boolean", {}),
        ("numeric", {'lower = ""': "lower = 0", 'upper = ""': "upper = 9"}),
        ("date", {'lower = ""': "lower = 2020-01-01", 'upper = ""': "upper = 2020-12-31"}),
    ],
)
def test_blanks_that_do_not_belong_to_a_type_may_stay(type_, filled):
    text = draft({"q1": ""}).replace('type = ""', f'type = "{type_}"').replace('name = ""', 'name = "x"')
    for blank, value in filled.items():
        text = text.replace(blank, value)
    assert Schema.from_toml(text).column("q1").type == type_


def test_a_drafted_panel_needs_no_entry_and_exit_unless_they_are_copied():
    text = draft({"firm": "", "year": "", "emp": ""}, panel=PanelNames.of("firm,year"))
    for blank, filled in (
        ('name = ""', 'name = "x"'),
        ('lower = ""', "lower = 0"),
        ('upper = ""', "upper = 9"),
    ):
        text = text.replace(blank, filled)
    text = text.replace('start = ""', "start = 2001").replace('end = ""', "end = 2005")
    text = text.replace('unit = "" ', 'unit = "firm"')
    assert Schema.from_toml(text).panel.named == ("firm", "year")
    with pytest.raises(SchemaError, match=r"(?s)write entry = .*write exit = "):
        Schema.from_toml(text.replace('synthesis = "full"', 'synthesis = "partial"'))


def test_firms_are_drafted_with_the_relation_that_they_need():
    names = dict.fromkeys(["site", "year", "owner", "emp"], "integer")
    text = draft(names, panel=PanelNames("site", "year", "owner"))
    document = tomllib.loads(text)
    assert document["panel"]["firm"] == "owner" and document["table"]["neighbours"] == "add-remove"
    assert [section["name"] for section in document["column"]] == ["emp"]
    with pytest.raises(SchemaError, match="write establishments = 3"):
        Schema.from_toml(text)
    with pytest.raises(SchemaError, match="no column 'boss'"):
        draft(names, panel=PanelNames("site", "year", "boss"))


def test_a_kind_of_column_is_explained_where_it_comes_first():
    names = {
        "jobs": "integer",
        "pay": "numeric",
        "rent": "numeric",
        "a  # {why}": "category",
        "b": "category",
    }
    text = draft(names)
    assert tomllib.loads(text)["column"][3]["name"] == "a  # {why}"
    for said in (
        "smallest value that public rules allow",
        "how many are recorded",
        "every label as it is written",
    ):
        assert text.count(said) == 1
    assert text.count("\n# decimals = 2") == 2
    full, bare = (len(draft({name: "numeric" for name in "abcd"[:many]}).splitlines()) for many in (4, 1))
    assert full == bare + 3 * 13
