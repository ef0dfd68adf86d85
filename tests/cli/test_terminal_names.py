"""Names are plain text on the terminal, whatever they hold: in results, progress, tables and errors."""

import json
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from quantail.cli import app, console
from quantail.privacy import Ledger
from quantail.schema import Column, Schema

# Markup that closes nothing, a title for the window, colours in two spellings, a change of direction, a forged line.
HOSTILE = "pay [/x][bold red]\x1b]0;owned\x07\x1b[31m\x9b31m\u202egnp\nforged: all is well"
SHOWN = "pay [/x][bold red]\\x1b]0;owned\\x07\\x1b[31m\\x9b31m\\u202egnp\\nforged: all is well"
LABEL = "north [/y]\x1b]0;owned\x07\nforged"


def untouched(output: str) -> bool:
    """Say whether nothing of a name was obeyed: no sequence of its own, no change of direction, no line."""
    acting = ("\x1b]0", "\x07", "\x9b", "\u202e", "\nforged", "\r\nforged")
    return not any(sign in output for sign in acting) and "Traceback" not in output


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    region = Column("region", "category", categories=(LABEL, "south"), source="law")
    # The hostile column last, so that it is what a progress bar shows when it is taken down.
    columns = (region, Column("jobs", "integer", 0, 90), Column(HOSTILE, "numeric", 0, 1000, decimals=0))
    Schema(columns, unit=HOSTILE, name="firms [/z]", by=("region",)).save("s.toml")
    Schema(columns[1:], unit="firm", name="firms [/z]").save("plain.toml")
    rng = np.random.default_rng(1)
    numbers = {HOSTILE: rng.integers(1, 900, 120).astype(float), "jobs": rng.integers(0, 80, 120)}
    pq.write_table(pa.table({"region": [LABEL, "south"] * 60, **numbers}), "t.parquet")
    pq.write_table(
        pa.table({"region": ["other"] * 120, HOSTILE: ["text"] * 120, "jobs": numbers["jobs"]}), "bad.parquet"
    )
    Ledger.create("l", "firms [/z]", 9)
    return tmp_path


PAID = ("-e", "1", "-l", "l")
QUICK = ("plan", "-s", "plain.toml", "-n", "120", "--tables", "3")
COMMANDS = {
    "init": [("init", "t.parquet", "-o", "draft.toml"), ("check", "t.parquet", "-s", "draft.toml")],
    "check": [("check", "t.parquet", "-s", "s.toml"), ("check", "t.parquet", "-s", "s.toml", "--json")],
    "check that fails": [("check", "bad.parquet", "-s", "s.toml")],
    "plan": [
        ("plan", "-s", "s.toml", "-n", "120", "-e", "1"),
        ("plan", "-s", "s.toml", "-n", "x=1", "-e", "1"),
    ],
    # From few made-up tables: what is printed is the same.
    "plan a target": [(*QUICK, "--target", "q50 within 90%")],
    "plan a sweep": [(*QUICK, "--sweep", "1:2", "--report", "plan.html")],
    "synth": [("synth", "t.parquet", "-s", "s.toml", *PAID, "-o", "o.parquet", "--report", "r.html")],
    "synth that fails": [("synth", "bad.parquet", "-s", "s.toml", *PAID, "-o", "o.parquet")],
    "fit and sample": [
        ("fit", "t.parquet", "-s", "s.toml", *PAID, "-o", "m.json"),
        ("sample", "m.json", "-o", "o.parquet"),
        ("infer", "m.json", "o.parquet", "mean(jobs)", "--effort", "3"),
    ],
    "evaluate": [
        ("evaluate", "t.parquet", "t.parquet", "-s", "s.toml"),
        ("evaluate", "t.parquet", "t.parquet", "-s", "s.toml", "--rows"),
        ("evaluate", "t.parquet", "t.parquet", "-s", "s.toml", "--json", "-"),
    ],
    "ledger": [("ledger", "show", "l"), ("ledger", "show", "l", "--json"), ("ledger", "verify", "l")],
    "options": [(HOSTILE,), ("check", "t.parquet", f"--{HOSTILE}"), ("check", HOSTILE, "-s", HOSTILE)],
}


@pytest.mark.parametrize("case", COMMANDS)
def test_no_command_obeys_a_name(folder, case):
    shown = ""
    for words in COMMANDS[case]:
        done = CliRunner().invoke(app, list(words), env={"COLUMNS": "400"})
        assert done.exit_code in (0, 2, 3, 4, 5, 6), done.output
        assert untouched(done.output), done.output
        shown += done.output
    if case in ("check that fails", "plan", "plan a target", "plan a sweep"):
        assert SHOWN in shown.replace("'", "")  # what is meant can still be read


PROGRAM = """
import json, sys
from quantail.cli import app
for words in json.loads(sys.argv[1]):
    try:
        app(words)
    except SystemExit as end:
        code = end.code
    if code == 70:
        break
sys.exit(code)
"""


def on_a_terminal(*commands: tuple[str, ...]) -> tuple[int, str]:
    """Run commands where a person watches; return the exit code of the last and all that the terminal was sent.

    A command that ends with an internal error (70) is the last one.
    """
    import pty

    ours, theirs = pty.openpty()
    program = [sys.executable, "-c", PROGRAM, json.dumps(commands)]
    with subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        sent = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            sent += piece
        code = process.wait(timeout=120)
    os.close(ours)
    return code, sent.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal")
def test_a_column_of_any_name_is_synthesised_on_a_terminal(folder):
    # On a0899be: a traceback of the progress bar after the charge, exit code 70, budget gone, nothing released.
    code, sent = on_a_terminal(("synth", "t.parquet", "-s", "s.toml", *PAID, "-o", "o.parquet"))
    assert code == 0 and untouched(sent), sent
    assert "fit: " in sent and "Wrote o.parquet" in sent
    assert pq.read_table("o.parquet").column_names == ["region", "jobs", HOSTILE]
    assert [entry.status for entry in Ledger.open("l").entries() if entry.kind == "mark"] == ["released"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal")
def test_no_name_speaks_to_a_terminal(folder):
    planned = [(*words, "--tables", "0") for words in COMMANDS["plan"]]
    others = [words for case in ("check that fails", "ledger", "options") for words in COMMANDS[case]]
    code, sent = on_a_terminal(*planned, *others)
    assert code != 70 and untouched(sent), sent
    assert sent.count("Error") >= 4 and "spent" in sent  # the first command was not the last


def test_progress_shows_names_as_text(monkeypatch, capsys):
    monkeypatch.setattr(console, "err", console.Console(stderr=True, force_terminal=True, width=300))
    with console.progress("fit") as report:
        report(HOSTILE, 0.5)
    shown = capsys.readouterr().err
    assert untouched(shown) and SHOWN in shown
