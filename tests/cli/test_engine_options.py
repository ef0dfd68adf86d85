"""`quantail synth` with an engine: folders in, folders out, with a card and a charge."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quantail.privacy import Ledger

BY = '[[column]]\nname = "region"\ntype = "category"\ncategories = ["north", "south"]\n\n'


@pytest.fixture
def grouped(shop):
    """Put a partitioned table beside its schema."""
    rng = np.random.default_rng(1)
    for region in ("north", "south"):
        folder = shop.folder / "table" / f"region={region}"
        folder.mkdir(parents=True)
        jobs = rng.integers(1, 400, 80)
        pq.write_table(pa.table({"jobs": jobs, "pay": jobs * 310.5}), folder / "part-0.parquet")
    text = shop.schema.read_text(encoding="utf-8").replace('"replace-one"', '"replace-one"\nby = ["region"]')
    shop.schema.write_text(text.replace("[[column]]", BY + "[[column]]", 1), encoding="utf-8")
    return shop


def test_a_folder_becomes_a_folder_with_a_card(grouped, monkeypatch):
    monkeypatch.chdir(grouped.folder)
    options = ("-s", grouped.schema, "-e", 2, "-l", "ledger", "-o", "out")
    done = grouped.run("synth", "table", *options, "--engine", "local", "--new-ledger")
    assert done.exit_code == 0, done.output
    assert "Wrote out" in done.output
    names = {
        path.relative_to(grouped.folder / "out").as_posix()
        for path in (grouped.folder / "out").rglob("*")
        if path.is_file()
    }
    assert names == {
        "region=north/part-0.parquet",
        "region=south/part-0.parquet",
        "_models/group-0.json",
        "_models/group-1.json",
        "_release.card.json",
        "_release.card.md",
        "_release.card.html",
        "_release.dictionary.json",
        "_release.dictionary.csv",
    }
    card = json.loads((grouped.folder / "out" / "_release.card.json").read_text(encoding="utf-8"))
    assert card["private"] and card["release"]["rows"] == 160
    assert Ledger.open("ledger").spent == 2
    again = grouped.run("synth", "table", *options, "--engine", "local")
    assert again.exit_code == 4 and "not an empty folder" in again.output
    assert Ledger.open("ledger").spent == 2


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--engine", "spark"), 2, "not known"),
        (("--engine", "dask"), 2, "scheduler"),
        (("--workers", "2"), 2, "processes"),
        (("--engine", "local", "--rows", "5"), 2, "--rows"),
        (("--engine", "local", "--model", "m.json"), 2, "--model"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_the_charge(grouped, monkeypatch, options, code, words):
    monkeypatch.chdir(grouped.folder)
    paying = ("-e", 2, "-l", "ledger", "--new-ledger")
    done = grouped.run("synth", "table", "-s", grouped.schema, *paying, "-o", "out", *options)
    assert done.exit_code == code and words in done.output
    assert not (grouped.folder / "ledger").exists()


@pytest.mark.parametrize("output", ["table", "table/out", "books"])
def test_an_output_folder_is_no_input_and_holds_no_ledger(grouped, monkeypatch, output):
    monkeypatch.chdir(grouped.folder)
    (grouped.folder / "books").mkdir()
    before = grouped.files()
    paying = ("-e", 2, "-l", "books/ledger", "--new-ledger")
    done = grouped.run("synth", "table", "-s", grouped.schema, *paying, "-o", output, "--engine", "local")
    assert done.exit_code == 4 and "choose a" in done.output
    assert grouped.files() == before


@pytest.mark.parametrize("engine", ["local", "processes"])
def test_a_ledger_copied_back_while_an_engine_works_releases_nothing(grouped, monkeypatch, engine):
    from quantail.engines import tables

    monkeypatch.chdir(grouped.folder)
    ledger = Ledger.create("ledger", "payroll", 2)
    backup, honest = ledger.path.read_bytes(), tables._fitted

    def copied_back(*parts):
        ledger.path.write_bytes(backup)
        return honest(*parts)

    monkeypatch.setattr(tables, "_fitted", copied_back)  # all groups are decided, the card is not written yet
    before = grouped.files()
    for _ in range(3):
        done = grouped.run(
            "synth", "table", "-s", grouped.schema, "-e", 2, "-l", "ledger", "-o", "out", "--engine", engine
        )
        assert done.exit_code == 6, done.output
        assert "record 2 is missing" in done.stderr and "nothing released" in done.stderr
        assert grouped.files() == before


def test_a_run_of_an_engine_that_fails_after_the_charge_says_so(grouped, monkeypatch):
    from quantail.engines import tables

    monkeypatch.chdir(grouped.folder)

    def fail(*parts):
        raise RuntimeError

    monkeypatch.setattr(tables, "_fitted", fail)
    before = grouped.files()
    paying = ("-e", 2, "-l", "ledger", "--new-ledger")
    done = grouped.run("synth", "table", "-s", grouped.schema, *paying, "-o", "out", "--engine", "local")
    assert done.exit_code == 70 and "nothing released; record 2 is marked failed" in done.stderr
    assert grouped.files() - before == {"ledger"}
    assert [entry.status for entry in Ledger.open("ledger").entries()][-1] == "failed"


PANEL = """\
[table]
name = "plants"
unit = "establishment"
neighbours = "replace-one"
by = ["region"]

[panel]
unit = "id"
entry = "first"
exit = "last"
start = 2000
end = 2001

[[column]]
name = "region"
type = "category"
categories = ["north", "south"]

[[column]]
name = "emp"
type = "integer"
lower = 0
upper = 500
"""


@pytest.mark.parametrize(
    ("again", "words"), [(3.0, "a unit is in region=north and in region=south"), (None, "")]
)
def test_a_unit_in_two_partitions_of_a_panel_is_refused_with_nothing_charged(shop, again, words):
    schema = shop.write("panel.toml", PANEL)
    south = [*range(100, 129), 129 if again is None else again]
    for region, ids in (("north", list(range(30))), ("south", [float(name) for name in south])):
        folder = shop.folder / "panel" / f"region={region}"
        folder.mkdir(parents=True)
        years = {"first": [2000] * 30, "last": [2001] * 30}
        values = {"emp_2000": list(range(30)), "emp_2001": list(range(30))}
        pq.write_table(pa.table({"id": ids, **years, **values}), folder / "part-0.parquet")
    before = shop.files()
    paying = ("-e", 1, "-l", "ledger", "--new-ledger")
    done = shop.run("synth", "panel", "-s", schema, *paying, "-o", "out", "--engine", "local")
    if again is None:
        assert done.exit_code == 0, done.output
        assert Ledger.open("ledger").spent == 1
        return
    assert done.exit_code == 4 and words in " ".join(done.output.split())
    assert shop.files() == before  # no ledger, no output, nothing hidden


def test_one_wrong_value_in_the_last_partition_is_refused_with_nothing_charged(grouped):
    path = grouped.folder / "table" / "region=south" / "part-0.parquet"
    table = pq.read_table(path, partitioning=None)
    jobs = pa.array([*table["jobs"].to_pylist()[:-1], None])
    pq.write_table(table.set_column(0, "jobs", jobs), path)
    before = grouped.files()
    paying = ("-e", 1, "-l", "ledger", "--new-ledger")
    done = grouped.run("synth", "table", "-s", grouped.schema, *paying, "-o", "out", "--engine", "local")
    assert done.exit_code == 4 and "region=south: column 'jobs' holds missing values" in done.output
    assert "nothing was charged" in done.output and grouped.files() == before
