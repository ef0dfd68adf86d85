import os
import random
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import pytest

from quantail.errors import BudgetError, LedgerError
from quantail.privacy.ledger import Ledger

PLAN = "ab" * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pay roll #1%.sqlite"  # characters that a careless file address would stumble over


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger.create(path, "payroll", 1)


def raw(path: Path, *statements: str) -> None:
    """Work on the file as an administrator with an SQLite shell would."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


# the account


def test_charges_add_up_exactly_and_are_seen_by_who_opens_it_next(ledger: Ledger, path: Path) -> None:
    for _ in range(3):
        ledger.charge(F(1, 3), "study", PLAN)
    again = Ledger.open(path)
    assert (again.limit, again.spent, again.left) == (F(1), F(1), F(0))
    assert (again.dataset, again.unit) == ("payroll", "epsilon")
    assert [entry.kind for entry in again.entries()] == ["open", "charge", "charge", "charge"]
    assert again.verify() == []


def test_an_entry_says_what_was_charged(ledger: Ledger) -> None:
    entry = ledger.charge(F(1, 7), "wages 2024", PLAN, dataset="payroll", unit="epsilon")
    assert (entry.amount, entry.purpose, entry.plan_hash) == (F(1, 7), "wages 2024", PLAN)
    assert entry.time.endswith("+00:00")
    assert ledger.entries()[-1] == entry
    assert ledger.head() == entry.hash


def test_an_overspend_is_refused_with_the_figures_and_leaves_no_trace(ledger: Ledger) -> None:
    ledger.charge(F(3, 4), "first", PLAN)
    head = ledger.head()
    figures = r"'payroll'.*epsilon.*limit 1, spent 0\.75, left 0\.25, asked 0\.333333333333 \(1/3\)"
    with pytest.raises(BudgetError, match=figures):
        ledger.charge(F(1, 3), "second", PLAN)
    assert (ledger.spent, ledger.head()) == (F(3, 4), head)
    ledger.charge(F(1, 4), "what is left", PLAN)
    with pytest.raises(BudgetError, match="left 0, asked"):
        ledger.charge(F(1, 10**30), "a crumb", PLAN)


@pytest.mark.parametrize("amount", [0, -1, F(-1, 2), float("nan"), "lots"])
def test_a_charge_cannot_be_a_refund(ledger: Ledger, amount: F) -> None:
    with pytest.raises(BudgetError, match="amount to charge"):
        ledger.charge(amount, "study", PLAN)
    assert len(ledger.entries()) == 1


def test_a_charge_for_other_data_or_another_unit_is_refused(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match=r"'payroll' in epsilon.*'claims' in epsilon"):
        ledger.charge(F(1, 2), "study", PLAN, dataset="claims")
    with pytest.raises(LedgerError, match="in rho"):
        ledger.charge(F(1, 2), "study", PLAN, unit="rho")
    assert ledger.spent == 0


def test_charges_for_other_neighbours_do_not_add_up_and_are_refused(ledger: Ledger, path: Path) -> None:
    ledger.charge(F(1, 8), "spent elsewhere", PLAN)  # nobody said for what
    first = ledger.charge(F(1, 8), "study", PLAN, neighbours="replace-one")
    assert first.status == "replace-one" and ledger.entries()[-1] == first
    for other in ("add-remove", "add-remove of firms"):
        with pytest.raises(
            LedgerError, match=f"Record 3.*replace-one neighbours, and this is for {other} ones"
        ):
            Ledger.open(path).charge(F(1, 8), "study", PLAN, neighbours=other)
    ledger.charge(F(1, 8), "by hand", PLAN)
    ledger.charge(F(1, 8), "study", PLAN, neighbours="replace-one")
    ledger.mark(first, "released")
    assert ledger.spent == F(1, 2) and ledger.verify() == []


def test_a_ledger_swapped_for_another_is_noticed(ledger: Ledger, path: Path) -> None:
    path.unlink()
    Ledger.create(path, "claims", 1)
    with pytest.raises(LedgerError, match="replaced by another ledger"):
        ledger.charge(F(1, 2), "study", PLAN)
    assert Ledger.open(path).spent == 0


@pytest.mark.parametrize("text", ["", "  ", "two\nlines", "\ud800", None])
def test_a_charge_says_in_words_what_it_is_for(ledger: Ledger, text: str) -> None:
    with pytest.raises(LedgerError, match="one line of text"):
        ledger.charge(F(1, 2), text, PLAN)
    assert ledger.spent == 0


def test_a_mark_never_changes_an_amount(ledger: Ledger) -> None:
    entry = ledger.charge(F(1, 2), "study", PLAN)
    mark = ledger.mark(entry, "failed")
    assert (mark.refers, mark.status, mark.amount) == (entry.number, "failed", None)
    ledger.mark(entry, "released")
    assert ledger.spent == F(1, 2)
    assert ledger.entries()[1] == entry
    assert ledger.verify() == []


def test_only_a_charge_of_this_ledger_can_be_marked(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger.create(tmp_path / "other.sqlite", "claims", 1).charge(F(1, 2), "study", PLAN)
    own = ledger.charge(F(1, 2), "study", PLAN)
    for entry in (other, ledger.entries()[0], ledger.mark(own, "released"), replace(own, amount=F(1, 9))):
        with pytest.raises(LedgerError, match="Only a charge of the ledger"):
            ledger.mark(entry, "released")
    with pytest.raises(LedgerError, match="nothing else"):
        ledger.mark(own, "refunded")  # type: ignore[arg-type]


def test_the_limit_is_only_raised_and_its_history_kept(ledger: Ledger) -> None:
    ledger.charge(F(1), "study", PLAN)
    ledger.raise_limit("3/2", "agreed on 3 May", by="the board")
    ledger.charge(F(1, 2), "second study", PLAN)
    assert (ledger.limit, ledger.left) == (F(3, 2), 0)
    limits = [(entry.amount, entry.purpose) for entry in ledger.entries() if entry.kind in ("open", "limit")]
    assert limits == [(F(1), ""), (F(3, 2), "by the board: agreed on 3 May")]
    for lower in (1, F(3, 2)):
        with pytest.raises(BudgetError, match=r"only be raised"):
            ledger.raise_limit(lower, "second thoughts", by="the board")
    with pytest.raises(LedgerError, match="reason"):
        ledger.raise_limit(2, "", by="the board")
    with pytest.raises(LedgerError, match="who decides"):
        ledger.raise_limit(2, "agreed", by=" ")
    assert ledger.verify() == []


def test_the_clock_does_not_matter(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    import datetime as clock

    from quantail.privacy import chain

    class Backwards(clock.datetime):
        hour_now = 20

        @classmethod
        def now(cls, tz: clock.tzinfo | None = None) -> "Backwards":
            cls.hour_now -= 1
            return cls(1999, 1, 1, cls.hour_now, tzinfo=tz)

    monkeypatch.setattr(chain, "datetime", Backwards)
    for _ in range(3):
        ledger.charge(F(1, 4), "study", PLAN)
    assert ledger.spent == F(3, 4)
    assert ledger.verify() == []


# creating and opening


def test_nothing_is_overwritten(ledger: Ledger, path: Path, tmp_path: Path) -> None:
    ledger.charge(F(1, 2), "study", PLAN)
    with pytest.raises(LedgerError, match="exists already"):
        Ledger.create(path, "payroll", 5)
    assert Ledger.open(path).left == F(1, 2)
    note = tmp_path / "note.txt"
    note.write_text("keep me")
    with pytest.raises(LedgerError, match="exists already"):
        Ledger.create(note, "payroll", 5)
    assert note.read_text() == "keep me"


def test_a_ledger_needs_a_limit_a_name_and_a_known_unit(path: Path) -> None:
    with pytest.raises(BudgetError, match="limit of the ledger"):
        Ledger.create(path, "payroll", 0)
    with pytest.raises(LedgerError, match="data set name"):
        Ledger.create(path, "", 1)
    with pytest.raises(LedgerError, match="unit of a ledger"):
        Ledger.create(path, "payroll", 1, "delta")  # type: ignore[arg-type]
    assert not path.exists()


def test_a_failed_creation_leaves_no_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quantail.privacy.ledger_file._SCHEMA", {"record": "CREATE NONSENSE"})
    with pytest.raises(LedgerError):
        Ledger.create(path, "payroll", 1)
    assert not path.exists()


def test_a_missing_ledger_is_not_created_by_opening_it(path: Path, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="There is no ledger at"):
        Ledger.open(path)
    assert not path.exists()
    with pytest.raises(LedgerError, match="must be a file"):
        Ledger.open(tmp_path)
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(tmp_path / "no" / "folder.sqlite", "payroll", 1)


@pytest.mark.parametrize("content", [b"", b"x", b"income,jobs\n1,2\n" * 400, b"\0" * 8192])
def test_a_file_that_is_no_database_is_refused_and_untouched(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"not a (Quantail )?ledger"):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_a_foreign_database_is_refused(path: Path) -> None:
    raw(path, "CREATE TABLE record (number INTEGER)")
    with pytest.raises(LedgerError, match="not a Quantail ledger"):
        Ledger.open(path)


def test_a_newer_format_asks_for_an_upgrade(ledger: Ledger, path: Path) -> None:
    raw(path, "PRAGMA user_version = 2")
    with pytest.raises(LedgerError, match="newer Quantail: upgrade"):
        Ledger.open(path)
    with pytest.raises(LedgerError, match="newer Quantail"):
        ledger.charge(F(1, 2), "study", PLAN)


# locks and rights


@contextmanager
def held(path: Path, kind: str) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"BEGIN {kind}")
        yield


def test_a_locked_ledger_says_so_and_charges_nothing(path: Path, ledger: Ledger) -> None:
    hasty = Ledger.open(path, busy_seconds=0.05)
    with held(path, "IMMEDIATE"):
        with pytest.raises(LedgerError, match=r"another process has held it for 0\.05 seconds.*try again"):
            hasty.charge(F(1, 2), "study", PLAN)
        assert hasty.spent == 0  # reading goes on
    with held(path, "EXCLUSIVE"), pytest.raises(LedgerError, match="locked"):
        Ledger.open(path, busy_seconds=0.05)
    hasty.charge(F(1, 2), "study", PLAN)
    assert ledger.spent == F(1, 2)


def test_a_reader_in_the_way_of_the_commit_means_no_charge(path: Path, ledger: Ledger) -> None:
    hasty = Ledger.open(path, busy_seconds=0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM record").fetchone()
        with pytest.raises(LedgerError, match="locked"):
            hasty.charge(F(1, 2), "study", PLAN)
    assert ledger.spent == 0
    assert ledger.verify() == []


def test_a_charge_waits_for_its_turn(path: Path, ledger: Ledger) -> None:
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.15, lambda: other.execute("ROLLBACK"))
        timer.start()
        ledger.charge(F(1, 2), "study", PLAN)
        timer.join()
    assert ledger.spent == F(1, 2)


def test_threads_share_a_ledger_without_overspending(ledger: Ledger) -> None:
    refused = []

    def work() -> None:
        for _ in range(4):
            try:
                ledger.charge(F(1, 10), "thread", PLAN)
            except BudgetError:
                refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.spent == 1
    assert len(refused) == 6
    assert ledger.verify() == []


@pytest.fixture
def guarded() -> Iterator[Path]:
    """A folder of an ordinary user: rights do not bind the superuser, so step down for the test."""
    if not hasattr(os, "geteuid"):
        pytest.skip("needs POSIX rights")
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            Ledger.create(folder / "ledger.sqlite", "payroll", 1)
            yield folder
            folder.chmod(0o700)
    finally:
        if superuser:
            os.seteuid(0)


def test_a_read_only_file_can_be_read_but_not_charged(guarded: Path) -> None:
    path = guarded / "ledger.sqlite"
    path.chmod(0o400)
    ledger = Ledger.open(path)
    assert ledger.left == 1
    assert ledger.verify() == []
    with pytest.raises(LedgerError, match="cannot be written: get the right"):
        ledger.charge(F(1, 2), "study", PLAN)


def test_a_read_only_folder_can_be_read_but_not_charged(guarded: Path) -> None:
    guarded.chmod(0o500)
    ledger = Ledger.open(guarded / "ledger.sqlite")
    with pytest.raises(LedgerError, match="cannot be written: get the right"):
        ledger.charge(F(1, 2), "study", PLAN)
    assert ledger.spent == 0
    with pytest.raises(LedgerError, match="cannot be created: Permission denied"):
        Ledger.create(guarded / "new.sqlite", "payroll", 1)


def test_an_unreadable_file_or_folder_is_refused(guarded: Path) -> None:
    path = guarded / "ledger.sqlite"
    path.chmod(0o000)
    with pytest.raises(LedgerError, match="right to read"):
        Ledger.open(path)
    guarded.chmod(0o000)
    with pytest.raises(LedgerError, match="cannot be reached: Permission denied"):
        Ledger.open(path)


def test_commits_are_forced_to_disk(ledger: Ledger) -> None:
    with ledger._transaction() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


# tampering and damage


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET amount = '1/100' WHERE number = 2",
        "DELETE FROM record WHERE number = 3",
        "DELETE FROM record",
        "INSERT OR REPLACE INTO record SELECT 2, kind, time, dataset, unit, '1/9', purpose, plan_hash,"
        " refers, status, previous, hash FROM record WHERE number = 2",
        "INSERT INTO record SELECT 9, kind, time, dataset, unit, amount, purpose, plan_hash, refers, status,"
        " previous, hash FROM record WHERE number = 2",
    ],
)
def test_the_file_itself_refuses_changes(ledger: Ledger, path: Path, statement: str) -> None:
    ledger.charge(F(1, 2), "study", PLAN)
    ledger.charge(F(1, 4), "study", PLAN)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        raw(path, statement)
    assert ledger.spent == F(3, 4)
    assert ledger.verify() == []


def triggers(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))


def force(path: Path, statement: str) -> None:
    """Change the file as an administrator would who takes the triggers away and puts them back."""
    kept = triggers(path)
    raw(path, *(f"DROP TRIGGER {name}" for name in kept), statement, *kept.values())


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("UPDATE record SET amount = '1/100' WHERE number = 2", 2),
        ("UPDATE record SET purpose = 'nicer words' WHERE number = 3", 3),
        ("UPDATE record SET time = '2000-01-01T00:00:00+00:00' WHERE number = 2", 2),
        ("UPDATE record SET amount = '9/1' WHERE number = 1", 1),
        ("UPDATE record SET amount = x'00ff' WHERE number = 2", 2),
        ("UPDATE record SET hash = 'é' WHERE number = 2", 2),
        ("DELETE FROM record WHERE number = 2", 2),
    ],
)
def test_a_forced_change_breaks_the_chain_and_stops_charges(
    ledger: Ledger, path: Path, statement: str, place: int
) -> None:
    ledger.charge(F(1, 2), "study", PLAN)
    ledger.charge(F(1, 4), "study", PLAN)
    force(path, statement)
    assert Ledger.open(path).verify()[0].startswith(f"record {place} ")
    for use in (lambda: ledger.charge(F(1, 10), "study", PLAN), lambda: ledger.left, ledger.head):
        with pytest.raises(LedgerError, match=f"damaged: record {place} .*restore it from a backup"):
            use()


def test_a_missing_trigger_is_reported(ledger: Ledger, path: Path) -> None:
    raw(path, "DROP TRIGGER record_kept")
    assert "append-only" in ledger.verify()[0]
    with pytest.raises(LedgerError, match="append-only"):
        ledger.charge(F(1, 2), "study", PLAN)


def test_a_chain_cut_short_is_betrayed_by_a_head_kept_elsewhere(ledger: Ledger, path: Path) -> None:
    early = ledger.charge(F(1, 2), "study", PLAN).hash
    late = ledger.charge(F(1, 4), "study", PLAN).hash
    assert ledger.verify(early) == ledger.verify(late) == []
    force(path, "DELETE FROM record WHERE number = 3")
    assert ledger.verify() == ledger.verify(early) == []
    assert "cut off" in ledger.verify(late)[0]


def test_a_ledger_without_records_is_refused(ledger: Ledger, path: Path) -> None:
    force(path, "DELETE FROM record")
    with pytest.raises(LedgerError, match="first record is missing"):
        Ledger.open(path)
    assert ledger.verify() == ["it has no records"]


def test_a_crash_halfway_through_a_commit_is_undone_on_opening(ledger: Ledger, path: Path) -> None:
    head = ledger.charge(F(1, 2), "study", PLAN).hash
    crashed = path.with_name("crashed.sqlite")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")  # pages spill into the file before the commit
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DROP TABLE record")
        connection.execute("CREATE TABLE other (content BLOB)")
        connection.executemany("INSERT INTO other VALUES (zeroblob(3000))", [()] * 50)
        shutil.copy(path, crashed)
        shutil.copy(path.with_name(path.name + "-journal"), crashed.with_name(crashed.name + "-journal"))
    assert crashed.stat().st_size > path.stat().st_size  # it was caught halfway
    again = Ledger.open(crashed)
    assert (again.spent, again.head(), again.verify()) == (F(1, 2), head, [])


def outcome(path: Path) -> tuple[F, F, str] | None:
    """What a damaged ledger claims, or None when it owns up to the damage."""
    try:
        ledger = Ledger.open(path, busy_seconds=0)
        problems = ledger.verify()
        if problems:
            with pytest.raises(LedgerError):
                ledger.charge(F(1, 10**6), "study", PLAN)
            return None
        return ledger.spent, ledger.limit, ledger.head()
    except LedgerError:
        return None


def filled(ledger: Ledger) -> tuple[bytes, tuple[F, F, str]]:
    for number in range(12):
        ledger.charge(F(1, 13), f"study {number}", PLAN)
    return ledger.path.read_bytes(), (ledger.spent, ledger.limit, ledger.head())


def damaged(whole: bytes) -> Iterator[bytes]:
    """Flip one bit at a time: in the file's header, in each page's header, and here and there."""
    chance = random.Random(1)
    pages = [page + offset for page in range(0, len(whole), 4096) for offset in range(8)]
    places = [*range(18, 112), *pages, *(chance.randrange(len(whole)) for _ in range(60))]
    for place, bit in [(place, bit) for place in places for bit in (1, 0x80)]:
        yield whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :]


def test_a_damaged_byte_never_changes_the_account_unnoticed(ledger: Ledger, path: Path) -> None:
    whole, truth = filled(ledger)
    outcomes = []
    for content in damaged(whole):
        path.write_bytes(content)
        outcomes.append(outcome(path))
        for side in ("-journal", "-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
    assert set(outcomes) == {None, truth}  # reported, or in a spot that holds nothing
    assert outcomes.count(None) > 50


def test_a_truncated_file_is_refused(ledger: Ledger, path: Path) -> None:
    whole, _ = filled(ledger)
    for size in [1, 15, 16, 50, 99, 100, 512, *range(1024, len(whole), 1024), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(LedgerError):
            Ledger.open(path)
        with pytest.raises(LedgerError):
            ledger.charge(F(1, 100), "study", PLAN)
