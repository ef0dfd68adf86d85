"""Panels of firms with several establishments, from the schema to the card."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail import PanelSynthesizer, PeriodSynthesizer, load_model
from quantail.errors import DataError, SchemaError
from quantail.evaluation import evaluate
from quantail.frames import check_table, confidential_panel, left_out_columns, protected_panel
from quantail.inference import infer
from quantail.planning import expect_panel
from quantail.report.card import release_card
from quantail.schema import Column, Panel, Schema

PANEL = Panel("id", start=2001, end=2003, layout="long", time="year", firm="owner", establishments=2)
STAFF = Column("staff", "integer", 0, 900, grid="log")
SCHEMA = Schema((STAFF,), "firm", name="register", panel=PANEL, neighbours="add-remove")


def register(firms=200, seed=1):
    """Return a long panel of firms with one to four establishments that stay for three years."""
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(firms), rng.integers(1, 5, firms))
    staff = np.floor(np.exp(rng.normal(2, 1, (owner.size, 3))))
    unit, place = np.nonzero(np.isfinite(staff))
    owners = np.array([f"F{number}" for number in owner])
    return pa.table(
        {"id": unit, "owner": owners[unit], "year": 2001 + place, "staff": staff[unit, place].astype(int)}
    )


TABLE = register()


def test_every_firm_is_used_with_its_largest_establishments():
    used, whole = protected_panel(TABLE, SCHEMA), confidential_panel(TABLE, SCHEMA)
    owners = dict(zip(TABLE["id"].to_pylist(), TABLE["owner"].to_pylist(), strict=True))
    sums = dict(zip(whole.units.to_pylist(), whole.values["staff"].sum(axis=1), strict=True))
    kept = used.units.to_pylist()
    assert len(kept) < len(whole)
    for owner in set(owners.values()):
        own = sorted((sums[unit] for unit in owners if owners[unit] == owner), reverse=True)
        assert own[:2] == sorted((sums[unit] for unit in kept if owners[unit] == owner), reverse=True)


def test_the_order_of_rows_and_how_firms_are_stored_do_not_matter():
    shuffled = TABLE.take(pa.array(np.random.default_rng(2).permutation(len(TABLE))))
    coded = shuffled.set_column(1, "owner", shuffled["owner"].dictionary_encode())
    assert protected_panel(coded, SCHEMA).units.equals(protected_panel(TABLE, SCHEMA).units)


def test_a_released_panel_has_no_firms_and_is_read_saved_appended_and_judged_like_others(tmp_path):
    maker = PanelSynthesizer(SCHEMA, 4, noise="simulated", seed=1)
    model = maker.fit(TABLE)
    made = model.sample(seed=1)
    assert made.column_names == ["id", "year", "staff"]
    model.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.schema.panel.establishments == 2 and again.sample(seed=1).equals(made)
    assert evaluate(TABLE, made, schema=SCHEMA).measures
    before = replace(SCHEMA, panel=replace(PANEL, end=2002))
    earlier = TABLE.filter(pa.compute.field("year") < 2003)
    released = PanelSynthesizer(before, 4, noise="simulated", seed=1).fit(earlier).sample(seed=1)
    appended = PeriodSynthesizer(SCHEMA, 1, released, noise="simulated", seed=1).fit(TABLE).sample()
    assert set(appended["year"].to_pylist()) == {2001, 2002, 2003}


def test_the_budget_buys_as_much_as_its_part_would_for_one_establishment():
    expected = expect_panel(SCHEMA, 60, epsilon=1, panels=3)
    alone = replace(SCHEMA, panel=replace(PANEL, firm="", establishments=0))
    assert expected.errors == expect_panel(alone, 60, epsilon="1/2", panels=3).errors


def test_reruns_need_no_firms():
    model = PanelSynthesizer(SCHEMA, 4, noise="simulated", seed=1).fit(register(40))
    (answer,) = infer(model, model.sample(seed=1), "mean(staff)", effort=10)
    assert answer.low < answer.estimate < answer.high


def test_the_card_says_who_is_protected_and_what_is_left_out():
    model = PanelSynthesizer(SCHEMA, 1, noise="simulated", seed=1).fit(register(30))
    stated = release_card(model, rows=1)
    assert "up to 2 establishments" in stated["promise"]["unit"]
    assert "with all of its establishments" in stated["promise"]["neighbours_in_words"]
    assert any("beyond the 2 largest" in line for line in stated["limits"])


def test_the_card_of_groups_does_not_call_the_group_of_an_establishment_public():
    trade = Column("trade", "category", categories=("mills", "shops"))
    grouped = replace(SCHEMA, columns=(trade, STAFF), by=("trade",))
    table = register(30).append_column("trade", pa.array(["mills"] * len(register(30))))
    stated = release_card(PanelSynthesizer(grouped, 1, noise="simulated", seed=1).fit(table), rows=1)
    assert not any("public" in one for one in stated["public_inputs"])
    assert "in whatever groups" in stated["promise"]["neighbours_in_words"]


CHANGED = TABLE.set_column(1, "owner", pa.array([f"F{k}" for k in range(len(TABLE))]))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (TABLE.drop_columns(["owner"]), "is missing"),
        (CHANGED, "changes hands"),
        (TABLE.set_column(1, "owner", pa.nulls(len(TABLE), pa.string())), "missing values"),
        (TABLE.set_column(1, "owner", pa.array([" "] * len(TABLE))), "is blank"),
    ],
)
def test_firms_that_are_not_known_are_refused_before_anything_is_asked(table, said):
    assert [said in str(problem) for problem in check_table(table, SCHEMA)] == [True]
    with pytest.raises(DataError, match=said) as caught:
        PanelSynthesizer(SCHEMA, 1).fit(table, ledger=False)
    assert "F1" not in str(caught.value)


def test_the_column_of_firms_is_described():
    assert left_out_columns([*TABLE.column_names, "remarks"], SCHEMA) == ("remarks",)
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"firm": ""}, "go together"),
        ({"establishments": 0}, "go together"),
        ({"establishments": 2.5}, "whole number"),
        ({"firm": "id"}, "names a column twice"),
        ({"synthesis": "partial", "entry": "first", "exit": "last"}, "belongs to full synthesis"),
    ],
)
def test_contradictory_firms_are_refused(changes, said):
    with pytest.raises(SchemaError, match=said):
        replace(PANEL, **changes)


def test_a_firm_cannot_be_replaced():
    with pytest.raises(SchemaError, match='neighbours = "add-remove"'):
        replace(SCHEMA, neighbours="replace-one")
    with pytest.raises(SchemaError, match="named in"):
        replace(SCHEMA, columns=(STAFF, Column("owner", "integer", 0, 9)))
