"""The whole law of `quantiles` on small lattices, epsilon 1: all tables, all neighbours."""

from fractions import Fraction

import numpy as np
import pytest

from quantail.auditing.answer_mechanisms import protected_quantiles_mechanism, quantiles_mechanism
from quantail.auditing.enumeration import search
from quantail.errors import BudgetError
from quantail.privacy import Gate, Plan, PointsQuestion, SimulatedNoise

VALUES = (0.0, 1.0, 2.0, 4.0)
CASES = [((0.5,), 3, 2, 4), ((0.25, 0.75), 5, 1, 4), ((0.3, 0.6), 3, 2, 3), ((0.2, 0.5, 0.9), 4, 1, 3)]


@pytest.mark.parametrize(("levels", "cells", "fine", "rows"), CASES, ids=str)
def test_quantiles_cost_no_more_than_claimed(levels, cells, fine, rows):
    assert (
        0.3
        < search(quantiles_mechanism(levels, cells, fine, 4.0), VALUES, rows, "replace-one").loss
        <= 1 + 1e-9
    )


def test_half_of_the_noise_is_caught():
    twice = quantiles_mechanism((0.25, 0.75), 5, 1, 4.0, budget=2)
    assert search(twice, VALUES, 4, "replace-one").loss > 1.2


def test_missing_values_cost_no_more_than_claimed():
    # A row may gain or lose its value; how many have one is another question.
    mechanism = quantiles_mechanism((0.3, 0.7), 3, 1, 4.0)
    assert 0.3 < search(mechanism, (-1.0, 0.0, 2.0, 4.0), 4, "replace-one").loss <= 1 + 1e-9


def test_a_lattice_that_follows_the_rows_is_caught():
    assert search(quantiles_mechanism((0.25, 0.75), 4, 1), (1.0, 2.0, 4.0), 3, "replace-one").loss > 1.2


@pytest.mark.parametrize("places", [1, 2, 3, 4, 6])
@pytest.mark.parametrize(("levels", "cells", "fine"), [((0.5,), 3, 2), ((0.25, 0.75), 5, 1)], ids=str)
def test_a_table_with_a_protected_number_of_rows_costs_no_more_than_claimed(levels, cells, fine, places):
    mechanism = protected_quantiles_mechanism(levels, cells, fine, places)
    found = search(mechanism, (0.0, 1.0, 4.0, -1.0), 4, "add-remove").loss
    assert 0.1 < found <= 1 + 1e-9
    if places > 4:  # nothing is cut: a row more is one part more, and costs half
        assert found <= 0.5 + 1e-9


def test_half_of_the_noise_is_caught_where_rows_are_cut():
    twice = protected_quantiles_mechanism((0.25, 0.75), 5, 1, 2, budget=2)
    assert search(twice, (0.0, 1.0, 4.0), 4, "add-remove").loss > 1.2


def test_a_cut_that_moves_with_the_number_of_rows_is_caught():
    def from_either_end(values, most):
        ordered = np.sort(values)
        return ordered[:most] if values.size % 2 else ordered[::-1][:most]

    mechanism = protected_quantiles_mechanism((0.5,), 3, 2, 4, cut=from_either_end)
    assert search(mechanism, (0.0, 1.0, 4.0), 6, "add-remove").loss > 1.2


def test_the_gate_itself_refuses_add_remove():
    plan = Plan.sequence("all", [Plan.leaf("quantiles", Fraction(1))])
    gate = Gate(plan, SimulatedNoise(1), "add-remove")
    with pytest.raises(BudgetError, match="replace-one"):
        gate.points(plan.leaves()[0], PointsQuestion(np.array([1]), 1, np.array([1, 0]), 2, 2))
    assert gate.unused == 1
