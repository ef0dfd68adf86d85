"""The ledger under faults: killed at any byte and any line, starved of disk, its journal torn, an old copy put back.

What must hold every time: no charge that was reported is lost, no charge counts less than it did, and whatever cannot
be mended is owned up to with a message.
"""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction as F
from pathlib import Path

import pyarrow as pa
import pytest

from quantail.errors import LedgerError
from quantail.panel import PanelSynthesizer
from quantail.privacy import HighWaterMark, Ledger
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX limits and signals")
PLAN = "0" * 64
CRASHES = Path(__file__).with_name("ledger_crashes.py")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger.create(tmp_path / "ledger.sqlite", "payroll", 1)
    for number in range(40):  # several pages, so that a commit can be cut off between them
        ledger.charge(F(1, 100), f"study {number}", PLAN)
    return ledger


def program(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, which may set limits and die."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


LIMITED = """
import resource, signal, sys
from fractions import Fraction
from quantail.errors import LedgerError
from quantail.privacy.ledger import Ledger

path, limit, kill = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "kill"
ledger = Ledger.open(path) if sys.argv[4] == "charge" else None
signal.signal(signal.SIGXFSZ, signal.SIG_DFL if kill else signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    if ledger is None:
        Ledger.create(path, "payroll", 1)
    else:
        ledger.charge(Fraction(1, 100), "one more", "0" * 64)
except LedgerError as error:
    print(error)
    sys.exit(6)
"""


def test_charges_survive_kills_and_a_full_disk(tmp_path: Path) -> None:
    trials = 120
    arguments = [sys.executable, str(CRASHES), str(tmp_path), str(trials), "5"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert sum(found["ended"].values()) == trials
    # One fault of each of these kinds is sure to strike, whatever the machine is busy with.
    for outcome in ("byte killed", "full refused", "line killed"):
        assert found["ended"].get(outcome, 0) > 0


def test_a_full_disk_is_named_and_nothing_is_charged(ledger: Ledger, tmp_path: Path) -> None:
    before = ledger.head()
    done = program(LIMITED, ledger.path, 100, "refuse", "charge")
    assert done.returncode == 6 and "disk full" in done.stdout and "make room" in done.stdout
    assert (ledger.head(), ledger.verify()) == (before, [])
    done = program(LIMITED, tmp_path / "new.sqlite", 100, "refuse", "create")
    assert done.returncode == 6 and "disk full" in done.stdout
    assert not (tmp_path / "new.sqlite").exists()
    Ledger.create(tmp_path / "new.sqlite", "payroll", 1)  # and can be started once there is room


def crash_image(ledger: Ledger, limit: int) -> tuple[bytes, bytes]:
    """Return the file and its journal as a process left them that was killed at byte `limit` of a commit."""
    done = program(LIMITED, ledger.path, limit, "kill", "charge")
    assert done.returncode == -signal.SIGXFSZ
    journal = ledger.path.with_name(ledger.path.name + "-journal")
    return ledger.path.read_bytes(), journal.read_bytes()


def torn(journal: bytes) -> Iterator[bytes]:
    """Cut a journal at its seams and between them, and damage what was written."""
    seams = {0, 1, 7, 8, 11, 12, 27, 28, 511, 512, 515, 516, 4611, 4612, 4615, 4616, len(journal) - 1}
    for size in sorted({*seams, *range(100, len(journal), 997)}):
        yield journal[:size]
        yield journal[:size] + b"\0" * (len(journal) - size)
    for place in range(0, len(journal), 499):
        yield journal[:place] + bytes([journal[place] ^ 0xFF]) + journal[place + 1 :]


def outcome(path: Path) -> tuple[F, str] | None:
    """What a ledger claims after a fault, or None if it owns up to the damage."""
    try:
        ledger = Ledger.open(path, busy_seconds=0)
        return (ledger.spent, ledger.head()) if not ledger.verify() else None
    except LedgerError as error:
        assert "damaged" in str(error) or "not a" in str(error) or "faulty" in str(error)
        return None


# Killed while it writes the journal, at the file's first page, and between its first page and its last.
@pytest.mark.parametrize("limit", [2000, 4096, 8800])
def test_a_torn_journal_never_makes_a_ledger_forget(ledger: Ledger, limit: int) -> None:
    truth = (ledger.spent, ledger.head())
    whole, journal = crash_image(ledger, limit)
    path = ledger.path.with_name("torn.sqlite")
    outcomes = []
    for content in itertools.chain([journal], torn(journal)):
        path.write_bytes(whole)
        path.with_name(path.name + "-journal").write_bytes(content)
        outcomes.append(outcome(path))
        path.with_name(path.name + "-journal").unlink(missing_ok=True)
    # The charge that was cut off had not been reported, so what was true before is true; None is a refusal.
    assert outcomes[0] == truth
    assert set(outcomes) <= {truth, None}


def test_a_journal_that_was_thrown_away_is_noticed_or_harmless(ledger: Ledger) -> None:
    truth = (ledger.spent, ledger.head())
    for limit in (2000, 8800):
        whole, _ = crash_image(ledger, limit)
        path = ledger.path.with_name("bare.sqlite")
        path.write_bytes(whole)
        assert outcome(path) in (truth, None)
        assert ledger.verify() == []  # the real one still has its journal


def test_a_newer_journal_beside_an_old_copy_is_noticed_or_harmless(ledger: Ledger) -> None:
    backup = ledger.path.read_bytes()
    old = (ledger.spent, ledger.head())
    ledger.charge(F(1, 100), "after the backup", PLAN)
    new = (ledger.spent, ledger.head())
    crash_image(ledger, 8800)
    ledger.path.write_bytes(backup)  # somebody restores the file, and leaves the journal where it is
    assert outcome(ledger.path) in (old, new, None)


def test_an_old_copy_put_back_contradicts_the_mark(ledger: Ledger) -> None:
    backup = ledger.path.with_name("backup.sqlite")
    shutil.copy(ledger.path, backup)
    early = ledger.high_water()
    ledger.charge(F(1, 10), "after the backup", PLAN)
    late = ledger.high_water()
    assert ledger.verify(mark=early) == ledger.verify(mark=late) == []
    assert (late.number, late.head, late.spent) == (42, ledger.head(), str(ledger.spent))
    shutil.copy(backup, ledger.path)
    assert ledger.verify() == ledger.verify(mark=early) == []
    assert "ends at record 41, but had 42" in ledger.verify(mark=late)[0]
    for purpose in ("another release", "and one more"):  # as long as before, and longer
        Ledger.open(ledger.path).charge(F(1, 10), purpose, PLAN)
        assert "record 42 is not the one that was marked" in ledger.verify(mark=late)[0]
    other = Ledger.create(ledger.path.with_name("other.sqlite"), "claims", 1)
    assert "another ledger" in other.verify(mark=late)[0]


def test_a_mark_survives_its_file_and_refuses_nonsense(ledger: Ledger, tmp_path: Path) -> None:
    mark = ledger.high_water()
    path = tmp_path / "mark.json"
    path.write_text(mark.to_text(), encoding="utf-8")
    assert HighWaterMark.load(path) == mark
    for field, value in (("number", 0), ("number", True), ("head", "zz"), ("unit", "gold"), ("dataset", 7)):
        path.write_text(json.dumps({**json.loads(mark.to_text()), field: value}))
        with pytest.raises(LedgerError, match="not the mark"):
            HighWaterMark.load(path)


def test_fits_pay_from_the_ledger_of_their_own_data_set(tmp_path: Path) -> None:
    columns = (Column("jobs", "integer", 0, 9),)
    table = pa.table({"jobs": [place % 7 for place in range(40)]})
    panel = Panel("id", "first", "last", 2000, 2001)
    history = {"id": list(range(40)), "first": [2000] * 40, "last": [2001] * 40}
    wide = pa.table({**history, "jobs_2000": table["jobs"], "jobs_2001": table["jobs"]})
    other = Ledger.create(tmp_path / "claims.sqlite", "claims", 9)
    rho = Ledger.create(tmp_path / "rho.sqlite", "payroll", 9, "rho")
    makers = (
        (TableSynthesizer(Schema(columns, "firm", name="payroll"), 1), table),
        (PanelSynthesizer(Schema(columns, "firm", name="payroll", panel=panel), 1), wide),
    )
    for maker, frame in makers:
        with pytest.raises(LedgerError, match=r"'claims' in epsilon.*'payroll' in epsilon"):
            maker.fit(frame, ledger=other)
        with pytest.raises(
            LedgerError, match=r"in rho.*in epsilon"
        ):  # an epsilon must not be counted as a rho
            maker.fit(frame, ledger=rho)
    assert other.spent == rho.spent == 0
