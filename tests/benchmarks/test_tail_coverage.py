"""The study of intervals for tails: figures of a known law, and a run in small."""

import numpy as np
import pytest

from benchmarks import tail_coverage
from benchmarks.tail_coverage import QUESTIONS, main, population_figures


def test_figures_of_the_population_are_those_of_its_law() -> None:
    found = dict(zip(QUESTIONS, population_figures("pareto 2", 100), strict=True))
    assert found["total(x)"] == pytest.approx(100 * 2000, rel=0.02)
    assert found["gini(x)"] == pytest.approx(1 / 3, rel=0.02)
    assert found["top(x, 0.01)"] == pytest.approx(0.1, rel=0.05)
    assert found["hill(x)"] == pytest.approx(0.5, rel=0.02)
    assert found["quantile(x, 0.99)"] == pytest.approx(10_000, rel=0.02)


def test_a_small_run_prints_every_figure(monkeypatch, capsys) -> None:
    monkeypatch.setattr(tail_coverage, "POPULATION", 20_000)
    main(["--laws", "lognormal 1.2", "--rows", "400", "--replications", "1", "--reruns", "10"])
    lines = capsys.readouterr().out.splitlines()[2:-1]
    assert [line.split(" | ")[1] for line in lines] == list(QUESTIONS)
    assert all(np.isfinite(float(line.split(" | ")[2].rstrip("%"))) for line in lines)
