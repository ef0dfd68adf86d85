"""From table to release on the command line: plan, fit, sample, synth, and the account that pays."""

import json
from fractions import Fraction

import pyarrow.csv
import pyarrow.parquet
import pytest

from quantail.privacy.ledger import Ledger


def synth(shop, *more, output="out.parquet", ledger="payroll.ledger"):
    paying = ("--ledger", ledger) if ledger else ()
    paying += ("--new-ledger",) if ledger and not (shop.folder / ledger).exists() else ()
    return shop.run("synth", shop.table, "-s", shop.schema, "-e", "1", *paying, "-o", output, *more)


def charges(path="payroll.ledger"):
    return [entry for entry in Ledger.open(path).entries() if entry.kind == "charge"]


def marks(path="payroll.ledger"):
    return [entry.status for entry in Ledger.open(path).entries() if entry.kind == "mark"]


def test_synth_writes_the_table_its_card_in_three_forms_and_its_dictionary(shop):
    before = shop.files()
    done = synth(shop)
    assert done.exit_code == 0, done.output
    cards = {f"out.card.{form}" for form in ("json", "md", "html")}
    dictionary = {"out.dictionary.json", "out.dictionary.csv"}
    assert shop.files() - before == {"out.parquet", "payroll.ledger", *cards, *dictionary}
    table = pyarrow.parquet.read_table("out.parquet")
    assert table.column_names == ["jobs", "pay"] and table.num_rows == 200
    assert b"differentially private" in table.schema.metadata[b"quantail"]
    assert min(table["pay"].to_pylist()) >= 0 and max(table["pay"].to_pylist()) <= 1_000_000


def test_the_card_names_the_charge_that_paid(shop):
    synth(shop)
    card = json.loads((shop.folder / "out.card.json").read_text())
    (charge,) = charges()
    assert (card["ledger"]["entry"], card["ledger"]["hash"]) == (charge.number, charge.hash)
    assert card["budget"]["plan_hash"] == charge.plan_hash
    assert Fraction(card["promise"]["epsilon"]) == charge.amount == 1
    assert card["release"] == {"rows": 200, "replicates": 1}
    assert marks() == ["released"]


def test_a_second_release_is_refused_until_the_limit_is_raised(shop):
    first = synth(shop)
    assert "will be refused" in first.stderr
    before = shop.files()
    second = synth(shop, output="second.parquet")
    assert second.exit_code == 5 and "left 0" in second.stderr
    assert shop.files() == before
    shop.run("ledger", "raise", "payroll.ledger", "--limit", "2", "--by", "the board", "--reason", "agreed")
    assert synth(shop, output="second.parquet").exit_code == 0
    assert Ledger.open("payroll.ledger").left == 0


def test_a_limit_can_be_set_when_the_ledger_is_created_and_only_then(shop):
    assert synth(shop, "--limit", "3").exit_code == 0
    assert Ledger.open("payroll.ledger").left == 2
    assert synth(shop, "--limit", "3", output="second.parquet").exit_code == 2
    assert Ledger.open("payroll.ledger").left == 2


def test_without_a_ledger_it_says_what_to_add(shop):
    before = shop.files()
    done = synth(shop, ledger=None)
    assert done.exit_code == 2 and "--ledger" in done.stderr and "--no-ledger" in done.stderr
    assert shop.files() == before


def test_no_ledger_warns_and_the_card_says_so(shop):
    done = synth(shop, "--no-ledger", ledger=None)
    assert done.exit_code == 0 and "No ledger" in done.stderr
    assert json.loads((shop.folder / "out.card.json").read_text())["ledger"] is None


def test_simulated_noise_is_marked_everywhere_and_repeatable(shop):
    arguments = ("--simulate-noise", "--seed", "1", "--model", "m.json")
    done = synth(shop, *arguments, ledger=None)
    assert done.exit_code == 0
    assert "NOT PRIVATE" in done.stdout and "NOT PRIVATE" in done.stderr
    assert "out.not-private.parquet" in done.stderr
    card = json.loads((shop.folder / "out.card.json").read_text())
    assert card["private"] is False and "NOT PRIVATE" in card["notice"]
    assert "NOT PRIVATE" in (shop.folder / "out.card.md").read_text()
    table = pyarrow.parquet.read_table("out.parquet")
    assert b"NOT PRIVATE" in table.schema.metadata[b"quantail"]
    synth(shop, "--simulate-noise", "--seed", "1", ledger=None, output="again.parquet")
    assert pyarrow.parquet.read_table("again.parquet").equals(table)
    synth(shop, "--simulate-noise", "--seed", "2", ledger=None, output="other.parquet")
    assert not pyarrow.parquet.read_table("other.parquet").equals(table)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--seed", "1"),
        ("--simulate-noise",),
        ("--no-ledger",),
        ("--definition", "renyi"),
        ("--definition", "zcdp"),
        ("--delta", "1e-6"),
        ("--method", "nonsense"),
        ("--rows", "0"),
        ("--replicates", "0"),
    ],
)
def test_contradicting_or_unknown_options_cost_nothing(shop, wrong):
    before = shop.files()
    done = synth(shop, *wrong)
    assert done.exit_code == 2, done.output
    assert shop.files() == before


def test_zcdp_is_charged_in_rho(shop):
    done = synth(shop, "--definition", "zcdp", "--delta", "1e-6")
    assert done.exit_code == 0, done.output
    (charge,) = charges()
    assert charge.unit == "rho" and 0.0243 < charge.amount < 0.0244  # the tight conversion of (1, 1e-6)
    promise = json.loads((shop.folder / "out.card.json").read_text())["promise"]
    assert Fraction(promise["rho"]) == charge.amount
    assert Fraction(promise["delta"]) == Fraction(1, 10**6)


def test_replicates_are_numbered_and_paid_once(shop):
    done = synth(shop, "--replicates", "2", "-n", "30", output="out.csv")
    assert done.exit_code == 0
    tables = [pyarrow.csv.read_csv(f"out-{number}.csv") for number in (1, 2)]
    assert [table.num_rows for table in tables] == [30, 30]
    assert not tables[0].equals(tables[1])
    assert len(charges()) == 1
    assert json.loads((shop.folder / "out.card.json").read_text())["release"]["replicates"] == 2


def test_fit_then_sample_draws_for_free(shop):
    paying = ("-e", "1", "-l", "payroll.ledger", "--new-ledger")
    fitted = shop.run("fit", shop.table, "-s", shop.schema, *paying, "-o", "m.json")
    assert fitted.exit_code == 0, fitted.output
    for name in ("a.parquet", "b.parquet"):
        assert shop.run("sample", "m.json", "-n", "50", "--seed", "7", "-o", name).exit_code == 0
    first, second = (pyarrow.parquet.read_table(name) for name in ("a.parquet", "b.parquet"))
    assert first.equals(second) and first.num_rows == 50
    assert len(charges()) == 1 and marks() == ["released"]
    assert (shop.folder / "a.card.md").exists()


def test_plan_reads_no_data_and_equals_the_plan_that_is_charged(shop):
    arguments = ("plan", "-s", shop.schema, "--rows", "200", "-e", "1", "--tables", "0")
    shown = shop.run(*arguments)
    assert shown.exit_code == 0 and "pay" in shown.stdout and "100.0%" in shown.stdout
    planned = json.loads(shop.run(*arguments, "--json").stdout)
    synth(shop)
    assert charges()[0].plan_hash == planned["hash"]


@pytest.mark.parametrize("rows", ["0", "-5", "many", "1.5", "north=4"])
def test_plan_refuses_senseless_numbers_of_rows(shop, rows):
    assert shop.run("plan", "-s", shop.schema, f"--rows={rows}", "-e", "1").exit_code == 2


def test_a_run_that_fails_after_the_charge_is_marked_failed_and_stays_spent(shop, monkeypatch):
    from quantail.table import TableModel

    def fail(*args, **named):
        raise RuntimeError("row with 987654.25")

    monkeypatch.setattr(TableModel, "sample", fail)
    before = shop.files()
    done = synth(shop)
    assert done.exit_code == 70 and "987654" not in done.output
    assert "Charged 1 epsilon" in done.stderr and "nothing released; record 2 is marked failed" in done.stderr
    assert shop.files() - before == {"payroll.ledger"}
    assert marks() == ["failed"] and Ledger.open("payroll.ledger").left == 0


def test_an_interrupt_after_the_charge_is_marked_failed(shop, monkeypatch):
    from quantail.table import TableModel

    def stop(*args, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(TableModel, "save", stop)
    before = shop.files()
    done = synth(shop, "--model", "m.json")
    assert done.exit_code == 130 and "stays in the ledger" in done.stderr
    assert shop.files() - before == {"payroll.ledger"}
    assert marks() == ["failed"]


GROUPED = """

[[column]]
name = "region"
type = "category"
categories = ["north", "south"]
source = "code book"
"""


def grouped(shop, neighbours):
    text = shop.schema.read_text().replace("replace-one", neighbours)
    shop.schema.write_text(text.replace("[table]\n", '[table]\nby = ["region"]\n') + GROUPED)
    lines = shop.table.read_text().splitlines()
    body = [f"{line},{'north' if place % 4 else 'south'}" for place, line in enumerate(lines[1:])]
    shop.table.write_text("\n".join([lines[0] + ",region", *body]) + "\n")


def test_groups_keep_their_public_sizes_and_the_plan_that_was_shown(shop):
    grouped(shop, "replace-one")
    assert synth(shop).exit_code == 0
    regions = pyarrow.parquet.read_table("out.parquet")["region"].to_pylist()
    assert (regions.count("north"), regions.count("south")) == (150, 50)
    sizes = ("-n", "south=50", "-n", "north=150")
    planned = json.loads(shop.run("plan", "-s", shop.schema, *sizes, "-e", "1", "--json").stdout)
    assert planned["hash"] == charges()[0].plan_hash


@pytest.mark.parametrize(
    "sizes", [("north=5",), ("north=5", "north=6"), ("north=5", "east=6"), ("north", "south")]
)
def test_plan_wants_every_group_once(shop, sizes):
    grouped(shop, "replace-one")
    given = [word for size in sizes for word in ("-n", size)]
    assert shop.run("plan", "-s", shop.schema, *given, "-e", "1").exit_code == 2


def test_add_remove_says_so_on_the_card_and_pays_for_the_number_of_rows(shop):
    grouped(shop, "add-remove")
    assert synth(shop).exit_code == 0
    card = json.loads((shop.folder / "out.card.json").read_text())
    assert card["promise"]["neighbours"] == "add-remove"
    assert "rows" in [part["name"] for part in card["budget"]["parts"]]
    assert card["budget"]["total"] == "1"


def test_the_ledger_is_charged_before_the_fit_works_on_values(shop, monkeypatch):
    import quantail.table as room

    seen = []
    original = room.TableSynthesizer.fit_many

    def watch(self, frame, fits, ledger=None, progress=None):
        charge = type(ledger).charge

        def charged(*args, **named):
            seen.append("charge")
            return charge(*args, **named)

        monkeypatch.setattr(type(ledger), "charge", charged)
        work = lambda step, fraction: seen.append("work")  # noqa: E731
        return original(self, frame, fits, ledger=ledger, progress=work)

    monkeypatch.setattr(room.TableSynthesizer, "fit_many", watch)
    assert synth(shop).exit_code == 0
    assert seen[0] == "charge" and seen.count("charge") == 1 and "work" in seen
