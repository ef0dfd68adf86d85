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


def test_raise_needs_a_larger_limit_and_a_reason(shop, ledger):
    assert shop.run("ledger", "raise", ledger.path, "--limit", "1", "--reason", "why").exit_code == 5
    assert shop.run("ledger", "raise", ledger.path, "--limit", "3").exit_code == 2
    assert shop.run("ledger", "raise", ledger.path, "--limit", "3", "--reason", "new year").exit_code == 0
    assert ledger.limit == 3


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
