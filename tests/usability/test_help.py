"""Help teaches: every command shows an example, and every example is a command that exists."""

import shlex

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from quantail.cli import app


def commands(group=None, path=()):
    group = group or get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = {" ".join(path): command for path, command in commands()}


def test_the_commands_are_those_promised():
    promised = {"init", "check", "plan", "fit", "sample", "synth", "evaluate", "infer", "report", "audit"}
    promised |= {"demo"}
    promised |= {f"ledger {name}" for name in ("init", "show", "verify", "raise", "charge", "export")}
    assert set(ALL) == promised


@pytest.mark.parametrize("name", ALL)
def test_help_shows_an_example_that_parses(name):
    shown = CliRunner().invoke(app, [*name.split(), "--help"], terminal_width=200)
    assert shown.exit_code == 0
    assert f"Example: quantail {name}" in shown.stdout
    example = shlex.split(ALL[name].epilog.removeprefix("Example: quantail "))
    # Parsing fails on an option that does not exist or a required one that is missing.
    ALL[name].make_context(name, example[len(name.split()) :])


@pytest.mark.parametrize("name", ALL)
def test_every_option_is_explained(name):
    for parameter in ALL[name].params:
        assert parameter.name == "help" or getattr(parameter, "help", None), parameter.name
