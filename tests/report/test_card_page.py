"""The card as a web page: everything that the card says, and nothing from outside."""

import json
from dataclasses import replace

import pytest

from quantail.markup import escape
from quantail.privacy.budget import Plan
from quantail.privacy.ledger import Ledger
from quantail.report import release_card, render_html
from quantail.schema import Column, Schema


@pytest.fixture
def card(stated, tmp_path):
    model = stated()
    ledger = Ledger.create(tmp_path / "l", "payroll", 2)
    ledger.charge("1/3", "this", model.stated.plan_hash)
    return release_card(model, rows=1234, ledger=ledger)


def texts(value):
    """All texts of a card but its plan, which is drawn."""
    if isinstance(value, dict):
        return [
            text for key, inner in value.items() if key not in ("plan", "drawing") for text in texts(inner)
        ]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def test_the_page_says_all_that_the_card_says(card):
    page = render_html(card)
    for text in texts({key: card[key] for key in card if key not in ("budget", "terms")}):
        assert escape(text) in page, text
    assert card["budget"]["plan_hash"] in page and card["ledger"]["hash"] in page
    assert "1,234 rows" in page


def test_the_page_is_complete_in_itself(card):
    page = render_html(card)
    assert page.startswith("<!DOCTYPE html>") and "<script" not in page
    for foreign in ("http:", "https:", "src=", "url(", "@import", "<link"):
        assert foreign not in page


@pytest.mark.parametrize("private", [True, False])
def test_simulated_noise_is_watermarked(stated, private):
    page = render_html(release_card(stated(private=private), rows=10))
    assert ("NOT PRIVATE" in page) is not private


def test_a_card_read_back_from_json_gives_the_same_page(card):
    assert render_html(json.loads(json.dumps(card))) == render_html(card)


def test_public_inputs_of_every_kind_are_stated(stated):
    schema = Schema(
        (
            Column("hired", "date", "2020-01-01", "2020-12-31"),
            Column("member", "boolean"),
            Column("pay", "integer", 0, 9, missing=True, missing_codes=(-8,), atoms=(0,), heaps=(5,)),
            Column("rent", "numeric", 0, 9, resolution=0.5),
        ),
        unit="person",
    )
    model = stated()
    model.stated = replace(model.stated, schema=schema, plan=Plan.leaf("t", 1))
    page = render_html(release_card(model, rows=10))
    for said in (
        "2020-01-01 to 2020-12-31",
        "categories false, true",
        "may be missing, codes of missing values -8, frequent values 0, round figures 5",
        "steps of 0.5",
    ):
        assert said in page
