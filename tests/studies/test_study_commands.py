"""The studies from the command line: a thin layer over `studies`."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from quantail.cli import console
from studies.commands import _show, commands

ROOT = Path(__file__).parents[2]

ARGUMENTS = ("simulation", "--replications", "2", "--workers", "1", "--out", "results")
CURVES = ("epsilon-curves", "--replications", "1", "--workers", "1", "--out", "results")
ABLATION = ("ablation", "--replications", "1", "--workers", "1", "--out", "results")


class Folder:
    """A folder in which studies run."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *arguments):
        return CliRunner().invoke(commands, [str(argument) for argument in arguments])

    def files(self):
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}


@pytest.fixture
def shop(tmp_path, monkeypatch, few_resplits):
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path)


def test_studies_run_as_a_program_from_a_clone():
    run = subprocess.run(
        [sys.executable, "-m", "studies", "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    listed = (
        "simulation",
        "epsilon-curves",
        "ablation",
        "lbd",
        "coverage",
        "plan-honesty",
        "stand-in",
        "combine",
    )
    assert all(name in run.stdout for name in listed)


STUDIES = get_command(commands).commands


@pytest.mark.parametrize("name", STUDIES)
def test_help_of_a_study_shows_an_example_that_parses_and_explains_every_option(name):
    shown = CliRunner().invoke(commands, [name, "--help"], terminal_width=200)
    assert shown.exit_code == 0 and f"Example: python -m studies {name}" in shown.stdout
    example = shlex.split(STUDIES[name].epilog.removeprefix(f"Example: python -m studies {name}"))
    STUDIES[name].make_context(name, example)  # fails on an option that does not exist or is missing
    for parameter in STUDIES[name].params:
        assert parameter.name == "help" or getattr(parameter, "help", None), parameter.name


def test_a_small_study_writes_results_and_prints_its_table(shop):
    done = shop.run(*ARGUMENTS, "--methods", "fresh", "--seed", "3")
    assert done.exit_code == 0, done.output
    results = json.loads((shop.folder / "results" / "results.json").read_text())
    assert set(results) == {"fresh"} and results["fresh"]["km"]["mean"] > 900
    assert "fresh" in done.stdout and (shop.folder / "results" / "table.md").exists()
    # A folder of other settings is refused and kept.
    before = (shop.folder / "results" / "replications.jsonl").read_bytes()
    refused = shop.run(*ARGUMENTS, "--methods", "fresh", "--seed", "4")
    assert refused.exit_code == 2 and "seed" in refused.output
    assert (shop.folder / "results" / "replications.jsonl").read_bytes() == before


def test_epsilon_curves_take_epsilons_and_groups(shop, monkeypatch):
    monkeypatch.setattr("studies.simulation.epsilon_curves.can_draw", lambda: False)
    done = shop.run(*CURVES, "--methods", "fresh,sandwich-fixed", "--epsilons", "1/2, 2")
    assert done.exit_code == 0, done.output
    results = json.loads((shop.folder / "results" / "results.json").read_text())
    assert {method: list(points) for method, points in results.items()} == {
        "fresh": ["none"],
        "sandwich-fixed": ["0.5", "2"],
    }


def test_the_ablation_prints_its_steps(shop, monkeypatch):
    from studies.ablation import study as ablation

    kept = {name: ablation.STEPS[name] for name in ("lattice", "curve")}
    monkeypatch.setattr(ablation, "STEPS", kept)
    monkeypatch.setattr(ablation, "can_draw", lambda: False)
    done = shop.run(*ABLATION)
    assert done.exit_code == 0, done.output
    assert kept["lattice"].title in done.stdout and kept["curve"].guarantee in done.stdout


@pytest.mark.parametrize(
    ("command", "wrong", "code"),
    [
        (ARGUMENTS, ("--methods", "nonsense"), 2),
        (ARGUMENTS, ("--methods", ","), 2),
        (ARGUMENTS, ("--epsilon", "0"), 5),
        (ARGUMENTS, ("--replications", "0"), 2),
        (CURVES, ("--methods", "tables,magic"), 2),
        (CURVES, ("--epsilons", "1,-1"), 5),
        (CURVES, ("--epsilons", ""), 2),
        (ABLATION, ("--epsilon", "none"), 5),
    ],
)
def test_wrong_options_are_refused_at_once(shop, command, wrong, code):
    before = shop.files()
    assert shop.run(*command, *wrong).exit_code == code
    assert shop.files() == before


@pytest.mark.parametrize("command", [ARGUMENTS, CURVES, ABLATION])
def test_an_output_that_is_a_file_is_refused_before_the_work(shop, command):
    (shop.folder / "results").write_text("mine")
    assert shop.run(*command).exit_code == 4
    assert (shop.folder / "results").read_text() == "mine"


def test_a_study_prints_its_table_line_by_line(tmp_path):
    (tmp_path / "table.md").write_text("head\n\n| a | b |\n|---|---|\n", encoding="utf-8")
    with console.out.capture() as printed:
        _show(tmp_path)
    assert printed.get().splitlines()[:3] == ["head", "", "| a | b |"]
