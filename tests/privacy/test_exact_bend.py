"""The whole law of a production bend with two bins, epsilon 1: rows move within bins and between them."""

from fractions import Fraction as F

import numpy as np
import pytest

from quantail.auditing.enumeration import gate_of, law_of, loss, worst_loss
from quantail.auditing.mechanisms import bend_mechanism
from quantail.curves import draw_bend, ladder

GRID = np.array([1.0, 2.0, 3.0])
ROWS = tuple((cell, value) for cell in (0, 1) for value in (0.5, 1.5, 2.5, 3.5))
OVERALL = np.array([1.0, 2.0, 3.0])


def bend_loss(relation, rows, domain=ROWS):
    return worst_loss(bend_mechanism(relation), domain, rows, relation)


@pytest.mark.parametrize(("relation", "rows"), [("replace-one", 3), ("add-remove", 2)])
def test_bend_costs_no_more_than_claimed(relation, rows):
    assert 0.5 < bend_loss(relation, rows) <= 1 + 1e-9


def test_half_the_sensitivity_is_caught(monkeypatch):
    honest = ladder.level_sensitivity
    monkeypatch.setattr(ladder, "level_sensitivity", lambda t, relation: honest(t, "add-remove"))
    assert bend_loss("replace-one", 2) > 1.2


def test_bins_cut_at_private_values_are_caught():
    # Bins must be fixed by releases: cut at the table's own mean, one row moves all others.
    def mechanism(table, noise):
        gate = gate_of(noise, "replace-one", F(1, 2), F(1, 2))
        x, residual = np.array(table, dtype=float).T
        bins = (x > x.mean()).astype(np.int64)
        bend = draw_bend(
            gate,
            gate.plan.leaves(),
            residual,
            bins,
            np.ones(2),
            np.array([0.0, 1.0]),
            OVERALL,
            GRID,
            2.0,
            steps=False,
        )
        return repr(bend)

    others = [(1.0, 1.5), (1.0, 2.5)] * 6
    first, second = (law_of(lambda noise, x=x: mechanism([*others, (x, 1.5)], noise)) for x in (0.0, 9.0))
    assert loss(first, second) > 1.05
