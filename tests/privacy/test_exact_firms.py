"""A firm with several establishments is protected as a whole: put in or taken out, it costs no more than the budget."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from quantail.auditing.pooled_fits import RECORDS, loss_of
from quantail.auditing.whole_firms import USED, firm_findings, firm_fit
from quantail.errors import BudgetError
from quantail.frames import firms
from quantail.privacy import Gate, Plan, SimulatedNoise
from quantail.privacy.gate import Selection
from quantail.schema import Column, Panel, Schema

# None, one, two of the farthest in one record each, two unlike ones, and three of which two are used.
SOME = ((), (RECORDS[1],), (RECORDS[1], RECORDS[1]), (RECORDS[2], RECORDS[3]), (RECORDS[1],) * 3)


def asked(firm):
    return firm_fit(firm)[0]


def loss(one, other):
    return sum(loss_of(a, b, scale) for (a, scale), (b, _) in zip(one, other, strict=True))


def losses(*chosen):
    without = asked(())
    return [loss(without, asked(firm)) for firm in chosen]


def test_whole_fits_and_appended_periods_cost_at_most_epsilon_and_depend_on_answers_alone():
    whole, appended = firm_findings(SOME)
    assert whole.passed and whole.figure > 0.7, whole
    assert appended.passed and appended.figure > 0.9, appended


def test_each_establishment_costs_its_share():
    # They are in two groups, whose answers put the same establishment at different distances from the middle.
    none, one, two, three = (asked(SOME[k]) for k in (0, 1, 2, 4))
    assert loss(none, one) <= 1 / USED and loss(one, two) <= 1 / USED
    assert loss(none, two) == pytest.approx(loss(none, one) + loss(one, two))
    assert loss(none, three) == pytest.approx(loss(none, two))


def test_must_fail_noise_of_one_establishment(monkeypatch):
    monkeypatch.setattr(Panel, "units_protected", 1)
    assert losses(SOME[2])[0] > 1.4
    whole, appended = firm_findings(SOME[:3])
    assert not whole.passed and not appended.passed


def test_must_fail_establishments_beyond_those_that_are_paid_for(monkeypatch):
    monkeypatch.setattr(firms, "used_establishments", lambda firm, size, most: np.arange(firm.size))
    assert losses(SOME[4])[0] > 1.1


@pytest.mark.parametrize("seed", range(20))
def test_which_establishments_are_used_is_decided_by_the_firm_alone(seed):
    rng = np.random.default_rng(seed)
    firm, size = rng.integers(0, 6, 30), rng.integers(0, 4, 30).astype(float)
    used = firms.used_establishments(firm, size, 3)
    assert np.bincount(firm[used]).max() <= 3 and (np.diff(used) > 0).all()
    for number in range(6):
        own, mine = np.flatnonzero(firm == number), used[firm[used] == number]
        left = np.setdiff1d(own, mine)
        assert mine.size == min(own.size, 3)
        # What is left out is smaller, or as large and later.
        assert all((size[a], -a) > (size[b], -b) for a in mine for b in left)
        alone = own[firms.used_establishments(firm[own], size[own], 3)]
        assert alone.tolist() == mine.tolist()


TIED = Schema(
    (Column("emp", "integer", 0, 99),),
    "firm",
    panel=Panel("id", start=2000, end=2001, firm="owner", establishments=1),
    neighbours="add-remove",
)


def test_how_identities_of_other_firms_are_stored_does_not_decide_which_records_are_used():
    """An identity that is no whole number makes text of all, and 10 comes before 2 there."""
    table = pa.table(
        {"id": [2.0, 10.0, 2.5], "owner": ["a", "a", "b"], "emp_2000": [5, 4, 1], "emp_2001": [4, 5, 1]}
    )
    alone, beside = (firms.protected_panel(part, TIED).values["emp"].tolist() for part in (table[:2], table))
    assert beside == [*alone, [1.0, 1.0]] or beside == [[1.0, 1.0], *alone]


def test_a_gate_for_several_rows_multiplies_its_noise_and_answers_counts_and_selections_only():
    plan = Plan.sequence("p", [Plan.leaf(name, Fraction(1)) for name in "abc"])
    scales = []

    class Kept(SimulatedNoise):
        def geometric(self, counts, scale):
            scales.append(scale)
            return counts

        def noisy_max(self, scores, scale, definition):
            scales.append(scale)
            return 0

    gate = Gate(plan, Kept(1), "add-remove", rows_held=3)
    gate.count(plan.find("a"), np.array([1, 2]), 2)
    gate.select(plan.find("b"), [Selection(np.array([1, 2]), 1)])
    assert scales == pytest.approx([6.0, 6.0])
    assert gate.count_noise(plan.find("a"), 2) == pytest.approx(6 * 2**0.5)
    assert gate.n_epsilon(plan.find("a"), 30) == 10.0
    with pytest.raises(BudgetError, match="hold one row each"):
        gate.sum(plan.find("c"), 1, 1)
    assert gate.histogram_noise(plan.find("a"), 2).deviation == pytest.approx(6 * 2**0.5)
    with pytest.raises(BudgetError, match="at least one row"):
        Gate(plan, Kept(1), "add-remove", rows_held=0)
    rho = Plan.leaf("a", Fraction(1), unit="rho")
    with pytest.raises(BudgetError, match="hold one row each"):
        Gate(rho, Kept(1), "add-remove", rows_held=3).histogram(rho, np.array([1]), 1)
