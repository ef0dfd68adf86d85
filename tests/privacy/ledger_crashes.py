"""Charges that are cut off: a process per trial, killed or starved of disk at a place that a seed decides.

Run as a program, in a process of its own, because it forks. Four kinds of fault:

    byte    killed by the system when it writes byte k of the journal or the file (a file size limit and its signal)
    full    the same, without the kill: writing fails, as on a full disk
    line    kills itself before the k-th line of the ledger's own code
    clock   killed from outside after a random time; whatever the timing, the same must hold

After each trial the ledger must be sound, must hold every charge that was reported, and at most one more. It prints
how many trials of each kind ended how, and what was wrong.
"""

import json
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

from quantail.errors import LedgerError
from quantail.privacy import ledger as account_code
from quantail.privacy import ledger_file as file_code
from quantail.privacy.ledger import Ledger

AMOUNT = Fraction(1, 10**6)
KINDS = ("byte", "full", "line", "clock")
OWN = (account_code.__file__, file_code.__file__)


class Lines:
    """Counts the lines of the ledger's code that are run, and kills the process before a given one."""

    def __init__(self, fatal: int = 0) -> None:
        self.fatal, self.seen = fatal, 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename not in OWN:
            return None
        if event == "line":
            self.seen += 1
            if self.seen == self.fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return self


def lines_of_a_charge(ledger: Ledger) -> int:
    """Count them; it is the same number for every charge."""
    lines = Lines()
    sys.settrace(lines)
    ledger.charge(AMOUNT, "counting", "0" * 64)
    sys.settrace(None)
    return lines.seen


def work(path: Path, kind: str, place: int, report: int) -> None:
    """Charge once in a child process, with its fault prepared; report the hash of the charge once it has returned."""
    ledger = Ledger.open(path)
    if kind in ("byte", "full"):
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL if kind == "byte" else signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (place, place))
    if kind == "line":
        sys.settrace(Lines(fatal=place))
    try:
        entry = ledger.charge(AMOUNT, f"{kind} {place}", "0" * 64)
    except LedgerError as error:
        os.write(report, str(error).encode())
        os._exit(1)
    os.write(report, entry.hash.encode())
    os._exit(0)


def trial(path: Path, kind: str, place: int, delay: float) -> tuple[int, str]:
    """Run one trial; returns the exit code (negative: the signal) and what was reported."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            work(path, kind, place, writing)
        finally:
            os._exit(3)
    os.close(writing)
    if kind == "clock":
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def problems_after(path: Path, before: int, code: int, said: str) -> list[str]:
    """List what is wrong with a ledger that had so many charges before the trial."""
    ledger = Ledger.open(path)
    wrong = ledger.verify()
    charges = [entry for entry in ledger.entries() if entry.kind == "charge"]
    if len(charges) not in (before, before + 1) or ledger.spent != AMOUNT * len(charges):
        wrong.append("charges were lost or doubled")
    if code == 0 and said != charges[-1].hash:
        wrong.append("a charge was reported that is not the last one")
    if code == 1 and (len(charges) != before or "disk full" not in said):
        wrong.append("a refusal that charged, or without its reason")
    if code > 1:
        wrong.append("an error that is not the ledger's own")
    return wrong


def main(folder: str, trials: str, seed: str) -> None:
    """Run trials on one ledger and print what became of them."""
    path, chance = Path(folder) / "ledger.sqlite", random.Random(int(seed))
    lines = lines_of_a_charge(Ledger.create(path, "payroll", 1))
    ended: Counter[str] = Counter()
    problems, reported = [], set()
    for number in range(int(trials)):
        kind = KINDS[number % len(KINDS)]
        before = len(Ledger.open(path).entries()) - 1
        size = path.stat().st_size
        # Below the size of the file a write fails; up to a page beyond, only one that makes the file grow.
        place = chance.randrange(size + 4096) if kind in ("byte", "full") else chance.randrange(1, lines + 1)
        if number < len(
            KINDS
        ):  # one of each that is sure to strike: in the journal's first page, at the first line
            place = 600 if kind in ("byte", "full") else 1
        code, said = trial(path, kind, place, chance.uniform(0, 0.04))
        problems += [
            f"trial {number}, {kind} {place}: {what}" for what in problems_after(path, before, code, said)
        ]
        reported |= {said} if code == 0 else set()
        ended[f"{kind} {'killed' if code < 0 else 'refused' if code else 'done'}"] += 1
    kept = {entry.hash for entry in Ledger.open(path).entries()}
    problems += [] if reported <= kept else ["a charge that had been reported was lost later on"]
    print(json.dumps({"ended": ended, "problems": problems}))


if __name__ == "__main__":
    main(*sys.argv[1:])
