"""The whole law of the production slope choice on tiny tables, epsilon 1: all tables, all neighbours."""

from dataclasses import replace
from fractions import Fraction as F
from functools import partial

import numpy as np
import pytest

from quantail.auditing.enumeration import gate_of, law_of, loss, search
from quantail.auditing.mechanisms import FEW_SLOPES, STEADY, slope_mechanism
from quantail.curves import Reach, choose_slope, slopes
from quantail.curves.rows import gathered
from quantail.curves.slope_scores import score_slopes
from quantail.curves.slopes import SlopeRules

RELATIONS = ("replace-one", "add-remove")
POINTS = tuple(
    (x, y) for x in (0.0, 1.0, 3.0) for y in (0.0, 1.0, 2.0)
)  # x below and above .5, some up to 1.5
FEW_POINTS = tuple((x, y) for x in (0.0, 1.0, 3.0) for y in (0.0, 2.0))
HALF = F(1, 2)
FEWER_SLOPES = SlopeRules(lambda reach, step: np.array([-0.5, 0.0, 0.5, 1.0]), lambda n_epsilon: 0.4)
APART = (0.5, 1.5)  # rows with x = 1 lie between


def slope_loss(
    relation,
    rows,
    *costs,
    points=POINTS,
    most=None,
    doubt=0.0,
    always=STEADY,
    cuts=(0.5, 0.5),
    rules=FEW_SLOPES,
    price=0.0,
):
    """Return the worst loss of a slope over tables of so many rows beside those that are always there.

    With `most`, so many of them take part, in secret.
    """
    kept = 1.0
    if most is not None:
        rules, kept = replace(rules, rows=lambda epsilon, last: most), most / (most + 1)
    mechanism = slope_mechanism(relation, rows, costs, doubt, always, cuts, rules, price=price)
    return search(mechanism, points, rows, relation, kept).loss


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [1, 3])
def test_slope_costs_no_more_than_claimed(rows, relation):
    assert 0.5 < slope_loss(relation, rows if relation == "replace-one" else rows - 1, 1) <= 1 + 1e-9


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_public_price_on_the_size_of_a_slope_costs_nothing(relation):
    assert 0.5 < slope_loss(relation, 2, 1, points=FEW_POINTS, price=1.0) <= 1 + 1e-9


def test_a_price_that_follows_the_table_is_caught(monkeypatch):
    # The same prior by what the rows themselves have of x: another table, another price.
    def own_scores(y, x, cut, candidates):
        return score_slopes(y, x, cut, candidates) - np.rint(4 * np.sum(x) * np.abs(candidates)).astype(int)

    monkeypatch.setattr(slopes, "score_slopes", own_scores)
    assert slope_loss("replace-one", 2, 1, points=FEW_POINTS) > 1.5


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [1, 3])
def test_rows_between_two_cuts_cost_no_more_than_others(rows, relation):
    # A row may leave one half for the other, or for neither.
    rows = rows if relation == "replace-one" else rows - 1
    assert 0.5 < slope_loss(relation, rows, 1, cuts=APART) <= 1 + 1e-9


def test_half_the_sensitivity_with_two_cuts_is_caught(monkeypatch):
    monkeypatch.setattr(slopes, "slope_sensitivity", lambda relation: 1)
    assert slope_loss("replace-one", 4, 1, cuts=APART) > 1.5


def test_cuts_from_private_rows_are_caught():
    # Thirds of the table's own x: one row takes all others that tie with a cut out of a half, or into it.
    def private(table, noise):
        cuts = np.quantile([x for x, _ in table], [1 / 3, 2 / 3], method="higher")
        return slope_mechanism("replace-one", len(table), always=(), cuts=tuple(cuts))(table, noise)

    rest = (*[(0.0, 0.0), (0.0, 1.0)] * 5, *[(1.0, 5.0)] * 10, *[(3.0, 3.0), (3.0, 4.0)] * 4, (3.0, 3.0))
    tables = [(row, *rest) for row in ((0.0, 0.0), (3.0, 3.0))]
    honest = slope_mechanism("replace-one", len(rest) + 1, always=(), cuts=APART)
    assert 0 < loss(*(law_of(partial(honest, table)) for table in tables)) <= 1
    assert loss(*(law_of(partial(private, table)) for table in tables)) > 1.2


@pytest.mark.parametrize("relation", RELATIONS)
def test_bonus_of_zero_costs_nothing(relation):
    assert 0.5 < slope_loss(relation, 2, 1, points=FEW_POINTS, doubt=1.5) <= 1 + 1e-9


def test_bonus_that_counts_private_rows_is_caught(monkeypatch):
    # A bonus in proportion to the table: public only under replace-one.
    honest = slopes.score_slopes

    def favoured(y, x, cut, candidates):
        return honest(y, x, cut, candidates) + np.where(candidates == 0, 3 * y.size, 0)

    monkeypatch.setattr(slopes, "score_slopes", favoured)
    assert slope_loss("add-remove", 2, 1, points=FEW_POINTS) > 1.2


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("cuts", [(0.5, 0.5), APART], ids=["one cut", "two cuts"])
def test_secret_subsample_costs_no_more(cuts, relation):
    rows = 1 if relation == "replace-one" else 0
    found = slope_loss(relation, rows, 1, points=FEW_POINTS, most=len(STEADY) + rows - 1, cuts=cuts)
    assert 0.1 < found <= 1 + 1e-9


@pytest.mark.parametrize("relation", ["replace-one", pytest.param("add-remove", marks=pytest.mark.slow)])
def test_each_stage_may_use_a_secret_subsample_of_its_own(relation):
    # Parts of two stages are drawn apart: a row may be in one of them, in both or in none.
    rows, always = (1, STEADY) if relation == "replace-one" else (0, STEADY[:3])
    most, points = len(always) + rows - 1, FEW_POINTS[3 - 2 * rows : 5]
    # Four slopes, then five around them: every further one multiplies the parts of both stages.
    found = slope_loss(
        relation, rows, HALF, HALF, points=points, most=most, always=always, rules=FEWER_SLOPES
    )
    assert 0.05 < found <= 1 + 1e-9


def test_subsample_of_fixed_size_under_add_remove_is_caught(monkeypatch):
    # An added row pushes another one out of a part of fixed size: replace-one at the price of add/remove.
    def fixed(gate, rows, most, *vectors):
        kept = gate.noise.subset(vectors[0].rows.size, rows)
        return tuple(part[kept] for part in gathered(*vectors))

    monkeypatch.setattr(slopes, "subsample", fixed)
    assert slope_loss("add-remove", 4, 1, points=FEW_POINTS[1:]) > 1.05


def test_half_the_sensitivity_is_caught(monkeypatch):
    monkeypatch.setattr(slopes, "slope_sensitivity", lambda relation: 1)
    assert slope_loss("replace-one", 3, 1) > 1.5


def test_fine_candidates_around_a_private_slope_are_caught():
    # A fine stage must start from what was released, not from what the table says.
    def mechanism(table, noise):
        gate = gate_of(noise, "replace-one", 1)
        x, y = np.array(table, dtype=float).reshape(-1, 2).T
        best = 1 + int(np.sum(y > 0))
        own = replace(FEW_SLOPES, candidates=lambda reach, step: best * np.array([0.5, 1.0]))
        return choose_slope(gate, gate.plan.leaves(), y, x, (0.5, 0.5), Reach(2.0), 3, rules=own)

    assert search(mechanism, FEW_POINTS, 3, "replace-one").loss == np.inf
