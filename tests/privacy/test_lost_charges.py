"""A charge that is no longer in the ledger: what it paid for is not handed out, in Python as on the command line."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quantail.answers import bound, quantiles
from quantail.engines import synthesize_panel, synthesize_table
from quantail.errors import LedgerError, LostChargeError
from quantail.ledger_header import is_ledger
from quantail.panel import PanelSynthesizer
from quantail.privacy import HighWaterMark, Ledger
from quantail.report import release_card
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

PLAN = "0" * 64
COLUMNS = (Column("jobs", "integer", 0, 9),)
TABLE = pa.table({"jobs": [place % 7 for place in range(40)]})
WIDE = pa.table(
    {
        "id": list(range(40)),
        "first": [2000] * 40,
        "last": [2001] * 40,
        "jobs_2000": TABLE["jobs"],
        "jobs_2001": TABLE["jobs"],
    }
)
TABLES = TableSynthesizer(Schema(COLUMNS, "firm", name="payroll"), 1)
PANEL = Panel("id", "first", "last", 2000, 2001)
PANELS = PanelSynthesizer(Schema(COLUMNS, "firm", name="payroll", panel=PANEL), 1)
FITS = {
    "table": lambda ledger, told: TABLES.fit(TABLE, ledger, told),
    "several fits": lambda ledger, told: TABLES.fit_many(TABLE, 1, ledger, told),
    "panel": lambda ledger, told: PANELS.fit(WIDE, ledger, told),
}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger.sqlite", "payroll", 1)


def test_a_ledger_pays_for_one_kind_of_neighbours(tmp_path: Path) -> None:
    protected = Schema(COLUMNS, "firm", "add-remove", name="payroll")
    full = Panel("id", start=2000, end=2001)
    firms = replace(full, firm="owner", establishments=3)
    wide = WIDE.append_column("owner", pa.array(["a", "b"] * 20))
    kinds: dict[str, Callable[[Ledger], object]] = {
        "replace-one": lambda ledger: TableSynthesizer(TABLES.schema, 1).fit(TABLE, ledger),
        "add-remove": lambda ledger: TableSynthesizer(protected, 1).fit(TABLE, ledger),
        "replace-one, quantiles": lambda ledger: quantiles(
            TABLE, "jobs", [0.5], 1, ledger=ledger, schema=TABLES.schema
        ),
        "replace-one, bound": lambda ledger: bound(TABLE, "jobs", 10, ledger=ledger, name="payroll"),
        "add-remove, quantiles": lambda ledger: quantiles(
            TABLE, "jobs", [0.5], 1, ledger=ledger, schema=protected
        ),
        "add-remove, panel": lambda ledger: PanelSynthesizer(replace(protected, panel=full), 1).fit(
            wide, ledger
        ),
        "add-remove of firms": lambda ledger: PanelSynthesizer(replace(protected, panel=firms), 1).fit(
            wide, ledger
        ),
    }
    for one in kinds:
        ledger = Ledger.create(tmp_path / f"{one}.ledger", "payroll", 100)
        kinds[one](ledger)
        for other, release in kinds.items():
            spent = ledger.spent
            if one.partition(",")[0] == other.partition(",")[0]:
                release(ledger)
                continue
            with pytest.raises(LedgerError, match="do not add up"):
                release(ledger)
            assert ledger.spent == spent


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_a_ledger_copied_back_during_a_fit_yields_no_model(
    ledger: Ledger, fit: Callable[..., object]
) -> None:
    backup = ledger.path.read_bytes()
    for _ in range(3):
        with pytest.raises(LostChargeError, match="record 2 is missing"):
            fit(Ledger.open(ledger.path), lambda *step: ledger.path.write_bytes(backup))
    assert not hasattr(TABLES, "model_")


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_a_ledger_deleted_during_a_fit_yields_no_model(ledger: Ledger, fit: Callable[..., object]) -> None:
    with pytest.raises(LostChargeError, match="There is no ledger"):
        fit(ledger, lambda *step: ledger.path.unlink(missing_ok=True))
    with pytest.raises(LedgerError, match="There is no ledger"):
        fit(ledger, lambda *step: None)
    assert not ledger.path.exists()


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_an_undisturbed_fit_is_confirmed(ledger: Ledger, fit: Callable[..., object]) -> None:
    fit(ledger, None)
    assert ledger.confirm().spent == 1 and len(ledger.charges) == 1


def test_tables_of_a_panel_end_when_the_charge_is_gone(ledger: Ledger) -> None:
    backup = ledger.path.read_bytes()
    schema = Schema(
        (Column("place", "category", categories=("a", "b")), *COLUMNS),
        "firm",
        name="payroll",
        panel=PANEL,
        by=("place",),
    )
    ids = pa.array(range(100, 140))
    other = WIDE.set_column(0, "id", ids)
    tables = [
        frame.append_column("place", pa.array([label] * 40)) for frame, label in ((WIDE, "a"), (other, "b"))
    ]
    models = PanelSynthesizer(schema, 1).fit_each(tables, ledger)
    next(models)
    ledger.path.write_bytes(backup)
    with pytest.raises(LostChargeError):
        next(models)


@pytest.mark.parametrize("kind", ["table", "panel"])
def test_engines_publish_nothing_when_the_charge_is_gone(ledger: Ledger, tmp_path: Path, kind: str) -> None:
    backup, folder = ledger.path.read_bytes(), tmp_path / "in"
    folder.mkdir()
    pq.write_table(TABLE if kind == "table" else WIDE, folder / "part-0.parquet")
    work, maker = (synthesize_table, TABLES) if kind == "table" else (synthesize_panel, PANELS)
    with pytest.raises(LostChargeError):
        work(  # type: ignore[operator]
            folder,
            tmp_path / "out",
            maker,
            ledger=ledger,
            progress=lambda *step: ledger.path.write_bytes(backup),
        )
    assert {path.name for path in tmp_path.iterdir()} == {"in", "ledger.sqlite"}


def test_a_second_charge_is_refused_when_the_first_got_lost(ledger: Ledger) -> None:
    backup = ledger.path.read_bytes()
    ledger.charge(F(1, 2), "study", PLAN)
    ledger.path.write_bytes(backup)
    with pytest.raises(LostChargeError, match="record 2"):
        ledger.charge(F(1, 2), "another", PLAN)
    assert Ledger.open(ledger.path).spent == 0


def test_a_charge_of_the_same_number_is_not_the_same_charge(ledger: Ledger) -> None:
    backup = ledger.path.read_bytes()
    entry = ledger.charge(F(1, 2), "study", PLAN)
    ledger.path.write_bytes(backup)
    again = Ledger.open(ledger.path)
    other = again.charge(F(1, 2), "another study", PLAN)
    assert entry.number == other.number
    with pytest.raises(LostChargeError):
        ledger.confirm()
    with pytest.raises(LostChargeError):
        again.confirm(entry)
    again.confirm(other)


def test_a_card_is_never_written_for_a_charge_that_is_not_there(ledger: Ledger) -> None:
    backup = ledger.path.read_bytes()
    model = TABLES.fit(TABLE, ledger)
    receipt = release_card(model, rows=40, ledger=ledger, entry=ledger.charges[-1])["ledger"]
    assert (receipt["charged"], receipt["spent_in_all"]) == ("1", "1")
    ledger.path.write_bytes(backup)
    for entry in (ledger.charges[-1], None):
        with pytest.raises(LostChargeError):
            release_card(model, rows=40, ledger=ledger, entry=entry)
    with pytest.raises(LostChargeError):
        release_card(model, rows=40, ledger=Ledger.open(ledger.path), entry=ledger.charges[-1])


def test_a_schema_without_a_name_is_charged_to_nobody(ledger: Ledger) -> None:
    for maker, frame in (
        (TableSynthesizer(Schema(COLUMNS, "firm"), 1), TABLE),
        (PanelSynthesizer(Schema(COLUMNS, "firm", panel=PANEL), 1), WIDE),
    ):
        with pytest.raises(LedgerError, match=r'write name = "\.\.\."'):
            maker.fit(frame, ledger=ledger)
        maker.fit(frame)  # without an account nobody asks for a name
    assert ledger.spent == 0


# one file, one name

CUT_OFF = """
import resource, signal, sys
from fractions import Fraction
from quantail.privacy.ledger import Ledger

ledger = Ledger.open(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (8800, 8800))
ledger.charge(Fraction(1, 100), "cut off", "0" * 64)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX limits and signals")
def test_a_hard_link_and_a_kill_cannot_undo_a_reported_charge(ledger: Ledger, tmp_path: Path) -> None:
    for number in range(40):  # several pages, so that a commit can be cut off between them
        ledger.charge(F(1, 100), f"study {number}", PLAN)
    # The journal of a charge that was killed lies beside the first name; in the file itself it left no trace yet.
    whole = ledger.path.read_bytes()
    done = subprocess.run([sys.executable, "-c", CUT_OFF, str(ledger.path)], timeout=120)
    assert done.returncode == -signal.SIGXFSZ
    assert ledger.path.with_name("ledger.sqlite-journal").stat().st_size
    ledger.path.write_bytes(whole)
    second = tmp_path / "second name.sqlite"
    os.link(ledger.path, second)
    with pytest.raises(LedgerError, match=r"2 names \(hard links\)"):
        Ledger.open(second).charge(F(1, 4), "reported under the second name", PLAN)
    with pytest.raises(LedgerError, match="hard links"):
        Ledger.open(ledger.path)
    second.unlink()
    assert Ledger.open(ledger.path).spent == F(40, 100)


def test_symbolic_links_lead_to_one_journal(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.sqlite"
    link.symlink_to(ledger.path)
    linked = Ledger.open(link)
    with linked._transaction("IMMEDIATE") as connection:
        connection.execute("PRAGMA user_version = 1")  # something to write
        assert ledger.path.with_name("ledger.sqlite-journal").exists()
        assert not list(link.parent.glob("*-journal"))
    linked.charge(F(1, 2), "study", PLAN)
    assert ledger.spent == F(1, 2)


def test_a_link_turned_elsewhere_during_a_run_is_noticed(ledger: Ledger, tmp_path: Path) -> None:
    shutil.copy(ledger.path, tmp_path / "old.sqlite")
    link = tmp_path / "link.sqlite"
    link.symlink_to(ledger.path)
    linked = Ledger.open(link)
    linked.charge(F(1, 2), "study", PLAN)
    link.unlink()
    link.symlink_to(tmp_path / "old.sqlite")
    with pytest.raises(LostChargeError):
        linked.confirm()


def test_a_journal_left_behind_is_not_taken_for_that_of_a_new_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite-journal").write_bytes(b"what a killed charge left")
    with pytest.raises(LedgerError, match="journal of a ledger that was there before"):
        Ledger.create(tmp_path / "ledger.sqlite", "payroll", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite-journal"]


# marks


def test_a_mark_moves_forward_only(ledger: Ledger, tmp_path: Path) -> None:
    mark, backup = tmp_path / "mark", ledger.path.read_bytes()
    ledger.renew_mark(mark)
    ledger.charge(F(1, 2), "study", PLAN)
    ledger.renew_mark(mark)
    kept = HighWaterMark.load(mark)
    assert (kept.number, kept.spent) == (2, "1/2")
    ledger.path.write_bytes(backup)
    again = Ledger.open(ledger.path)
    for _ in range(2):
        with pytest.raises(LedgerError, match="contradicts the mark"):
            again.renew_mark(mark)
        assert HighWaterMark.load(mark) == kept
        again.charge(F(1, 4), "study", PLAN)
    assert {path.name for path in tmp_path.iterdir()} == {"ledger.sqlite", "mark"}


def test_a_mark_that_cannot_be_written_says_so_and_keeps_the_old_one(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LedgerError, match="cannot be written"):
        ledger.renew_mark(tmp_path / "none" / "mark")
    mark = tmp_path / "mark"
    kept = ledger.renew_mark(mark)
    ledger.charge(F(1, 2), "study", PLAN)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LedgerError, match="No space left"):
        ledger.renew_mark(mark)
    assert HighWaterMark.load(mark) == kept
    assert {path.name for path in tmp_path.iterdir()} == {"ledger.sqlite", "mark"}


def test_a_ledger_is_told_by_its_header(ledger: Ledger, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for content in (b"", b"SQLite format 3\0", b"SQLite format 3\0" + b"\0" * 4080, b"jobs,pay\n" * 99):
        other.write_bytes(content)
        assert not is_ledger(other)
    assert is_ledger(ledger.path) and not is_ledger(tmp_path) and not is_ledger(tmp_path / "none")
    other.unlink()
    other.symlink_to(ledger.path)
    assert is_ledger(other)
