"""File names that a shell, an address or a terminal would stumble over."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quantail.cli import app
from quantail.privacy import Ledger

SCHEMA = """\
[table]
name = "payroll"
unit = "firm"

[[column]]
name = "jobs"
type = "integer"
lower = 0
upper = 9
"""
TABLE = "jobs\n" + "".join(f"{place % 7}\n" for place in range(40))
ODD = [
    "with space",
    "quote'\"`",
    "semicolon; $(touch gone)",
    "per%20cent%",
    "hash#?mode=ro&x",
    "ünïcödé 漢字 🙂",
    "new\nline",
    "[bold red]markup[nothing]",
    "\x1b[31mescape",
    "~",
    "..hidden",
    "*",
    "x" * 200,
]


def prepare(folder: Path) -> None:
    folder.mkdir()
    (folder / "schema.toml").write_text(SCHEMA)
    (folder / "table.csv").write_text(TABLE)


def arguments(folder: Path | str) -> list[str]:
    files = {name: os.path.join(folder, name) for name in ("table.csv", "schema.toml", "ledger", "out.csv")}
    spending = ["-e", "1", "-l", files["ledger"], "--new-ledger", "-o", files["out.csv"], "--quiet"]
    return ["synth", files["table.csv"], "-s", files["schema.toml"], *spending]


@pytest.mark.parametrize("name", ODD)
def test_a_run_in_an_odd_folder(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    prepare(folder)
    done = CliRunner().invoke(app, arguments(folder))
    assert done.exit_code == 0, done.output
    assert "\x1b[31m" not in done.output  # a name must not speak to the terminal
    assert Ledger.open(folder / "ledger").spent == 1
    assert {path.name for path in folder.iterdir()} == {
        *("table.csv", "schema.toml", "ledger", "out.csv"),
        *("out.card.json", "out.card.md", "out.card.html"),
        *("out.dictionary.json", "out.dictionary.csv"),
    }
    assert {path.name for path in tmp_path.iterdir()} == {name}
    again = CliRunner().invoke(app, arguments(folder))
    assert again.exit_code == 4 and "exists already" in again.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    prepare(Path(os.fsdecode(folder)))
    program = [sys.executable, "-c", "from quantail.cli import main; main()"]
    given = [os.fsencode(word) for word in arguments(os.fsdecode(folder))]
    done = subprocess.run([*program, *given], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert Ledger.open(Path(os.fsdecode(folder)) / "ledger").spent == 1
    marks = [
        e.status for e in Ledger.open(Path(os.fsdecode(folder)) / "ledger").entries() if e.kind == "mark"
    ]
    assert marks == ["released"]
    shown = subprocess.run(
        [*program, b"ledger", b"show", folder + b"/ledger"], capture_output=True, timeout=120
    )
    assert shown.returncode == 0 and b"spent 1" in shown.stdout


def test_a_name_with_a_null_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["check", str(tmp_path / "a\0b.csv"), "-s", str(tmp_path / "s\0.toml")])
    assert done.exit_code == 2, done.output


def test_columns_that_look_like_markup_are_shown_as_they_are(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "[/bold] <script>"
    Path("s.toml").write_text(SCHEMA.replace('"jobs"', f'"{name}"'))
    Path("t.csv").write_text(TABLE.replace("jobs", name))
    for command in (["check", "t.csv"], ["plan", "-e", "1", "--rows", "40"], ["evaluate", "t.csv", "t.csv"]):
        done = CliRunner().invoke(app, [*command, "-s", "s.toml"], env={"COLUMNS": "200"})
        assert done.exit_code == 0 and "Traceback" not in done.output, done.output
    assert name in done.stdout
