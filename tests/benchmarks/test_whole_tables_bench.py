import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import whole_tables_bench
from benchmarks.peers import whole_report
from benchmarks.peers.catalogue import ADD, APPROXIMATE, REPLACE, Entry
from benchmarks.peers.cells import CELLS, cells_of, decode, encode
from benchmarks.peers.whole_catalogue import OURS
from benchmarks.peers.whole_tables import WholeTable
from quantail.schema import Column, Schema

SCHEMA = Schema(
    (
        Column("place", "category", categories=("north", "south"), missing=True),
        Column("day", "date", "2020-01-01", "2020-12-31"),
        Column("heads", "integer", 1, 40),
        Column("pay", "numeric", 0, 1e9, grid="log", decimals=2, missing=True, atoms=(0,)),
        Column("profit", "numeric", -1e9, 1e9, grid="log"),
    ),
    unit="firm",
)


def rows(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    pay = np.round(rng.lognormal(8, 2, n), 2)
    pay[:: n // 10], pay[1 :: n // 10] = np.nan, 0.0
    return pd.DataFrame(
        {
            "place": np.where(rng.random(n) < 0.1, None, np.array(["north", "south"])[rng.integers(0, 2, n)]),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 366, n), unit="D"),
            "heads": rng.integers(1, 41, n),
            "pay": pay,
            "profit": rng.standard_t(2, n) * 1e5,
        }
    )


def fake(does: str, promise: str) -> Entry:
    return Entry(f"fake {does}", "peer", "tests.benchmarks.fake_peer", "own", promise, {"does": does})


def test_cells_follow_from_the_schema_and_a_value_comes_back_in_its_cell() -> None:
    cells, frame = cells_of(SCHEMA), rows(500)
    sizes = {name: one.size for name, one in cells.items()}
    assert sizes == {"place": 3, "day": CELLS, "heads": 40, "pay": CELLS + 2, "profit": 2 * CELLS}
    codes = encode(frame, cells)
    assert all((code >= 0).all() and (code < sizes[name]).all() for name, code in codes.items())
    made = decode(codes, cells, 1)
    for name in ("place", "heads"):  # a cell each
        assert made[name].isna().equals(frame[name].isna())
        assert (made[name].dropna() == frame[name].dropna()).all()
    assert (
        made["pay"].isna().equals(frame["pay"].isna()) and ((made["pay"] == 0) == (frame["pay"] == 0)).all()
    )
    assert (np.abs(made["day"] - frame["day"]).dt.days <= 366 / CELLS + 1).all()
    known = frame["pay"] > 1
    assert (np.abs(np.log(made["pay"][known] / frame["pay"][known])) < 1.01 * np.log1p(1e9) / CELLS).all()
    assert (np.sign(made["profit"]) == np.sign(frame["profit"])).all()


def test_a_run_compares_at_the_same_promise_and_keeps_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [*OURS[1:2], fake("triple", ADD), fake("fail", APPROXIMATE)]
    monkeypatch.setattr(whole_tables_bench, "ENTRIES", entries)
    monkeypatch.setattr(whole_tables_bench, "CATALOGUE", {entry.name: entry for entry in entries})
    table = WholeTable(SCHEMA, rows(800), lambda seed: rows(800, seed))
    monkeypatch.setattr(whole_tables_bench, "whole_table", lambda *_: table)
    options = ["--tables", "business", "--seeds", "1", "--out", str(tmp_path / "found.json")]
    assert whole_tables_bench.main(options) == 0
    ours, fake_peer, failed = json.loads((tmp_path / "found.json").read_text())["cells"]
    assert {"k_marginal", "auc", "total_error", "top_1_share", "quantile_error_99.9", "cpu_seconds"} <= set(
        ours
    )
    assert fake_peer["k_marginal"] < ours["k_marginal"] and failed["failed"] == "RuntimeError: no such luck"
    page = (tmp_path / "found.md").read_text()
    assert "RuntimeError: no such luck" in page and "- fake triple: " in page
    # What is on file is not run again.
    monkeypatch.setattr(whole_tables_bench, "run_cell", None)
    assert whole_tables_bench.main(options) == 0


def test_a_table_whose_file_is_absent_is_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--tables",
        "diamonds,nist-demo",
        "--data",
        str(tmp_path),
        "--out",
        str(tmp_path / "found.json"),
    ]
    with pytest.raises(FileNotFoundError):  # nothing was run, so there is nothing to report
        whole_tables_bench.main(options)
    assert capsys.readouterr().err.count("use --data") == 2


def test_the_summary_has_the_best_peer_of_each_column_at_our_promise() -> None:
    catalogue = {e.name: e for e in (*OURS, fake("a", ADD), fake("b", ADD))}
    figures = {"k_marginal": 900, "auc": 0.6, "cpu_seconds": 1.0}
    cells = [
        {"table": "business", "seed": 0, "entry": "Quantail, add/remove", **figures},
        {"table": "business", "seed": 0, "entry": "fake a", **figures, "k_marginal": 950},
        {"table": "business", "seed": 0, "entry": "fake b", **figures, "auc": 0.7},
    ]
    heads, (ours, best) = whole_report.summary_lines(cells, catalogue)
    assert ours[:4] == ["business", ADD, "**Quantail**", "900"]
    assert best[2:4] == ["best of the peers (2)", "950"] and best[heads.index("AUC")] == "0.600"
    assert whole_report.behind(cells, catalogue).splitlines()[2:] == [
        "- fake a: 1 times our CPU seconds; ours is behind on KM.",
        "- fake b: 1 times our CPU seconds; ours is ahead on all.",
    ]
    assert whole_report.at_promise(REPLACE, catalogue) is OURS[0]
