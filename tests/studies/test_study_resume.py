"""A killed study continues: nothing is run twice, and the results are those of a run that was left alone."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from quantail.errors import DataError, OptionError
from quantail.examples import simulate_paper
from studies.journal import append, plain, read_journal, resume
from studies.simulation import runner
from studies.simulation.runner import Task, run_tasks
from studies.simulation.study import run_simulation

ROOT = Path(__file__).parents[2]

SETTINGS = {"study": "test", "epsilon": "1", "seed": 1}
TASKS = [Task(method, "1", r, 1 + 1000 * r, "none") for r in range(3) for method in ("one", "two")]
MADE = []


def make(task, train):
    MADE.append(task.key)
    return simulate_paper(200, np.random.default_rng([task.seed, len(task.method)])), {"steps": np.int64(3)}


def killed_after(number):
    def make_some(task, train):
        if len(MADE) == number:
            raise KeyboardInterrupt
        return make(task, train)

    return make_some


def untimed(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


@pytest.fixture(autouse=True)
def nothing_made():
    MADE.clear()


@pytest.fixture
def quick(monkeypatch):
    """Replace the eight measures, which take most of the time, by one."""
    monkeypatch.setattr(runner, "evaluate_paper", lambda real, made, test, rng: {"km": made["X1"].mean()})


def test_a_run_killed_in_the_middle_continues_and_ends_like_one_left_alone(quick, tmp_path):
    whole = run_tasks(TASKS, make, tmp_path / "whole", SETTINGS, workers=1)
    MADE.clear()
    with pytest.raises(KeyboardInterrupt):
        run_tasks(TASKS, killed_after(2), tmp_path / "part", SETTINGS, workers=1)
    assert len(MADE) == 2
    continued = run_tasks(TASKS, make, tmp_path / "part", SETTINGS, workers=1)
    assert [task.key for task in TASKS] == MADE  # each exactly once, over both runs
    assert untimed(continued) == untimed(whole)


def test_a_half_written_line_is_dropped_and_run_again(quick, tmp_path):
    path = tmp_path / "replications.jsonl"
    whole = run_tasks(TASKS, make, tmp_path, SETTINGS, workers=1)
    text = path.read_bytes()
    path.write_bytes(text[: text.rstrip(b"\n").rfind(b"\n") + 25])
    MADE.clear()
    assert untimed(run_tasks(TASKS, make, tmp_path, SETTINGS, workers=1)) == untimed(whole)
    assert [TASKS[-1].key] == MADE
    assert len(path.read_bytes().splitlines()) == len(TASKS) + 1


def test_even_half_written_settings_are_no_obstacle(tmp_path):
    path = tmp_path / "replications.jsonl"
    path.write_bytes(b'{"settings": {"stu')
    assert resume(path, SETTINGS) == []
    append(path, {"method": "one"})
    assert read_journal(path) == (SETTINGS, [{"method": "one"}])


def test_two_workers_give_the_rows_of_one(quick, tmp_path):
    alone = run_tasks(TASKS[:2], make, tmp_path / "alone", SETTINGS, workers=1)
    together = run_tasks(TASKS[:2], make, tmp_path / "together", SETTINGS, workers=2)
    assert untimed(alone) == untimed(together)


@pytest.mark.parametrize("other", [{"epsilon": "2"}, {"seed": 2}, {"study": "else"}, {"more": True}])
def test_other_settings_in_the_same_folder_are_refused_and_nothing_is_lost(quick, tmp_path, other):
    run_tasks(TASKS[:1], make, tmp_path, SETTINGS, workers=1)
    before = (tmp_path / "replications.jsonl").read_bytes()
    (name,) = other
    with pytest.raises(OptionError, match=rf"{name}.*--out"):
        run_tasks(TASKS[:1], make, tmp_path, SETTINGS | other, workers=1)
    assert (tmp_path / "replications.jsonl").read_bytes() == before


def test_more_replications_use_those_already_made(quick, tmp_path):
    run_tasks(TASKS[:2], make, tmp_path, SETTINGS, workers=1)
    MADE.clear()
    run_tasks(TASKS, make, tmp_path, SETTINGS, workers=1)
    assert [task.key for task in TASKS[2:]] == MADE


def test_a_damaged_line_is_named(quick, tmp_path):
    path = tmp_path / "replications.jsonl"
    run_tasks(TASKS[:2], make, tmp_path, SETTINGS, workers=1)
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], b"{oops", lines[2]]) + b"\n")
    with pytest.raises(DataError, match="line 2 is damaged"):
        run_tasks(TASKS, make, tmp_path, SETTINGS, workers=1)
    path.write_text("[1, 2]\n")
    with pytest.raises(DataError, match="not a journal"):
        resume(path, SETTINGS)


def test_what_is_not_a_number_is_written_as_nothing():
    assert plain({"r": float("nan"), "x": np.array([1.5, np.inf]), "n": np.int64(2)}) == {
        "r": None,
        "x": [1.5, None],
        "n": 2,
    }


PROGRAM = """
import os, signal, sys
from pathlib import Path
import studies.simulation.runner as runner
from studies.simulation.study import run_simulation

append, written = runner.append, []

def append_then_die(path, row):
    append(path, row)
    written.append(row)
    if len(written) == 2:
        with path.open("ab") as file:
            file.write(b'{"method": "fre')
        os.kill(os.getpid(), signal.SIGKILL)

runner.append = append_then_die
run_simulation(["fresh"], "1", 3, 3, Path(sys.argv[1]), secure=0, workers=1)
raise AssertionError("still alive")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a signal that cannot be caught")
def test_a_process_killed_outright_leaves_a_study_that_ends_the_same(tmp_path):
    killed = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path / "part")], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "part" / "results.json").exists()
    for name in ("part", "whole"):
        run_simulation(["fresh"], "1", 3, 3, tmp_path / name, secure=0, workers=1)
    for name in ("results.json", "holdout.json", "table.md"):
        assert (tmp_path / "part" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    rows = [json.loads(line) for line in (tmp_path / "part" / "replications.jsonl").read_text().splitlines()]
    assert len(rows) == 4
