"""Runs of the command line that are killed: nothing is asked or written that was not paid for before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from effort import examples

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX signals")
CRASHES = Path(__file__).with_name("run_crashes.py")


def test_killed_runs_have_paid_for_what_they_asked(tmp_path: Path) -> None:
    trials = examples(8)
    arguments = [sys.executable, str(CRASHES), str(tmp_path), str(trials), "1"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert sum(found["stages"].values()) == trials
    assert found["stood"] == [0, 1, 2, 3, 4, 5, 6]  # outputs in their places when killed at each move
    assert found["stages"]["nothing"] and found["stages"]["asked"]  # killed before and after the charge
