"""The ledger from the command line."""

import json
from fractions import Fraction

import pytest

from quantail.privacy.ledger import Ledger


@pytest.fixture
def ledger(shop):
    ledger = Ledger.create(shop.folder / "payroll.ledger", "payroll", 2)
    ledger.mark(ledger.charge(Fraction(1, 3), "first release", "ab" * 32), "released")
    ledger.charge(Fraction(1, 4), "second release", "cd" * 32)
    return ledger


def test_init_starts_a_ledger_once(shop):
    arguments = ("ledger", "init", "new.ledger", "--dataset", "payroll", "--limit", "1.5")
    assert shop.run(*arguments).exit_code == 0
    assert Ledger.open("new.ledger").limit == Fraction(3, 2)
    assert shop.run(*arguments).exit_code == 6


def test_init_refuses_an_unknown_unit(shop):
    done = shop.run("ledger", "init", "new.ledger", "--dataset", "d", "--limit", "1", "--unit", "gold")
    assert done.exit_code == 2
    assert not (shop.folder / "new.ledger").exists()


def test_show_tells_the_account_and_what_became_of_each_charge(shop, ledger):
    shown = shop.run("ledger", "show", ledger.path).stdout
    assert "limit 2, spent 0.583333333333 (7/12)" in shown
    first, second = (line for line in shown.splitlines() if "charged" in line)
    assert "first release" in first and first.endswith("released")
    assert "second release" in second and second.endswith("not marked")
    assert ledger.head() in shown


def test_export_equals_show_json_and_is_exact(shop, ledger):
    exported = json.loads(shop.run("ledger", "export", ledger.path).stdout)
    assert exported == json.loads(shop.run("ledger", "show", ledger.path, "--json").stdout)
    assert (exported["spent"], exported["left"], len(exported["entries"])) == ("7/12", "17/12", 4)
    shop.run("ledger", "export", ledger.path, "-o", "account.json")
    assert json.loads((shop.folder / "account.json").read_text()) == exported


def test_raise_needs_a_larger_limit_who_decided_and_why(shop, ledger):
    decided = ("--by", "the board", "--reason", "new year")
    assert shop.run("ledger", "raise", ledger.path, "--limit", "1", *decided).exit_code == 5
    for missing in ((), decided[:2], decided[2:]):
        assert shop.run("ledger", "raise", ledger.path, "--limit", "3", *missing).exit_code == 2
    assert shop.run("ledger", "raise", ledger.path, "--limit", "3", *decided).exit_code == 0
    assert ledger.limit == 3
    assert "limit raised to 3; by the board: new year" in shop.run("ledger", "show", ledger.path).stdout


def test_verify_passes_a_sound_ledger_and_its_old_heads(shop, ledger):
    old = ledger.head()
    ledger.charge(Fraction(1, 10), "third release", "ef" * 32)
    assert shop.run("ledger", "verify", ledger.path).exit_code == 0
    assert shop.run("ledger", "verify", ledger.path, "--head", old).exit_code == 0


def test_verify_notices_a_head_that_is_not_there(shop, ledger):
    done = shop.run("ledger", "verify", ledger.path, "--head", "0" * 64)
    assert done.exit_code == 6 and "head" in done.stderr


@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_what_is_not_a_ledger_is_refused(shop, command):
    assert shop.run("ledger", command, "nothing.ledger").exit_code == 6
    assert shop.run("ledger", command, shop.table).exit_code == 6


def test_a_ledger_copied_back_from_a_backup_is_betrayed_by_its_mark(shop, ledger):
    backup = ledger.path.read_bytes()
    ledger.charge(Fraction(1, 10), "third release", "ef" * 32)
    assert shop.run("ledger", "export", ledger.path, "--mark", "payroll.mark").exit_code == 0
    assert shop.run("ledger", "verify", ledger.path, "--mark", "payroll.mark").exit_code == 0
    ledger.path.write_bytes(backup)
    assert shop.run("ledger", "verify", ledger.path).exit_code == 0  # sound in itself: that is the trouble
    done = shop.run("ledger", "verify", ledger.path, "--mark", "payroll.mark")
    assert done.exit_code == 6 and "copied back from a backup" in done.stderr
    Ledger.open(ledger.path).charge(Fraction(1, 5), "another third release", "01" * 32)
    done = shop.run("ledger", "verify", ledger.path, "--mark", "payroll.mark")
    assert done.exit_code == 6 and "record 5 is not the one that was marked" in done.stderr


def test_a_mark_moves_forward_on_request_and_never_back(shop, ledger):
    backup = ledger.path.read_bytes()
    command = ("ledger", "export", ledger.path, "--mark", "payroll.mark")
    assert shop.run(*command).exit_code == 0
    ledger.charge(Fraction(1, 10), "third release", "ef" * 32)
    assert shop.run(*command).exit_code == 4  # there already
    assert shop.run(*command, "--force").exit_code == 0
    mark = (shop.folder / "payroll.mark").read_text()
    assert ledger.head() in mark
    ledger.path.write_bytes(backup)
    done = shop.run(*command, "--force")
    assert done.exit_code == 6 and "backup" in done.stderr
    assert (shop.folder / "payroll.mark").read_text() == mark


def test_a_mark_of_another_ledger_and_what_is_no_mark_are_refused(shop, ledger):
    other = Ledger.create(shop.folder / "claims.ledger", "claims", 1)
    shop.run("ledger", "export", other.path, "--mark", "claims.mark")
    done = shop.run("ledger", "verify", ledger.path, "--mark", "claims.mark")
    assert done.exit_code == 6 and "another ledger" in done.stderr
    for content in ("", "[]", "{}", "[" * 5000, '{"dataset": "payroll"}', "x" * 2**17):
        bad = shop.write("bad.mark", content)
        done = shop.run("ledger", "verify", ledger.path, "--mark", bad)
        assert done.exit_code == 6 and "not the mark" in done.stderr
    assert shop.run("ledger", "verify", ledger.path, "--mark", "none.mark").exit_code == 6
    assert shop.run("ledger", "export", ledger.path, "--mark", "a", "-o", "b").exit_code == 2
