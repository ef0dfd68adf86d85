"""The choice of a predictor, on the audit's case and with flaws that the same tables must catch."""

import numpy as np
import pytest

from quantail.auditing.lattices import check, lattices
from quantail.table.ladder import choosing
from quantail.table.ladder.choosing import conditional_shares

CASES = {case.relation: case for case in lattices() if case.name == "choice of a context"}


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_a_choice_costs_no_more_than_claimed(relation):
    found = check(CASES[relation])
    assert found.passed and 0.7 < found.figure <= 1 + 1e-9


def test_half_the_sensitivity_is_caught(monkeypatch):
    monkeypatch.setattr(choosing, "cells_touched", lambda relation: 1)
    assert CASES["replace-one"].worst().loss > 1.5


def test_expected_counts_of_the_table_itself_are_caught(monkeypatch):
    # The usual statistic, observed against its own margins: one row moves every cell that is expected.
    def own_margins(target, candidate, rows, noise):
        found = choosing.count_pairs(candidate, target)
        expected = np.outer(found.sum(axis=1), found.sum(axis=0)) / max(found.sum(), 1)
        return int(4 * np.abs(found - np.rint(expected)).sum())

    monkeypatch.setattr(choosing, "relevance", own_margins)
    assert CASES["replace-one"].worst().loss > 1.05


def test_expected_counts_of_the_true_number_are_caught(monkeypatch):
    # Under add/remove the number of rows is private: a pair is expected as often as was released.
    honest = choosing.relevance

    def own_number(target, candidate, rows, noise):
        return honest(target, candidate, 4 * target.of_rows.rows.size, noise)

    monkeypatch.setattr(choosing, "relevance", own_number)
    assert CASES["add-remove"].worst().loss > 1.05


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
