"""`quantail append`: year after year on the published file, its card and one ledger."""

import csv
import json

import pytest

from quantail.privacy import Ledger

SCHEMA = """\
[table]
name = "plants"
unit = "establishment"

[panel]
layout = "long"
time = "year"
unit = "id"
start = 2000
end = {end}

[[column]]
name = "emp"
type = "integer"
lower = 0
upper = 500
source = "law"
"""
SECRET = 397  # a size that one unit has in the new year, and that no message may quote


@pytest.fixture
def plants(shop):
    """Put a panel and the schemas of three years into the folder, and release the first two of them."""
    rows = [("id", "year", "emp")]
    for unit in range(80):
        years = range(2000 + unit % 2, 2004 - unit % 3)
        rows += [(10_000 + unit, year, 1 + (unit * unit + 7 * year) % 40) for year in years]
    rows[-1] = (*rows[-1][:2], SECRET)
    for end in (2001, 2002, 2003):
        shop.write(f"plants-{end}.toml", SCHEMA.format(end=end))
        with (shop.folder / f"plants-{end}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(row for row in rows if row[1] == "year" or row[1] <= end)
    synth(shop, "made-2001.csv", "-l", "plants.ledger", "--new-ledger", "--limit", "1.2")
    return shop


def synth(shop, output, *options):
    done = shop.run("synth", "plants-2001.csv", "-s", "plants-2001.toml", "-e", "1", "-o", output, *options)
    assert done.exit_code == 0, done.output


def append(shop, released, end, *options, output=None):
    output = output or f"made-{end}.csv"
    named = ("-s", f"plants-{end}.toml", "-e", "0.1", "-o", output)
    return shop.run("append", released, f"plants-{end}.csv", *named, *options)


def rows_of(shop, name):
    with (shop.folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_two_years_are_appended_under_one_ledger(plants):
    before = rows_of(plants, "made-2001.csv")
    for end in (2002, 2003):
        done = append(plants, f"made-{end - 1}.csv", end, "-l", "plants.ledger")
        assert done.exit_code == 0, done.output
        assert f"Wrote made-{end}.csv" in done.stdout and str(SECRET) not in done.output
    made = rows_of(plants, "made-2003.csv")
    assert [row for row in made if row[1] == "year" or row[1] <= "2001"] == before
    assert {row[1] for row in made[1:]} == {"2000", "2001", "2002", "2003"}
    ledger = Ledger.open(plants.folder / "plants.ledger")
    assert float(ledger.spent) == pytest.approx(1.2) and ledger.left == 0
    card = json.loads((plants.folder / "made-2003.card.json").read_text(encoding="utf-8"))
    assert card["promise"]["epsilon"] == "0.1" and card["ledger"]["spent_in_all"] == "1.2"
    assert card["software"]["method"] == "append" and len(card["terms"]["options"]["released"]) == 64
    assert card["synthesis"]["kind"] == "full"
    refused = append(plants, "made-2001.csv", 2002, "-l", "plants.ledger", output="again.csv")
    assert refused.exit_code == 5 and not (plants.folder / "again.csv").exists()  # the account is used up


def test_a_panel_without_a_card_is_refused_before_anything_is_charged(plants):
    done = append(plants, "plants-2001.csv", 2002, "-l", "plants.ledger")
    assert done.exit_code != 0 and "no release card" in done.output and str(SECRET) not in done.output
    assert Ledger.open(plants.folder / "plants.ledger").spent == 1
    assert not (plants.folder / "made-2002.csv").exists()


def test_a_year_must_not_be_left_out_and_the_schema_stays(plants):
    done = append(plants, "made-2001.csv", 2003, "-l", "plants.ledger")
    assert done.exit_code != 0 and "another schema" in done.output
    plants.write("plants-2002.toml", SCHEMA.format(end=2002).replace("upper = 500", "upper = 600"))
    done = append(plants, "made-2001.csv", 2002, "-l", "plants.ledger")
    assert done.exit_code != 0 and "another schema" in done.output
    assert Ledger.open(plants.folder / "plants.ledger").spent == 1


def test_what_was_made_with_simulated_noise_is_not_continued_with_secure_noise(plants):
    synth(plants, "tried.csv", "--simulate-noise", "--seed", "1")
    done = append(plants, "tried.csv", 2002, "-l", "plants.ledger")
    assert done.exit_code != 0 and "simulated noise" in done.output
    done = append(plants, "tried.csv", 2002, "--simulate-noise", "--seed", "2")
    assert done.exit_code == 0, done.output
    assert "NOT PRIVATE" in done.output


def test_a_ledger_is_named_or_refused_by_name(plants):
    done = append(plants, "made-2001.csv", 2002)
    assert done.exit_code != 0 and "no ledger was named" in done.output


def test_the_ledger_is_the_one_that_paid_for_the_panel(plants):
    Ledger.create(plants.folder / "other.ledger", "plants", limit=1)
    done = append(plants, "made-2001.csv", 2002, "-l", "other.ledger")
    assert done.exit_code != 0 and "is not in the ledger" in done.output
    assert Ledger.open(plants.folder / "other.ledger").spent == 0
