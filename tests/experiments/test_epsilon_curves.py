"""Epsilon curves: every method at every epsilon, references once, epsilons in rising order."""

import json
from fractions import Fraction

from quantail.experiments.epsilon_curves import curves_of, run_epsilon_curves


def test_references_run_once_and_private_methods_at_every_epsilon(tmp_path):
    epsilons = [Fraction(2), Fraction(1, 2)]
    curves = run_epsilon_curves(["ladder", "fresh"], epsilons, 1, 1, tmp_path, workers=1)
    assert list(curves["ladder"]) == ["0.5", "2"]
    assert list(curves["fresh"]) == ["none"]
    assert json.loads((tmp_path / "results.json").read_text()) == curves
    keys = [
        (row["method"], row["epsilon"])
        for row in map(json.loads, (tmp_path / "replications.jsonl").read_text().splitlines()[1:])
    ]
    assert sorted(keys) == [("fresh", "none"), ("ladder", "0.5"), ("ladder", "2")]
    assert "ladder, epsilon 0.5" in (tmp_path / "table.md").read_text()


def test_more_epsilons_can_be_added_to_a_folder(tmp_path):
    run_epsilon_curves(["ladder"], [Fraction(1)], 1, 1, tmp_path, workers=1)
    first = (tmp_path / "replications.jsonl").read_text()
    curves = run_epsilon_curves(["ladder"], [Fraction(1), Fraction(1, 3)], 1, 1, tmp_path, workers=1)
    assert (tmp_path / "replications.jsonl").read_text().startswith(first)
    assert list(curves["ladder"]) == ["1/3", "1"]


def test_epsilons_are_ordered_as_numbers():
    from quantail.evaluation import PAPER_MEASURES

    rows = [
        {"method": "ladder", "epsilon": epsilon, **dict.fromkeys(PAPER_MEASURES, 1.0)}
        for epsilon in ("10", "0.25", "5")
    ]
    assert list(curves_of(rows)["ladder"]) == ["0.25", "5", "10"]
