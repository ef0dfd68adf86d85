"""The whole law of the choice of a predictor on tiny tables, epsilon 1: all tables, all neighbours."""

from itertools import product

import numpy as np
import pytest

from quantail.auditing.enumeration import gate_of, worst_loss
from quantail.quantiles import Vector
from quantail.synthesis import choosing
from quantail.synthesis.choosing import Cells, choose, conditional_shares

RELATIONS = ("replace-one", "add-remove")
each_relation = pytest.mark.parametrize("relation", RELATIONS)
# target (-1: absent), a candidate of two cells and one of three
ROWS = ((-1, 0, 0), (0, 0, 2), (0, 1, 0), (1, 0, 0), (1, 1, 2), (1, 1, 1))
HALVES, THIRDS = np.array([0.5, 0.5]), np.array([0.5, 0.2, 0.3])


def choice(relation, rows):
    def mechanism(table, noise):
        gate = gate_of(noise, relation, 1)
        (leaf,) = gate.plan.leaves()
        target, first, second = np.array(table, dtype=np.int64).reshape(-1, 3).T
        candidates = [Cells("a", Vector.of(first), HALVES), Cells("b", Vector.of(second), THIRDS)]
        return choose(gate, leaf, Cells("y", Vector.of(target), HALVES), candidates, rows, lambda cells: 0.1)

    return mechanism


@each_relation
def test_a_choice_costs_no_more_than_claimed(relation):
    found = worst_loss(choice(relation, 3), ROWS, 3, relation)
    assert 0.3 < found <= 1 + 1e-9


def test_add_remove_sensitivity_under_replace_one_is_caught():
    rows = tuple(product((0, 1), (0, 1), (0, 2)))
    assert worst_loss(choice("add-remove", 3), rows, 3, "replace-one") > 1.05
    assert worst_loss(choice("replace-one", 3), rows, 3, "replace-one") <= 1 + 1e-9  # on the same tables


def test_expected_counts_of_the_table_itself_are_caught(monkeypatch):
    # The usual statistic, observed against its own margins: one row moves every cell that is expected.
    def own_margins(target, candidate, rows, noise):
        found = choosing.count_pairs(candidate, target)
        expected = np.outer(found.sum(axis=1), found.sum(axis=0)) / max(found.sum(), 1)
        return int(4 * np.abs(found - np.rint(expected)).sum())

    monkeypatch.setattr(choosing, "relevance", own_margins)
    assert worst_loss(choice("replace-one", 3), ROWS, 3, "replace-one") > 1.05


def test_shares_in_a_context_agree_with_what_was_released_before():
    rng = np.random.default_rng(1)
    context, marginal = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.4])
    found = 1000 * np.outer(context, marginal) + rng.laplace(0, 30, (3, 2))
    found[0] = [198.0, 2.0]
    shares = conditional_shares(found, context, marginal, 1000, 10.0)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(context @ shares, marginal, atol=1e-6)
    assert shares[0, 1] < 1e-6  # what noise alone could show, where much was expected, is taken as none
    still = conditional_shares(1000 * np.outer(context, marginal) + 5, context, marginal, 1000, 30.0)
    np.testing.assert_allclose(still, np.tile(marginal, (3, 1)), atol=1e-6)
