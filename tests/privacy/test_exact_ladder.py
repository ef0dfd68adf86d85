"""The whole law of the production ladder on small lattices, epsilon 1: all tables, all neighbours."""

from fractions import Fraction as F

import numpy as np
import pytest

from quantail.auditing.enumeration import worst_loss
from quantail.auditing.laws import noisy_max_log_law
from quantail.auditing.mechanisms import ladder_mechanism
from quantail.curves import ladder

GRID = np.arange(1.0, 6.0)
VALUES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)  # the last lies above all candidates
EVEN = (F(1, 4), F(1, 2), F(3, 4))
PAPER = (F(1, 20), F(9, 10), F(97, 100))
RELATIONS = ("replace-one", "add-remove")


def ladder_loss(taus, relation, rows=4, values=VALUES):
    """Return the worst loss of a ladder of all rows; values may be (block, value) pairs."""
    number = 1 + max(block for block, _ in values) if isinstance(values[0], tuple) else 0
    mechanism = ladder_mechanism(relation, taus, GRID[:2] if number else GRID, number)
    return worst_loss(mechanism, values, rows if relation == "replace-one" else rows - 1, relation)


# Lower bounds: a loss far below the claim would mean a test that cannot fail. Outer quantiles of four rows move little.
# The median and the paper's levels are among the cases of the audit (test_exact_cases.py).
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("taus", "least"), [((F(9, 10),), 0.2), (EVEN, 0.8)])
def test_ladder_costs_no_more_than_claimed(taus, least, relation):
    assert least < ladder_loss(taus, relation) <= 1 + 1e-9


# Two blocks, three places (at each candidate, and above both): rows move within a block and between blocks.
BLOCKS = tuple((block, value) for block in (0, 1) for value in (1.0, 2.0, 3.0))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("tau", [F(1, 20)])
def test_blocks_share_one_leaf_even_when_a_row_changes_blocks(tau, relation):
    assert 0.1 < ladder_loss((tau,), relation, 5, BLOCKS) <= 1 + 1e-9


def test_published_sensitivity_is_caught(monkeypatch):
    # The paper charges 2 (1 - tau) for a row; in a node at relative level p / q scores are multiplied by q.
    monkeypatch.setattr(ladder, "level_sensitivity", lambda t, relation: 2 * (t.denominator - t.numerator))
    assert ladder_loss(PAPER, "replace-one") > 1.6


def test_separate_quantiles_at_the_published_sensitivity_are_caught(monkeypatch):
    # The paper's own order: each quantile by itself, from all rows. The losses are reached on the same tables.
    monkeypatch.setattr(ladder, "level_sensitivity", lambda t, relation: 2 * (t.denominator - t.numerator))
    assert [ladder_loss((tau,), "replace-one") > 1.6 for tau in PAPER] == [False, True, True]


def test_sensitivity_of_a_row_that_stays_is_caught(monkeypatch):
    # q (one row in a node) is enough for a row that stays in its node, not for one that changes blocks.
    monkeypatch.setattr(ladder, "level_sensitivity", lambda t, relation: t.denominator)
    assert ladder_loss((F(2, 3),), "replace-one", 5, BLOCKS) > 1.1


def test_add_remove_sensitivity_under_replace_one_is_caught(monkeypatch):
    honest = ladder.level_sensitivity
    monkeypatch.setattr(ladder, "level_sensitivity", lambda t, relation: honest(t, "add-remove"))
    assert ladder_loss((F(1, 2),), "replace-one") > 1.5


def test_blocks_left_out_when_empty_are_caught(monkeypatch):
    # Branching on emptiness: a block without rows is answered without asking.
    honest = ladder._question

    def skipping(node, counts, *rest):
        question, candidates = honest(node, counts, *rest)
        if counts[-1] == 0:
            return ladder.Selection(question.scores[:1], question.sensitivity), candidates[:1]
        return question, candidates

    monkeypatch.setattr(ladder, "_question", skipping)
    assert ladder_loss((F(1, 2),), "replace-one", 2, BLOCKS) == np.inf


@pytest.mark.parametrize("definition", ["pure", "zcdp"])
def test_law_of_noisy_max_agrees_with_direct_integration(definition):
    # The analytic law that all enumerations rest on, against a sum over the winner's noise.
    scores, scale = np.array([0, -1, -1, -4]), 1.7
    x = np.linspace(-40, 90, 260_001)
    if definition == "pure":
        density = np.where(x >= 0, np.exp(-np.maximum(x, 0) / scale) / scale, 0)
        cumulated = [-np.expm1(-np.maximum(x + shift, 0) / scale) for shift in range(-4, 5)]
    else:
        density = np.exp(-x / scale - np.exp(-x / scale)) / scale
        cumulated = [np.exp(-np.exp(-(x + shift) / scale)) for shift in range(-4, 5)]
    direct = [
        np.sum(density * np.prod([cumulated[s - t + 4] for j, t in enumerate(scores) if j != i], axis=0))
        for i, s in enumerate(scores)
    ]
    expected = np.array(direct) * (x[1] - x[0])
    np.testing.assert_allclose(np.exp(noisy_max_log_law(scores, scale, definition)), expected, atol=1e-3)
