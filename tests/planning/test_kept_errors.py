"""Errors of made-up tables are kept by public facts: the same question is answered at once, another one anew."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quantail.examples import payroll_schema
from quantail.planning import expect, expectation
from quantail.planning.kept import keep, key_of, recall


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUANTAIL_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_the_same_plan_is_not_tried_out_again_and_another_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = expect(payroll_schema(), 200, 1)

    def refuse(*given: object, **options: object) -> None:
        raise AssertionError("tried out")

    monkeypatch.setattr(expectation, "try_out", refuse)
    assert expect(payroll_schema(), 200, 1) == first
    for other in ({"rows": 201}, {"epsilon": 2}, {"seed": 1}, {"shape": "pareto"}, {"method": "kng"}):
        given = {"rows": 200, "epsilon": 1} | other
        with pytest.raises(AssertionError, match="tried out"):
            expect(payroll_schema(), **given)


def test_a_damaged_file_is_computed_again(folder: Path) -> None:
    first = expect(payroll_schema(), 100, 1)
    (kept,) = folder.iterdir()
    kept.write_text("[[")
    assert expect(payroll_schema(), 100, 1) == first


def test_a_folder_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUANTAIL_CACHE", str(tmp_path / "file" / "below"))
    keep(key_of(1), [{("pay", "q50"): 0.5}])
    assert recall(key_of(1)) is None


def test_off_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUANTAIL_CACHE", "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    keep(key_of(1), [{("pay", "q50"): 0.5}])
    assert recall(key_of(1)) is None and not list(tmp_path.iterdir())


def test_several_processes_find_the_same_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expectation, "WORTH_PROCESSES", 0.0)
    assert expect(payroll_schema(), 60, 1, workers=2) == expect(payroll_schema(), 60, 1)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_large_table_is_tried_three_times_with_the_first_tables_that_there_are(
    workers, monkeypatch
) -> None:
    monkeypatch.setenv("QUANTAIL_CACHE", "off")
    small = expect(payroll_schema(), 60, 1)
    monkeypatch.setattr(expectation, "LARGE", 180)
    monkeypatch.setattr(expectation, "WORTH_PROCESSES", 0.0)
    # Threads: processes are started by the test before.
    monkeypatch.setattr(
        expectation, "ProcessPoolExecutor", lambda workers, mp_context: ThreadPoolExecutor(workers)
    )
    told: list[float] = []
    large = expect(payroll_schema(), 60, 1, workers=workers, progress=lambda _, done: told.append(done))
    assert (small.tables, large.tables) == (5, 3) and told == pytest.approx([1 / 3, 2 / 3, 1])
    assert large == expect(payroll_schema(), 60, 1, tables=3)
    assert expect(payroll_schema(), 59, 1).tables == 5
