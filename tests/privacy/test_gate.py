"""The gate: one leaf, one use; noise that OpenDP's own accounting agrees with; a journal without values."""

import math
from dataclasses import fields
from fractions import Fraction as F

import numpy as np
import pytest

from quantail.errors import BudgetError
from quantail.privacy import Gate, PathQuestion, Plan, Selection, SimulatedNoise, gate
from quantail.privacy.gate import Call, count_epsilon, root_below, rounded_up, selection_epsilon
from quantail.privacy.noise import geometric_measurement, noisy_max_measurement

SCORES = np.array([0, -3, -7])
COSTS = (F(1), F(1, 3), F(1, 10**6), F(22, 7), F(10**6, 999_983))


def plan_of(*costs: F, unit="epsilon") -> Plan:
    return Plan.sequence("whole", [Plan.leaf(f"part {k}", F(c), unit=unit) for k, c in enumerate(costs)])


def open_gate(*costs: F, relation="replace-one", unit="epsilon", seed=1) -> Gate:
    return Gate(plan_of(*costs, unit=unit), SimulatedNoise(seed), relation)


class Recorder(SimulatedNoise):
    """Simulated noise that notes the scales it was given."""

    def __init__(self) -> None:
        super().__init__(1)
        self.scales: list[float] = []

    def noisy_max(self, scores, scale, definition):
        self.scales.append(scale)
        return super().noisy_max(scores, scale, definition)

    def geometric(self, counts, scale):
        self.scales.append(scale)
        return super().geometric(counts, scale)

    def gaussian(self, counts, scale):
        self.scales.append(scale)
        return super().gaussian(counts, scale)


def ask(gate_: Gate, kind: str, leaf: Plan):
    if kind == "select":
        return gate_.select(leaf, [Selection(SCORES, 1)])
    if kind == "count":
        return gate_.count(leaf, SCORES, 1)
    if kind == "histogram":
        return gate_.histogram(leaf, SCORES, 1)
    if kind == "sum":
        return gate_.sum(leaf, 12, 5)
    return gate_.path(leaf, [PathQuestion(np.array([1, 2, 4]), 4, np.array([2, 2]))])


KINDS = ("select", "count", "histogram", "sum", "path")


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_leaf_is_refused_the_second_time(first, second):
    opened = open_gate(F(1), F(1))
    leaf = opened.plan.leaves()[0]
    ask(opened, first, leaf)
    with pytest.raises(BudgetError, match="part 0"):
        ask(opened, second, leaf)
    assert opened.unused == 1 and len(opened.journal) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_leaf_of_another_plan_is_refused_even_if_it_looks_the_same(kind):
    opened = open_gate(F(1))
    with pytest.raises(BudgetError):
        ask(opened, kind, plan_of(F(1)).leaves()[0])
    with pytest.raises(BudgetError):
        ask(opened, kind, opened.plan)  # a group is not a question
    assert opened.unused == 1 and opened.journal == []


def test_leaf_is_spent_even_when_the_question_fails():
    opened = open_gate(F(1))
    (leaf,) = opened.plan.leaves()
    with pytest.raises(ValueError, match="quantiles"):
        opened.path(leaf, [PathQuestion(np.array([1]), 1, np.array([1]))])
    assert opened.unused == 0


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("sensitivity", [1, 2, 17, 34])
def test_scales_cover_the_leaf_by_opendp_and_waste_nothing(cost, unit, sensitivity):
    noise = Recorder()
    opened = Gate(plan_of(cost, cost, unit=unit), noise, "replace-one")
    first, second = opened.plan.leaves()
    opened.select(first, [Selection(SCORES, sensitivity)])
    opened.count(second, SCORES, sensitivity)
    select_scale, count_scale = noise.scales
    definition = "pure" if unit == "epsilon" else "zcdp"
    spent = F(noisy_max_measurement(select_scale, definition).map(sensitivity))
    assert cost * (1 - F(1, 10**9)) < spent <= cost
    epsilon = F(geometric_measurement(count_scale).map(sensitivity))
    counted = epsilon if unit == "epsilon" else epsilon**2 / 2
    assert cost * (1 - F(1, 10**9)) < counted <= cost


def test_noise_too_small_for_the_leaf_is_refused_before_release(monkeypatch):
    monkeypatch.setattr(gate, "rounded_up", lambda s, epsilon: float(F(s) / epsilon) * 0.999)
    for kind in ("select", "count"):
        opened = open_gate(F(1))
        with pytest.raises(ArithmeticError, match="nothing was released"):
            ask(opened, kind, opened.plan.leaves()[0])


@pytest.mark.parametrize(("relation", "parts"), [("replace-one", 4), ("add-remove", 2)])
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_rate_of_a_path_is_below_its_share(monkeypatch, relation, parts, cost, unit):
    rates = []
    monkeypatch.setattr(gate, "draw_path", lambda c, r, t, rate, *_: rates.append(rate) or np.array([0]))
    opened = open_gate(cost, relation=relation, unit=unit)
    ask(opened, "path", opened.plan.leaves()[0])
    (rate,) = rates
    spent = F(rate) * parts  # the epsilon of an exponential mechanism; rho = epsilon^2 / 8
    spent = spent if unit == "epsilon" else spent**2 / 8
    assert cost * F(97, 100) < spent < cost


def test_sharpest_rate_only_lowers_the_rate(monkeypatch):
    rates = []
    monkeypatch.setattr(gate, "draw_path", lambda c, r, t, rate, *_: rates.append(rate) or np.array([0]))
    opened = open_gate(F(10**4))
    opened.path(opened.plan.leaves()[0], [PathQuestion(np.array([1]), 4000, np.array([2000, 2000]))])
    assert rates == [gate.SHARPEST / 4000] and rates[0] < 10**4 / 4


def test_the_prior_of_a_question_reaches_its_draw(monkeypatch):
    paid = []
    monkeypatch.setattr(gate, "draw_path", lambda *parts: paid.append(parts[-2:]) or np.array([0]))
    opened, range_prior, height = open_gate(F(1)), np.array([0.0, 2.0]), np.array([0.0, 1.0])
    parts = np.array([1, 2]), 2, np.array([1, 0, 1])
    opened.path(opened.plan.leaves()[0], [PathQuestion(*parts, range_prior, height), PathQuestion(*parts)])
    assert paid[0][0] is range_prior and paid[0][1] is height and paid[1] == (None, None)


def test_leaf_below_the_slack_of_a_path_gives_every_path_the_same_chance(monkeypatch):
    rates = []
    monkeypatch.setattr(gate, "draw_path", lambda c, r, t, rate, *_: rates.append(rate) or np.array([0]))
    opened = open_gate(F(1, 10**10))
    ask(opened, "path", opened.plan.leaves()[0])
    assert rates == [0.0]


def test_unused_leaves_are_counted():
    opened = open_gate(*[F(1)] * len(KINDS))
    seen = [opened.unused]
    for kind, leaf in zip(KINDS, opened.plan.leaves(), strict=True):
        ask(opened, kind, leaf)
        seen.append(opened.unused)
    assert seen == [5, 4, 3, 2, 1, 0]


def test_journal_is_the_same_whatever_the_values():
    journals = []
    for factor in (1, 1000):
        opened = open_gate(F(1), F(1), F(1))
        one, two, three = opened.plan.leaves()
        opened.select(one, [Selection(SCORES * factor, 1), Selection(SCORES, 2)])
        opened.count(two, SCORES * factor, 1)
        opened.path(three, [PathQuestion(np.array([1, 2, 4]) * factor, 4 * factor, np.array([2, 2]))])
        journals.append(opened.journal)
    assert journals[0] == journals[1]
    assert [call.questions for call in journals[0]] == [2, 1, 1]
    assert [call.candidates for call in journals[0]] == [6, 3, 3]
    assert {field.name for field in fields(Call)} == {"kind", "leaf", "cost", "questions", "candidates"}


@pytest.mark.parametrize("square", [F(2), F(1, 3), F(8, 10**9), F(10**9 + 7, 13)])
def test_root_is_rounded_down_and_close(square):
    root = root_below(square)
    assert root**2 <= square < (root + F(1, 2**59)) ** 2


def test_epsilons_convert_back_to_no_more_than_the_cost():
    for cost in COSTS:
        assert selection_epsilon(cost, "zcdp") ** 2 / 8 <= cost
        assert count_epsilon(cost, "zcdp") ** 2 / 2 <= cost
        assert selection_epsilon(cost, "pure") == count_epsilon(cost, "pure") == cost


def test_scale_is_rounded_up():
    for cost in COSTS:
        for sensitivity in (1, 2, 3, 34):
            exact = F(sensitivity) / cost
            assert exact < F(rounded_up(sensitivity, cost)) < exact * (1 + F(1, 2**38))
            assert math.isfinite(rounded_up(sensitivity, cost))
