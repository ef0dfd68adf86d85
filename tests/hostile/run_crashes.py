"""Whole runs of `quantail synth`, each killed at a call of Quantail's own code that a seed decides.

Run as a program, in a process of its own, because it forks. Further trials are killed before each of the moves by
which the finished files take their places, and right after the last. After each trial: a question that reached the gate
was paid for before, whatever was written was paid for, is whole, and is no table without its card, and the ledger (if
there is one yet) is sound. It prints how far the runs came and what was wrong.
"""

import json
import os
import random
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import opendp.measurements
import pyarrow.csv
import pyarrow.parquet
import scipy.stats

import quantail
import quantail.cli.release
import quantail.cli.release_files
from quantail.cli import app
from quantail.cli.account import Account
from quantail.errors import LedgerError
from quantail.privacy import Gate, Ledger

# Imported here so that children do not spend their time on it.
assert all((opendp.measurements, pyarrow.csv, pyarrow.parquet, scipy.stats))
pyarrow.array([0])  # imports pandas, where it is installed
OUTPUTS = (
    "out.card.json",
    "out.card.md",
    "out.card.html",
    "out.dictionary.json",
    "out.dictionary.csv",
    "out.parquet",
)
ROOM = str(Path(quantail.__file__).parent)
SCHEMA = """\
[table]
name = "payroll"
unit = "firm"

[[column]]
name = "jobs"
type = "integer"
lower = 0
upper = 5000
grid = "log"

[[column]]
name = "sector"
type = "category"
categories = ["a", "b"]
"""


class Calls:
    """Counts calls of Quantail's functions, and kills the process at a given one."""

    def __init__(self, fatal: int = 0) -> None:
        self.fatal, self.seen = fatal, 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOM):
            self.seen += 1
            if self.seen == self.fatal:
                os.kill(os.getpid(), signal.SIGKILL)


def kill_at_move(number: int) -> None:
    """Kill the process before so many outputs have taken their places, or once all have."""
    honest, moves = os.replace, []

    def watched(source: Any, target: Any) -> None:
        if Path(target).name in OUTPUTS and Path(target).parent == Path():
            moves.append(target)
            if len(moves) == number:
                os.kill(os.getpid(), signal.SIGKILL)
        honest(source, target)

    os.replace = watched  # type: ignore[assignment]
    if number > len(OUTPUTS):
        Account.note_release = lambda self: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign]


def run(folder: Path, fatal: int, move: int, report: int) -> None:
    """Run the command in a child process; reports the first question and, at the end, the number of calls."""
    os.chdir(folder)
    if move:
        kill_at_move(move)
    honest, calls = Gate._use, Calls(fatal)

    def watched(self: Gate, *parts: Any) -> None:
        os.write(report, f"asked {calls.seen}\n".encode())
        honest(self, *parts)

    Gate._use = watched  # type: ignore[method-assign]
    arguments = ["synth", "table.csv", "-s", "schema.toml", "-e", "1", "-l", "ledger", "--new-ledger"]
    arguments += ["-o", "out.parquet"]
    sys.setprofile(calls)
    app([*arguments, "--quiet"], standalone_mode=False)
    sys.setprofile(None)
    os.write(report, f"{calls.seen}\n".encode())
    os._exit(0)


def trial(folder: Path, fatal: int = 0, move: int = 0) -> tuple[int, list[str]]:
    """Run once in a fresh folder; returns the exit code and the reports."""
    folder.mkdir()
    (folder / "schema.toml").write_text(SCHEMA)
    rows = "".join(f"{1 + place * place % 97},{'ab'[place % 2]}\n" for place in range(60))
    (folder / "table.csv").write_text("jobs,sector\n" + rows)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            run(folder, fatal, move, writing)
        finally:
            os._exit(3)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read().split()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def problems_of(folder: Path, said: list[str]) -> tuple[str, list[str]]:
    """Say how far a run came, and what is wrong with what it left."""
    there = [name for name in OUTPUTS if (folder / name).exists()]
    written, path, wrong = bool(there), folder / "ledger", []
    spent, marks = 0, []
    if path.exists() and path.stat().st_size:
        try:
            ledger = Ledger.open(path)
            wrong, spent = ledger.verify(), int(ledger.spent)
            marks = [entry.status for entry in ledger.entries() if entry.kind == "mark"]
        except LedgerError as error:
            # Killed while the ledger itself was made: nothing is in it, and it says so.
            wrong = [] if "empty or damaged" in str(error) and "asked" not in said else [str(error)]
    wrong += half_written(folder, there)
    if (said or written) and not spent:
        wrong.append("a question was asked, or something written, that was not paid for")
    if "released" in marks and not written:
        wrong.append("marked as released, but nothing was written")
    if written and "failed" in marks:
        wrong.append("marked as failed, but something was written")
    stage = "written" if written else "asked" if said else "charged" if spent else "nothing"
    return stage, wrong


def half_written(folder: Path, there: list[str]) -> list[str]:
    """List what is wrong with files that are in their places: cut off, or a table without its card."""
    wrong = [] if "out.parquet" not in there or len(there) == len(OUTPUTS) else ["a table without its card"]
    if "out.parquet" in there and pyarrow.parquet.read_table(folder / "out.parquet").num_rows != 60:
        wrong.append("a table that is cut off")
    if (
        "out.card.json" in there
        and json.loads((folder / "out.card.json").read_text())["ledger"]["charged"] != "1"
    ):
        wrong.append("a card that is cut off")
    if "out.card.html" in there and "</html>" not in (folder / "out.card.html").read_text():
        wrong.append("a page that is cut off")
    return wrong


def killed_at_moves(root: Path) -> tuple[list[int], list[str]]:
    """Kill runs before every move and after the last; returns how many outputs stood there, and what was wrong."""
    stood, problems = [], []
    for move in range(1, len(OUTPUTS) + 2):
        folder = root / f"move {move}"
        code, said = trial(folder, move=move)
        _, wrong = problems_of(folder, said)
        stood.append(sum((folder / name).exists() for name in OUTPUTS))
        entries = Ledger.open(folder / "ledger").entries()
        if code != -signal.SIGKILL or [entry.kind for entry in entries] != ["open", "charge"]:
            wrong.append("the ledger does not show a charge that is not marked")
        problems += [f"move {move}: {what}" for what in wrong]
    return stood, problems


def main(folder: str, trials: str, seed: str) -> None:
    """Run trials and print what became of them."""
    chance, root = random.Random(int(seed)), Path(folder)
    # Errors to expect are tried out by a first run and known to all others: kills hit the release itself.
    os.environ["QUANTAIL_CACHE"] = str(root / "kept")
    trial(root / "first")
    code, said = trial(root / "whole")
    assert code == 0 and said[0] == "asked", "an undisturbed run must end well"
    calls, stages, problems = int(said[-1]), Counter[str](), []
    # Two places that are sure: at once, and right after the first question (until then nothing depends on chance).
    sure = [5, int(said[1]) + 1]
    for number in range(int(trials)):
        # Most calls are questions; half of the kills go to the beginning and the end, where files are touched.
        edge = min(400, calls)
        places = (range(1, edge), range(calls - edge, calls + 1), range(1, calls + 1), range(1, calls + 1))
        fatal = chance.choice(places[number % 4]) if number >= len(sure) else sure[number]
        code, said = trial(root / f"trial {number}", fatal)
        stage, wrong = problems_of(root / f"trial {number}", said)
        stages[stage] += 1
        problems += [f"trial {number}, call {fatal} of {calls}: {what}" for what in wrong]
        if code not in (-signal.SIGKILL, 0):
            problems.append(f"trial {number}, call {fatal}: ended with {code}")
    stood, wrong = killed_at_moves(root)
    print(json.dumps({"calls": calls, "stages": stages, "stood": stood, "problems": problems + wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])
