"""What an audit leaves behind: a page, data and a figure, honest about failures."""

import json
import math

import pytest

import quantail
from quantail.auditing import AuditResult, Curve, Finding, audit, write_audit
from quantail.auditing.document import render_audit
from quantail.errors import DataError, OptionError

GOOD = Finding("exact", "ladder", "replace-one", 0.97, 1.0, 840, "pairs", True, "six kinds of rows")
BAD = Finding("controls", "n leaked", "add-remove", 0.5, 1.0, 336, "pairs", False, "MISSED")
RUNS = Finding("statistical", "slope", "replace-one", 0.6, 1.0, 4000, "runs", True)
CURVE = Curve("slope", 1.0, (0.0, 0.3, 1.0), (1.0, 0.5, 0.0))


def result(*findings, curves=()):
    return AuditResult(findings, tuple(curves), 0.9999, 12.0)


def test_one_failure_fails_the_audit():
    assert result(GOOD).passed and not result(GOOD, BAD).passed
    assert result(GOOD, BAD).failures == (BAD,)
    assert result(GOOD, RUNS).pairs == 840  # runs are no pairs


def test_the_page_names_failures_and_the_joint_confidence():
    page = render_audit(result(GOOD, BAD, RUNS), "quantail audit --all")
    assert "FAILED" in page and "| n leaked | add-remove | 0.500 | 1.000 | 336 pairs | **NO** |" in page
    assert "99.99%" in page and "`quantail audit --all`" in page
    assert "FAILED" not in render_audit(result(GOOD))


def test_files_are_written_and_read_back(tmp_path):
    infinite = Finding("controls", "bounds", "replace-one", math.inf, 1.0, 315, "pairs", True)
    names = [path.name for path in write_audit(result(GOOD, infinite, curves=[CURVE]), tmp_path / "new")]
    assert names == ["audit.md", "audit.json", "trade-off.png"]
    form = json.loads((tmp_path / "new" / "audit.json").read_text())
    assert form["passed"] and form["findings"][1]["figure"] == "infinite"
    assert form["findings"][0]["figure"] == 0.97 and form["neighbour_pairs"] == 840 + 315
    assert (tmp_path / "new" / "trade-off.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_there_is_no_figure(tmp_path, monkeypatch):
    from quantail.auditing import document

    monkeypatch.setattr(document, "can_draw", lambda: False)
    names = [path.name for path in write_audit(result(RUNS, curves=[CURVE]), tmp_path)]
    assert names == ["audit.md", "audit.json"]
    assert "trade-off.png" not in (tmp_path / "audit.md").read_text()


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(DataError, match="not a folder"):
        write_audit(result(GOOD), tmp_path / "taken")


@pytest.mark.parametrize(
    "wrong", [{"parts": []}, {"parts": "exact"}, {"parts": ["exakt"]}, {"runs": 5}, {"replays": 0}]
)
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(OptionError):
        audit(**wrong)


def test_the_public_function_runs_a_part_and_reports_progress():
    seen = []
    found = quantail.audit(["laws"], progress=lambda name, share: seen.append((name, share)))
    kinds = ["select, pure", "select, zcdp", "count", "histogram, zcdp", "path"]
    assert [one.name for one in found.findings] == kinds
    assert found.passed and all(one.figure >= 1e-6 for one in found.findings)
    assert [share for _, share in seen] == [0.2, 0.4, 0.6, 0.8, 1.0]
