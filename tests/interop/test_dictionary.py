"""The data dictionary: every column of a released file, in types that pandas, R and Stata readers take."""

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from quantail import Column, PanelSynthesizer, Schema, TableSynthesizer, write_table
from quantail.examples import industry_example, industry_schema, payroll_example, payroll_schema
from quantail.frames import confidential_panel, release_panel
from quantail.interop.dictionary import READ_AS, data_dictionary, dictionary_csv
from quantail.schema import CsvFormat, Panel
from quantail.schema.column_types import ColumnType


def test_every_type_is_known() -> None:
    assert set(READ_AS) == set(get_args(ColumnType))


def test_it_names_the_columns_of_the_released_file_in_order() -> None:
    table = TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(payroll_example(60)).sample()
    panel = (
        PanelSynthesizer(industry_schema(), 1, noise="simulated", seed=1).fit(industry_example(60)).sample()
    )
    for made, schema in ((table, payroll_schema()), (panel, industry_schema())):
        assert [entry["name"] for entry in data_dictionary(schema)["columns"]] == made.column_names


@pytest.mark.parametrize("synthesis", ["full", "partial"])
def test_ids_periods_and_groups_are_public_only_where_they_are_kept(synthesis) -> None:
    schema = Schema(
        (Column("trade", "category", categories=("a", "b")), Column("staff", "integer", 0, 9)),
        "firm",
        by=("trade",),
        panel=Panel("site", "opened", "closed", 2001, 2001, synthesis=synthesis),
    )
    public = [entry["name"] for entry in data_dictionary(schema)["columns"] if entry["public"]]
    assert public == ([] if synthesis == "full" else ["site", "opened", "closed", "trade"])


def test_periods_of_a_wide_panel_may_be_missing() -> None:
    entries = data_dictionary(industry_schema())["columns"]
    made = release_panel(confidential_panel(industry_example(60), industry_schema()))
    empty = {name for name in made.column_names if made[name].null_count}
    assert empty and empty <= {entry["name"] for entry in entries if entry["may_be_missing"]}
    assert not entries[0]["may_be_missing"]


def test_json_and_csv_say_the_same_and_hostile_names_stay_in_their_cells() -> None:
    name = "pay,\"'; DROP"
    columns = (
        Column(name, "numeric", 0, 9, label="=1+1", missing=True, missing_codes=(-8, -9), decimals=2),
        Column("sex", "category", categories=("f", "m"), source="form 3"),
        Column("big", "integer", 0, 10**12),
    )
    schema = Schema(columns, "person", name="survey")
    entries = data_dictionary(schema)["columns"]
    rows = list(csv.DictReader(io.StringIO(dictionary_csv(schema))))
    assert [row["name"] for row in rows] == [name, "sex", "big"] and rows[0]["missing_codes"] == "-8 | -9"
    assert rows[1]["labels"] == "f | m" and rows[0]["may_be_missing"] == "true"
    assert (entries[2]["r"], entries[2]["stata"]) == ("numeric", "double")  # no integer of R holds it
    assert json.loads(json.dumps(entries)) == entries


def test_pandas_reads_a_file_by_its_dictionary(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    schema = payroll_schema()
    made = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(payroll_example(60)).sample()
    write_table(made, tmp_path / "synthetic.csv")
    types = {entry["name"]: entry["pandas"] for entry in data_dictionary(schema)["columns"]}
    frame = pandas.read_csv(tmp_path / "synthetic.csv", dtype=types)
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == types


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_a_file_by_its_dictionary(tmp_path: Path) -> None:
    schema = payroll_schema()
    made = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(payroll_example(60)).sample()
    write_table(made, tmp_path / "synthetic.csv")
    (tmp_path / "synthetic.dictionary.csv").write_text(dictionary_csv(schema))
    code = """
    d <- read.csv("synthetic.dictionary.csv", colClasses = "character")
    x <- read.csv("synthetic.csv", colClasses = setNames(d$r, d$name))
    cat(nrow(x), sapply(x, class), sep = "\\n")
    """
    run = subprocess.run(["Rscript", "-e", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["60", "factor", "integer", "numeric"]


def test_bounds_and_codes_are_written_with_all_their_digits() -> None:
    """Six digits made 1234567 of them 1.23457e+06, and a code that no value has."""
    columns = (
        Column("pay", "numeric", -0.1234567, 1234567.25, missing_codes=(-1000000001,), atoms=(1234567,)),
    )
    schema = Schema(columns, "person")
    row = next(csv.DictReader(io.StringIO(dictionary_csv(schema))))
    assert (row["lower"], row["upper"], row["missing_codes"]) == ("-0.1234567", "1234567.25", "-1000000001")
    assert "1234567.25" in schema._repr_html_() and "atoms 1234567" in schema._repr_html_()


def test_it_says_how_a_csv_file_is_written() -> None:
    schema = Schema((Column("pay", "numeric", 0, 1),), "person", csv=CsvFormat(";", ",", missing=("k.A.",)))
    told = data_dictionary(schema)
    assert told["missing"] == "k.A."
    assert told["csv"] == {"separator": ";", "decimal": ",", "encoding": "utf-8", "dates": "2020-01-31"}
    assert data_dictionary(payroll_schema())["csv"]["separator"] == ","
