"""Answers at the ends of every list, and absurd counts: a fit follows from them alone."""

import numpy as np
import pytest

from quantail.auditing.extreme_replays import (
    EXTREMES,
    extreme_finding,
    panel_cases,
    panel_pairs,
    table_cases,
)
from quantail.auditing.replay import Divergence
from quantail.panel import skeleton, synthesizer
from quantail.table.stage_one import fit_state

TABLES = {
    (name, relation): (maker, pairs)
    for relation in ("replace-one", "add-remove")
    for name, maker, pairs in table_cases(relation)
}
RICH = "tables, rich columns in groups"
QUICK = [(RICH, "replace-one"), (RICH, "add-remove"), ("sandwich", "add-remove")]


@pytest.mark.parametrize("case", QUICK, ids=str)  # the audit has the others
def test_a_table_is_released_by_answers_alone(case):
    found = extreme_finding(*case, *TABLES[case])
    assert found.passed and found.figure > 0.2 and found.checked == 4, found.note


PANELS = {(name, maker.schema.neighbours): maker for name, maker in panel_cases()}
NOW = ["pooled", "pooled, groups that borrow", "stepwise, varying slopes"]
LATER = ("pooled, full", "add-remove")  # the audit has the others


@pytest.mark.parametrize(
    "case", [*((name, "replace-one") for name in NOW), pytest.param(LATER, marks=pytest.mark.slow)], ids=str
)
def test_a_panel_is_released_by_answers_alone(case):
    found = extreme_finding(*case, PANELS[case], panel_pairs(PANELS[case].schema))
    assert found.passed and found.figure > 0.2, found.note


@pytest.mark.slow
def test_a_panel_whose_protected_number_of_units_is_used_is_caught(monkeypatch):
    honest = skeleton.release_units

    def by_true_number(gate, data, group):
        made = honest(gate, data, group)
        return made.take(np.arange(min(len(made), max(len(data), 1))))

    monkeypatch.setattr(synthesizer, "release_units", by_true_number)
    maker = PANELS[LATER]
    assert not extreme_finding(*LATER, maker, panel_pairs(maker.schema)).passed


def test_a_share_that_was_not_released_is_caught_on_tables_far_apart(monkeypatch):
    # Only where a leaf says that nearly no row has a number: with typical answers the branch is never taken.
    honest = fit_state.Fit.present

    def corrected(self, status):
        released = honest(self, status)
        return self.confidential.size if released < 2 and status else released

    monkeypatch.setattr(fit_state.Fit, "present", corrected)
    maker, (_, far) = TABLES["tables, rich columns in groups", "add-remove"]

    def caught(answers):
        try:
            return not far.replayed(maker, answers).same
        except Divergence:
            return True

    typical, *extremes = EXTREMES
    assert not caught(typical) and any(map(caught, extremes))
