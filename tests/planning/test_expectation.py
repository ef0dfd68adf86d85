from dataclasses import replace

import numpy as np
import pytest

from quantail.errors import OptionError
from quantail.planning import can_expect, expect, read_range, read_shape, simulate_table, sweep
from quantail.planning.band import Band, band_of
from quantail.planning.expectation import try_out
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer


@pytest.mark.parametrize("tables", [3, 5, 19])
@pytest.mark.parametrize(("bias", "most"), [(0.3, 0.915), (0.0, 0.96)])
def test_a_band_holds_the_next_error_nine_times_in_ten_of_few_tables(tables, bias, most):
    """Exact far from zero; around zero the smaller end is set to no error at all, so somewhat more are held."""
    errors = np.random.default_rng(5).normal(bias, 0.02, (4000, tables + 1))
    held = [band_of(row[:-1]).holds(row[-1]) for row in errors]
    assert 0.885 <= np.mean(held) <= most


def test_a_band_is_about_sizes_whatever_the_sign():
    errors = [0.02, 0.05, 0.03, 0.04]
    assert band_of(errors) == band_of([-error for error in errors])
    assert band_of(errors).low > 0 == band_of([0.02, -0.05, 0.03, -0.04]).low
    assert band_of([0.1] * 5) == Band(0.1, pytest.approx(0.1), pytest.approx(0.1))


def test_the_realised_error_lies_in_the_band_as_often_as_stated(pay_schema):
    """A small version of studies/results/plan-honesty; 0.9 up to what 59 and 40 tables can tell."""
    stated = expect(pay_schema, 300, 1, tables=59, shape="pareto").column("pay").errors
    fresh = [try_out(pay_schema, 300, 1, read_shape("pareto"), (77, k)) for k in range(40)]
    held = [stated[measure].holds(error) for run in fresh for (_, measure), error in run.items()]
    assert 0.8 <= np.mean(held) <= 0.99


def test_the_same_seed_expects_the_same_and_another_seed_something_else(pay_schema):
    first, again, other = (expect(pay_schema, 50, 1, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.column("pay").errors["q50"] != other.column("pay").errors["q50"]


def test_more_budget_means_less_error_and_more_quantiles(pay_schema):
    few, many = sweep(pay_schema, 200, ["0.1", 10])
    assert many.column("pay").errors["q50"].expected < 0.3 * few.column("pay").errors["q50"].expected
    assert many.column("pay").resolution.quantiles > few.column("pay").resolution.quantiles


def test_groups_are_expected_as_the_smallest_of_them(mixed_schema):
    grouped = replace(mixed_schema, by=("region",))
    found = expect(grouped, {(0,): 40, (1,): 400})
    assert found.rows == 40 and found.grouped and [c.name for c in found.columns] == ["jobs", "pay"]
    alone = replace(mixed_schema, columns=mixed_schema.columns[1:])
    assert found.columns == expect(alone, 40).columns
    assert expect(grouped, 80).columns == found.columns


def test_rich_columns_are_expected_by_the_plain_parts_that_are_asked_about():
    schema = Schema(
        (
            Column("region", "category", categories=("north", "south"), public=True),
            Column("hired", "date", "2010-01-01", "2020-12-31"),
            Column("pay", "numeric", 0, 1e6, grid="log", missing=True, atoms=(0,)),
        ),
        unit="person",
    )
    found = expect(schema, 60)
    assert {c.name: list(c.errors) for c in found.columns} == {
        "hired": ["q50", "q90", "q99"],
        "pay (status)": ["shares"],
        "pay": ["q50", "q90", "q99", "slope"],
    }


def test_what_cannot_be_expected_is_refused(pay_schema):
    assert not can_expect(pay_schema, 19) and can_expect(pay_schema, 20)
    with pytest.raises(OptionError, match="20 rows"):
        expect(pay_schema, 19)
    with pytest.raises(OptionError, match="at least 3"):
        expect(pay_schema, 100, tables=2)
    with pytest.raises(OptionError, match="levels"):
        expect(pay_schema, 100, levels=(1.0,))


def test_a_range_has_round_budgets_between_its_ends():
    assert [float(epsilon) for epsilon in read_range("0.1:10")] == [0.1, 0.2, 0.5, 1, 2, 5, 10]
    for text in ("1", "2:1", "0.001:1000"):
        with pytest.raises(OptionError, match="sweep"):
            read_range(text)


def test_errors_are_those_of_the_plan_that_a_rich_table_has():
    codes = tuple(f"{k:02d}" for k in range(40))
    columns = (
        Column("industry", "category", categories=codes),
        Column("founded", "date", "1950-01-01", "2020-12-31"),
        Column("pay", "numeric", 0, 1e6, grid="log", missing=True, predictors=("founded",)),
    )
    schema = Schema(columns, unit="firm")
    found = expect(schema, 3000, tables=3)
    plan = TableSynthesizer(schema, 1).plan(3000)
    for name in ("industry", "founded", "pay", "pay (status)"):
        own = [part.cost for part in (plan.find(f"columns/{name}"),)]
        own += [leaf.cost for leaf in plan.leaves() if leaf.name == name]  # the sum of its tail
        assert found.column(name).resolution.share == pytest.approx(float(sum(own)))


def test_rules_that_name_a_group_do_not_stand_in_the_way():
    columns = (
        Column("sector", "category", categories=("farm", "shop")),
        Column("pay", "numeric", 0, 1e6, grid="log", missing=True, universe='sector == "shop"'),
    )
    found = expect(Schema(columns, unit="firm", by=("sector",)), 400, tables=3)
    assert {column.name for column in found.columns} == {"pay (status)", "pay"}


def test_a_trial_asks_what_a_release_asks_and_looks_at_fewer_rows(mixed_schema):
    maker = TableSynthesizer(mixed_schema, 4, noise="simulated", seed=1)
    table = simulate_table(mixed_schema, 2000, read_shape("lognormal"), np.random.default_rng(1))
    whole, trial, same = (
        each.fit(table) for each in (maker, maker.trying_out(2**10), maker.trying_out(2**16))
    )
    assert trial.plan == whole.plan and trial.terms == whole.terms
    assert same.to_dict() == whole.to_dict() != trial.to_dict()


def test_trials_of_the_papers_methods_are_whole(pay_schema):
    maker = TableSynthesizer(pay_schema, 1, method="kng", noise="simulated", seed=1)
    assert maker.trying_out(2**10) is maker
