import json
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import peers_bench
from benchmarks.peers import catalogue, environments, report
from benchmarks.peers.catalogue import Entry
from benchmarks.peers.contract import Job, read_job, write_job
from benchmarks.peers.runner import run_adapter
from benchmarks.peers.scores import MEASURES, better, score
from quantail.examples import simulate_paper

FAKE = "tests.benchmarks.fake_peer"


def fake(does: str) -> Entry:
    return Entry(f"fake {does}", "peer", FAKE, "own", catalogue.ADD, {"does": does})


def job_folder(folder: Path, does: str, upper: float = 100.0) -> Path:
    train = {"x": np.array([1.0, 2.0, 50.0])}
    facts = {"bounds": {"x": (0.0, upper)}, "epsilon": 1.0, "delta": 1e-6, "rows": 3, "seed": 1}
    write_job(folder, train, facts | {"options": {"does": does}})
    return folder


def test_one_run_compares_ours_with_peers_and_keeps_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [catalogue.CATALOGUE["quantail tables"], fake("copy"), fake("fail")]
    monkeypatch.setattr(peers_bench, "CATALOGUE", {entry.name: entry for entry in entries})
    monkeypatch.setattr(report, "CATALOGUE", {entry.name: entry for entry in entries})
    options = ["--sizes", "1500", "--out", str(tmp_path)]
    assert peers_bench.main(options) == 0
    content = json.loads((tmp_path / "results.json").read_text())
    ladder, copy, failed = content["cells"]
    assert set(MEASURES) <= set(ladder) and ladder["cpu_seconds"] > 0 and ladder["peak_mb"] > 50
    assert ladder["versions"]["quantail"] and copy["versions"]["numpy"] == np.__version__
    assert failed["failed"] == "RuntimeError: no such luck"
    text = (tmp_path / "peers.md").read_text()
    assert "RuntimeError: no such luck" in text and "times our CPU seconds" in text
    assert (tmp_path / "peers.png").stat().st_size > 10_000
    # What is on file is not run again.
    monkeypatch.setattr(peers_bench, "run_cell", None)
    assert peers_bench.main(options) == 0


def test_a_peer_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    found = run_adapter(Path(sys.executable), FAKE, job_folder(tmp_path, "spin"), 2)
    assert found == {"failed": "not finished within 2 CPU seconds"}


def test_rows_are_clipped_to_the_public_bounds(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    run_adapter(Path(sys.executable), FAKE, job_folder(tmp_path, "copy", upper=60.0), 60)
    assert pq.read_table(tmp_path / "synth.parquet")["x"].to_pylist() == [3.0, 6.0, 60.0]


def test_an_environment_that_cannot_be_built_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.txt").write_text("nothing\n")
    monkeypatch.setattr(environments, "REQUIREMENTS", tmp_path)
    monkeypatch.setattr(environments, "HOME", tmp_path)

    def refuse(command: list[str]) -> None:
        raise environments.NotInstalled("no matching distribution")

    monkeypatch.setattr(environments, "_pass", refuse)
    entry = Entry("broken", "peer", FAKE, "broken", catalogue.ADD)
    assert peers_bench.run_cell(100, 0, entry, 5)["failed"] == "not installed: no matching distribution"


def test_every_environment_of_the_catalogue_has_its_list_and_every_adapter_its_file() -> None:
    for entry in catalogue.ENTRIES:
        assert (environments.ROOT / f"{entry.adapter.replace('.', '/')}.py").exists()
        assert entry.environment == "own" or (environments.REQUIREMENTS / f"{entry.environment}.txt").exists()
    assert len(catalogue.CATALOGUE) == len(catalogue.ENTRIES)


def test_scores_prefer_the_truth_to_a_stretched_table() -> None:
    rng = np.random.default_rng(3)
    train, fresh, test = (simulate_paper(800, rng) for _ in range(3))
    good, bad = score(train, fresh, test), score(train, {k: 2 * v for k, v in fresh.items()}, test)
    assert tuple(good) == MEASURES
    assert all(
        better(m, good[m], bad[m]) for m in MEASURES if m not in ("slope_diff", "nrmse_x2", "nrmse_x3")
    )
    assert bad["q99"] == pytest.approx(1, abs=0.5) and not better("km", 5, 5)


def test_logs_go_there_and_back(tmp_path: Path) -> None:
    write_job(
        tmp_path,
        {"x": np.array([-5.0, 0.0, 40.0])},
        {"bounds": {"x": (-5, 100)}, "epsilon": 1, "delta": 0, "rows": 1, "seed": 0, "options": {}},
    )
    job: Job = read_job(tmp_path)
    assert job.from_log(job.log_frame())["x"] == pytest.approx([-5.0, 0.0, 40.0])
    assert job.log_bounds()["x"] == pytest.approx((0.0, np.log(106.0)))


def test_slow_peers_are_left_out_of_large_tables_with_the_reason(tmp_path: Path) -> None:
    results = peers_bench.Results(tmp_path / "results.json", [])
    results.put({"n": 50_000, "seed": 0, "entry": "fake copy", "cpu_seconds": 99.0})
    assert peers_bench.too_slow(results, 500_000, fake("copy")) == "left out: 99 CPU seconds at n = 50,000"
    assert peers_bench.too_slow(results, 50_000, fake("copy")) is None
    assert peers_bench.too_slow(results, 500_000, catalogue.CATALOGUE["quantail tables"]) is None


def test_the_stored_run_keeps_its_promises() -> None:
    stored = json.loads((peers_bench.OUT / "results.json").read_text())
    told = report.behind([line for line in report.summarise(stored["cells"]) if line.n == 5000])[0]
    rivals = [entry for entry in catalogue.ENTRIES if entry.private and entry.kind != "ours"]
    assert told.count("ours is ahead on all ten in the mean of") == len(rivals)
    ratios = dict(line[2:].split(": ") for line in told.splitlines() if line.startswith("- "))
    # DataSynthesizer's network is quick, but its bins are cut at the extremes of the confidential rows.
    dependence = [name for name in ratios if any(model in name for model in ("AIM", "MST", "PrivBayes"))]
    assert len(dependence) == 9
    assert min(float(ratios[name].split()[0]) for name in dependence) >= 10
