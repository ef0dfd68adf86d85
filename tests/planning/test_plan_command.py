"""`quantail plan`: what it prints, writes and refuses."""

import json
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from quantail.cli import app
from quantail.panel import PanelSynthesizer
from quantail.schema import Column, Panel, Schema


@pytest.fixture
def run(tmp_path, pay_schema, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pay_schema.save("schema.toml")
    return lambda *words: CliRunner().invoke(
        app, ["plan", "-s", "schema.toml", "-q", *words], env={"COLUMNS": "120"}
    )


def test_errors_stand_below_the_budget(run):
    shown = run("-n", "200", "-e", "1")
    assert shown.exit_code == 0, shown.output
    assert "100.0%" in shown.stdout and "Errors to expect at epsilon 1" in shown.stdout
    for word in ("noise in ranks", "q50", "q90", "q99", " to "):
        assert word in shown.stdout
    assert "5 made-up tables of 200 rows, shape lognormal:1" in shown.stderr.replace("\n", " ")


def test_the_budget_alone_is_shown_on_request_and_where_rows_are_few(run):
    alone = run("-n", "200", "-e", "1", "--tables", "0")
    few = run("-n", "10", "-e", "1")
    for shown in (alone, few):
        assert shown.exit_code == 0 and "Errors" not in shown.stdout and "100.0%" in shown.stdout
    assert "No errors are stated" in few.stderr


def test_predictors_are_asked_for_where_no_column_names_them(run):
    columns = [Column(f"x{k}", "numeric", 0, 1e6, grid="log") for k in range(12)]
    Schema(tuple(columns), unit="firm").save("schema.toml")
    assert "No column names its predictors" in run("-n", "8000", "-e", "1", "--tables", "0").stderr
    columns[1] = replace(columns[1], predictors=("x0",))
    Schema(tuple(columns), unit="firm").save("schema.toml")
    assert "predictors" not in run("-n", "8000", "-e", "1", "--tables", "0").stderr


def test_json_holds_plan_expectation_and_solution(run):
    shown = run("-n", "200", "--target", "q50 within 80%", "--shape", "exponential", "--json")
    form = json.loads(shown.stdout)
    assert set(form) == {"hash", "plan", "terms", "expectation", "solution"}
    assert form["solution"]["reached"] and form["expectation"]["epsilon"] == form["solution"]["epsilon"]
    assert form["expectation"]["shape"] == "exponential" and form["expectation"]["coverage"] == 0.9
    (column,) = form["expectation"]["columns"]
    assert column["errors"]["q50"]["high"] <= 0.8


def test_a_page_is_one_file_that_asks_nothing_of_a_network(run, tmp_path):
    name = "</script> & <b>pay</b>"
    schema = tmp_path / "schema.toml"
    schema.write_text(schema.read_text().replace('"pay"', f'"{name}"'))
    shown = run("-n", "100", "--sweep", "0.5:2", "--report", "plan.html")
    assert shown.exit_code == 0, shown.output
    page = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert page.count('role="img"') == 3 and page.count("<svg") == 3 + page.count('aria-hidden="true"')
    assert "<b>" not in page and "&lt;/script&gt;" in page
    assert not re.findall(r"""src=|href="(?!#)|url\(|@import|<script""", page)
    assert run("-n", "100", "--sweep", "0.5:2", "--report", "plan.html").exit_code == 4  # exists already


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ((), "--epsilon"),
        (("-e", "1", "--shape", "normal"), "shape"),
        (("-e", "1", "--tables", "2"), "at least 3"),
        (("--target", "good"), "target"),
        (("--sweep", "1"), "sweep"),
    ],
)
def test_what_has_no_meaning_is_refused(run, options, word):
    shown = run("-n", "100", *options)
    assert shown.exit_code == 2 and word in shown.stderr


@pytest.mark.parametrize("by", [(), ("region",)])
def test_a_panel_shows_its_budget_and_says_what_it_cannot_show(run, by):
    region = (Column("region", "category", categories=("north", "south")),) if by else ()
    panel = Schema(
        (*region, Column("jobs", "integer", 0, 500, grid="log")),
        unit="firm",
        by=by,
        panel=Panel("id", "first", "last", 2001, 2004),
    )
    panel.save("schema.toml")
    rows = ("-n", "north=80", "-n", "south=40") if by else ("-n", "80")
    shown = run(*rows, "-e", "1", "--json")
    assert json.loads(shown.stdout)["hash"] == PanelSynthesizer(panel, 1).terms(120 if by else 80).hash()
    refused = run(*rows, "--sweep", "0.5:2")
    assert refused.exit_code == 2 and "--sweep does not go with a panel" in refused.output
