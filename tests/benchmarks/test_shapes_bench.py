import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from benchmarks import shapes_bench
from benchmarks.measures import column_triples, measures, q99_error
from benchmarks.methods import METHODS, available
from benchmarks.summary import contests, write_summary


def run(out: Path, methods: str, *more: str) -> int:
    options = [
        "--methods",
        methods,
        "--sizes",
        "300",
        "--epsilons",
        "0.5,3",
        "--seeds",
        "1",
        "--workers",
        "1",
    ]
    return shapes_bench.main([*options, "--shapes", "lognormal,small_integers", "--out", str(out), *more])


def test_a_miniature_run_ends_with_a_page_and_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = tmp_path / "shapes.jsonl", tmp_path / "docs" / "page.md"
    assert run(out, "baseline,fresh") == 0
    first = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(first) == 2 * (2 + 1)
    assert all({"pmse_wi", "pmse_woi", "km", "q99", "seconds"} <= set(record) for record in first)
    assert all(0 <= record["km"] <= 1000 for record in first)

    assert run(out, "baseline,fresh,quantreg", "--summary", str(page)) == 0
    lines = out.read_text().splitlines()
    assert len(lines) == len(first) + 2
    assert "2 cells to run, 6 on file" in capsys.readouterr().err
    assert page.read_text().startswith("# Bench of shapes")


@pytest.mark.skipif(not available("tables"), reason="this version has no TableSynthesizer")
def test_quantail_is_set_against_the_baseline(tmp_path: Path) -> None:
    out, page = tmp_path / "shapes.jsonl", tmp_path / "page.md"
    assert run(out, "tables,baseline,fresh", "--summary", str(page)) == 0
    assert len(contests(shapes_bench.read_results(out))) == 4
    assert "| small_integers |" in page.read_text()


def test_a_failing_method_is_recorded_reported_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(job: object) -> pa.Table:
        raise RuntimeError("no luck")

    cell = shapes_bench.Cell("lognormal", 200, 0, "baseline", 1.0)
    with monkeypatch.context() as patched:
        patched.setitem(METHODS, "baseline", broken)
        record = shapes_bench.run_cell(cell)
    assert record["error"] == "RuntimeError: no luck"
    out = tmp_path / "shapes.jsonl"
    out.write_text(json.dumps(record) + "\n")
    options = ["--methods", "baseline", "--sizes", "200", "--epsilons", "1", "--seeds", "1", "--workers", "1"]
    assert shapes_bench.main([*options, "--shapes", "lognormal", "--out", str(out)]) == 0
    (latest,) = shapes_bench.read_results(out)
    assert "error" not in latest


def test_a_line_cut_short_is_skipped(tmp_path: Path) -> None:
    out = tmp_path / "shapes.jsonl"
    whole = {"shape": "lognormal", "n": 5, "seed": 0, "method": "fresh", "epsilon": None, "km": 1.0}
    out.write_text(json.dumps(whole) + '\n{"shape": "logn')
    assert shapes_bench.read_results(out) == [whole]


def test_an_unknown_shape_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        shapes_bench.parse(["--shapes", "cubic"])
    assert "unknown cubic" in capsys.readouterr().err


def test_every_method_imitates_the_same_table(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[pa.Table] = []

    def spy(job: shapes_bench.Job) -> pa.Table:
        seen.append(job.train)
        return job.train

    for method, epsilon in (("baseline", 0.1), ("baseline", 1.0), ("quantreg", None)):
        monkeypatch.setitem(METHODS, method, spy)
        shapes_bench.run_cell(shapes_bench.Cell("firms", 100, 7, method, epsilon))
    assert seen[0].equals(seen[1]) and seen[0].equals(seen[2])


def test_a_table_is_perfect_against_itself_and_the_q99_error_is_in_spreads() -> None:
    x = np.arange(1.0, 1001.0)
    real = pa.table({"x": x, "y": x[::-1].copy()})
    same = measures(real, real)
    assert same["km"] == 1000 and same["q99"] == 0 and same["pmse_wi"] == pytest.approx(0, abs=1e-12)
    median, high = np.quantile(x, [0.5, 0.99])
    moved = pa.table({"x": x + (high - median), "y": x[::-1].copy()})
    assert q99_error(real, moved) == pytest.approx(0.5)


def test_six_columns_are_scored_on_three_triples() -> None:
    assert column_triples(list("abcdef")) == [list("abc"), list("bcd"), list("def")]
    assert column_triples(["a", "b"]) == [["a", "b"]]


def record(method: str, epsilon: float | None, **values: float) -> dict[str, object]:
    return {"shape": "s", "n": 100, "seed": 0, "method": method, "epsilon": epsilon, **values}


def test_the_page_counts_who_is_ahead_and_lists_what_was_lost(tmp_path: Path) -> None:
    records = [
        record("tables", 1.0, pmse_wi=0.1, pmse_woi=0.1, km=900, q99=0.1),
        record("baseline", 1.0, pmse_wi=0.2, pmse_woi=0.2, km=800, q99=0.1),
        record("tables", 2.0, pmse_wi=0.3, pmse_woi=0.1, km=900, q99=0.4),
        record("baseline", 2.0, pmse_wi=0.1, pmse_woi=0.2, km=950, q99=0.1),
        record("fresh", None, pmse_wi=0.25, pmse_woi=0.2, km=990, q99=0.01),
    ]
    first, second = contests(records)
    assert [first.ahead(m) for m in ("pmse_wi", "km", "q99")] == [True, True, True]
    assert [second.ahead(m) for m in ("pmse_wi", "km", "q99")] == [False, False, False]
    assert second.level_with_fresh("pmse_wi") and not second.level_with_fresh("km")
    assert second.lag("km") == pytest.approx(2.0)
    page = tmp_path / "page.md"
    write_summary(records, page)
    text = page.read_text()
    assert "| pMSE WI | 50% | 50% | 100% |" in text
    assert "3 of 6 contests on the three measures are lost." in text
    assert "| s | 100 | 2 | q99 error | 0.4 | 0.1 | 0.01 | 4.00 |" in text


def test_a_table_that_goes_astray_rules_the_mean_and_not_the_median() -> None:
    tables = [
        record(method, 1.0, pmse_wi=0.1, pmse_woi=0.1, km=900, q99=q99) | {"seed": seed}
        for method, errors in (("tables", [0.2, 0.2, 0.2]), ("baseline", [0.1, 0.1, 90.0]))
        for seed, q99 in enumerate(errors)
    ]
    (contest,) = contests(tables)
    assert contest.ahead("q99") and not contest.ahead_in_the_middle("q99")


def test_a_failed_run_counts_as_behind() -> None:
    records = [record("tables", 1.0, error="broken"), record("baseline", 1.0, pmse_wi=0.2, km=10, q99=9.0)]
    (contest,) = contests(records)
    assert not contest.ahead("pmse_wi") and not contest.ahead("km")
    assert contest.lag("q99") == float("inf")
