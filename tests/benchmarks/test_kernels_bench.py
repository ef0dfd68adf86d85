"""The benchmarks of kernels and of scale run, on tables too small to say anything."""

import json
import sys

import pytest

from benchmarks import kernels_bench, scale_run


def test_every_kernel_is_compared_with_a_sort(monkeypatch):
    monkeypatch.setattr(kernels_bench, "SLOPE_ROWS", 500)
    monkeypatch.setattr(kernels_bench, "seconds", lambda work, least=0.0: (work(), 1.0)[1])
    found = kernels_bench.kernel_results(5000)
    assert len(found) >= 8
    assert all(kernel["sorts"] == 1 for kernel in found)


def test_a_whole_run_says_what_it_took():
    found = kernels_bench.whole_run(2000)
    assert found["rows"] == 2000 and found["data_bytes"] == 48_000
    assert found["peak_bytes"] >= found["fit_peak_bytes"] > found["data_bytes"]
    results = {
        "command": "c",
        "versions": dict.fromkeys(("quantail", "numpy", "python"), "1"),
        "machine": "m",
    }
    text = kernels_bench.report(results | {"runs": [found], "kernels": []})
    assert "| 2,000 |" in text


@pytest.mark.parametrize(("kind", "rows", "units"), [("table", "400", 400), ("panel", "1600", 200)])
def test_what_is_partitioned_goes_end_to_end(tmp_path, monkeypatch, kind, rows, units):
    options = [kind, "--rows", rows, "--groups", "2", "--engine", "local", "--out", str(tmp_path / "r")]
    monkeypatch.setattr(sys, "argv", ["scale_run", *options])
    scale_run.main()
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert [found[fact] for fact in ("kind", "units", "groups", "engine")] == [kind, units, 2, "local"]
