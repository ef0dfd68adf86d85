"""`--replicates` is free, `--fits` is not, and nobody can miss it."""

import json

import pyarrow.csv
import pytest

from quantail import Ledger


def synth(shop, *options):
    new = () if (shop.folder / "payroll.ledger").exists() else ("--new-ledger",)
    paying = ("-e", "0.5", "-l", "payroll.ledger", *new)
    return shop.run("synth", shop.table, "-s", shop.schema, "-o", "out.csv", *paying, *options)


def test_fits_say_what_they_cost_and_charge_it(shop):
    run = synth(shop, "--fits", "3", "--limit", "2")
    assert run.exit_code == 0, run.stderr
    assert "3 fits cost 3 times 0.5: 1.5 epsilon in all" in run.stderr
    assert Ledger.open(shop.folder / "payroll.ledger").spent == 1.5
    card = json.loads((shop.folder / "out.card.json").read_text())
    assert card["release"] == {"rows": 200, "replicates": 3, "fits": 3}
    assert (card["promise"]["epsilon"], card["budget"]["total"]) == ("1.5", "3/2")
    assert card["ledger"]["charged"] == "1.5"
    assert any("fit of its own" in line for line in card["use"])
    assert "3 tables, each from a fit of its own" in (shop.folder / "out.card.md").read_text()
    tables = [pyarrow.csv.read_csv(shop.folder / f"out-{number}.csv") for number in (1, 2, 3)]
    assert not tables[0].equals(tables[1])


def test_replicates_cost_what_one_table_costs(shop):
    run = synth(shop, "--replicates", "3")
    assert run.exit_code == 0 and "fits" not in run.stderr
    assert Ledger.open(shop.folder / "payroll.ledger").spent == 0.5
    assert "fits" not in json.loads((shop.folder / "out.card.json").read_text())["release"]


def test_fits_beyond_the_ledger_are_refused_before_anything_is_made(shop):
    Ledger.create(shop.folder / "payroll.ledger", "payroll", 1)
    run = synth(shop, "--fits", "3")
    assert run.exit_code == 5
    assert "does not cover" in run.stderr
    assert not any(name.startswith("out") for name in shop.files())


def test_zcdp_fits_add_up_in_rho(shop):
    run = synth(shop, "--fits", "2", "--definition", "zcdp", "--delta", "1e-6")
    assert run.exit_code == 0, run.stderr
    promise = json.loads((shop.folder / "out.card.json").read_text())["promise"]
    # Two fits of (0.5, 1e-6) are worth less than (1, 1e-6): that is what rho is for.
    assert 0.5 < float(promise["epsilon"].removeprefix("about ").split()[0]) < 1


@pytest.mark.parametrize("other", [("--replicates", "2"), ("--model", "model.json")])
def test_fits_do_not_mix_with_what_speaks_of_one_fit(shop, other):
    run = synth(shop, "--fits", "2", *other)
    assert run.exit_code == 2 and "--fits" in run.stderr
