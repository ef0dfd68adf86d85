"""Help teaches: every command shows an example, and every example is a command that exists."""

import os
import shlex
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from quantail.cli import app
from quantail.cli.options import ENGINES, METHODS


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
    promised |= {"append", "card", "demo", "flows", "studio", "quantiles", "bound"}
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


@pytest.mark.parametrize("name", ["", *ALL])
def test_switches_are_shown_without_a_type_and_arguments_by_a_word(name):
    shown = CliRunner().invoke(app, [*name.split(), "--help"], terminal_width=200, color=False).stdout
    assert "bool" not in shown.replace("boolean", "")
    assert "list[" not in shown.partition("Options")[2]


def completions(typed, *, folder):
    """Return what bash would be offered after these words."""
    words = typed.split(" ")
    environment = {
        **os.environ,
        "_QUANTAIL_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    program = "from quantail.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = ['quantail']; {program}"],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.split()


def test_shells_complete_commands_options_and_words(tmp_path):
    assert "synth" in completions("quantail s", folder=tmp_path)
    assert completions("quantail synth --eps", folder=tmp_path) == ["--epsilon"]
    assert completions("quantail synth --method s", folder=tmp_path) == ["stepwise", "sandwich"]


def test_words_offered_for_methods_and_engines_are_those_that_exist():
    from quantail.engines import engine_of
    from quantail.panel.methods import PANEL_METHODS
    from quantail.table.methods import METHODS as TABLE_METHODS

    assert set(METHODS) == {*TABLE_METHODS, *PANEL_METHODS}
    for name in ENGINES[:2]:
        engine_of(name, None, None)
