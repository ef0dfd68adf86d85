"""The whole law of the production tilt on tiny tables, epsilon 1: one and two growth questions, both relations."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from quantail.auditing.enumeration import gate_of, law_of, loss, worst_loss
from quantail.auditing.mechanisms import FEW_TILTS, growth_mechanism, tilt_mechanism
from quantail.curves import Vector, slopes, tilt
from quantail.curves.rows import gathered
from quantail.curves.slopes import SlopeRules

RELATIONS = ("replace-one", "add-remove")
TWO = replace(FEW_TILTS, two_sides=0.0)
FORMS = {"one question": replace(FEW_TILTS, two_sides=np.inf), "two questions": TWO}
# Rows of the growth question: (log size, normal score, side). Some are always there, on both sides alike, so that
# one more row can pull candidates apart; the others are what tables and neighbours differ in.
ALWAYS = tuple(
    (*row, side) for row in ((-1.0, -1.5), (-1.0, -1.5), (-0.3, 0.5), (-0.3, 1.5)) for side in (-1.0, 1.0)
)
SIZES = tuple(product((-0.3, 1.0), (-0.5, 0.5, 1.5), (-1.0, 1.0)))


@pytest.fixture(params=FORMS)
def form(request):
    return FORMS[request.param]


def tilt_loss(relation, rows, *costs, rules, domain=SIZES):
    """Return the worst loss of a whole tilt; around the median 1, its rows are those of the growth question."""
    return worst_loss(tilt_mechanism(relation, rows, costs, ALWAYS, rules), domain, rows, relation)


def growth_loss(relation, rows, rules, neighbours=None, unit="epsilon", cost=1, always=ALWAYS, domain=SIZES):
    """Return the worst loss of the growth question alone."""
    mechanism = growth_mechanism(relation, rows, always, cost, unit, rules)
    return worst_loss(mechanism, domain, rows, neighbours or relation, 1 - 1 / (len(always) + rows))


COSTS = (F(4, 10), F(3, 10), F(3, 10))


@pytest.mark.parametrize("relation", RELATIONS)
def test_tilt_costs_no_more_than_claimed(relation, form):
    rows = 1 if relation == "replace-one" else 0
    assert 0.3 < tilt_loss(relation, rows, *COSTS, rules=form) <= 1 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_tilt_costs_no_more_than_claimed_with_more_rows(relation, form):
    rows = 2 if relation == "replace-one" else 1
    assert 0.3 < tilt_loss(relation, rows, *COSTS, rules=form, domain=SIZES[1::2] + SIZES[:2]) <= 1 + 1e-9


@pytest.mark.parametrize("relation", RELATIONS)
def test_growth_costs_no_more_than_claimed(relation, form):
    rows = 1 if relation == "replace-one" else 0
    assert 0.7 < growth_loss(relation, rows, form) <= 1 + 1e-9


def test_growth_of_a_zcdp_leaf_has_the_strength_of_bounded_range(form):
    assert 0.6 < growth_loss("replace-one", 1, form, unit="rho", cost=F(1, 8)) <= 1 + 1e-9


@pytest.mark.parametrize("relation", RELATIONS)
def test_growth_on_a_secret_subsample_costs_no_more(relation, form):
    # All rows but one are kept (under add/remove: on average).
    rows = 1 if relation == "replace-one" else 0
    always = ALWAYS[::2]
    part = replace(form, slopes=SlopeRules(rows=lambda strength, last: len(always) + rows - 1))
    assert 0.1 < growth_loss(relation, rows, part, always=always) <= 1 + 1e-9


def test_half_the_sensitivity_is_caught(monkeypatch, form):
    # Two questions on disjoint rows look as if each could be asked at the price of one row put in or taken out,
    # but a row that changes sides is taken out of one and put into the other.
    monkeypatch.setattr(tilt, "slope_sensitivity", lambda relation: 1)
    assert growth_loss("replace-one", 1, form) > 1.4


def test_half_the_sensitivity_of_both_growth_questions_is_caught_in_the_whole_tilt(monkeypatch):
    costs = (F(1, 100), F(1, 100), F(98, 100))
    assert tilt_loss("replace-one", 1, *costs, rules=TWO) <= 1 + 1e-9
    monkeypatch.setattr(tilt, "slope_sensitivity", lambda relation: 1)
    assert tilt_loss("replace-one", 1, *costs, rules=TWO) > 1.2


def test_add_remove_sensitivity_under_replace_one_is_caught(form):
    assert growth_loss("add-remove", 1, form, neighbours="replace-one") > 1.4


def test_questions_that_share_rows_are_caught(monkeypatch):
    # Both questions asked of all rows: one row then moves both scores as far as it can.
    honest, every = tilt.subsample, {}

    def remembered(gate, rows, most, *vectors):
        every["y"], every["x"], _ = gathered(*vectors)
        return honest(gate, rows, most, *vectors)

    monkeypatch.setattr(tilt, "subsample", remembered)
    monkeypatch.setattr(
        tilt,
        "score_slopes",
        lambda y, x, median, candidates: slopes.score_slopes(every["y"], every["x"], median, candidates),
    )
    assert growth_loss("replace-one", 1, TWO) > 1.4


def test_sides_of_a_private_median_are_caught():
    # Sides must follow from a released median: cut at the table's own, one row moves others across.
    def mechanism(last, noise):
        gate = gate_of(noise, "replace-one", 1)
        (leaf,) = gate.plan.leaves()
        z = np.array([-1.5, -0.5, 0.5, 1.5] * 4 + [0.5])
        sizes = np.append(z[:-1] * 0.6, 0.0)
        flat = np.append(np.repeat([1.0, 2.0], 8), last)
        vectors = map(Vector.of, (sizes, z, flat > flat.mean()))
        return tilt.choose_growth(gate, leaf, *vectors, z.size, TWO)

    first, second = (law_of(lambda noise, last=last: mechanism(last, noise)) for last in (1.0, 99.0))
    assert loss(first, second) > 1.1
