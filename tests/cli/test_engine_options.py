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
