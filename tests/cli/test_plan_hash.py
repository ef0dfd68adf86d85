"""What was agreed on is what was run: `plan`, the ledger, the model and the card state one hash."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from quantail.cli import app
from quantail.privacy import Ledger
from quantail.report import render_html, render_markdown
from quantail.schema import Column, Panel, Schema

REGIONS = ("north", "south", "west")
PAY = Column("pay", "numeric", 0, 1000, decimals=0)
NUMBERS = Schema((PAY, Column("jobs", "integer", 0, 90)), unit="firm", name="firms")


def grouped(**more):
    region = Column("region", "category", categories=REGIONS)
    return Schema((region, PAY), unit="firm", name="firms", by=("region",), **more)


def rows(sizes=(60, 50, 40)):
    rng = np.random.default_rng(3)
    total = sum(sizes)
    numbers = {"pay": rng.integers(1, 900, total), "jobs": rng.integers(0, 80, total)}
    return pa.table({"region": np.repeat(REGIONS, sizes), **numbers})


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, done.output
        return done

    return run


def agreed(run, schema, *options):
    schema.save("schema.toml")
    return json.loads(run("plan", "-s", "schema.toml", *options, "--tables", "0", "--json").stdout)["hash"]


def stated(card_name="out.card"):
    """Return the hash of the ledger and of all forms of the card, which must be one."""
    card = json.loads(Path(f"{card_name}.json").read_text())
    found = card["budget"]["plan_hash"]
    for page in (Path(f"{card_name}.md").read_text(), Path(f"{card_name}.html").read_text()):
        assert found in page
    assert render_markdown(card) and render_html(card)
    (charge,) = [entry for entry in Ledger.open("the.ledger").entries() if entry.kind == "charge"]
    assert charge.plan_hash == found
    assert card["ledger"]["hash"] == charge.hash
    return found


CASES = {
    "a table": (NUMBERS, (60, 50, 40), ()),
    "groups": (grouped(), (60, 50, 40), ()),
    "an empty group": (grouped(), (80, 70, 0), ()),
    "merged groups": (grouped(merge_below=60), (90, 30, 30), ()),
    "add-remove": (grouped(neighbours="add-remove"), (60, 50, 40), ()),
    "zcdp": (NUMBERS, (60, 50, 40), ("--definition", "zcdp", "--delta", "1e-6")),
    "several fits": (grouped(), (80, 70, 0), ("--fits", "3")),
    "the paper's order": (
        NUMBERS,
        (60, 50, 40),
        ("--method", "stepwise", "--slopes", "varying", "--draw", "quantiles"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_plan_ledger_model_and_card_state_one_hash(run, case):
    schema, sizes, options = CASES[case]
    pq.write_table(rows(sizes).select(list(schema.names)), "table.parquet")
    planned = agreed(run, schema, "-n", sum(sizes), "-e", "1", *options)
    unit = "rho" if "zcdp" in options else "epsilon"
    run("ledger", "init", "the.ledger", "--dataset", "firms", "--limit", "9", "--unit", unit)
    model = () if "--fits" in options else ("--model", "model.json")
    paid = ("-e", "1", "-l", "the.ledger", "-o", "out.parquet", *options, *model)
    run("synth", "table.parquet", "-s", "schema.toml", *paid)
    assert stated() == planned
    if model:
        assert json.loads(Path("model.json").read_text())["plan_hash"] == planned
        run("sample", "model.json", "-o", "more.parquet", "-n", "10")
        assert json.loads(Path("more.card.json").read_text())["budget"]["plan_hash"] == planned


def test_group_sizes_and_their_total_are_agreed_on_alike(run):
    total = agreed(run, grouped(), "-n", "150", "-e", "1")
    assert agreed(run, grouped(), "-n", "north=60", "-n", "south=50", "-n", "west=40", "-e", "1") == total


def released_by_an_engine(run, dataset):
    """Release a folder by an engine; return the plan hash of the card, and that of every model."""
    run("ledger", "init", "the.ledger", "--dataset", dataset, "--limit", "1")
    paying = ("-e", "1", "-l", "the.ledger")
    run("synth", "folder", "-s", "schema.toml", *paying, "-o", "out", "--engine", "local")
    models = [json.loads(path.read_text()) for path in Path("out/_models").glob("*.json")]
    return stated("out/_release.card"), [model["plan_hash"] for model in models]


@pytest.mark.parametrize("sizes", [(60, 50, 40), (80, 70, 0)], ids=str)
def test_an_engine_states_the_hash_that_was_agreed_on(run, sizes):
    schema = grouped()
    table = rows(sizes).select(["region", "pay"])
    for region in REGIONS:
        part = table.filter(pa.compute.equal(table["region"], region)).drop_columns(["region"])
        Path(f"folder/region={region}").mkdir(parents=True)
        pq.write_table(part, f"folder/region={region}/part-0.parquet")
    planned = agreed(run, schema, "-n", sum(sizes), "-e", "1")
    card, models = released_by_an_engine(run, "firms")
    assert card == planned and set(models) == {planned}


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_panel_in_an_engine_states_the_hash_that_was_agreed_on(run, layout):
    long = {"layout": "long", "time": "year"} if layout == "long" else {}
    panel = Panel("id", "first", "last", 2000, 2002, source="register", **long)
    region = Column("region", "category", categories=REGIONS, source="code book")
    columns = (region, Column("emp", "integer", 0, 90, source="law"))
    schema = Schema(columns, unit="plant", name="plants", by=("region",), panel=panel)
    for place, region in enumerate(REGIONS[:2]):
        ids = np.arange(30) + 100 * place
        years = {f"emp_{year}": 3 + ids % 7 for year in range(2000, 2003)}
        if layout == "long":
            ids = np.repeat(ids, 3)
            years = {"year": np.tile([2000, 2001, 2002], 30), "emp": 3 + ids % 7}
        part = pa.table(
            {"id": ids, "first": np.full(ids.size, 2000), "last": np.full(ids.size, 2002), **years}
        )
        Path(f"folder/region={region}").mkdir(parents=True)
        pq.write_table(part, f"folder/region={region}/part-0.parquet")
    planned = agreed(run, schema, "-n", "60", "-e", "1")
    card, models = released_by_an_engine(run, "plants")
    assert card == planned and models == [planned, planned]
