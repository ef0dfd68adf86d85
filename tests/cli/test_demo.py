"""The demonstration: the whole path, with secure noise, more than once."""

import json

import pyarrow.parquet
import pytest

from quantail import TableSynthesizer
from quantail.examples import payroll_example, payroll_schema
from quantail.privacy.ledger import Ledger


def test_the_demo_leaves_a_complete_release(shop):
    done = shop.run("demo", "--out", "show", "--rows", "600", "--no-panel")
    assert done.exit_code == 0, done.output
    folder = shop.folder / "show"
    for name in (
        "payroll.parquet",
        "schema.toml",
        "plan.txt",
        "synthetic.card.html",
        "internal-evaluation.json",
        "internal-report.html",
    ):
        assert (folder / name).stat().st_size > 0
        assert str(name) in done.stdout
    card = json.loads((folder / "synthetic.card.json").read_text())
    assert card["private"] is True and card["promise"]["epsilon"] == "1"
    assert pyarrow.parquet.read_table(folder / "synthetic.parquet").num_rows == 600
    ledger = Ledger.open(folder / "payroll.ledger")
    assert ledger.left == 0 and ledger.verify(card["ledger"]["hash"]) == []
    assert "INTERNAL" in done.stdout and "What to do next" in done.stdout
    assert "Which relation differs most?" in done.stdout and "an independent sample" in done.stdout
    assert not list(folder.glob("*industry*"))


def test_the_example_is_large_enough_to_keep_what_sectors_tell():
    table, schema = payroll_example(), payroll_schema()
    made = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(table).sample(seed=1)
    real, synthetic = (each.to_pandas().groupby("sector")["payroll"].median() for each in (table, made))
    assert synthetic["manufacturing"] > 2 * synthetic["retail"]
    for sector in real.index:
        assert synthetic[sector] == pytest.approx(real[sector], rel=0.25)


def test_a_second_run_goes_to_a_new_folder_and_says_so(shop):
    shop.write("mine.txt", "keep me")
    first = {path: path.read_bytes() for path in shop.folder.rglob("*") if path.is_file()}
    done = shop.run("demo", "--out", shop.folder, "--rows", "300", "--epsilon", "2", "--no-panel")
    assert done.exit_code == 0, done.output
    assert "run-2" in done.stderr
    assert {path: path.read_bytes() for path in first} == first
    assert (shop.folder / "run-2" / "synthetic.card.md").exists()


def test_a_wrong_epsilon_leaves_no_folder_behind(shop):
    before = shop.files()
    assert shop.run("demo", "--out", "show", "--epsilon", "0").exit_code == 5
    assert shop.run("demo", "--out", "show", "--rows", "1").exit_code == 2
    assert shop.files() == before


@pytest.fixture
def small_industry(monkeypatch):
    """Make the demo's industry as small as its files may be."""
    import quantail.examples

    whole = quantail.examples.industry_example
    monkeypatch.setattr(quantail.examples, "industry_example", lambda: whole(400))


def pylist(column):
    return column.to_pylist()


def test_the_demo_shows_a_panel_with_its_trends(shop, small_industry):
    done = shop.run("demo", "--out", "show", "--rows", "300")
    assert done.exit_code == 0, done.output
    folder = shop.folder / "show"
    page = (folder / "internal-industry-report.html").read_text(encoding="utf-8")
    assert "Total staff" in page and "panel_total_error" in page
    real, made = (
        pyarrow.parquet.read_table(folder / name)
        for name in ("industry.parquet", "industry-synthetic.parquet")
    )
    assert made.num_rows == real.num_rows
    for year in (2001, 2008, 2015):  # nulls are those of the synthetic life, not of the real one
        there = [
            opened <= year <= closed
            for opened, closed in zip(*map(pylist, (made["opened"], made["closed"])), strict=False)
        ]
        assert made[f"staff_{year}"].is_valid().to_pylist() == there
    lives = [
        sorted(zip(*map(pylist, (table["opened"], table["closed"])), strict=False)) for table in (real, made)
    ]
    assert lives[0] != lives[1]
    card = json.loads((folder / "industry-synthetic.card.json").read_text())
    ledger = Ledger.open(folder / "industry.ledger")
    assert card["private"] is True and ledger.left == 0
    assert ledger.verify(card["ledger"]["hash"]) == []
    assert "Are yearly totals right?" in done.stdout and "Is job creation right?" in done.stdout
