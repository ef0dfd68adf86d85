"""Every command on a panel, wide and long, as a user would: from a CSV file to an evaluated synthetic panel."""

import csv
import json

import pytest

import quantail
from quantail.frames import confidential_panel, panel_border, rules
from quantail.io import read_table
from quantail.privacy import Ledger
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

SCHEMA = """\
[table]
name = "plants"
unit = "establishment"

[panel]
layout = "{layout}"
synthesis = "partial"
{time}unit = "id"
entry = "first"
exit = "last"
start = 2000
end = 2003
source = "register"

[[column]]
name = "sector"
type = "category"
categories = ["food", "steel"]
public = true
source = "register"

[[column]]
name = "emp"
type = "integer"
lower = 0
upper = 500
source = "law"
"""
YEARS = range(2000, 2004)
SECRET = 397  # a size that one unit has, and that no message may quote
PAYING = ("-e", "2", "-l", "plants.ledger", "--new-ledger")
SIMULATED = ("-e", "2", "--simulate-noise", "--seed", "3")


def units():
    """List made-up units: id, first and last year, sector, and sizes by year."""
    made = []
    for place in range(60):
        first, last = 2000 + place % 3, 2003 - place % 2
        sizes = {year: 1 + (place * place + 7 * year) % 40 for year in YEARS if first <= year <= last}
        made.append((1000 + place, first, last, "food" if place % 4 else "steel", sizes))
    made[7][4][2001] = SECRET
    return made


def wide_rows():
    yield ["id", "first", "last", "sector", *(f"emp_{year}" for year in YEARS)]
    for name, first, last, sector, sizes in units():
        yield [name, first, last, sector, *(sizes.get(year, "") for year in YEARS)]


def long_rows():
    yield ["id", "year", "first", "last", "sector", "emp"]
    for name, first, last, sector, sizes in units():
        yield from ([name, year, first, last, sector, size] for year, size in sizes.items())


@pytest.fixture(params=["wide", "long"])
def plants(shop, request):
    """Put a panel and its schema into the folder."""
    shop.layout = request.param
    shop.panel = shop.folder / "plants.csv"
    with shop.panel.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(wide_rows() if request.param == "wide" else long_rows())
    time = 'time = "year"\n' if request.param == "long" else ""
    shop.facts = shop.write("plants.toml", SCHEMA.format(layout=request.param, time=time))
    return shop


def run(plants, command, *options):
    """Run a command on the panel, which must end well."""
    done = plants.run(command, plants.panel, "-s", plants.facts, *options)
    assert done.exit_code == 0, done.output
    assert str(SECRET) not in done.output or command == "evaluate"
    return done


def same_units(plants, made):
    """Return a synthetic panel, which has the units, periods and public columns of the real one."""
    schema = Schema.load(plants.facts)
    real, copy = (confidential_panel(read_table(path, schema), schema) for path in (plants.panel, made))
    assert copy.units.equals(real.units) and (copy.active == real.active).all()
    assert copy.public["sector"].to_pylist() == real.public["sector"].to_pylist()
    return copy


def test_plan_states_errors_of_a_panel_on_request(plants):
    asked = ("plan", "-s", plants.facts, "-n", "60", "-e", "2")
    assert "--tables 5" in plants.run(*asked).stderr
    if plants.layout == "wide":  # the other prints the same as JSON: either takes as long as five fits
        shown = plants.run(*asked, "--tables", "5")
        assert shown.exit_code == 0 and "net creation" in shown.stdout and "size classes" in shown.stdout
        assert "made-up panels" in shown.stderr
        return
    (column,) = json.loads(plants.run(*asked, "--tables", "5", "--json").stdout)["expectation"]["columns"]
    assert column["column"] == "emp" and column["errors"]["total"]["expected"] > 0


def test_from_a_csv_file_to_an_evaluated_synthetic_panel(plants):
    run(plants, "check")
    planned = plants.run("plan", "-s", plants.facts, "-n", "60", "-e", "2", "--json")
    agreed = json.loads(planned.stdout)["hash"]
    done = run(plants, "synth", *PAYING, "-o", "out.csv", "--model", "m.json", "--report", "r.html")
    assert "Wrote out.csv" in done.stdout
    ledger = Ledger.open(plants.folder / "plants.ledger")
    card = json.loads((plants.folder / "out.card.json").read_text(encoding="utf-8"))
    model = quantail.load_model(plants.folder / "m.json")
    assert ledger.spent == 2 and [entry.status for entry in ledger.entries()][-1] == "released"
    assert {card["budget"]["plan_hash"], model.terms.hash(), ledger.entries()[-2].plan_hash} == {agreed}
    assert card["promise"]["unit"] == "establishment, its whole history"
    assert card["synthesis"]["kept"] == [
        *("id", *(["year"] if plants.layout == "long" else []), "first", "last"),
        "sector",
    ]
    rows = read_table(plants.folder / "out.csv").num_rows
    assert card["release"]["rows"] == model.rows == rows == (60 if plants.layout == "wide" else rows)
    same_units(plants, plants.folder / "out.csv")
    assert "Total emp" in (plants.folder / "r.html").read_text(encoding="utf-8")
    done = plants.run("evaluate", plants.panel, "out.csv", "-s", plants.facts, "--json", "-")
    found = {row["name"] for row in json.loads(done.stdout)["measures"]}
    assert {"panel_total_error", "panel_job_creation", "panel_persistence", "ks"} <= found
    refused = plants.run(
        "synth", plants.panel, "-s", plants.facts, "-e", "2", "-l", "plants.ledger", "-o", "o.csv"
    )
    assert refused.exit_code == 5 and not (plants.folder / "o.csv").exists()  # the account is used up


def test_a_saved_model_of_a_panel_serves_every_command_that_takes_models(plants):
    run(plants, "fit", *SIMULATED, "-o", "m.json")
    card = json.loads((plants.folder / "m.card.json").read_text(encoding="utf-8"))
    assert card["private"] is False and card["software"]["method"] == "pooled"
    done = plants.run("sample", "m.json", "-o", "out.csv", "--replicates", "2", "--seed", "1")
    assert done.exit_code == 0, done.output
    one, two = (same_units(plants, plants.folder / f"out-{number}.csv") for number in (1, 2))
    assert not (one.values["emp"] == two.values["emp"])[one.active].all()
    again = plants.run("sample", "m.json", "-o", "again.csv", "--replicates", "2", "--seed", "1")
    assert again.exit_code == 0
    assert (plants.folder / "again-2.csv").read_bytes() == (plants.folder / "out-2.csv").read_bytes()
    done = plants.run("report", plants.panel, "out-1.csv", "--model", "m.json", "-o", "r.html")
    page = (plants.folder / "r.html").read_text(encoding="utf-8")
    assert done.exit_code == 0 and "Over time" in page and "epsilon 2" in page
    asked = ("flows(emp)", "mean(emp)", "--effort", "10", "--workers", "1", "--json")
    done = plants.run("infer", "m.json", "out-1.csv", *asked)
    flows, mean = json.loads(done.stdout)
    assert done.exit_code == 0 and flows["estimates"][0]["term"] == "entry_rate"
    assert mean["estimates"][0]["low"] < mean["estimates"][0]["high"]


@pytest.mark.parametrize("ending", ["parquet", "feather", "dta", "sav", "xlsx", "xpt"])
def test_every_kind_of_file_takes_a_panel(plants, ending):
    run(plants, "synth", *SIMULATED, "-o", f"out.{ending}")
    same_units(plants, plants.folder / f"out.{ending}")


@pytest.mark.parametrize("method", ["kng", "stepwise", "sandwich"])
def test_the_papers_methods_take_panels(plants, method):
    options = () if method == "kng" else ("--slopes", "varying", "--draw", "interpolate")
    run(plants, "synth", *SIMULATED, "--method", method, *options, "-o", "out.csv", "--model", "m.json")
    assert quantail.load_model(plants.folder / "m.json").method == method
    same_units(plants, plants.folder / "out.csv")


def test_several_fits_of_a_panel_are_all_paid_for(plants):
    agreed = plants.run("plan", "-s", plants.facts, "-n", "60", "-e", "2", "--fits", "2", "--json")
    done = run(plants, "synth", *PAYING, "--fits", "2", "-o", "out.csv")
    assert "2 fits cost 2 times 2: 4 epsilon in all" in done.stderr
    card = json.loads((plants.folder / "out.card.json").read_text(encoding="utf-8"))
    assert Ledger.open(plants.folder / "plants.ledger").spent == 4
    assert card["promise"]["epsilon"] == "4" and card["release"]["fits"] == 2
    assert card["budget"]["plan_hash"] == json.loads(agreed.stdout)["hash"]
    one, two = ((plants.folder / f"out-{number}.csv").read_bytes() for number in (1, 2))
    assert one != two


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("synth", ("--rows", "5"), "--rows does not go with a panel"),
        ("synth", ("--definition", "zcdp", "--delta", "1e-6"), "--definition does not go with a panel"),
        ("fit", ("--definition", "zcdp", "--delta", "1e-6"), "--definition does not go with a panel"),
        ("synth", ("--method", "ladder"), "pooled, kng, stepwise, sandwich"),
        ("fit", ("--slopes", "fixed"), "slopes does not belong to the pooled method"),
    ],
)
def test_options_that_make_no_sense_for_panels_cost_nothing(plants, command, options, words):
    before = plants.files()
    done = plants.run(command, plants.panel, "-s", plants.facts, *PAYING, *options, "-o", "out.csv")
    assert done.exit_code == 2 and words in done.stderr
    assert plants.files() == before


@pytest.mark.parametrize(
    "options", [("--rows", "5"), ("--given", "plants.csv"), ("--expected-errors",)], ids=str
)
def test_options_of_sample_that_make_no_sense_for_panels_are_named(plants, options):
    run(plants, "fit", *SIMULATED, "-o", "m.json")
    before = plants.files()
    done = plants.run("sample", "m.json", "-o", "out.csv", *options)
    assert done.exit_code == 2 and f"{options[0]} does not go with a panel" in done.stderr
    assert plants.files() == before


@pytest.mark.parametrize("option", ["--target", "--sweep", "--report"])
def test_options_of_plan_that_make_no_sense_for_panels_are_named(plants, option):
    done = plants.run("plan", "-s", plants.facts, "-n", "60", "-e", "1", option, "page.html")
    assert done.exit_code == 2 and f"{option} does not go with a panel" in done.stderr


def test_a_panel_that_does_not_fit_costs_nothing_and_quotes_nothing(plants):
    text = (
        plants.panel.read_text(encoding="utf-8")
        .replace(str(SECRET), f"{SECRET}.5")
        .replace("food", "fodo", 1)
    )
    plants.panel.write_text(text, encoding="utf-8")
    before = plants.files()
    for command in ("synth", "fit"):
        done = plants.run(command, plants.panel, "-s", plants.facts, *PAYING, "-o", "out.csv")
        assert done.exit_code == 4 and "nothing was charged" in done.stderr
        assert "'sector'" in done.stderr and "not whole" in done.stderr
        assert "397" not in done.output and "fodo" not in done.output
        assert plants.files() == before


def test_nobody_is_told_to_take_the_panel_section_out(plants):
    with pytest.raises(quantail.SchemaError) as caught:
        TableSynthesizer(Schema.load(plants.facts), 1)
    assert "synthesizer_for" in str(caught.value) and "remove" not in str(caught.value)


def test_a_table_and_a_panel_are_admitted_once(plants, monkeypatch):
    calls = []

    def counting(room, name):
        honest = getattr(room, name)
        monkeypatch.setattr(room, name, lambda *given, **named: calls.append(name) or honest(*given, **named))

    counting(panel_border, "admit_panel")
    run(plants, "synth", *SIMULATED, "-o", "out.csv")
    assert calls == ["admit_panel"]
    counting(rules, "admit_column")
    done = plants.run("synth", plants.table, "-s", plants.schema, *SIMULATED, "-o", "table.csv")
    assert done.exit_code == 0 and calls[1:] == ["admit_column"] * 2  # of two columns


@pytest.mark.parametrize(("neighbours", "told"), [("replace-one", True), ("add-remove", False)])
def test_a_release_says_what_too_few_units_cannot_tell_if_their_number_is_public(plants, neighbours, told):
    simulated = ("-e", "1", "--simulate-noise", "--seed", "3", "-o", "out.csv")
    if neighbours == "add-remove":  # which goes with full synthesis only
        text = plants.facts.read_text(encoding="utf-8").replace("public = true\n", "")
        text = text.replace('synthesis = "partial"', 'attributes = ["sector"]').replace(
            'source = "register"\n\n[[', "[[", 1
        )
        plants.write("plants.toml", text.replace('unit = "est', f'neighbours = "{neighbours}"\nunit = "est'))
    done = run(plants, "synth", *simulated)
    assert ("values of 'emp' may come out at any order of magnitude" in " ".join(done.stderr.split())) == told


@pytest.mark.parametrize(
    ("start", "end"), [("2020-11", "2021-02"), ("202011", "202102"), ("2020-11-01", "2021-02-01")]
)
def test_months_come_back_from_a_csv_file_as_they_were_written(shop, start, end):
    panel = Panel("meter", start=start, end=end, layout="long", time="month")
    schema = Schema((Column("kwh", "integer", 0, 10_000, grid="log"),), "household", name="kwh", panel=panel)
    facts, months = (
        shop.write("kwh.toml", schema.to_toml()),
        [panel.form.written(period) for period in panel.periods],
    )
    with (shop.folder / "kwh.csv").open("w", encoding="utf-8", newline="") as file:
        rows = ([meter, month, 100 + meter % 7 * 10] for meter in range(200) for month in months)
        csv.writer(file).writerows([["meter", "month", "kwh"], *rows])
    table = shop.folder / "kwh.csv"
    done = shop.run("synth", table, "-s", facts, *SIMULATED, "-o", "out.csv")
    assert done.exit_code == 0, done.output
    with (shop.folder / "out.csv").open(encoding="utf-8", newline="") as file:
        assert {row["month"] for row in csv.DictReader(file)} == set(months)
    for facts_or_names in (("-s", facts), ("--panel", "meter,month", "--column", "kwh")):
        found = shop.run("flows", "out.csv", *facts_or_names, "--json")
        assert [str(row["month"]) for row in json.loads(found.stdout)] == months[1:]
    assert shop.run("evaluate", table, "out.csv", "-s", facts).exit_code == 0
    asked = ("--column", "kwh", "--levels", ".5", "-e", "1", "--period", months[1], "--no-ledger")
    answer = shop.run("quantiles", table, *asked, "-s", facts)
    assert answer.exit_code == 0, answer.output
