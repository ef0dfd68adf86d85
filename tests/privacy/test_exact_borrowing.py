"""Groups that borrow: one unit's record moves pooled and own questions together by no more than the budget."""

from fractions import Fraction
from itertools import combinations

from quantail.auditing.pooled_fits import RECORDS, borrowed_fit, loss_of, two_trades, whole_borrowing
from quantail.panel import borrowing
from quantail.panel.borrowing import plan_borrowing
from quantail.privacy import split


def losses(plan):
    """Return what every pair of records loses in all, and the largest part of its cost that a leaf loses."""
    runs = [borrowed_fit(two_trades(record), plan) for record in RECORDS]
    totals, worst = [], 0.0
    for (asked, leaves, made), (others, _, other) in combinations(runs, 2):
        assert made == other and len(asked) == len(leaves)
        parts = [loss_of(a, b, scale) for (a, scale), (b, _) in zip(asked, others, strict=True)]
        totals.append(sum(parts))
        worst = max(worst, *(part / cost for part, (_, cost) in zip(parts, leaves, strict=True)))
    return max(totals), worst


def plan_of(cost):
    schema = two_trades(RECORDS[0]).schema
    return plan_borrowing(schema, {"mills": 2, "shops": 2}, cost)


def test_whole_fits_cost_at_most_epsilon_and_depend_on_answers_alone():
    (finding,) = whole_borrowing()
    assert finding.passed and finding.figure > 0.3, finding


def test_no_leaf_loses_more_than_its_cost_and_groups_without_the_unit_lose_nothing():
    total, worst = losses(plan_of(Fraction(1)))
    assert total <= 1.0 and 0.9 < worst <= 1.0
    asked, _, _ = borrowed_fit(two_trades(RECORDS[0]), plan_of(Fraction(1)))
    others, _, _ = borrowed_fit(two_trades(RECORDS[2]), plan_of(Fraction(1)))
    own = len(plan_of(Fraction(1)).find("each/shops").leaves())
    for (one, _), (other, _) in zip(asked[-own:], others[-own:], strict=True):
        assert (one == other).all()


def test_must_fail_pooled_questions_as_if_they_were_asked_of_other_units(monkeypatch):
    """Parallel composition holds between groups, not between all groups and each."""
    monkeypatch.setattr(
        borrowing, "split", lambda cost, shares: [cost, cost] if len(shares) == 2 else split(cost, shares)
    )
    plan = plan_of(Fraction(1))
    assert plan.cost == 2
    assert losses(plan)[0] > 1.0
