"""The internal report: marked, complete in itself, unbreakable by names, and drawn from all rows."""

import re

import numpy as np
import pyarrow as pa
import pytest

from quantail.errors import DataError, OptionError
from quantail.evaluation import Evaluation, evaluate
from quantail.markup import escape
from quantail.report.internal import MARK, render_report, write_report
from quantail.schema import Column, Panel, Schema

NAMES = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b\u202e", "</svg></style>")


def tables(names=("sector", "jobs", "pay", "hours"), rows=300):
    made = []
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        jobs = np.floor(np.exp(rng.normal(2, 1, rows))) + 1
        columns = (
            rng.choice(["<b>north</b>", "south"], rows),
            jobs,
            jobs * np.exp(rng.normal(3, 0.5, rows)),
            rng.normal(40, 5, rows),
        )
        made.append(pa.table(dict(zip(names, columns, strict=True))))
    return made


@pytest.fixture(scope="module")
def page():
    return render_report(*tables())


def test_it_is_marked_as_internal(page):
    assert page.index("INTERNAL") < page.index("<h1")
    assert MARK in page and "<title>INTERNAL" in page


def test_it_is_complete_in_itself(page):
    assert page.startswith("<!DOCTYPE html>") and "<script" not in page
    for foreign in ("http:", "https:", "src=", "url(", "@import", "<link", "<iframe"):
        assert foreign not in page
    identities = re.findall(r' id="([^"]*)"', page)
    assert len(set(identities)) == len(identities)
    assert set(re.findall(r'href="#([^"]*)"', page)) <= set(identities)
    assert len(page.encode()) < 300_000


def test_every_column_is_drawn_and_every_measure_listed(page):
    for title in ("Shares", "Density", "Upper tail", "Quantiles"):
        assert page.count(f"<h4>{title}</h4>") == (1 if title == "Shares" else 3)
    for opening in re.findall(r"<svg[^>]*>", page):
        assert 'aria-hidden="true"' in opening or ('role="img"' in opening and 'aria-label="' in opening)
    for heading in ("Columns one by one", "Columns together", "Regressions", "Every measure"):
        assert heading in page


@pytest.mark.parametrize("names", [NAMES])
def test_names_cannot_break_it(names):
    page = render_report(*tables(names))
    assert "<script" not in page and "<img" not in page and "<b>north" not in page
    for name in names:
        assert escape(name) in page
    assert page.count("</style>") == 1
    assert page.count("<svg") == page.count("</svg>")


def test_the_same_tables_give_the_same_page(page):
    assert render_report(*tables()) == page


def test_measures_that_were_computed_already_are_not_computed_again():
    page = render_report(*tables(), measures=Evaluation(()))
    assert "No measure has a yardstick" in page


def test_the_model_adds_the_facts_of_the_release(stated):
    real, synth = (t.rename_columns(["region", "jobs", "pay", "hours"]) for t in tables())
    labels = pa.array(["north"] * 300)
    real, synth = (t.set_column(0, "region", labels) for t in (real, synth))
    page = render_report(real, synth, model=stated(), measures=Evaluation(()))
    for said in (
        "Synthetic copy of payroll",
        "epsilon 0.333333333333 (1/3)",
        "firm, replace-one",
    ):
        assert said in page
    assert "SIMULATED" not in page
    assert "SIMULATED" in render_report(real, synth, model=stated(private=False), measures=Evaluation(()))


def test_formulas_choose_the_regressions(page):
    assert "hours ~ sector + log(jobs) + log(pay)" in page
    formulas = ["log(pay) ~ jobs", "quantile(0.9): pay ~ jobs"]
    asked = render_report(*tables(), formulas=formulas)
    assert "<h3>log(pay) ~ jobs</h3>" in asked and "<h3>quantile(0.9): pay ~ jobs</h3>" in asked
    assert "hours ~" not in asked
    with pytest.raises(OptionError):
        render_report(*tables(), formulas=["pay jobs"])
    given = evaluate(*tables(), formulas=["pay ~ jobs"], measures=["regressions"])
    assert "<h3>pay ~ jobs</h3>" in render_report(*tables(), measures=given)


def test_a_regression_without_an_answer_is_left_out_with_its_reason():
    page = render_report(*tables(), formulas=["logistic: pay ~ jobs"])
    assert "Difference in a coefficient of pay, jobs: logistic regression: the response must be" in page


@pytest.mark.parametrize(
    "table",
    [
        {"x": np.ones(4)},
        {"k": np.array(["a", "a"])},
        {"x": np.array([1.0, np.nan]), "y": np.array([np.nan, 2.0])},
    ],
)
def test_odd_tables_can_be_drawn(table):
    assert "INTERNAL" in render_report(table, table, measures=Evaluation(()))


def test_tables_without_common_columns_are_refused(tmp_path):
    with pytest.raises(DataError):
        write_report({"a": [1.0]}, {"b": [1.0]}, tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_it_is_written_as_utf8(tmp_path):
    table = {"größe": np.array([1.0, 2.0, 3.0])}
    write_report(table, table, tmp_path / "r.html", measures=Evaluation(()))
    assert "größe" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_panel_is_drawn_over_time():
    panel = Panel("id", "first", "last", 2000, 2003)
    schema = Schema((Column("jobs", "integer", 0, 900, grid="log"),), unit="firm", panel=panel)
    rng = np.random.default_rng(0)
    table = {"id": np.arange(60), "first": np.repeat([2000, 2001], 30), "last": np.full(60, 2003)}
    for year in range(2000, 2004):
        jobs = np.floor(rng.pareto(1.5, 60) * 5).astype(int)
        table[f"jobs_{year}"] = pa.array(jobs, mask=table["first"] > year)
    page = render_report(pa.table(table), pa.table(table), schema=schema, measures=Evaluation(()))
    for said in (
        "Over time",
        "Total jobs from 2000 to 2003",
        "jobs: creation rate",
        "Share of births still active",
    ):
        assert said in page
    assert "units, real and synthetic" in page and "60 and 60" in page
    assert "<h4>Density</h4>" in page and 'id="regressions"' not in page
