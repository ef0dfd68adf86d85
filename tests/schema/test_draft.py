"""A draft depends on names and types only, and refuses to load until a person has filled it in."""

import tomllib

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import SchemaError
from quantail.schema import Schema, draft, header_of

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
    assert all(section["lower"] == section["upper"] == "" for section in sections)


def test_loading_a_draft_names_every_blank():
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(draft({"jobs": "integer", "pay": "numeric", "region": "category"}))
    for name in ("jobs", "pay", "region"):
        assert f"column '{name}'" in str(caught.value)
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


def test_a_blank_type_is_drafted_blank_and_all_blanks_are_reported_at_once():
    text = draft({"region": "", "pay": "", "day": "date"})
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(text)
    for said in ("'region': write its type", "'pay': write its type", "'day': lower and upper blank"):
        assert said in str(caught.value)


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
    text = draft({"pay": ""}).replace('type = ""', f'type = "{type_}"').replace('name = ""', 'name = "x"')
    for blank, value in filled.items():
        text = text.replace(blank, value)
    assert Schema.from_toml(text).column("pay").type == type_
