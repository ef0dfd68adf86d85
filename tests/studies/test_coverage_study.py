"""The study of coverage: figures by hand, a replication in small, and a run that is continued."""

import json

import numpy as np
import pytest
from scipy.stats import norm, t

from quantail.evaluation import Regression
from quantail.examples import paper_schema, simulate_paper
from studies import coverage
from studies.coverage import CoverageTask, replicate, run_coverage, summarise_term
from studies.populations import POPULATIONS, Population, curved, kinked, saturating, spread


def row(released, original, reruns, number=0, bent=1.0):
    return {
        "replication": number,
        "original": [original] * 5,
        "original_errors": [0.5] * 5,
        "released": [released] * 5,
        "released_errors": [0.1] * 5,
        "model": [10.0] * 5,
        "rerun": [[rerun] * 5 for rerun in reruns],
        "bent": [[bent] * 5, [1.0] * 5],
    }


@pytest.mark.parametrize(
    ("name", "simulate"),
    [
        ("paper", simulate_paper),
        ("curved", curved),
        ("spread", spread),
        ("saturating", saturating),
        ("kinked", kinked),
    ],
)
def test_the_truth_is_what_a_very_large_table_says(name, simulate):
    table = simulate(400_000, np.random.default_rng(1))
    for formula, terms in POPULATIONS[name].truth.items():
        fit = Regression.parse(formula).fit(table)
        assert fit.names == tuple(terms)
        gaps = np.abs(fit.estimates - list(terms.values())) / fit.standard_errors
        assert gaps.max() < 8  # naive errors of a line through what is no line are too small


def test_every_population_is_within_the_bounds_of_its_schema():
    for name, population in POPULATIONS.items():
        table = population.draw(1)
        assert len(table["X1"]) == 5000 and not np.array_equal(table["X1"], population.draw(2)["X1"]), name
        for column in paper_schema().columns:
            assert np.mean(table[column.name] > column.upper) < 0.001, name


def test_figures_by_hand():
    # Reruns fall 1 above the model on average: released estimates of 4 and 9 become 3 and 8.
    reruns = [10.0, 11.0, 12.0] * 4
    found = summarise_term([row(4.0, 3.2, reruns), row(9.0, 4.5, reruns)], 2, 3.0)
    assert (found["coverage"], found["coverage naive"], found["coverage non-private"]) == (0.5, 0.0, 0.5)
    assert found["bias"] == pytest.approx((5.5 - 3) / 0.5)
    assert found["bias naive"] == pytest.approx((6.5 - 3) / 0.5)
    width = t.ppf(0.975, 11) * np.sqrt(8 / 11) * np.sqrt(13 / 12) / (norm.ppf(0.975) * 0.5)
    assert found["width"] == pytest.approx(width) and found["widest"] == pytest.approx(width)
    assert found["astray"] == 0
    assert found["coverage doubted"] == 0.5 and found["width doubted"] == pytest.approx(width)
    bent = [row(4.0, 3.2, reruns, bent=8.0), row(9.0, 4.5, reruns, bent=8.0)]
    assert summarise_term(bent, 2, 3.0)["coverage doubted"] == 1.0


def test_one_replication_in_small(monkeypatch):
    small = Population(
        lambda seed: simulate_paper(120, np.random.default_rng(seed)), POPULATIONS["paper"].truth
    )
    monkeypatch.setitem(POPULATIONS, "paper", small)
    found = replicate(CoverageTask(0, 1, "1", 10))
    assert np.shape(found["rerun"]) == (10, 5) and np.isfinite(found["bent"]).all()
    assert all(np.shape(found[name]) == (5,) for name in ("original", "released", "model", "released_errors"))
    again = replicate(CoverageTask(0, 1, "1", 10))
    np.testing.assert_array_equal(found["rerun"], again["rerun"])


def test_a_killed_run_continues(monkeypatch, tmp_path):
    done = []

    def made_up(task):
        done.append(task.replication)
        return row(4.0, 3.2, [10.0, 11.0, 12.0] * 4, task.replication)

    monkeypatch.setattr(coverage, "replicate", made_up)
    run_coverage("1", 2, 12, 1, tmp_path, workers=1)
    results = run_coverage("1", 3, 12, 1, tmp_path, workers=1)
    assert done == [0, 1, 2]
    assert json.loads((tmp_path / "results.json").read_text()) == results
    text = (tmp_path / "table.md").read_text()
    assert "3 replications" in text and text.count("| X3 ~ X1 + X2 |") == 3
