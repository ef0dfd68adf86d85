"""Several processes on one ledger, and processes that die at any moment."""

import random
import subprocess
import sys
import time
from fractions import Fraction as F
from pathlib import Path
from typing import IO

import pytest

from quantail.privacy.ledger import Ledger

# Charges once when told to, and after a second word until refused; reports each charge once it has returned.
WORKER = """
import sys
from fractions import Fraction
from quantail.errors import BudgetError
from quantail.privacy.ledger import Ledger

ledger = Ledger.open(sys.argv[1], busy_seconds=60)


def charge():
    entry = ledger.charge(Fraction(sys.argv[2]), "worker " + sys.argv[3], "0" * 64)
    print(entry.hash, flush=True)


print("ready", flush=True)
sys.stdin.readline()
charge()
sys.stdin.readline()
while True:
    try:
        charge()
    except BudgetError:
        break
"""


def output(worker: subprocess.Popen[str]) -> IO[str]:
    assert worker.stdout is not None
    return worker.stdout


def start(path: Path, amount: F, count: int) -> list[subprocess.Popen[str]]:
    """Start workers and wait until all of them stand ready."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(path), str(amount), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    for worker in workers:
        assert output(worker).readline() == "ready\n"
    return workers


def release(worker: subprocess.Popen[str]) -> None:
    assert worker.stdin is not None
    worker.stdin.write("go\n")
    worker.stdin.flush()


def test_eight_processes_spend_exactly_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger.create(path, "payroll", 1)
    workers = start(path, F(1, 100), 8)
    for worker in workers:
        release(worker)
    # A fast worker must not spend everything before the others wake, so each charges once before any goes on.
    first = [output(worker).readline().strip() for worker in workers]
    for worker in workers:
        release(worker)
    reports = [worker.communicate(timeout=120)[0].split() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 8  # each went on until refused
    charges = [entry for entry in ledger.entries() if entry.kind == "charge"]
    assert len(charges) == 100
    assert ledger.spent == 1
    assert ledger.verify() == []
    reported = first + [digest for report in reports for digest in report]
    assert sorted(reported) == sorted(entry.hash for entry in charges)
    assert {entry.purpose for entry in charges} == {f"worker {number}" for number in range(8)}


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a POSIX signal")
def test_no_reported_charge_is_lost_when_processes_are_killed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger.create(path, "payroll", 1000)
    chance = random.Random(7)
    reported: list[str] = []
    for _ in range(3):
        workers = start(path, F(1, 1000), 4)
        release(workers[0])
        reported.append(output(workers[0]).readline().strip())  # at work now, so that every round counts
        release(workers[0])
        for worker in workers[1:]:
            release(worker)
            release(worker)
        for worker in workers:
            time.sleep(chance.uniform(0, 0.08))
            worker.kill()
        for worker in workers:
            with worker:
                lines = output(worker).read().splitlines(keepends=True)
            reported += [line.strip() for line in lines if line.endswith("\n")]
            assert worker.returncode == -9
        assert ledger.verify() == []
        ledger.charge(F(1, 1000), "goes on after a crash", "0" * 64)
    kept = {entry.hash for entry in Ledger.open(path).entries()}
    assert len(reported) >= 3
    assert set(reported) <= kept
    assert ledger.spent >= F(len(reported), 1000)
