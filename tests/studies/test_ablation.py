"""The ablation: its ends are the methods of the study, repairs add up, and what lies between is private."""

import json
from fractions import Fraction

import numpy as np
import pytest

from quantail.evaluation import k_marginal
from quantail.examples import paper_split
from quantail.orders.levels import PAPER_TAUS
from quantail.privacy import Gate, Plan, SimulatedNoise
from studies.ablation import study as ablation
from studies.ablation.bare_ladder import Rungs, bare_ladder, ladder_plan, rung_curve
from studies.ablation.squeeze import squeeze
from studies.ablation.study import STEPS, Step, cost_of_published, run_ablation, synthesize_step
from studies.paper_measures import PAPER_MEASURES
from studies.simulation.methods import synthesize
from studies.simulation.runner import Task

TRAIN, _ = paper_split(5)


def same(one, other):
    return all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    ("step", "method"),
    [
        pytest.param("published", "sandwich-fixed-published", marks=pytest.mark.slow),
        ("lattice", "sandwich-fixed"),
        ("tables", "tables"),
    ],
)
def test_known_steps_are_the_methods_of_the_study(step, method):
    if method.endswith("published"):
        pytest.importorskip("numba")
    of_step, _ = synthesize_step(Task(step, "1", 0, 5, "simulated"), TRAIN)
    of_method, _ = synthesize(Task(method, "1", 0, 5, "simulated"), TRAIN)
    assert same(of_step, of_method)


def test_each_density_keeps_the_repairs_before_it_and_adds_one(monkeypatch):
    seen = []
    monkeypatch.setattr(
        ablation, "published_table", lambda task, train, method, **o: seen.append(o) or (train, {})
    )
    for name in ("converged", "sensitivity", "domain", "norm", "instruments"):
        STEPS[name].make(Task(name, "1", 0, 5, "simulated"), TRAIN)
    assert all(options["converged"] for options in seen)
    values = [
        [
            getattr(options["density"], name)
            for name in ("sensitivity", "constraint", "scaling", "instruments")
        ]
        for options in seen
    ]
    published, repaired = values[0], values[-1]
    assert all(a != b for a, b in zip(published, repaired, strict=True))
    for number, value in enumerate(values):
        assert value == [*repaired[:number], *published[number:]]


def test_the_cost_of_the_published_sensitivity_is_booked_quantile_by_quantile():
    """KNG books every quantile the same, so its cost is the mean of 1 / (2 (1 - tau))."""
    assert cost_of_published("kng") == pytest.approx(np.mean([1 / (2 * (1 - tau)) for tau in PAPER_TAUS]))
    assert cost_of_published("sandwich-fixed") == pytest.approx(4.84, abs=0.01)


def test_results_follow_the_steps_and_tell_what_is_true(tmp_path, monkeypatch, few_resplits):
    def make(task, train):
        return {name: values[::-1] + 0.0 for name, values in train.items()}, {}

    steps = {name: Step(name, f"title of {name}", "nothing", name == "b", make) for name in ("a", "b")}
    monkeypatch.setattr(ablation, "STEPS", steps)
    monkeypatch.setattr("studies.ablation.study.can_draw", lambda: False)
    results = run_ablation(Fraction(1), 2, 1, tmp_path, workers=1)
    assert list(results) == ["a", "b"] and set(results["a"]) == set(PAPER_MEASURES)
    assert results["a"]["km"]["mean"] == 1000  # the training rows themselves
    assert json.loads((tmp_path / "results.json").read_text()) == results
    text = (tmp_path / "table.md").read_text()
    assert "| 0 title of a |" in text and "1. nothing" in text


def test_guarantees_begin_where_constraints_leave_the_rows():
    holds = [step.holds for step in STEPS.values()]
    assert holds == sorted(holds)
    assert [name for name, step in STEPS.items() if not step.holds] == [
        "published",
        "converged",
        "sensitivity",
    ]


def test_the_figure_shows_every_step(tmp_path):
    pytest.importorskip("matplotlib")
    from studies.ablation.figure import draw_ablation

    summary = {name: {"mean": 0.5, "se": None} for name in PAPER_MEASURES}
    path = draw_ablation(dict.fromkeys(STEPS, summary), tmp_path / "ablation.png")
    assert path.read_bytes()[:4] == b"\x89PNG"


class Replay:
    """A gate that gives the same answers to any table, and keeps the scores that it was shown."""

    relation = "replace-one"

    def __init__(self, seed):
        self.rng, self.levels = np.random.default_rng(seed), []

    def select(self, leaf, questions):
        self.levels.append([(question.scores, question.sensitivity) for question in questions])
        return [int(self.rng.integers(question.scores.size)) for question in questions]


def loss_of_levels(one, other):
    """Return for each level the sum over nodes of score moved / sensitivity: at most 1 where the level is private."""
    return [
        sum(np.abs(a - b).max() / sensitivity for (a, sensitivity), (b, _) in zip(x, y, strict=True))
        for x, y in zip(one, other, strict=True)
    ]


def test_replacing_one_row_never_costs_a_level_of_the_squeeze_more_than_its_share():
    levels, grid = Rungs().levels(0.0), np.linspace(0, 100, 201)
    leaves = [Plan.leaf(f"level {k}", Fraction(1, 6)) for k in range(6)]
    rng, worst = np.random.default_rng(1), 0.0
    for seed in range(60):
        values = rng.exponential(10, size=30)
        other = values.copy()
        other[0] = rng.choice([0.0, 100.0, rng.exponential(10)])
        shown = []
        for table in (values, other):
            gate = Replay(seed)
            squeeze(gate, leaves, table, levels, grid, (0.0, 100.0))
            shown.append(gate.levels)
        worst = max(worst, *loss_of_levels(*shown))
    assert worst <= 1.0 + 1e-12
    assert worst > 0.9  # the bound is reached: a smaller sensitivity would be wrong


def test_with_a_generous_budget_the_squeeze_finds_the_quantiles():
    values = np.random.default_rng(2).exponential(10, size=4000)
    levels = Rungs().levels(0.0)
    leaves = [Plan.leaf(f"level {k}", Fraction(200)) for k in range(6)]
    gate = Gate(Plan.sequence("column", leaves), SimulatedNoise(3), "replace-one")
    rungs = squeeze(gate, leaves, values, levels, np.linspace(0, 1000, 5001), (0.0, 1000.0))
    shares = [np.mean(values <= rung) for rung in rungs]
    assert np.abs(np.array(shares) - PAPER_TAUS).max() < 0.02
    assert (np.diff(rungs) >= 0).all()


def test_a_draw_from_rungs_gives_rungs_as_often_as_they_stand_for():
    levels = tuple(Fraction(k, 4) for k in (1, 2, 3))
    curve = rung_curve(levels, np.array([1.0, 5.0, 7.0]))
    made = curve((np.arange(8000) + 0.5) / 8000)
    values, counts = np.unique(made, return_counts=True)
    assert values.tolist() == [1.0, 5.0, 7.0]
    assert (counts / 8000).tolist() == pytest.approx([0.375, 0.25, 0.375])


@pytest.mark.parametrize("rungs", [Rungs(), Rungs(few=True), Rungs(few=True, curve=True, joint=True)])
def test_plans_spend_epsilon_and_no_more(rungs):
    plan = ladder_plan(Fraction(1, 3), 5000, rungs)
    assert plan.cost == sum(leaf.cost for leaf in plan.leaves()) == Fraction(1, 3)


@pytest.mark.slow
def test_each_form_of_the_bare_ladder_is_useful_where_the_budget_is_generous():
    rng = np.random.default_rng(1)
    for rungs in (Rungs(), Rungs(few=True, curve=True), Rungs(few=True, curve=True, joint=True)):
        made = bare_ladder(TRAIN, Fraction(20), SimulatedNoise(1), rng, rungs)
        assert k_marginal(TRAIN, made, list(TRAIN)) > 930
