import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks import quantreg_bench
from benchmarks.quantreg_bench import Case, compare, employment, page, sklearn_fits
from quantail.evaluation.quantile_regression import check_loss


def test_a_small_run_writes_results_and_prints_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results" / "quantreg.json"
    options = ["--n", "300", "--jobs", "400", "--repeats", "1", "--sklearn-stride", "24", "--out", str(out)]
    assert quantreg_bench.main(options) == 0
    written = json.loads(out.read_text())
    assert written["command"].endswith(" ".join(options))
    paper, whole, jittered = written["tables"]
    assert (paper["levels"], whole["levels"], jittered["levels"]) == (49, 250, 250)
    assert paper["scikit-learn"]["levels_run"] == 3
    for record in written["tables"]:
        for peer in ("statsmodels", "scikit-learn"):
            # Speed is the full run's business; that no peer finds a better fit must hold at any size.
            assert record.get(peer, {"excess_worst": 0})["excess_worst"] <= 1e-8
    printed = capsys.readouterr().out
    assert printed.count("\n| ") == 3 and "statsmodels ratio" in printed


def test_excess_and_ratio_are_measured_against_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    y, last = employment(300, np.random.default_rng(2))
    case = Case("jobs", y, last[:, None], (0.25, 0.5, 0.75), {"scikit-learn": 2})

    def shifted(y: np.ndarray, X: np.ndarray, taus: Sequence[float]) -> np.ndarray:
        return sklearn_fits(y, X, taus) + np.array([5.0, 0.0])

    monkeypatch.setitem(quantreg_bench.PEERS, "scikit-learn", shifted)
    got = compare(case, 1)["scikit-learn"]
    assert got["levels_run"] == 2
    assert got["excess_worst"] < -1e-3  # a shifted line is worse, so ours lies below it
    best, worse = sklearn_fits(y, last[:, None], [0.25])[0], shifted(y, last[:, None], [0.25])[0]
    expected = check_loss(y, last[:, None], best, 0.25) / check_loss(y, last[:, None], worse, 0.25) - 1
    assert got["excess_best"] <= expected + 1e-6


def test_a_peer_that_did_not_run_leaves_dashes() -> None:
    line = page([{"table": "t", "n": 1, "predictors": 1, "levels": 1, "seconds": 0.5}]).splitlines()[-1]
    assert line == "| t | 1 | 1 | 1 | 0.50 |" + " - |" * 6


def test_the_stored_run_keeps_its_promises() -> None:
    stored = json.loads((quantreg_bench.ROOT / "benchmarks" / "results" / "quantreg.json").read_text())
    paper, whole, jittered = stored["tables"]
    assert (paper["n"], paper["levels"], whole["n"], whole["levels"]) == (5000, 49, 45_000, 250)
    assert paper["statsmodels"]["times_slower"] >= 5 and paper["scikit-learn"]["times_slower"] >= 5
    assert max(whole["seconds"], jittered["seconds"]) < 60
    assert all(record["statsmodels"]["excess_worst"] <= 1e-8 for record in stored["tables"])
