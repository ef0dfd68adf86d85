"""The ledger as a control: no account by itself, no release without its charge, no output in its place."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction

import pyarrow.parquet
import pytest

from quantail.errors import LedgerError
from quantail.io.dialects import DIALECTS
from quantail.privacy.high_water import HighWaterMark
from quantail.privacy.ledger import Ledger
from quantail.table import TableModel, TableSynthesizer


def run(shop, command, *more, ledger="payroll.ledger", epsilon="1", output=None):
    output = output or {"synth": "out.parquet", "fit": "model.json"}[command]
    paying = ("-s", shop.schema, "-e", epsilon, "-l", ledger, "-o", output)
    return shop.run(command, shop.table, *paying, *more)


@pytest.fixture
def ledger(shop):
    return Ledger.create(shop.folder / "payroll.ledger", "payroll", 1)


def during_the_fit(monkeypatch, action):
    """Do something after the charge, while values are worked on."""
    honest = TableSynthesizer.fit_pool

    def watched(self, *args, **named):
        action()
        return honest(self, *args, **named)

    monkeypatch.setattr(TableSynthesizer, "fit_pool", watched)


# accounts


@pytest.mark.parametrize("command", ["synth", "fit"])
def test_a_mistyped_or_deleted_ledger_is_an_error_and_no_new_account(shop, ledger, command):
    before = shop.files()
    done = run(shop, command, ledger="payrol.ledger")
    assert done.exit_code == 6, done.output
    assert "payrol.ledger" in done.stderr
    assert "quantail ledger init" in done.stderr and "--new-ledger" in done.stderr
    assert shop.files() == before
    ledger.path.unlink()
    done = run(shop, command)
    assert done.exit_code == 6 and "There is no ledger" in done.stderr
    assert shop.files() == before - {"payroll.ledger"}


@pytest.mark.parametrize("command", ["synth", "fit"])
def test_a_new_account_is_started_when_told_to_and_only_where_there_is_none(shop, command):
    done = run(shop, command, "--new-ledger", "--limit", "3")
    assert done.exit_code == 0 and "Started the ledger" in done.stderr
    started = Ledger.open("payroll.ledger")
    assert (started.dataset, started.limit, started.left) == ("payroll", 3, 2)
    again = run(shop, command, "--new-ledger", output="second.parquet")
    assert again.exit_code == 6 and "leave out --new-ledger" in again.stderr
    assert started.left == 2


def test_limit_and_mark_and_new_ledger_need_what_they_are_about(shop, ledger):
    for words in (("--limit", "2"), ("--new-ledger", "--limit", "2", "--no-ledger")):
        assert run(shop, "synth", *words).exit_code == 2
    for words in (("--new-ledger",), ("--limit", "2"), ("--mark", "m")):
        done = shop.run(
            "synth", shop.table, "-s", shop.schema, "-e", 1, "--no-ledger", "-o", "out.csv", *words
        )
        assert done.exit_code == 2 and "--ledger FILE" in done.stderr
    assert ledger.spent == 0


def test_a_ledger_that_vanishes_before_the_charge_is_not_made_anew(shop, ledger, monkeypatch):
    honest = TableSynthesizer.fit_many

    def unlucky(self, *args, **named):
        ledger.path.unlink()
        return honest(self, *args, **named)

    monkeypatch.setattr(TableSynthesizer, "fit_many", unlucky)
    before = shop.files()
    done = run(shop, "synth")
    assert done.exit_code == 6 and "There is no ledger" in done.stderr
    assert shop.files() == before - {"payroll.ledger"}


@pytest.mark.parametrize("command", ["synth", "fit"])
def test_a_schema_without_a_name_cannot_be_charged_to_any_account(shop, ledger, command):
    shop.schema.write_text(shop.schema.read_text().replace('name = "payroll"\nunit', "unit"))
    before = shop.files()
    for new in ((), ("--new-ledger",)):
        done = run(shop, command, *new, ledger="other.ledger" if new else "payroll.ledger")
        assert done.exit_code == 3 and 'name = "..."' in done.stderr, done.output
    assert shop.files() == before and ledger.spent == 0
    done = shop.run("synth", shop.table, "-s", shop.schema, "-e", "1", "--no-ledger", "-o", "out.csv")
    assert done.exit_code == 0  # without an account nobody asks for one


def test_engines_want_an_account_and_a_name_as_well(shop, ledger):
    folder = shop.folder / "parts"
    folder.mkdir()
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(shop.table), folder / "part-0.parquet")
    words = ("synth", "parts", "-e", "1", "-o", "out", "--engine", "local", "-s", shop.schema)
    before = shop.files()
    assert shop.run(*words, "-l", "payrol.ledger").exit_code == 6
    shop.schema.write_text(shop.schema.read_text().replace('name = "payroll"\nunit', "unit"))
    done = shop.run(*words, "-l", "payroll.ledger")
    assert done.exit_code == 3 and 'name = "..."' in done.stderr
    assert ledger.spent == 0 and shop.files() - before <= {"out"}


# charges that get lost


@pytest.mark.parametrize("command", ["synth", "fit"])
def test_a_ledger_copied_back_during_a_fit_releases_nothing_three_times(shop, ledger, command, monkeypatch):
    backup = ledger.path.read_bytes()
    during_the_fit(monkeypatch, lambda: ledger.path.write_bytes(backup))
    before = shop.files()
    for _ in range(3):  # three releases of epsilon 1 against a limit of 1
        done = run(shop, command)
        assert done.exit_code == 6, done.output
        assert "record 2 is missing from the ledger" in done.stderr and "older copy" in done.stderr
        assert "nothing released; record 2 is no longer in the ledger" in done.stderr
        assert shop.files() == before


def test_a_ledger_replaced_by_a_rename_during_a_fit_releases_nothing(shop, ledger, monkeypatch):
    shutil.copy(ledger.path, "copy")

    def restore():
        shutil.copy("copy", "copy2")
        os.replace("copy2", ledger.path)
        Ledger.open(ledger.path).charge(Fraction(1, 2), "somebody else", "ab" * 32)  # another record 2

    during_the_fit(monkeypatch, restore)
    done = run(shop, "synth")
    assert done.exit_code == 6 and "record 2 is missing" in done.stderr
    assert not any(name.startswith(("out", "model")) for name in shop.files())


def test_a_ledger_copied_back_after_the_fit_releases_nothing(shop, ledger, monkeypatch):
    backup, honest = ledger.path.read_bytes(), TableModel.save

    def late(self, path):
        ledger.path.write_bytes(backup)
        honest(self, path)

    monkeypatch.setattr(TableModel, "save", late)  # when the card, which reads the ledger, is written already
    before = shop.files()
    for command in ("synth", "fit"):
        done = run(shop, command, *(["--model", "m.json"] if command == "synth" else []))
        assert done.exit_code == 6 and "is missing from the ledger" in done.stderr, done.output
        assert shop.files() == before


def test_a_charge_lost_while_files_move_is_an_error_that_says_to_withhold_them(shop, ledger, monkeypatch):
    from quantail.cli.staging import Staging

    backup, honest = ledger.path.read_bytes(), Staging.commit

    def unlucky(self):
        ledger.path.write_bytes(backup)
        honest(self)

    monkeypatch.setattr(Staging, "commit", unlucky)
    done = run(shop, "synth")
    assert done.exit_code == 6 and "withhold the output" in done.stderr


def test_a_deleted_ledger_during_a_fit_releases_nothing(shop, ledger, monkeypatch):
    during_the_fit(monkeypatch, ledger.path.unlink)
    done = run(shop, "synth")
    assert done.exit_code == 6 and "nothing may be published" in done.stderr
    assert not any(name.startswith("out") for name in shop.files())


# outputs


@pytest.mark.parametrize("spelling", ["payroll.ledger", "./payroll.ledger", "link.ledger", "hard.ledger"])
@pytest.mark.parametrize("table", ["out", "record"])
def test_a_table_is_never_written_into_a_ledger(shop, ledger, spelling, table):
    os.symlink(ledger.path, "link.ledger")
    content = ledger.path.read_bytes()
    if spelling == "hard.ledger":
        os.link(ledger.path, "hard.ledger")
    output = f"sqlite:///{spelling}#{table}"
    for force in ((), ("--force",)):
        done = run(shop, "synth", *force, output=output)
        assert done.exit_code == 4, done.output
        assert ledger.path.read_bytes() == content
    for command in (
        ("synth", shop.table, "-s", shop.schema, "-e", 1, "--simulate-noise"),
        ("sample", "model.json"),
    ):
        if command[0] == "sample":
            simulated = ("-s", shop.schema, "-e", 1, "--simulate-noise", "-o", "model.json")
            assert shop.run("fit", shop.table, *simulated).exit_code == 0
        done = shop.run(*command, "-o", output, "--force")  # a ledger that this run does not even name
        assert done.exit_code == 4 and "is a ledger" in done.stderr, done.output
    assert ledger.path.read_bytes() == content


def test_a_file_that_is_a_ledger_is_replaced_by_nothing(shop, ledger):
    other = Ledger.create("claims.csv", "claims", 1)  # whatever it is called
    content = other.path.read_bytes()
    done = run(shop, "synth", "--force", output="claims.csv")
    assert done.exit_code == 4 and "is a ledger" in done.stderr
    assert run(shop, "synth", "--force", "--model", "payroll.ledger").exit_code == 4
    assert run(shop, "fit", "--force", output="claims.csv").exit_code == 4
    assert other.path.read_bytes() == content and ledger.spent == 0


def test_outputs_are_compared_with_inputs_as_files(shop, ledger):
    os.symlink(shop.table, "same.csv")
    os.link(shop.schema, "hard.json")
    shop.run("ledger", "export", ledger.path, "--mark", "payroll.mark")
    content = {name: (shop.folder / name).read_bytes() for name in shop.files()}
    for words, command in (
        (("--force",), "synth"),
        (("--force", "--model", "hard.json"), "synth"),
        (("--force", "--report", "out.card.html"), "synth"),
        (("--force", "--mark", "payroll.mark", "--model", "payroll.mark"), "synth"),
        (("--force",), "fit"),
    ):
        taken = {"synth": "same.csv", "fit": "hard.json"}[command] if words == ("--force",) else None
        done = run(shop, command, *words, output=taken)
        assert done.exit_code == 4 and "also an input" in done.stderr, (words, done.output)
    for file in ("payroll.csv", "schema.toml", "m.json", "r.html"):
        done = run(shop, "synth", "--model", "m.json", "--report", "r.html", output=f"sqlite:///{file}#out")
        assert done.exit_code == 4 and "also an input" in done.stderr, (file, done.output)
    assert {name: (shop.folder / name).read_bytes() for name in shop.files()} == content


def test_a_database_and_its_files_appear_together_or_not_at_all(shop, ledger, monkeypatch):
    with closing(sqlite3.connect("out.db")) as other:
        other.execute("CREATE TABLE mine (x)")
    shop.write("pay.card.md", "before")
    before = {name: (shop.folder / name).read_bytes() for name in shop.files()}
    honest = os.replace

    def failing(source, target):
        if str(target).endswith(".card.html"):
            raise OSError(28, "No space left on device")
        honest(source, target)

    monkeypatch.setattr(os, "replace", failing)
    done = run(shop, "synth", "--force", output="sqlite:///out.db#pay")
    assert done.exit_code == 4 and "nothing released" in done.stderr
    after = {name: (shop.folder / name).read_bytes() for name in shop.files()}
    assert {**before, "payroll.ledger": after["payroll.ledger"]} == after
    assert [e.status for e in ledger.entries() if e.kind == "mark"] == ["failed"] and ledger.left == 0


def test_a_database_that_cannot_commit_takes_the_files_back(shop, ledger, monkeypatch):
    class Failing(sqlite3.Connection):
        def commit(self):
            raise sqlite3.OperationalError("disk I/O error")

    def connect(place, read_only):
        connection = sqlite3.connect(place.path, factory=Failing, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        return connection

    monkeypatch.setitem(DIALECTS, "sqlite", replace(DIALECTS["sqlite"], connect=connect))
    before = shop.files()
    done = run(shop, "synth", output="sqlite:///out.db#pay")
    assert done.exit_code == 4, done.output
    assert shop.files() == before
    assert [e.status for e in ledger.entries() if e.kind == "mark"] == ["failed"]


def test_what_a_database_refuses_shows_before_the_charge(shop, ledger):
    with closing(sqlite3.connect("out.db")) as made:
        made.execute("CREATE VIEW pay_2 AS SELECT 1 AS x")  # which DROP TABLE does not remove
    before = (shop.folder / "out.db").read_bytes()
    done = run(shop, "synth", "--force", "--replicates", "2", output="sqlite:///out.db#pay")
    assert done.exit_code == 4 and "cannot write" in done.stderr, done.output
    assert ledger.spent == 0 and (shop.folder / "out.db").read_bytes() == before


def test_several_tables_of_a_database_appear_together(shop, ledger):
    done = run(shop, "synth", "--replicates", "2", output="sqlite:///out.db#pay")
    assert done.exit_code == 0, done.output
    with closing(sqlite3.connect("out.db")) as made:
        names = {name for (name,) in made.execute("SELECT name FROM sqlite_master")}
    assert names == {"pay_1", "pay_2"}


# marks


def test_a_mark_is_moved_forward_and_refuses_a_ledger_copied_back(shop, ledger):
    backup = ledger.path.read_bytes()
    assert shop.run("ledger", "export", ledger.path, "--mark", "payroll.mark").exit_code == 0
    paying = ("--mark", "payroll.mark")
    done = run(shop, "synth", *paying)
    assert done.exit_code == 0, done.output
    mark = HighWaterMark.load("payroll.mark")
    assert (mark.number, mark.head, mark.spent) == (3, ledger.head(), "1")
    ledger.path.write_bytes(backup)
    before = shop.files()
    for command in ("synth", "fit"):
        done = run(shop, command, *paying, output="second.parquet")
        assert done.exit_code == 6 and "copied back from a backup" in done.stderr, done.output
    assert shop.files() == before
    assert Ledger.open(ledger.path).spent == 0 and HighWaterMark.load("payroll.mark") == mark


def test_the_mark_counts_a_charge_whose_run_failed(shop, ledger, monkeypatch):
    shop.run("ledger", "export", ledger.path, "--mark", "payroll.mark")

    def fail(*args, **named):
        raise RuntimeError

    monkeypatch.setattr(TableModel, "sample", fail)
    assert run(shop, "synth", "--mark", "payroll.mark").exit_code == 70
    assert HighWaterMark.load("payroll.mark").spent == "1"


def test_a_mark_starts_with_its_ledger_and_outlives_it(shop):
    done = run(shop, "synth", "--new-ledger", "--mark", "payroll.mark")
    assert done.exit_code == 0, done.output
    assert HighWaterMark.load("payroll.mark").number == 3
    os.unlink("payroll.ledger")
    done = run(shop, "synth", "--new-ledger", "--mark", "payroll.mark", output="second.parquet")
    assert done.exit_code == 6 and "has an account already" in done.stderr
    assert not (shop.folder / "payroll.ledger").exists()


def test_a_mark_that_is_missing_or_cannot_be_moved_costs_nothing(shop, ledger):
    done = run(shop, "synth", "--mark", "none.mark")
    assert done.exit_code == 6 and "export" in done.stderr
    assert ledger.spent == 0


# spending elsewhere


def test_what_was_spent_elsewhere_counts(shop, ledger):
    words = ("ledger", "charge", ledger.path, "--reason", "tables of 2023")
    assert shop.run(*words).exit_code == 2
    assert shop.run(*words, "--epsilon", "1", "--rho", "1").exit_code == 2
    assert shop.run(*words, "--rho", "0.5").exit_code == 6  # another unit
    done = shop.run(*words, "--epsilon", "0.5")
    assert done.exit_code == 0 and "left 0.5" in done.stdout
    assert shop.run(*words, "--epsilon", "0.75").exit_code == 5
    assert ledger.spent == Fraction(1, 2)
    line = shop.run("ledger", "show", ledger.path).stdout.splitlines()[3]
    assert line.endswith("charged 0.5; elsewhere: tables of 2023")
    done = run(shop, "synth")
    assert done.exit_code == 5 and "left 0.5" in done.stderr


def test_the_card_counts_what_was_charged_before_it(shop, ledger):
    ledger.raise_limit(2, "two releases", by="the board")
    shop.run("ledger", "charge", ledger.path, "--epsilon", "0.5", "--reason", "tables of 2023")
    assert run(shop, "synth").exit_code == 0
    receipt = json.loads((shop.folder / "out.card.json").read_text())["ledger"]
    assert (receipt["charged"], receipt["spent_in_all"]) == ("1", "1.5")


def test_a_ledger_behind_a_symbolic_link_is_one_ledger(shop, ledger):
    os.symlink(ledger.path, "link.ledger")
    assert run(shop, "synth", ledger="link.ledger").exit_code == 0
    assert ledger.left == 0 and ledger.path.stat().st_nlink == 1
    with pytest.raises(LedgerError):
        Ledger.create("link.ledger", "payroll", 1)
