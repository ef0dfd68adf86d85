"""Several fits of one table: noise of their own, one charge for all of them, made before the first."""

from fractions import Fraction

import pytest

from quantail import BudgetError, Ledger, OptionError, TableSynthesizer
from quantail.examples import payroll_example, payroll_schema


@pytest.fixture(scope="module")
def table():
    return payroll_example(200)


def maker(**options):
    return TableSynthesizer(payroll_schema(), "1/2", noise="simulated", seed=3, **options)


def test_every_fit_is_paid_for_in_one_entry_that_says_so(table, tmp_path):
    ledger = Ledger.create(tmp_path / "ledger", payroll_schema().name, Fraction(3, 2))
    models = maker().fit_many(table, 3, ledger=ledger)
    (entry,) = [entry for entry in ledger.entries() if entry.kind == "charge"]
    assert len(models) == 3
    assert entry.amount == Fraction(3, 2)
    assert entry.purpose.startswith("3 fits of ") and "3 times the cost of one" in entry.purpose
    assert entry.plan_hash == maker().terms(200, 3).hash()


def test_a_ledger_that_covers_only_some_fits_refuses_all(table, tmp_path):
    ledger = Ledger.create(tmp_path / "ledger", payroll_schema().name, Fraction(1))
    told = []
    with pytest.raises(BudgetError):
        maker().fit_many(table, 3, ledger=ledger, progress=lambda *step: told.append(step))
    assert ledger.spent == 0 and told == []


def test_fits_differ_and_replicates_come_from_one_fit(table):
    first, second = maker().fit_many(table, 2)
    assert first.groups != second.groups
    assert first.groups == maker().fit(table).groups  # the first is the fit that one would have made alone
    assert [first.plan.cost, second.plan.cost] == [Fraction(1, 2)] * 2
    one, other = first.sample(5, replicates=2, seed=1)
    assert not one.equals(other)


def test_the_plan_of_several_fits_adds_up():
    assert maker().plan(200, 4).cost == 2
    assert maker().plan(200, 1) == maker().plan(200)


@pytest.mark.parametrize("fits", [0, -1, 1.5, True])
def test_a_number_of_fits_is_a_whole_number(table, fits):
    with pytest.raises(OptionError, match="fits"):
        maker().fit_many(table, fits)


def test_progress_counts_fits(table):
    told = []
    maker().fit_many(table, 2, progress=lambda name, done: told.append((name, done)))
    assert told[0] == ("fit 1 of 2, sector", 0.0)
    assert any(name.startswith("fit 2 of 2") and done >= 0.5 for name, done in told)
    assert [done for _, done in told] == sorted(done for _, done in told)
