"""What independent tools say: tables that they are given, what is stored of them, and when a tool says nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.evidence import __main__ as evidence
from benchmarks.evidence.page import COPY, JUDGED, OTHER, RESULTS, evidence_table, figures_table, released
from benchmarks.evidence.tables import write_register
from benchmarks.peers.environments import NotInstalled

CONTRACT = Path(evidence.__file__).parent / "programs"
STORED = json.loads(RESULTS.read_text(encoding="utf-8"))["tools"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("register")
    write_register(made, rows=200)
    return made


def test_tools_judge_releases_a_sample_and_a_copy(folder):
    text = {name: (folder / f"{name}.csv").read_bytes() for name in ("real", "control", *JUDGED)}
    assert text[COPY] == text["real"]
    assert len(set(text.values())) == len(text) - 1
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    assert job["judged"] == list(JUDGED) and job["categories"] == ["region", "industry", "form"]


def test_labels_reach_a_tool_as_they_are_written_and_figures_come_back(folder, tmp_path):
    pytest.importorskip("pandas")
    program = (
        "from contract import figure, run\n"
        "def judge(job, name):\n"
        "    assert job.table(name)['industry'].str.len().eq(2).all()\n"
        "    yield figure('rows', len(job.table(name)), 0, 1)\n"
        "run(judge, 'pandas')\n"
    )
    command = [sys.executable, "-c", program, str(folder), str(tmp_path / "found.json")]
    subprocess.run(command, check=True, cwd=CONTRACT)
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["figures"]
    assert found == [
        {"table": name, "figure": "rows", "value": 200.0, "low": 0.0, "high": 1.0} for name in JUDGED
    ]


def test_a_tool_that_cannot_be_installed_or_fails_is_stored_with_its_reason(folder, monkeypatch):
    def refuse(tool):
        raise NotInstalled("no such version")

    monkeypatch.setattr(evidence, "python_of", refuse)
    assert "no such version" in evidence.run_tool("sdmetrics", folder)["reason"]
    monkeypatch.setattr(evidence, "python_of", lambda tool: sys.executable)
    monkeypatch.setitem(evidence.PROGRAMS, "sdmetrics", "nothing")
    assert "ended with an error" in evidence.run_tool("sdmetrics", folder)["reason"]
    assert "--nist" in evidence.judged(["sdnist"], None)["sdnist"]["reason"]


def test_a_reason_is_shown_in_place_of_figures(tmp_path):
    stored = tmp_path / "evidence.json"
    stored.write_text(json.dumps({"tools": {"sdnist": {"reason": "it was too large"}}}), encoding="utf-8")
    assert evidence_table("sdnist", stored) == "No figures: it was too large."


def test_figures_are_shown_by_table_with_their_ends():
    found = [
        {"table": OTHER, "figure": "risk", "value": 0.123456, "low": 0.1, "high": 0.2},
        {"table": released("1"), "figure": "score", "value": 965},
    ]
    lines = figures_table(found).splitlines()
    assert lines[0] == "| | quantail, epsilon 1 | another sample |"
    assert lines[2:] == ["| risk | - | 0.123 (0.1 to 0.2) |", "| score | 965 | - |"]


def test_stored_attacks_find_a_copy_and_not_a_release():
    """What the page says about the stored figures."""
    risk = {(each["table"], each["figure"]): each for each in STORED["anonymeter"]["figures"]}
    for name in {figure for _, figure in risk}:
        assert risk[COPY, name]["low"] > 0.3
        assert risk[released("1"), name]["low"] == 0 and risk[OTHER, name]["low"] == 0
    near = {(each["table"], each["figure"]): each["value"] for each in STORED["syntheval"]["figures"]}
    assert 0.4 < near[OTHER, "eps_identif_risk"] < near[COPY, "eps_identif_risk"] == 1
    assert abs(near[released("1"), "mia_precision"] - 0.5) < 0.05 < near[COPY, "mia_precision"] - 0.5 < 0.15
    score = {(each["table"], each["figure"]): each["value"] for each in STORED["sdmetrics"]["figures"]}
    assert max(score[name, "DCRBaselineProtection"] for name in JUDGED) < 0.05
    assert (
        score[COPY, "DCROverfittingProtection"] == 0 and score[released("1"), "DCROverfittingProtection"] == 1
    )
