"""Small versions of each part: valid mechanisms pass, and each part fails when production code is off."""

import dataclasses
import math
from typing import get_args

import numpy as np
import pytest

from quantail.auditing import pooled_fits, trials, whole_panels
from quantail.auditing.bounds import gather
from quantail.auditing.counting import count_findings, search_counts, values_of_a_column
from quantail.auditing.flawed import scores
from quantail.auditing.goodness import goodness_findings
from quantail.auditing.lattices import check, lattices
from quantail.auditing.panel_counts import panel_count_findings
from quantail.auditing.trials import Trial, bound_finding
from quantail.auditing.whole_panels import panel_findings
from quantail.auditing.whole_tables import FITS, replay_finding
from quantail.curves import slopes
from quantail.orders import column as lines_column
from quantail.orders import lines
from quantail.orders.steps import Order
from quantail.panel import tables as panel_tables
from quantail.panel.tables import LATTICE
from quantail.privacy import SecureNoise, gate

CASES = {(case.name, case.relation): case for case in lattices()}


def test_every_method_is_there_under_both_relations():
    words = ("joint draw", "slope", "choice of a table", "kng", "stepwise", "sandwich")
    for word in words:
        for relation in ("replace-one", "add-remove"):
            assert any(name.startswith(word) and of == relation for name, of in CASES)
    assert len(CASES) == len(lattices())


def test_production_code_with_too_small_a_sensitivity_fails(monkeypatch):
    honest = slopes.slope_sensitivity
    monkeypatch.setattr(slopes, "slope_sensitivity", lambda relation: honest("add-remove"))
    found = check(CASES["slope", "replace-one"])
    assert not found.passed and found.figure > 1.5


def test_counts_pass():
    found = list(count_findings())
    assert len(found) == 19 and all(0.99 < one.figure <= 1 and one.passed for one in found)


def test_counts_for_another_relation_fail():
    assert search_counts(values_of_a_column("add-remove"), range(5), 3, "replace-one").loss > 1.9


SANDWICH = next(fit for fit in FITS if fit.name == "sandwich, fixed slopes")


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_whole_fits_pass(relation):
    found = replay_finding(SANDWICH, relation, 1)
    assert found.passed and 0.01 < found.figure <= found.limit and found.checked == 1


def test_a_model_that_knows_a_row_fails(monkeypatch):
    # The released median is thrown away and the table's own mean taken.
    honest = lines_column._fit_intercept

    def leaking(fit, design, scale, left):
        honest(fit, design, scale, left)
        return float(left.mean())

    monkeypatch.setattr(lines_column, "_fit_intercept", leaking)
    assert not replay_finding(SANDWICH, "replace-one", 1).passed


def test_noise_off_by_a_fifth_fails(monkeypatch):  # the audit of the laws themselves: test_audit_document.py
    honest = gate.rounded_up
    monkeypatch.setattr(gate, "rounded_up", lambda *parts: 0.8 * honest(*parts))
    monkeypatch.setattr(gate.Gate, "_covered", lambda self, spent, cost: None)  # OpenDP would refuse
    assert [one.passed for one in goodness_findings(6000)] == [False, False, False, False, True]


@pytest.fixture(scope="module")
def slope_trials():
    """Worst pairs take a search."""
    return trials.trials(("slope",))


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_bounds_of_valid_mechanisms_stay_below_the_claim(whole, slope_trials, monkeypatch):
    kept = [trial for trial in slope_trials if trial.name.startswith("whole") == whole]
    monkeypatch.setattr(trials, "trials", lambda chosen: kept)
    found = [finding for finding, _ in trials.trial_findings(100, 0.9999, ("slope",))]
    assert len(found) == (2 if whole else 6)
    assert all(one.passed and math.isfinite(one.figure) for one in found)


def test_histories_of_a_unit_are_told_apart_once_a_panel_costs_more_than_claimed():
    for make in (trials.pooled_panel, trials.yearly_panel):  # with next to no noise, by the sign of the score
        trial = make(10**6)
        first, second = (trial.mechanism(table, None) for table in trial.pair)
        assert first > second
    assert trials.yearly_panel(200).run(100, 0.05).bound > 1  # 1.7, and 1.1 if four of 80 mislead


def test_pairs_are_neighbours(slope_trials):
    for trial in slope_trials:
        one, other = (sorted(map(repr, table)) for table in trial.pair)
        if trial.relation == "replace-one":
            assert len(one) == len(other)
        else:
            assert abs(len(one) - len(other)) == 1
        small, large = sorted((one, other), key=len)
        missing = list(large)
        for row in small:
            if row in missing:
                missing.remove(row)
        assert len(missing) == 1


def test_runs_catch_the_papers_sensitivity():
    pair = ((1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 5.0))
    trial = Trial("published", "replace-one", scores.flawed_quantile, pair)
    found = bound_finding(trial, trial.run(1500, 1e-6))
    assert not found.passed and found.figure > 1.2
    honest = dataclasses.replace(trial, mechanism=scores.valid_quantile)
    assert bound_finding(honest, honest.run(1500, 1e-6)).passed


def test_runs_use_secure_noise(monkeypatch):
    drawn = []
    honest = SecureNoise.noisy_max
    monkeypatch.setattr(
        SecureNoise, "noisy_max", lambda self, *question: drawn.append(1) or honest(self, *question)
    )
    pair = ((1.0, 1.0), (1.0, 6.0))
    evidence = Trial("median", "replace-one", scores.valid_quantile, pair).run(100, 0.01)
    assert len(drawn) >= evidence.runs == 200


def test_the_two_draws_of_a_pair_are_not_mixed_up():
    # Evidence is symmetric in its tables.
    one, other = lambda: "a", lambda: "b"
    assert gather(one, other, 400, 0.01).bound == pytest.approx(gather(other, one, 400, 0.01).bound)


def test_a_whole_panel_passes():
    found = next(panel_findings(1))
    assert found.name == "whole panel, pooled" and found.passed and 0.05 < found.figure <= found.limit


def test_every_panel_method_is_enumerated_and_replayed():
    orders = [f"{order}, {slopes} slopes" for order in get_args(Order) for slopes in ("fixed", "varying")]
    enumerated = {
        name.removeprefix("panel by year, ") for name, _ in CASES if name.startswith("panel by year")
    }
    assert enumerated == set(orders)
    others = ["pooled, full", "pooled, groups that borrow", "pooled, changing categories"]
    assert list(whole_panels.FITS) == ["pooled", *others, *orders]


def test_a_panel_by_year_passes_and_fails_when_lines_are_too_sharp(monkeypatch):
    case = CASES["panel by year, stepwise, fixed slopes", "replace-one"]
    honest = check(case)
    assert honest.passed and 0.1 < honest.figure <= 1 and honest.checked == 24
    monkeypatch.setattr(lines, "line_sensitivity", lambda tau, unit, relation: 1)
    assert check(case).figure > 2 * honest.figure


def test_tables_of_a_panel_pass():
    tables = list(panel_count_findings())
    close = [one for one in tables if "gaps" not in one.name]  # which need longer lives to come close
    assert len(close) >= 40 and all(0.99 < one.figure <= 1 and one.passed for one in close)
    assert all(one.passed for one in tables)
    whole = pooled_fits.whole_pooled()
    assert whole.name == "panel, pooled, end to end" and whole.passed and whole.figure > 0.5


def test_points_beyond_what_a_unit_has_fail(monkeypatch):
    monkeypatch.setattr(
        panel_tables, "period_points", lambda unit_periods: np.full(len(unit_periods), LATTICE // 2)
    )
    failed = {one.name for one in panel_count_findings() if not one.passed}
    for case in ("partial", "full", "full, add/remove"):
        names = {f"panel, {case}, {table}" for table in ("lead: sizes", "lead: years", "follower: sizes")}
        assert names <= failed


def test_a_model_that_knows_a_history_fails(monkeypatch):
    honest = pooled_fits.fit_pooled

    def leaking(settings, gate, data, units, tell):
        return honest(settings, gate, data, units, tell), float(np.nanmax(data.values["emp"]))

    monkeypatch.setattr(pooled_fits, "fit_pooled", leaking)
    found = pooled_fits.whole_pooled(((pooled_fits.PAIRS[0],) * 2, (pooled_fits.PAIRS[3],) * 2))
    assert not found.passed and found.figure == math.inf
    assert not any(finding.passed for finding in pooled_fits.whole_full())


def test_a_skeleton_that_copies_a_life_fails(monkeypatch):
    honest = pooled_fits.release_units

    def copying(gate, data, group):
        return dataclasses.replace(honest(gate, data, group), entry=data.entry, exit=data.exit)

    monkeypatch.setattr(pooled_fits, "release_units", copying)
    found = next(pooled_fits.whole_full())
    assert found.relation == "replace-one" and not found.passed
