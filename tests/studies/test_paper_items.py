"""The list of the paper's items is whole: 49 of them in order, and every command on it exists."""

import re
from pathlib import Path

from typer.main import get_command

from quantail.cli import app
from studies.commands import commands
from studies.lbd.methods import LBD_GROUPS, LBD_METHODS
from studies.simulation.methods import GROUPS, METHODS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "the-paper.md"


def test_every_item_is_there_once_and_says_where_and_what_came_out():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if re.match(r"\| \d", line)]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [int(row[0]) for row in cells] == list(range(1, 50))
    assert all(all(row) for row in cells)


def test_every_command_on_the_page_exists_and_takes_these_options():
    text = PAGE.read_text(encoding="utf-8")
    known = get_command(commands)
    found = re.findall(r"python -m studies ([a-z-]+)([^`]*)`", text)
    assert len(found) > 6
    for name, options in found:
        flags = {flag for option in known.commands[name].params for flag in option.opts}
        assert set(re.findall(r"--[a-z]+", options)) <= flags, name
    synth = {flag for option in get_command(app).commands["synth"].params for flag in option.opts}
    assert {"--taus", "--main", "--shares", "--slopes", "--draw", "--method"} <= synth


def test_every_method_on_the_page_exists():
    text = PAGE.read_text(encoding="utf-8")
    known = {*METHODS, *LBD_METHODS, *GROUPS, *LBD_GROUPS}
    for suffix in ("published", "synlbd", "text", "converged"):
        for name in re.findall(rf"`([a-z-]+-{suffix})`", text):
            assert name in known, name
