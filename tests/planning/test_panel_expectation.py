"""Errors to expect of panels: from the schema alone, better with more budget, honest about made-up panels."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from quantail.cli import planned
from quantail.errors import OptionError
from quantail.evaluation import flows
from quantail.frames import check_table, confidential_panel
from quantail.planning import expect_panel, panel_expectation, read_shape
from quantail.planning.made_up_panels import simulate_panel
from quantail.planning.panel_expectation import MEASURES
from quantail.planning.panel_trial import PanelTrial
from quantail.schema import Column, Panel, Schema

COLUMNS = (
    Column("sector", "category", categories=("a", "b"), source="x"),
    Column("emp", "integer", 0, 2000, grid="log"),
    Column("pay", "numeric", 0, 1e6, grid="log", decimals=2),
)


def schema_of(layout="wide", by=("sector",)):
    panel = Panel("id", "first", "last", 2001, 2005, layout, "year" if layout == "long" else "", "register")
    return Schema(COLUMNS if by else COLUMNS[1:], "firm", by=by, panel=panel)


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_made_up_panels_fit_their_schema_and_have_flows(layout):
    schema = schema_of(layout)
    made = simulate_panel(schema, 400, read_shape("lognormal"), np.random.default_rng(1))
    assert check_table(made, schema) == []
    data = confidential_panel(made, schema)
    assert len(data) == 400 and np.nanmax(data.values["pay"]) <= 1e6
    rates = flows(made, schema=schema)
    for name in ("entry_rate", "exit_rate", "job_creation_rate", "job_destruction_rate"):
        assert 2 < np.mean(rates[name].to_numpy()) < 60


def test_made_up_panels_have_gaps_missing_values_and_attributes_where_the_schema_does():
    columns = (COLUMNS[0], COLUMNS[1], replace(COLUMNS[2], missing=True))
    panel = Panel("id", start=2001, end=2008, layout="long", time="year", attributes=("sector",), gaps=True)
    schema = Schema(columns, "firm", panel=panel)
    made = simulate_panel(schema, 300, read_shape("lognormal"), np.random.default_rng(1))
    assert check_table(made, schema) == [] and made["pay"].null_count > 0
    active = confidential_panel(made, schema).active
    assert (
        ~active
        & np.logical_or.accumulate(active, axis=1)
        & np.logical_or.accumulate(active[:, ::-1], axis=1)[:, ::-1]
    ).any()
    assert expect_panel(schema, 40).errors.keys() == {"emp", "pay"}


def test_errors_are_stated_for_every_column_and_shrink_with_the_budget():
    schema = schema_of(by=())
    small, large = (expect_panel(schema, 80, epsilon) for epsilon in ("0.1", "30"))
    assert set(small.errors) == {"emp", "pay"} and tuple(small.errors["emp"]) == MEASURES
    assert large.errors["emp"]["total"].expected < small.errors["emp"]["total"].expected
    for bands in small.errors.values():
        assert all(0 <= band.low <= band.expected <= band.high for band in bands.values())
    form = small.to_dict()
    assert form["units"] == 80 and form["columns"][0]["column"] == "emp" and form["coverage"] == 0.9


def test_the_same_seed_gives_the_same_errors_and_groups_count_by_the_smallest(monkeypatch):
    tried = []

    def try_out(trial, *rest):
        tried.append((trial.schema.by, *trial.sizes.values()))
        return {("emp", "total"): 0.1}

    monkeypatch.setattr(panel_expectation, "_try_out", try_out)
    secret = replace(schema_of(), neighbours="add-remove")  # nobody borrows
    assert expect_panel(secret, 100) == expect_panel(secret, {0: 50, 1: 80})
    assert set(tried) == {((), 50)}


def test_groups_that_borrow_are_tried_together_and_the_smallest_is_judged():
    schema = schema_of()
    trial = PanelTrial.of(schema, {0: 60, 1: 90_000}, Fraction(1))
    assert trial.sizes == {(): 60} and trial.schema.by == ()  # it takes two
    trial = PanelTrial.of(schema, {0: 60, 1: 90}, Fraction(1))
    assert trial.sizes == {("a",): 60, ("b",): 90} and trial.smallest == ("a",)
    made = trial.simulate(read_shape("lognormal"), np.random.default_rng(1))
    assert check_table(made, schema) == [] and made.num_rows == 150
    assert set(trial.of_smallest(made)["sector"].to_pylist()) == {"a"}
    assert set(panel_expectation._deviations(trial.one, *[trial.of_smallest(made)] * 2).values()) == {0.0}


def test_errors_are_those_of_the_plan_with_or_without_borrowing():
    schema = schema_of()
    apart = replace(schema, panel=replace(schema.panel, borrow=False))
    both, alone = (expect_panel(one, 1200, panels=3) for one in (schema, apart))
    assert (both.together, alone.together) == (2, 1) and both.units == alone.units == 600
    assert both.errors["pay"]["total"] != alone.errors["pay"]["total"]
    assert "the smallest of 2 groups that share questions" in planned._panel_legend(both)


def test_a_perfect_copy_has_no_error():
    schema = schema_of("long")
    made = simulate_panel(schema, 50, read_shape("pareto"), np.random.default_rng(2))
    assert set(panel_expectation._deviations(schema, made, made).values()) == {0.0}


def test_what_cannot_be_stated_is_refused():
    with pytest.raises(OptionError, match="panel"):
        expect_panel(Schema(COLUMNS, "firm"), 100)
    with pytest.raises(OptionError, match="20 units"):
        expect_panel(schema_of(), 30)
    with pytest.raises(OptionError, match="at least 3"):
        expect_panel(schema_of(by=()), 100, panels=2)
