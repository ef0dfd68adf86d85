"""The release card: complete, exact, and from public facts only."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from quantail.planning import Band, ColumnExpectation, Expectation, Resolution
from quantail.privacy.budget import Plan
from quantail.privacy.ledger import Ledger
from quantail.report import release_card, render_html, render_markdown
from quantail.schema import Key


def test_the_promise_is_stated_in_full(stated):
    promise = release_card(stated(), rows=10)["promise"]
    assert promise["definition"] == "pure epsilon-DP"
    assert promise["epsilon"] == "0.333333333333 (1/3)"
    assert (promise["unit"], promise["neighbours"], promise["groups"]) == ("firm", "replace-one", ["region"])
    assert "one firm" in promise["neighbours_in_words"]


def test_zcdp_states_rho_and_delta(stated):
    model = stated(unit="rho", cost=Fraction(1, 50))
    promise = release_card(model, rows=10)["promise"]
    assert (promise["definition"], promise["rho"], promise["delta"]) == ("rho-zCDP", "1/50", "1e-06")


def test_the_plan_on_the_card_is_the_plan_of_the_model(stated):
    model = stated()
    budget = release_card(model, rows=10)["budget"]
    assert Plan.from_dict(budget["plan"]) == model.plan
    assert budget["plan_hash"] == model.stated.plan_hash
    assert sum(Fraction(part["cost"]) for part in budget["parts"]) == Fraction(budget["total"])


def test_every_column_is_listed_with_its_facts_and_source(stated):
    inputs = release_card(stated(), rows=10)["public_inputs"]
    assert [stated["column"] for stated in inputs] == ["region", "jobs", "pay"]
    region, jobs, pay = inputs
    assert region["categories"] == ["north", "south | east"]
    assert (jobs["lower"], jobs["upper"], jobs["grid"], jobs["source"]) == (0, 5000, "log", "register")
    assert pay["decimals"] == 2 and pay["source"] == "" and pay["explained_by"] == ["jobs"]


@pytest.mark.parametrize("private", [True, False])
def test_simulated_noise_is_watermarked(stated, private):
    card = release_card(stated(private=private), rows=10)
    assert card["private"] is private
    assert ("NOT PRIVATE" in json.dumps(card)) is not private


def test_the_card_points_at_its_charge_and_the_total_up_to_it(stated, tmp_path):
    model = stated()
    ledger = Ledger.create(tmp_path / "l", "payroll", 2)
    ledger.charge(Fraction(1, 2), "earlier", "ab" * 32)
    entry = ledger.charge(Fraction(1, 3), "this", model.stated.plan_hash)
    ledger.charge(Fraction(1, 4), "later", "cd" * 32)
    receipt = release_card(model, rows=10, ledger=ledger, entry=entry)["ledger"]
    assert (receipt["entry"], receipt["hash"], receipt["dataset"]) == (3, entry.hash, "payroll")
    assert receipt["spent_in_all"] == "0.833333333333 (5/6)"
    assert ledger.verify(receipt["hash"]) == []


def test_without_an_entry_the_last_charge_for_the_same_plan_is_named(stated, tmp_path):
    model = stated()
    ledger = Ledger.create(tmp_path / "l", "payroll", 2)
    assert release_card(model, rows=10, ledger=ledger)["ledger"] is None
    ledger.charge(Fraction(1, 3), "this", model.stated.plan_hash)
    last = ledger.charge(Fraction(1, 3), "again", model.stated.plan_hash)
    ledger.charge(Fraction(1, 3), "other", "ab" * 32)
    assert release_card(model, rows=10, ledger=ledger)["ledger"]["hash"] == last.hash


def test_the_card_survives_json(stated):
    card = release_card(stated(), rows=10, replicates=3)
    assert json.loads(json.dumps(card, allow_nan=False)) == card
    assert card["release"] == {"rows": 10, "replicates": 3}


def test_readers_are_warned_about_standard_errors(stated):
    assert any("too small" in line for line in release_card(stated(), rows=10)["errors_to_expect"])


def test_expected_errors_are_stated_column_by_column(stated):
    bands = {"q50": Band(0.012, 0.001, 0.04), "q99": Band(0.2, 0.05, 30.0), "slope": Band(0.03, 0.01, 0.06)}
    columns = (ColumnExpectation(Resolution("pay", 9, 12.0, 0.5), bands),)
    expectation = Expectation(400, True, "1", "lognormal", 19, columns)
    lines = release_card(stated(), rows=10, expectation=expectation)["errors_to_expect"]
    assert "19 made-up tables of 400 rows (the smallest group), shape lognormal" in lines[0]
    assert lines[1].startswith("pay: median 1.2% (0.1% to 4%), 99% quantile 20% (5% to over 1000%), slope 3%")
    assert lines[2:] == release_card(stated(), rows=10)["errors_to_expect"]


def test_a_long_list_of_labels_fills_no_screens_and_is_complete_in_json(stated):
    model = stated()
    labels = tuple(f"label {place:04d}" for place in range(1017))
    column = replace(model.stated.schema.columns[0], categories=labels)
    schema = replace(model.stated.schema, columns=(column, *model.stated.schema.columns[1:]))
    card = release_card(replace(model.stated, schema=schema), rows=10)
    assert card["public_inputs"][0]["categories"] == list(labels)
    for text in (render_markdown(card), render_html(card)):
        assert "1,017 categories" in text and "label 0000" in text and "label 1016" in text
        assert "label 0500" not in text


def test_keys_are_stated_as_numbered_anew(stated):
    model = stated()
    schema = replace(model.stated.schema, keys=(Key("case"),))
    card = release_card(replace(model.stated, schema=schema), rows=10)
    assert card["public_inputs"][0]["column"] == "case" and card["public_inputs"][0]["type"] == "key"
    for text in (render_markdown(card), render_html(card)):
        assert "nothing of the original key was looked at" in text
