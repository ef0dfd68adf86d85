"""Whole fits at the boundaries of public rules: production does not notice, a rule that sees the true n does."""

import pytest

from quantail.auditing.boundaries import ROWS, boundaries
from quantail.auditing.boundary_replays import (
    MERGES,
    PART,
    boundary_finding,
    boundary_findings,
    merge_finding,
    part_finding,
)
from quantail.curves import slopes
from quantail.table import TableSynthesizer
from quantail.table import fitting as stage_two
from quantail.table import synthesizer as table
from quantail.table.stage_one import fitting

CASES = {boundary.name: boundary for boundary in boundaries()}
LONG = ("candidates of a fine slope",)  # the audit has these


@pytest.mark.parametrize("name", [name for name in CASES if name not in LONG])
def test_a_fit_does_not_notice_on_which_side_of_a_threshold_its_rows_are(name):
    found = boundary_finding(CASES[name], 1)
    assert found.passed and found.checked == 6, found.note


@pytest.mark.parametrize("name", CASES)
def test_the_threshold_lies_between_the_neighbours(name):
    # Otherwise a replay would show nothing: with the released number on either side the budget is found anew.
    for released in (ROWS - 1, ROWS):
        epsilon = CASES[name].epsilon(released)
        assert CASES[name].reached(ROWS, epsilon, released)
        assert not CASES[name].reached(ROWS - 1, epsilon, released)


@pytest.mark.parametrize("sizes", MERGES, ids=str)
def test_groups_are_merged_by_their_released_sizes(sizes):
    found = merge_finding(sizes, 2)
    assert found.passed and found.checked == 6, found.note


@pytest.mark.parametrize("released", [PART, PART + 1, 2 * ROWS])
def test_secret_parts_follow_the_released_number(released):
    found = part_finding(released, 1)
    assert found.passed and found.checked == 6, found.note


def test_merging_by_true_sizes_is_caught(monkeypatch):
    honest = TableSynthesizer._release

    def by_true_sizes(self, data, *rest):
        monkeypatch.setattr(TableSynthesizer, "pools", lambda self, _: pools(self, data.sizes))
        return honest(self, data, *rest)

    pools = TableSynthesizer.pools
    monkeypatch.setattr(TableSynthesizer, "_release", by_true_sizes)
    assert not merge_finding(MERGES[0], 1).passed


def test_a_part_that_begins_at_the_true_number_is_caught(monkeypatch):
    honest = slopes.subsample

    def by_true_number(gate, rows, most, *vectors):
        return honest(gate, rows if vectors[0].rows.size > most else most, most, *vectors)

    monkeypatch.setattr(slopes, "subsample", by_true_number)
    assert not part_finding(2 * ROWS, 1).passed


def test_a_part_at_a_rate_of_the_true_number_is_caught(monkeypatch):
    honest = slopes.subsample

    def by_true_number(gate, rows, most, *vectors):
        return honest(gate, vectors[0].rows.size if rows > most else rows, most, *vectors)

    monkeypatch.setattr(slopes, "subsample", by_true_number)
    assert not part_finding(2 * ROWS, 1).passed


@pytest.mark.parametrize("name", ["3 quantiles", "candidates near the quartiles"])
def test_quantiles_by_the_true_number_are_caught(monkeypatch, name):
    honest = fitting._fit_curve

    def by_true_number(fit, *rest):
        monkeypatch.setattr(type(fit), "present", lambda self, status: self.confidential.size)
        return honest(fit, *rest)

    monkeypatch.setattr(fitting, "_fit_curve", by_true_number)
    assert not boundary_finding(CASES[name], 1).passed


def test_rounds_by_the_true_number_are_caught(monkeypatch):
    honest = stage_two._run_rounds

    def by_true_number(fit, *rest):
        fit.rows = fit.confidential.size
        return honest(fit, *rest)

    monkeypatch.setattr(stage_two, "_run_rounds", by_true_number)
    assert not boundary_finding(CASES["4 rounds"], 1).passed


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("whether the sum of a tail is asked for", "set_tops"),
        ("whether every value is counted at the end", "_with_values"),
        ("whether every round figure is counted", "_with_heaps"),
        ("whether every round figure is counted", "release_figures"),
    ],
)
def test_the_last_questions_by_the_true_number_are_caught(monkeypatch, name, step):
    honest = getattr(stage_two, step)

    def by_true_number(fit, *rest):
        with monkeypatch.context() as patched:
            patched.setattr(type(fit), "present", lambda self, status: max(self.confidential.size, 1))
            return honest(fit, *rest)

    monkeypatch.setattr(stage_two, step, by_true_number)
    assert not boundary_finding(CASES[name], 1).passed


def test_the_audit_replays_every_boundary():
    names = {finding.name for finding in boundary_findings(0)}
    assert len(names) == len(CASES) + len(MERGES) + 3
    assert table.FEWEST_ROWS == 20  # replace-one only: the number of rows is public there
