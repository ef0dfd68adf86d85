"""A new period of a released panel: what one unit's record does to each question, and to a whole release."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from quantail.auditing.pooled_fits import FULL, Scripted, full_panel, whole_periods
from quantail.frames import release_panel
from quantail.panel import PeriodSynthesizer
from quantail.panel.period import ask_period, bounded_table, flow_table, plan_period
from quantail.panel.tables import LATTICE
from quantail.privacy import Gate
from quantail.privacy.source import Source

AWAY = (np.nan, np.nan)
STATES = (
    AWAY,
    (0.0, 0.0),
    (1.0, np.nan),
    (3.0, 0.0),
    (40.0, 5000.0),
    (2000.0, 1.0),
)  # (emp, pay) of a period
# A unit that is never there has no record: then there is no unit (`None`).
RECORDS = [
    None,
    *((1, (AWAY, one, two)) for one, two in product(STATES, STATES) if (one, two) != (AWAY, AWAY)),
]
RELATIONS = ("replace-one", "add-remove")


def panel_with(record, relation):
    return full_panel(*([] if record is None else [record]), relation=relation)


def released_before():
    """Return a synthetic panel of the first two periods."""
    data = full_panel((0, ((9.0, 90.0), (30.0, 200.0), AWAY)), relation="replace-one")
    schema = replace(data.schema, panel=replace(data.schema.panel, end=2001))
    kept = ~np.isnan(data.values["emp"][:, :2]).all(axis=1)
    values = {name: array[:, :2] for name, array in data.values.items()}
    exit_ = np.where(np.isnan(values["emp"][:, 1]), 2000, 2001)
    return replace(data, schema=schema, exit=exit_, values=values).take(np.flatnonzero(kept))


def asked_about(record, relation):
    noise, data = Scripted(), panel_with(record, relation)
    gate = Gate(plan_period(data.schema, Fraction(1), "panel"), noise, relation)
    answers = ask_period(gate, data, released_before())
    assert not gate.unused
    return noise.asked, answers


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_record_costs_more_than_epsilon_and_some_come_close(relation):
    every = [asked_about(record, relation) for record in RECORDS]
    # Under add/remove neighbours have a unit more or less; replace-one also covers records that are none.
    pairs = [(every[0], other) for other in every] if relation == "add-remove" else product(every, every)
    losses = []
    for (one, answers), (other, same) in pairs:
        assert answers == same  # questions follow from the released panel alone
        assert [scale for _, scale in one] == [scale for _, scale in other]
        moved = [np.abs(a - b).sum() / scale for (a, scale), (b, _) in zip(one, other, strict=True)]
        losses.append(sum(moved))
        leaves = plan_period(FULL, Fraction(1), "panel").leaves()
        assert all(loss <= float(leaf.cost) + 1e-12 for loss, leaf in zip(moved, leaves, strict=True))
    assert (
        0.85 < max(losses) <= 1.0
    )  # a unit without staff has no ratio, so not all sums move in full at once


def test_a_unit_is_in_at_most_one_cell_of_flows():
    for before, now in product((False, True), repeat=2):
        table = flow_table(np.array([before]), np.array([now]))
        assert table.sum() == int(before or now)


def test_points_of_a_sum_are_bounded_by_those_of_a_unit():
    for term in (-1.0, -0.3, 0.0, 1 / 3, 0.9999999, 1.0):
        assert abs(bounded_table(np.array([term]))[0]) <= abs(term) * LATTICE


def test_must_fail_counts_of_both_periods():
    states = list(product((0, 1), repeat=2))  # a unit counted in each period that it is in
    assert max(np.abs(np.subtract(one, other)).sum() for one, other in product(states, states)) == 2
    both = [(before and not now, before and now, now and not before, before, now) for before, now in states]
    assert max(np.abs(np.subtract(one, other, dtype=int)).sum() for one, other in product(both, both)) > 2


def test_must_fail_scales_of_half_the_sensitivity(monkeypatch):
    monkeypatch.setattr("quantail.panel.period.cells_touched", lambda relation: 1)
    every = [asked_about(record, "replace-one")[0] for record in RECORDS]
    flows = [rows[0] for rows in every]
    share = float(plan_period(FULL, Fraction(1), "panel").find("flows").cost)
    assert max(np.abs(a - b).sum() / scale for (a, scale), (b, _) in product(flows, flows)) > share


@pytest.mark.parametrize("relation", RELATIONS)
def test_with_the_same_answers_neighbours_are_released_as_the_same_panel(relation):
    schema = replace(FULL, neighbours=relation)
    before = released_before()
    made = []
    for record in RECORDS[:: 5 if relation == "replace-one" else 7]:
        source = Source(lambda group: Scripted(), private=False)
        synthesizer = PeriodSynthesizer(schema, 1, release_panel(before), noise="simulated", seed=1)
        table = release_panel(panel_with(record, relation))
        model = synthesizer._drawing_from(source).fit(table)
        made.append((model.to_dict(), model.sample()))
    assert all(form == made[0][0] and table.equals(made[0][1]) for form, table in made[1:])


def test_periods_before_the_last_two_are_not_looked_at():
    one, other = ((0, (first, (7.0, 70.0), (8.0, 80.0))) for first in ((1.0, 5.0), (2000.0, 0.0)))
    tables = [
        [table.tolist() for table, _ in asked_about(record, "replace-one")[0]] for record in (one, other)
    ]
    assert tables[0] == tables[1]


def test_terms_do_not_hold_the_number_of_units_but_the_panel_that_is_continued():
    before = release_panel(released_before())
    synthesizer = PeriodSynthesizer(FULL, 1, before)
    assert synthesizer.terms(3) == synthesizer.terms(300) and synthesizer.terms(3).size is None
    fewer = PeriodSynthesizer(FULL, 1, before.slice(0, 2))
    assert fewer.terms(3).hash() != synthesizer.terms(3).hash()


def test_the_audit_enumerates_appended_periods():
    findings = list(whole_periods())
    assert {finding.relation for finding in findings} == set(RELATIONS)
    assert all(finding.passed and 0.8 < finding.figure <= 1 for finding in findings)
