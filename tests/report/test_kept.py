"""Cards tell full synthesis from partial: what is kept is listed with its source, and nobody is told otherwise."""

import json

import jsonschema
import numpy as np
import pyarrow as pa
import pytest

from quantail.interop import card_json_schema
from quantail.panel import PanelSynthesizer
from quantail.report import release_card, render_html, render_markdown
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

NOBODY = "no synthetic row corresponds to a real one"


def table_card(public=(), by=(), neighbours="replace-one", **options):
    rng = np.random.default_rng(1)
    region = Column("region", "category", categories=("n", "s"), public="region" in public, source="law")
    columns = (region, Column("pay", "numeric", 0, 900))
    schema = Schema(columns, unit="firm", by=by, neighbours=neighbours)
    rows = pa.table({"region": ["n", "s"] * 40, "pay": rng.uniform(0, 900, 80)})
    return release_card(TableSynthesizer(schema, 1).fit(rows), rows=80, **options)


def panel_card(source="the public register"):
    panel = Panel("plant_id", "opened", "closed", 2000, 2002, source=source, synthesis="partial")
    columns = (
        Column("county", "category", public=True, source="code book"),
        Column("emp", "integer", 0, 2000, source="law"),
    )
    years = {f"emp_{year}": [5 + k % 7 for k in range(30)] for year in (2000, 2001, 2002)}
    known = {"plant_id": list(range(30)), "opened": [2000] * 30, "closed": [2002] * 30, "county": ["a"] * 30}
    schema = Schema(columns, unit="plant", panel=panel)
    return release_card(PanelSynthesizer(schema, 4).fit(pa.table(known | years)), rows=30)


def pages(card):
    jsonschema.Draft202012Validator(card_json_schema()).validate(json.loads(json.dumps(card)))
    return json.dumps(card), render_markdown(card).replace("\\", ""), render_html(card)


@pytest.mark.parametrize("by", [(), ("region",)])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_full_synthesis_says_that_rows_stand_for_nobody(by, neighbours):
    card = table_card(by=by, neighbours=neighbours)
    assert card["synthesis"]["kind"] == "full" and card["synthesis"]["kept"] == []
    for page in pages(card):
        assert NOBODY in page and "Full synthesis" in page and "artial" not in page


@pytest.mark.parametrize("card", [table_card(public=("region",)), panel_card()], ids=["table", "panel"])
def test_partial_synthesis_never_says_that_rows_stand_for_nobody(card):
    assert card["synthesis"]["kind"] == "partial"
    for page in pages(card):
        assert NOBODY not in page and "stand for nobody" not in page
        assert "Partial synthesis" in page
        for name in card["synthesis"]["kept"]:
            assert name in page


def test_given_rows_are_kept_and_named():
    card = table_card(given=["region"])
    assert card["synthesis"] == {**card["synthesis"], "kind": "partial", "kept": ["region"]}
    assert NOBODY not in json.dumps(card)


def test_a_panel_lists_ids_entry_exit_and_public_columns_with_their_sources():
    card = panel_card()
    inputs = {stated["column"]: stated for stated in card["public_inputs"]}
    assert card["synthesis"]["kept"] == ["plant_id", "opened", "closed", "county"]
    assert [inputs[name]["source"] for name in ("plant_id", "opened", "closed", "county")] == [
        *["the public register"] * 3,
        "code book",
    ]
    assert (inputs["opened"]["lower"], inputs["opened"]["upper"]) == (2000, 2002)
    assert all(inputs[name]["public"] for name in card["synthesis"]["kept"])
    for page in pages(card)[1:]:
        assert page.count("the public register") == 3


def test_ids_without_a_source_are_shown_as_not_stated():
    card = panel_card(source="")
    assert render_markdown(card).count("NOT STATED") == render_html(card).count("NOT STATED") == 3


def test_a_panel_promises_the_whole_history():
    card = panel_card()
    assert (
        "whole history" in card["promise"]["unit"]
        and "all of its periods" in card["promise"]["neighbours_in_words"]
    )
    assert any("whole history of one plant" in line for line in card["limits"])
    assert not any("several rows" in line for line in card["limits"])  # its years are protected together
    assert any("not protected at all" in line and "plant_id" in line for line in card["limits"])


def test_a_public_column_is_named_where_neighbours_are_explained():
    words = table_card(public=("region",))["promise"]["neighbours_in_words"]
    assert "confidential values of one firm" in words and "region" in words
