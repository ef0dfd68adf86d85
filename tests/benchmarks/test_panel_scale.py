"""The run of a panel of many industries, in small."""

import json
import sys

from benchmarks import scale_run


def test_a_panel_of_many_industries_goes_end_to_end(tmp_path, monkeypatch):
    options = ["panel", "--rows", "1600", "--groups", "2", "--engine", "local", "--out", str(tmp_path / "r")]
    monkeypatch.setattr(sys, "argv", ["scale_run", *options])
    scale_run.main()
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (found["units"], found["groups"], found["kind"]) == (200, 2, "panel")
