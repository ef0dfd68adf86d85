"""Bad input, one case after another: a clear error, its exit code, nothing half-written, no value shown."""

import sqlite3
from fractions import Fraction

import pytest

from quantail.privacy.ledger import Ledger

CANARIES = ("987654", "canary")


def attempt(shop, *, table=None, schema=None, epsilon="1", ledger="payroll.ledger", output="out.parquet"):
    arguments = ("-s", schema or shop.schema, f"--epsilon={epsilon}", "--ledger", ledger, "-o", output)
    new = () if (shop.folder / ledger).exists() else ("--new-ledger",)
    return shop.run("synth", table or shop.table, *arguments, *new)


def refused(shop, code, saying, **given):
    """The run ends with `code`, says `saying`, writes nothing and shows no confidential value."""
    before = {name: (shop.folder / name).read_bytes() for name in shop.files()}
    done = attempt(shop, **given)
    assert done.exit_code == code, done.output
    assert saying in done.stderr
    assert "Traceback" not in done.output
    assert not any(canary in done.output for canary in CANARIES), done.output
    assert {name: (shop.folder / name).read_bytes() for name in shop.files()} == before


@pytest.mark.parametrize(
    ("content", "saying"),
    [
        ("jobs,wage\n987654,987654.25\n2,3\n", "'pay' is missing"),
        ("jobs,pay\n3,canary-987654\n4,5\n", "'pay' does not hold numbers"),
        ("jobs,pay\n3.25,987654.25\n4,5\n", "'jobs' holds values that are not whole"),
        ("jobs,pay\n3,\n4,987654.25\n", "'pay' holds missing values"),
        ("jobs,pay\n3,nan\n4,987654.25\n", "'pay' holds missing values"),
        ("jobs,pay\n3,inf\n4,987654.25\n", "'pay' holds infinite values"),
        ("jobs,pay\n", "has no rows"),
        ("", "cannot read"),
        ("jobs,pay\n1,2,canary\n987654,4\n", "cannot read"),
    ],
    ids=[
        "missing column",
        "wrong type",
        "not whole",
        "empty cell",
        "nan",
        "infinity",
        "no rows",
        "empty file",
        "ragged",
    ],
)
def test_tables_that_do_not_fit(shop, content, saying):
    refused(shop, 4, saying, table=shop.write("bad.csv", content))


def test_files_that_cannot_be_read(shop):
    refused(shop, 4, "does not exist", table=shop.folder / "none.csv")
    refused(shop, 4, "cannot read", table=shop.write("fake.parquet", "canary 987654.25"))
    refused(shop, 4, "choose one of these", table=shop.write("table.docx", "canary"))


@pytest.mark.parametrize(
    ("old", "new", "saying"),
    [
        ("upper = 1000000\n", "", "upper blank"),
        ("upper = 1000000\n", 'upper = ""\n', "upper blank"),
        ("upper = 1000000\n", "upper = -1\n", "lower is not below upper"),
        ("upper = 1000000\n", "upper = inf\n", "finite"),
        ('grid = "log"\ndecimals', 'gird = "log"\ndecimals', "did you mean 'grid'?"),
        ("[table]", "[table", "not valid TOML"),
        ('unit = "firm"\n', "", "unit"),
    ],
)
def test_schemas_that_are_wrong(shop, old, new, saying):
    text = shop.schema.read_text()
    assert old in text
    refused(shop, 3, saying, schema=shop.write("bad.toml", text.replace(old, new)))


def test_a_schema_that_is_not_there(shop):
    refused(shop, 3, "quantail init", schema=shop.folder / "none.toml")


@pytest.mark.parametrize("epsilon", ["0", "-1", "much", "nan", "inf", "", "1e400", "1/0"])
def test_epsilons_that_are_no_budget(shop, epsilon):
    refused(shop, 5, "epsilon must be a positive, finite number", epsilon=epsilon)


def test_a_ledger_that_is_exhausted(shop):
    ledger = Ledger.create(shop.folder / "payroll.ledger", "payroll", 1)
    ledger.charge(Fraction(1, 2), "earlier", "ab" * 32)
    refused(shop, 5, "left 0.5")


def test_a_ledger_that_is_locked(shop, monkeypatch):
    Ledger.create(shop.folder / "payroll.ledger", "payroll", 1)
    monkeypatch.setattr("quantail.cli.account.BUSY_SECONDS", 0.1)
    holder = sqlite3.connect(shop.folder / "payroll.ledger", isolation_level=None)
    try:
        holder.execute("BEGIN EXCLUSIVE")
        done = attempt(shop)
    finally:
        holder.close()
    assert done.exit_code == 6 and "locked" in done.stderr
    assert not (shop.folder / "out.parquet").exists()
    assert Ledger.open(shop.folder / "payroll.ledger").spent == 0


def test_what_is_not_a_ledger(shop):
    refused(shop, 6, "not a ledger", ledger=shop.write("notes.txt", "canary " * 200))
    refused(shop, 4, "also an input", ledger="same.parquet", output="same.parquet")


def test_a_ledger_in_another_unit(shop):
    Ledger.create(shop.folder / "payroll.ledger", "payroll", 1, "rho")
    refused(shop, 6, "rho")


def test_a_ledger_of_another_data_set(shop):
    Ledger.create(shop.folder / "payroll.ledger", "claims", 1)
    refused(shop, 6, "is for data set 'claims'")


def test_an_output_that_exists(shop):
    for name in ("out.parquet", "out.card.json", "out.card.md", "out.card.html"):
        path = shop.write(name, "mine")
        refused(shop, 4, "exists already")
        path.unlink()


def test_force_replaces_outputs(shop):
    shop.write("out.parquet", "old")
    arguments = ("-s", shop.schema, "-e", "1", "-l", "payroll.ledger", "--new-ledger", "-o", "out.parquet")
    assert shop.run("synth", shop.table, *arguments, "--force").exit_code == 0
    assert (shop.folder / "out.parquet").read_bytes()[:4] == b"PAR1"


def test_outputs_that_cannot_be_written(shop):
    refused(shop, 4, "does not exist", output="none/out.parquet")
    refused(shop, 4, "choose one of these", output="out.docx")
    refused(shop, 4, "also an input", output=shop.table)


def test_values_outside_the_bounds_are_clipped_without_a_word(shop):
    lines = ["jobs,pay", *(f"{1 + place % 50},{100 + place}" for place in range(60)), "3,987654321.25"]
    done = attempt(shop, table=shop.write("wide.csv", "\n".join(lines) + "\n"))
    assert done.exit_code == 0, done.output
    assert "987654321" not in done.output and "clip" not in done.output
    for name in ("out.card.json", "out.card.md", "out.card.html"):
        assert "987654321" not in (shop.folder / name).read_text()


def test_a_table_of_one_row_is_too_small_and_costs_nothing(shop):
    refused(shop, 4, "rows", table=shop.write("tiny.csv", "jobs,pay\n7,987654.25\n"))


def test_constant_columns_are_synthesised(shop):
    lines = ["jobs,pay", *["7,987654.25"] * 40]
    done = attempt(shop, table=shop.write("constant.csv", "\n".join(lines) + "\n"))
    assert done.exit_code == 0, done.output
    assert not any(canary in done.output for canary in CANARIES)


def test_a_limit_below_the_cost(shop):
    before = shop.files()
    arguments = ("-s", shop.schema, "-e", "1", "-l", "payroll.ledger", "--limit", "0.5", "-o", "out.csv")
    assert shop.run("synth", shop.table, *arguments).exit_code == 2
    done = shop.run("synth", shop.table, *arguments, "--new-ledger")
    assert done.exit_code == 5 and "--limit 0.5 is below" in done.stderr
    assert shop.files() == before


def test_a_model_that_is_no_model(shop):
    before = shop.files()
    done = shop.run("sample", shop.table, "-o", "out.parquet")
    assert done.exit_code == 7, done.output
    assert shop.run("sample", "none.json", "-o", "out.parquet").exit_code == 7
    assert shop.files() == before
