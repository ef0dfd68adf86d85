"""The card as a page: nothing important of the card is lost, and tables stay tables."""

import json

import pytest

from quantail.report import release_card, render_markdown


@pytest.fixture
def card(stated):
    return release_card(stated(), rows=10)


def test_the_page_tells_what_the_card_tells(card):
    page = render_markdown(card)
    for said in ("pure epsilon-DP", "0.333333333333 (1/3)", "replace-one", "firm", "9.9.9", "too small"):
        assert said in page
    assert card["budget"]["plan_hash"] in page and card["budget"]["drawing"] in page


def test_a_bar_in_a_label_does_not_break_the_table(card):
    (line,) = (line for line in render_markdown(card).splitlines() if line.startswith("| region"))
    assert "south \\| east" in line
    assert line.replace("\\|", "").count("|") == 6


def test_a_missing_source_is_shown_as_missing(card):
    (line,) = (line for line in render_markdown(card).splitlines() if line.startswith("| pay"))
    assert "NOT STATED" in line


def test_the_watermark_is_in_the_title(stated):
    page = render_markdown(release_card(stated(private=False), rows=10))
    assert "NOT PRIVATE" in page.splitlines()[0]
    assert "NOT PRIVATE" not in render_markdown(release_card(stated(), rows=10))


def test_a_card_read_back_from_json_gives_the_same_page(card):
    assert render_markdown(json.loads(json.dumps(card))) == render_markdown(card)


def test_zcdp_names_delta_and_rho(stated):
    page = render_markdown(release_card(stated(unit="rho"), rows=10))
    assert "at delta 1e-06 (rho 0.333333333333 (1/3))" in page


def test_of_many_predictors_the_first_are_listed_and_the_rest_counted():
    from quantail.report.card_facts import input_facts

    stated = {"column": "pay", "type": "numeric", "source": "law"}
    few, many = [f"v{k}" for k in range(20)], [f"v{k}" for k in range(200)]
    assert input_facts(stated | {"explained_by": few})[3] == ", ".join(few)
    told = input_facts(stated | {"explained_by": many})[3]
    assert told == "v0, v1, v2 and 197 more (all are in the card in JSON)"
    assert input_facts(stated | {"explained_by": []})[3] == "nothing"
