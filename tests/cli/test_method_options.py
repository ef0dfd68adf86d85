"""--method, --slopes and --draw: passed on, and refused where they have no meaning."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from quantail.cli import app
from quantail.examples import paper_schema, paper_split


@pytest.fixture
def files(tmp_path):
    train, _ = paper_split(1)
    pq.write_table(
        pa.table({name: values[:300] for name, values in train.items()}), tmp_path / "table.parquet"
    )
    paper_schema().save(tmp_path / "schema.toml")
    return tmp_path


def run(files, command, *options):
    table = [] if command == "plan" else [str(files / "table.parquet")]
    return CliRunner().invoke(app, [command, *table, "-s", str(files / "schema.toml"), "-e", "1", *options])


def test_a_plan_lists_the_quantiles_of_an_order(files):
    shown = run(
        files,
        "plan",
        "--rows",
        "5000",
        "--method",
        "sandwich",
        "--slopes",
        "varying",
        "--tables",
        "0",
        "--json",
    )
    assert shown.exit_code == 0
    column = json.loads(shown.stdout)["plan"]["children"][1]
    assert [part["name"] for part in column["children"]] == ["median", "main", "inner"]
    assert [part["cost"] for part in column["children"]] == ["4/25", "1/25", "1/20"]


def test_a_fit_follows_the_options(files):
    model = files / "model.json"
    options = ["--simulate-noise", "--method", "stepwise", "--slopes", "varying", "--draw", "interpolate"]
    assert run(files, "fit", *options, "-o", str(model)).exit_code == 0
    form = json.loads(model.read_text(encoding="utf-8"))
    assert form["method"] == "stepwise"
    last = form["groups"][0]["columns"][-1]
    assert last["draw"] == "interpolate" and last["at_low"] != last["at_high"]


def test_the_old_word_for_a_way_of_drawing_is_read_with_a_note(files):
    fits = []
    for word in ("rungs", "quantiles"):
        model = files / f"{word}.json"
        options = ["--simulate-noise", "--seed", "1", "--method", "kng", "--draw", word, "-o", str(model)]
        done = run(files, "fit", *options)
        assert done.exit_code == 0 and ("--draw quantiles now" in done.stderr) == (word == "rungs")
        fits.append(json.loads(model.read_text(encoding="utf-8")))
    assert fits[0] == fits[1]


def test_a_table_is_made(files):
    made = files / "made.parquet"
    assert run(files, "synth", "--simulate-noise", "--method", "kng", "-o", str(made)).exit_code == 0
    assert pq.read_table(made).column_names == ["X1", "X2", "X3"]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--slopes", "fixed"], "slopes"),
        (["--method", "sandwich", "--slopes", "bent"], "fixed, varying"),
        (["--method", "sandwhich"], "sandwich"),
    ],
)
def test_what_has_no_meaning_is_refused(files, options, word):
    shown = run(files, "plan", "--rows", "100", *options)
    assert shown.exit_code != 0
    assert word in shown.output + str(shown.exception)


def test_the_papers_text_is_planned_from_the_shell(files):
    """Six main quantiles, 80% on them and 80% of that on the median; columns .5, .25, .25."""
    text = "median=0.25:0.8,main=0.6:0.8,columns=0.5:0.25:0.25"
    main = "0.05,0.25,0.5,0.75,0.95,0.99"
    options = ["--method", "sandwich", "--main", main, "--taus", f"0.01,0.1,0.9,{main}", "--shares", text]
    shown = run(files, "plan", "--rows", "5000", "--tables", "0", "--json", *options)
    assert shown.exit_code == 0, shown.output
    first, second, third = json.loads(shown.stdout)["plan"]["children"]
    assert [c["cost"] for c in (first, second, third)] == ["1/2", "1/4", "1/4"]
    assert [part["cost"] for part in first["children"]] == ["3/40", "9/40", "1/5"]
    assert [part["cost"] for part in second["children"]] == ["4/25", "1/25", "1/20"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--taus", "a,b"], "--taus lists levels"),
        (["--main", "0.5,,"], "--main lists levels"),
        (["--shares", "median"], "--shares names each share once"),
        (["--shares", "median=0.8,median=0.7"], "--shares names each share once"),
        (["--shares", "median=2"], "between 0 and 1"),
        (["--shares", "mean=0.5"], "with method 'sandwich'"),
    ],
)
def test_levels_and_shares_that_cannot_be_read_say_what_to_write(files, options, words):
    refused = run(files, "plan", "--rows", "5000", "--method", "sandwich", *options)
    assert refused.exit_code == 2
    assert words in " ".join(refused.output.split())
