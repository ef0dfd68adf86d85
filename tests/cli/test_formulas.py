"""Labels that a spreadsheet would run as formulas: kept as they are, and said by `check`, `synth` and the card."""

import json

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quantail.io import read_table, write_table
from quantail.schema import Column, Panel, Schema, formula_columns, is_formula

RUN = ["=1+1", "=cmd|' /C calc'!A0", "+SUM(A1)", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "- none", "+"]
PLAIN = ["a", "a=b", "-8", "+5", "-1e3", "-.5", " =1", "north"]


@pytest.mark.parametrize("text", RUN)
def test_what_a_spreadsheet_runs_is_noticed(text):
    schema = Schema(
        (Column("k", "category", categories=(text, "b")), Column("pay", "numeric", 0, 9)), unit="firm"
    )
    assert is_formula(text) and formula_columns(schema) == ("k",)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_texts_and_numbers_are_not(text):
    schema = Schema(
        (Column("k", "category", categories=(text, "b")), Column("pay", "numeric", 0, 9)), unit="firm"
    )
    assert not is_formula(text) and formula_columns(schema) == ()


@pytest.fixture
def firms(shop):
    columns = (
        Column("k", "category", categories=("=1+1", "b"), source="law"),
        Column("pay", "numeric", 0, 9, source="law"),
    )
    Schema(columns, unit="firm", name="payroll").save("s.toml")
    pq.write_table(pa.table({"k": ["=1+1", "b"] * 30, "pay": np.arange(60) % 8.0}), "t.parquet")
    return shop


def test_check_synth_and_the_card_say_it_and_values_are_kept(firms):
    assert (
        "column 'k' holds text that begins with =" in firms.run("check", "t.parquet", "-s", "s.toml").stderr
    )
    done = firms.run("synth", "t.parquet", "-s", "s.toml", "-e", "1", "--no-ledger", "-o", "o.csv")
    assert done.exit_code == 0 and "column 'k' holds text that begins with =" in done.stderr
    assert set(read_table("o.csv")["k"].to_pylist()) <= {"=1+1", "b"}
    card = json.loads((firms.folder / "o.card.json").read_text())
    assert any("spreadsheets run as a formula" in line and "k" in line for line in card["use"])


def test_nothing_is_said_where_there_is_nothing_to_say(shop):
    done = shop.run("synth", shop.table, "-s", shop.schema, "-e", "1", "--no-ledger", "-o", "o.csv")
    assert done.exit_code == 0 and "formula" not in done.output
    assert "formula" not in (shop.folder / "o.card.json").read_text()


def test_check_looks_at_public_texts_of_a_panel(shop):
    panel = Panel("id", "first", "last", 2000, 2001, source="register", synthesis="partial")
    columns = (
        Column("county", "category", public=True, source="law"),
        Column("emp", "integer", 0, 9, source="law"),
    )
    Schema(columns, unit="plant", name="plants", panel=panel).save("p.toml")
    rows = {"id": ["=a", "b"], "first": [2000, 2000], "last": [2001, 2001], "county": ["x", "@y"]}
    pq.write_table(pa.table({**rows, "emp_2000": [1, 2], "emp_2001": [1, 2]}), "p.parquet")
    told = shop.run("check", "p.parquet", "-s", "p.toml").stderr
    assert "column 'id' holds text" in told and "column 'county' holds text" in told and "'emp'" not in told


def test_excel_files_mark_such_texts_and_names_as_text(tmp_path):
    write_table(pa.table({"=k": ["=1+1", "b"]}), tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets[0]
    assert [cell.data_type for row in sheet.iter_rows() for cell in row] == ["s", "s", "s"]
