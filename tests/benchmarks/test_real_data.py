import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks import real_data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hold a small made-up file under the real name, with a missing value and a column not asked for."""
    rng = np.random.default_rng(1)
    wage = np.exp(6 + 0.6 * rng.standard_normal(400)).round(2).tolist()
    wage[3] = None
    columns = {
        "region": ["south"] * 400,
        "wage": wage,
        "education": rng.integers(8, 19, 400),
        "experience": rng.integers(-2, 45, 400),
    }
    pq.write_table(pa.table(columns), tmp_path / "cps1988.parquet")
    return tmp_path


def test_rows_with_missing_values_are_dropped_and_columns_come_in_schema_order(folder: Path) -> None:
    frame = real_data.TABLES["cps1988"].load(folder)
    assert frame is not None
    assert frame.column_names == ["education", "experience", "wage"]
    assert frame.num_rows == 399


def test_the_bench_writes_both_files_and_says_what_it_skipped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = folder / "results.json", folder / "page.md"
    options = ["--methods", "baseline", "--epsilons", "1", "--seeds", "2", "--workers", "1"]
    code = real_data.main([*options, "--data", str(folder), "--out", str(out), "--page", str(page)])
    assert code == 0
    assert "skipped ppp_georgia_2020" in capsys.readouterr().err
    results = json.loads(out.read_text())
    cells = results["summary"]["cps1988"]["baseline, epsilon 1"]
    assert cells["km"]["worst"] == min(run["km"] for run in results["runs"])
    assert cells["wage q99"]["worst"] == max(run["wage q99"] for run in results["runs"])
    assert cells["km"]["mean"] == pytest.approx(np.mean([run["km"] for run in results["runs"]]))
    assert "| baseline, epsilon 1 |" in page.read_text()


def test_nothing_is_written_where_no_file_is_present(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    assert real_data.main(["--data", str(tmp_path), "--out", str(out)]) == 0
    assert not out.exists()


def test_quantile_errors_are_relative_to_the_real_quantile() -> None:
    real = pa.table({"x": np.arange(1.0, 101.0)})
    errors = real_data.quantile_errors(real, pa.table({"x": 1.1 * np.arange(1.0, 101.0)}))
    assert set(errors) == {"x q90", "x q95", "x q99"}
    assert list(errors.values()) == pytest.approx([0.1, 0.1, 0.1])
