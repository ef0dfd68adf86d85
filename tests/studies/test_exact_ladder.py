"""The whole law of the ladder on small lattices, epsilon 1: all tables, all neighbours."""

from fractions import Fraction as F

import numpy as np
import pytest

from quantail.auditing.enumeration import gate_of, search
from studies import ladder

GRID = np.arange(1.0, 6.0)
VALUES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)  # the last lies above all candidates
EVEN = (F(1, 4), F(1, 2), F(3, 4))
PAPER = (F(1, 20), F(9, 10), F(97, 100))
RELATIONS = ("replace-one", "add-remove")
ABSENT = float("nan")  # one and the same, so that tables can be told apart


def ladder_mechanism(relation, taus, grid, blocks=0, budget=1):
    """Return the ladder of all rows, or of so many blocks of rows (block, value)."""
    depth = ladder.ladder_depth(len(taus))

    def mechanism(table, noise):
        gate = gate_of(noise, relation, *[F(budget, depth)] * depth)
        rows = table if blocks else [(0, value) for value in table]
        block, values = np.array(rows, dtype=float).reshape(-1, 2).T
        cells = ladder.count_blocks(values, block.astype(np.int64), max(blocks, 1), grid)
        return ladder.climb(gate, gate.plan.leaves(), cells, taus, grid).tobytes()

    return mechanism


def ladder_loss(taus, relation, rows=4, values=VALUES):
    """Return the worst loss of a ladder of all rows; values may be (block, value) pairs."""
    number = 1 + max(block for block, _ in values) if isinstance(values[0], tuple) else 0
    mechanism = ladder_mechanism(relation, taus, GRID[:2] if number else GRID, number)
    return search(mechanism, values, rows if relation == "replace-one" else rows - 1, relation).loss


# Lower bounds: a loss far below the claim would mean a test that cannot fail. Outer quantiles of four rows move little.
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("taus", "least"),
    [((F(1, 2),), 0.9), ((F(9, 10),), 0.2), (EVEN, 0.8), pytest.param(PAPER, 0.4, marks=pytest.mark.slow)],
)
def test_ladder_costs_no_more_than_claimed(taus, least, relation):
    assert least < ladder_loss(taus, relation) <= 1 + 1e-9


# Two blocks, three places (at each candidate, and above both): rows move within a block and between blocks.
BLOCKS = tuple((block, value) for block in (0, 1) for value in (1.0, 2.0, 3.0))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("tau", [F(1, 20), F(1, 2), F(2, 3)])
def test_blocks_share_one_leaf_even_when_a_row_changes_blocks(tau, relation):
    assert 0.1 < ladder_loss((tau,), relation, 5, BLOCKS) <= 1 + 1e-9


@pytest.mark.parametrize("relation", RELATIONS)
def test_rows_without_a_value_or_a_block_are_in_none(relation):
    domain = ((-1.0, 3.0), (0.0, ABSENT), (0.0, 1.0), (1.0, 1.0), (1.0, 3.0))
    found = search(ladder_mechanism(relation, (F(1, 3),), GRID[:3], blocks=2), domain, 2, relation).loss
    assert 0.3 < found <= 1 + 1e-9


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
