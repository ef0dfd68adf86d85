"""The whole law of `bound` on small lists of candidates, epsilon 1: all tables, all neighbours, both relations."""

import numpy as np
import pytest

from quantail.auditing.answer_mechanisms import bound_mechanism
from quantail.auditing.enumeration import search
from quantail.auditing.flawed.inputs import flawed_bound, valid_bound

VALUES = (-3.0, 0.5, 2.0, 9.0)
LISTS = [((1.0, 2.0, 5.0), 1), ((1.0, 10.0), 0), ((0.1, 1.0, 5.0, 50.0), 2)]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("candidates", "worth"), LISTS, ids=str)
def test_a_bound_costs_no_more_than_claimed(candidates, worth, relation):
    mechanism = bound_mechanism(candidates, worth, relation=relation)
    assert 0.3 < search(mechanism, VALUES, 4, relation).loss <= 1 + 1e-9


def test_a_row_may_gain_or_lose_its_value():
    mechanism = bound_mechanism((1.0, 2.0, 5.0), 2)
    assert 0.3 < search(mechanism, (np.nan, 0.5, 2.0, 9.0), 4, "replace-one").loss <= 1 + 1e-9


def test_half_of_the_noise_is_caught():
    twice = bound_mechanism((1.0, 2.0, 5.0), 2, budget=2)
    assert search(twice, VALUES, 4, "replace-one").loss > 1.2


def test_candidates_that_follow_the_rows_are_caught():
    assert search(valid_bound, (1.0, 2.0, 4.0), 3, "replace-one").loss <= 1 + 1e-9
    assert search(flawed_bound, (1.0, 2.0, 4.0), 3, "replace-one").loss == np.inf
