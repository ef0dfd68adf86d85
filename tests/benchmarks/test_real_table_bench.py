import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import real_tables
from quantail.schema import Column, Schema

LABELS = Column("kind", "category", categories=("a", "b"), missing=True)
PAY = Column("pay", "numeric", 0, 100, missing=True, missing_codes=(-8,), atoms=(0,))


def test_errors_are_in_points_and_count_a_missing_label_as_one() -> None:
    schema = Schema((LABELS, PAY), unit="person")
    real = pd.DataFrame({"kind": ["a", "a", "b", None], "pay": [0.0, 5.0, -8.0, np.nan]})
    made = pd.DataFrame({"kind": ["a", "b", "b", "b"], "pay": [0.0, 0.0, 5.0, 7.0]})
    found = real_tables.errors(real, made, schema)
    assert found == {
        "labels": {"kind": pytest.approx(50)},
        "missing": {"kind": pytest.approx(25), "pay": pytest.approx(25)},
        "spikes": {"pay = -8": pytest.approx(25), "pay = 0": pytest.approx(25)},
    }


def test_the_bench_finds_the_regression_and_says_what_it_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    n = 600
    real = pd.DataFrame({name: rng.choice(["no", "yes"], n) for name in ("smsa", "parttime")})
    real["ethnicity"] = rng.choice(["cauc", "afam"], n)
    real["region"] = rng.choice(["northeast", "midwest", "south", "west"], n)
    real["education"], real["experience"] = rng.integers(8, 19, n), rng.integers(0, 40, n)
    real["wage"] = np.exp(4 + 0.1 * real["education"] + 0.02 * real["experience"])
    real.to_parquet(tmp_path / "cps1988.parquet")
    out, page = tmp_path / "out.json", tmp_path / "page.md"
    options = ["--data", str(tmp_path), "--out", str(out), "--page", str(page)]
    assert real_tables.main([*options, "--epsilons", "1", "--seeds", "1"]) == 0
    assert "skipped sd2011" in capsys.readouterr().err
    results = json.loads(out.read_text())
    assert results["real"]["cps1988"]["education"] == pytest.approx(0.1)
    fresh = [run for run in results["runs"] if run["setting"] == real_tables.FRESH]
    assert fresh[0]["coefficients"]["experience"] == pytest.approx(0.02)
    assert len(results["runs"]) == 3  # epsilon-DP, zCDP, a fresh sample
    assert "| real | 0.1000 | 0.0200 |" in page.read_text()
