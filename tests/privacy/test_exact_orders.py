"""The whole law of the paper's orders on tiny tables, claimed epsilon 1: all tables, all neighbours.

Production code from the gate to the released lines; only the lists of candidates are shortened.
"""

from fractions import Fraction as F

import numpy as np
import pytest

from quantail.auditing.enumeration import gate_of, search
from quantail.auditing.order_mechanisms import (
    GRID,
    SHORT_LISTS,
    alike,
    column_mechanism,
    lines_mechanism,
    two_column_mechanism,
)
from quantail.orders import fitting as lines_fitting
from quantail.orders import lines
from quantail.orders.lattice import Candidates
from quantail.orders.lines import choose_line, index_instruments, line_values

RELATIONS = ("replace-one", "add-remove")
ONE_QUICK = ("replace-one", pytest.param("add-remove", marks=pytest.mark.slow))
ORDERS = ("kng", "stepwise", "sandwich")
# Levels, and those that lead. KNG draws every level without looking at the others: fewer show all there is.
UPWARDS = {
    "kng": ([0.5, 0.95], None),
    "stepwise": ([0.5, 0.75, 0.95], None),
    "sandwich": ([0.5, 0.75, 0.95], [0.5, 0.95]),
}
BOTH_SIDES = {
    "kng": ([0.05, 0.5, 0.9], None),
    "stepwise": ([0.05, 0.25, 0.5, 0.9], None),
    "sandwich": ([0.05, 0.25, 0.5, 0.9], [0.05, 0.5, 0.9]),
}
EXACT = 1 + 1e-9


def column_loss(order, relation, rows, taus, main=None):
    """Return the worst loss of one column without predictors, median and all."""
    return search(column_mechanism(order, relation, rows, taus, main), GRID, rows, relation).loss


# The stepwise order, and varying slopes of all orders, are among the cases of the audit (test_exact_cases.py).
@pytest.mark.parametrize("relation", ONE_QUICK)
@pytest.mark.parametrize("order", ["kng", "sandwich"])
def test_a_column_costs_no_more_than_claimed(order, relation):
    rows = 4 if relation == "replace-one" else 3
    assert 0.3 < column_loss(order, relation, rows, *UPWARDS[order]) <= EXACT


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_levels_on_both_sides_cost_no_more_than_claimed(order):
    assert 0.3 < column_loss(order, "replace-one", 3, *BOTH_SIDES[order]) <= EXACT


def published(tau, unit, relation):
    """Return the sensitivity of the paper, 2 (1 - tau), in our integers."""
    return max(int(2 * unit * (tau.denominator - tau.numerator)), 1)


@pytest.mark.parametrize("order", ORDERS)
def test_the_published_sensitivity_is_caught(monkeypatch, order):
    monkeypatch.setattr(lines, "line_sensitivity", published)
    assert column_loss(order, "replace-one", 3, *UPWARDS[order]) > 1.2


def one_loss(tau, relation, rows, neighbours=None):
    """Return the worst loss of a single quantile on the whole grid."""

    def mechanism(table, noise):
        gate = gate_of(noise, relation, 1)
        placed = lines.Rows.of(np.array(table), None, lines.INTERCEPT)
        grid = np.array(GRID)[:, None] + 0.25
        return choose_line(gate, gate.plan.leaves()[0], placed, lines.INTERCEPT, alike(grid), tau).item()

    return search(mechanism, GRID, rows, neighbours or relation).loss


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("tau", [F(1, 20), F(1, 4), F(1, 2), F(3, 4), F(19, 20)])
def test_a_quantile_costs_no_more_than_claimed_at_any_level(tau, relation):
    assert 0.4 < one_loss(tau, relation, 4 if relation == "replace-one" else 3) <= EXACT


def test_the_price_of_add_remove_is_too_low_for_replace_one():
    assert one_loss(F(1, 2), "add-remove", 4, neighbours="replace-one") > 1.3


# Lines over an index: rows are (index, residual), the index public or a function of the row and of earlier releases.
PLACED = tuple((v, e) for v in (0.0, 0.5, 1.0) for e in (-1.0, 0.5, 2.0))
FEW = tuple((v, e) for v in (0.0, 1.0) for e in (-1.0, 0.5, 2.0))


def lines_loss(order, relation, rows, taus, main=(), points=PLACED, instruments=None):
    """Return the worst loss of lines with varying slopes, their median plane given."""
    return search(lines_mechanism(order, relation, taus, main, instruments), points, rows, relation).loss


HALF, UPPER, TOP = F(1, 2), F(3, 4), F(19, 20)


@pytest.mark.parametrize("relation", RELATIONS)
def test_one_line_over_three_places(relation):
    assert 0.4 < lines_loss("stepwise", relation, 3, [HALF, TOP]) <= EXACT


def test_the_published_sensitivity_is_caught_with_varying_slopes(monkeypatch):
    monkeypatch.setattr(lines, "line_sensitivity", published)
    assert lines_loss("sandwich", "replace-one", 3, [HALF, UPPER, TOP], [HALF, TOP], points=FEW) > 1.5


OPPOSED = np.array([[a, b] for a in (-2.0, 0.0, 1.0) for b in (-2.0, 0.0, 1.0)])  # some cross the median


def test_instruments_beyond_one_are_caught(monkeypatch):
    # A predictor that is not scaled to [0, 1] needs its bound in the sensitivity.
    honest = index_instruments(0.0, 1.0, SHORT_LISTS.places)
    unscaled = lines.Instruments(honest.places, honest.weights * np.array([[1], [3], [1]]), honest.unit)

    monkeypatch.setattr(lines, "candidates_for", lambda *known: alike(OPPOSED))
    assert lines_loss("stepwise", "replace-one", 3, [HALF, UPPER], points=FEW) <= EXACT
    assert lines_loss("stepwise", "replace-one", 3, [HALF, UPPER], points=FEW, instruments=unscaled) > 1.5


def test_a_prior_of_a_few_nats_costs_nothing(monkeypatch):
    # Public and the same for neighbours; in proportion to the noise, so that it counts at any budget.
    uneven = Candidates(OPPOSED, np.linspace(-6.0, 0.0, len(OPPOSED)))
    monkeypatch.setattr(lines, "candidates_for", lambda *known: uneven)
    assert 0.3 < lines_loss("stepwise", "replace-one", 3, [HALF, UPPER], points=FEW) <= EXACT


def test_a_prior_that_follows_the_rows_is_caught(monkeypatch):
    def by_rows(gate, leaf, rows, instruments, candidates, tau):
        share = np.mean(np.concatenate(rows.residuals) > 0)
        return choose_line(
            gate, leaf, rows, instruments, Candidates(OPPOSED, -3 * share * OPPOSED[:, 0]), tau
        )

    monkeypatch.setattr(lines, "choose_line", by_rows)
    assert lines_loss("stepwise", "replace-one", 3, [HALF, UPPER], points=FEW) > 1.1


def test_a_crossing_check_on_private_rows_is_caught(monkeypatch):
    # The paper's: a candidate is kept if it crosses no released line at the rows of the table.
    honest = lines.choose_line

    def checked_on_rows(gate, leaf, rows, instruments, candidates, tau):
        here = [place for place, part in zip(instruments.places, rows.residuals, strict=True) if part.size]
        kept = [line for line in OPPOSED if all(line_values(line, v) >= 0 for v in here)]
        return honest(gate, leaf, rows, instruments, alike(np.array(kept)), tau)

    monkeypatch.setattr(lines, "choose_line", checked_on_rows)
    assert lines_loss("stepwise", "replace-one", 2, [HALF, UPPER], points=FEW) == np.inf


def test_a_soft_crossing_check_on_private_rows_is_caught(monkeypatch):
    # The same as a penalty: support is now the same, and still the price is too low.
    honest = lines.score_lines

    def penalised(rows, instruments, candidates, tau):
        here = [place for place, part in zip(instruments.places, rows.residuals, strict=True) if part.size]
        crossing = np.array([any(line_values(line, v) < 0 for v in here) for line in candidates])
        return honest(rows, instruments, candidates, tau) - 4 * instruments.unit * tau.denominator * crossing

    monkeypatch.setattr(lines, "candidates_for", lambda *known: alike(OPPOSED))
    monkeypatch.setattr(lines, "score_lines", penalised)
    assert lines_loss("stepwise", "replace-one", 3, [HALF, UPPER], points=FEW) > 1.2


# Two columns, end to end: the first one's lines, then slope, intercept and lines of the second.
PAIRS = ((0.0, 0.0), (0.0, 3.0), (4.0, 1.0), (4.0, 4.0))


def table_loss(order, slopes, relation, rows):
    return search(two_column_mechanism(order, slopes, relation, rows), PAIRS, rows, relation).loss


@pytest.mark.parametrize("relation", ONE_QUICK)
@pytest.mark.parametrize("slopes", ["fixed", "varying"])
@pytest.mark.parametrize("order", [pytest.param("kng", marks=pytest.mark.slow), "stepwise", "sandwich"])
def test_two_columns_cost_no_more_than_claimed(order, slopes, relation):
    rows = 2 if relation == "replace-one" else 1
    assert 0.1 < table_loss(order, slopes, relation, rows) <= EXACT


def test_lines_that_are_too_sharp_are_caught_in_two_columns(monkeypatch):
    honest = table_loss("sandwich", "fixed", "replace-one", 2)
    monkeypatch.setattr(lines, "line_sensitivity", lambda *known: 1)
    assert table_loss("sandwich", "fixed", "replace-one", 2) > max(1.1, 2 * honest)


def test_an_index_with_private_ends_is_caught(monkeypatch):
    # An index scaled by the table's own predictions: released lines then lie over another index for a neighbour.
    def own_rows(fit, rows):
        return {name: np.resize(values, rows) for name, values in fit.values.items()}

    monkeypatch.setattr(lines_fitting.LinesFit, "simulated", own_rows)
    assert table_loss("stepwise", "varying", "replace-one", 2) == np.inf
