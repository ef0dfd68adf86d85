"""Epsilon curves: every method at every epsilon, references once, epsilons in rising order."""

import json
from fractions import Fraction

from studies.paper_measures import PAPER_MEASURES
from studies.simulation import epsilon_curves
from studies.simulation.epsilon_curves import curves_of, run_epsilon_curves


def test_references_run_once_and_private_methods_at_every_epsilon(tmp_path, few_resplits):
    epsilons = [Fraction(2), Fraction(1, 2)]
    curves = run_epsilon_curves(["stepwise-fixed", "fresh"], epsilons, 1, 1, tmp_path, workers=1)
    assert list(curves["stepwise-fixed"]) == ["0.5", "2"]
    assert list(curves["fresh"]) == ["none"]
    assert json.loads((tmp_path / "results.json").read_text()) == curves
    keys = [
        (row["method"], row["epsilon"])
        for row in map(json.loads, (tmp_path / "replications.jsonl").read_text().splitlines()[1:])
    ]
    assert sorted(keys) == [("fresh", "none"), ("stepwise-fixed", "0.5"), ("stepwise-fixed", "2")]
    assert "stepwise-fixed, epsilon 0.5" in (tmp_path / "table.md").read_text()


def test_more_epsilons_can_be_added_to_a_folder(tmp_path, monkeypatch, few_resplits):
    monkeypatch.setattr(epsilon_curves, "can_draw", lambda: False)
    run_epsilon_curves(["stepwise-fixed"], [Fraction(1)], 1, 1, tmp_path, workers=1)
    first = (tmp_path / "replications.jsonl").read_text()
    curves = run_epsilon_curves(["stepwise-fixed"], [Fraction(1), Fraction(1, 3)], 1, 1, tmp_path, workers=1)
    assert (tmp_path / "replications.jsonl").read_text().startswith(first)
    assert list(curves["stepwise-fixed"]) == ["1/3", "1"]


def test_epsilons_are_ordered_as_numbers():
    rows = [
        {"method": "stepwise-fixed", "epsilon": epsilon, **dict.fromkeys(PAPER_MEASURES, 1.0)}
        for epsilon in ("10", "0.25", "5")
    ]
    assert list(curves_of(rows)["stepwise-fixed"]) == ["0.25", "5", "10"]
