"""One hash over all public inputs: any of them changes it, nothing confidential does."""

import json
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.panel import PanelModel, PanelSynthesizer
from quantail.privacy import Ledger, Terms
from quantail.schema import Column, CsvFormat, Identity, Inequality, Key, Panel, Schema
from quantail.table import TableModel, TableSynthesizer

REGION = Column("region", "category", categories=("a", "b", "c"), source="code book")
PAY = Column("pay", "numeric", 0, 1000, grid="log", resolution=0.5, source="law")
JOBS = Column("jobs", "integer", 0, 90, missing_codes=(-8,), atoms=(0,))
SCHEMA = Schema((REGION, PAY, JOBS), unit="firm", name="firms", by=("region",), merge_below=5)
PANEL = Schema(
    (Column("emp", "integer", 0, 50),),
    unit="plant",
    panel=Panel("id", "first", "last", 2000, 2003, source="register"),
)


def digest(schema=SCHEMA, rows=90, epsilon="1", fits=1, **options):
    return TableSynthesizer(schema, epsilon, **options).terms(rows, fits).hash()


WIDE = replace(
    SCHEMA, columns=(*SCHEMA.columns, Column("part", "numeric", 0, 9), Column("all", "numeric", 0, 1009))
)


def with_column(changed):
    columns = tuple(changed if column.name == changed.name else column for column in SCHEMA.columns)
    return replace(SCHEMA, columns=columns)


RULED = with_column(replace(JOBS, missing=True, universe="pay > 100"))
UNGROUPED = replace(RULED, by=(), merge_below=0)
CODES = replace(
    SCHEMA,
    columns=(
        REGION,
        PAY,
        Column("sector", "category", categories=("F", "G")),
        Column("code", "category", categories=("F1", "G1"), within="sector"),
    ),
)


def with_code(**changed):
    """Return the schema of codes with a code that differs."""
    return replace(CODES, columns=(*CODES.columns[:-1], replace(CODES.columns[-1], **changed)))


GAPS = replace(SCHEMA, columns=(REGION, replace(PAY, missing=True), replace(JOBS, missing=True)))

# For every field of a column, of a panel and of a schema, a value that the base does not have.
COLUMNS = {
    "name": lambda: replace(SCHEMA, columns=(REGION, PAY, replace(JOBS, name="staff"))),
    "type": lambda: with_column(replace(JOBS, type="numeric")),
    "lower": lambda: with_column(replace(PAY, lower=1)),
    "upper": lambda: with_column(replace(PAY, upper=1001)),
    "grid": lambda: with_column(replace(PAY, grid="linear")),
    "decimals": lambda: with_column(replace(PAY, decimals=2, resolution=None)),
    "resolution": lambda: with_column(replace(PAY, resolution=1)),
    "categories": lambda: with_column(replace(REGION, categories=("a", "b", "d"))),
    "predictors": lambda: with_column(replace(JOBS, predictors=())),
    "source": lambda: with_column(replace(PAY, source="custom")),
    "public": lambda: with_column(replace(PAY, public=True)),
    "missing": lambda: with_column(replace(PAY, missing=True)),
    "missing_codes": lambda: with_column(replace(JOBS, missing_codes=(-9,))),
    "atoms": lambda: with_column(replace(JOBS, atoms=(1,))),
    "storage": lambda: with_column(replace(PAY, storage="float32")),
    "label": lambda: with_column(replace(PAY, label="yearly pay")),
    "other": lambda: with_column(replace(REGION, other=True)),
    "heaps": lambda: with_column(replace(PAY, heaps=(100,))),
    "universe": lambda: with_column(replace(JOBS, missing=True, universe="pay > 200")),
    "outside": lambda: with_column(replace(JOBS, missing=True, universe="pay > 100", outside=0)),
    "only_outside": lambda: replace(
        UNGROUPED, columns=(REGION, PAY, replace(RULED.columns[2], only_outside=True))
    ),
    "missing_with": lambda: replace(
        GAPS, columns=(*GAPS.columns[:2], replace(GAPS.columns[2], missing_with="pay"))
    ),
    "within": lambda: with_code(within=""),
    "parents": lambda: with_code(parents=("G", "F")),
}
TABLES = {
    "columns": lambda: replace(SCHEMA, columns=(REGION, JOBS, PAY)),
    "unit": lambda: replace(SCHEMA, unit="person"),
    "neighbours": lambda: replace(SCHEMA, neighbours="add-remove"),
    "by": lambda: replace(SCHEMA, by=(), merge_below=0),
    "name": lambda: replace(SCHEMA, name="shops"),
    "order": lambda: replace(SCHEMA, order="auto"),
    "merge_below": lambda: replace(SCHEMA, merge_below=6),
    "identities": lambda: replace(WIDE, identities=(Identity("all", ("pay", "part")),)),
    "inequalities": lambda: replace(WIDE, inequalities=(Inequality("part", "pay"),)),
    "keys": lambda: replace(SCHEMA, keys=(Key("id"),)),
    "csv": lambda: replace(SCHEMA, csv=CsvFormat(separator=";")),
    "panel": None,  # below, by its own fields
}
# What a change is compared with, where it is not the schema itself.
BASES = {
    "identities": WIDE,
    "inequalities": WIDE,
    "universe": RULED,
    "outside": RULED,
    "only_outside": UNGROUPED,
    "missing_with": GAPS,
    "within": CODES,
    "parents": CODES,
}
PANELS = {
    "unit": "plant_id",
    "entry": "start_year",
    "exit": "end_year",
    "start": 1999,
    "end": 2004,
    "layout": "long",
    "time": "year",
    "source": "another register",
    "synthesis": "partial",
    "attributes": ("region",),
    "gaps": True,
    "borrow": False,
    "changing": ("region",),
    "firm": "owner",
    "establishments": 3,
    "between": "-",
}


def test_the_lists_below_name_every_field():
    # A field that a later version adds must be listed here, with a change that the hash sees.
    for kind, listed in ((Column, COLUMNS), (Schema, TABLES), (Panel, PANELS)):
        assert {field.name for field in fields(kind)} == set(listed), kind


@pytest.mark.parametrize(
    "where", [*(("column", k) for k in COLUMNS), *(("table", k) for k in TABLES)], ids=str
)
def test_a_change_of_any_public_input_of_the_schema_changes_the_plan_hash(where):
    made = (COLUMNS if where[0] == "column" else TABLES)[where[1]]
    if made is not None:
        assert digest(made()) != digest(BASES.get(where[1], SCHEMA))


@pytest.mark.parametrize("option", PANELS)
def test_a_change_of_any_field_of_a_panel_changes_the_plan_hash(option):
    base, change = PANEL, {option: PANELS[option]}
    if option in ("layout", "time"):
        change = {"layout": "long", "time": "year" if option == "layout" else "t"}
    if option == "time":
        base = replace(PANEL, panel=replace(PANEL.panel, layout="long", time="year"))
    if option in ("firm", "establishments"):
        whole = replace(PANEL.panel, firm="company", establishments=2)
        base = replace(PANEL, panel=whole, neighbours="add-remove")
    if option in ("attributes", "changing"):
        base = replace(
            PANEL, columns=(*PANEL.columns, REGION), panel=replace(PANEL.panel, attributes=("region",))
        )
        change = {"attributes": (), "changing": ("region",)}
    if option == "attributes":
        change = {"attributes": ("region", "sector")}
        columns = (*base.columns, replace(REGION, name="sector"))
        other = replace(base, columns=columns, panel=replace(base.panel, **change))
    else:
        other = replace(base, panel=replace(base.panel, **change))
    assert PanelSynthesizer(other, 1).terms(30).hash() != PanelSynthesizer(base, 1).terms(30).hash()


def test_size_budget_definition_method_options_fits_and_version_change_the_plan_hash(monkeypatch):
    plain = Schema((PAY,), unit="firm")
    base = digest(plain)
    others = [
        digest(plain, rows=91),
        digest(plain, epsilon="2"),
        digest(plain, epsilon=Fraction(1, 3)),
        digest(plain, definition="zcdp", delta="1e-6"),
        digest(plain, definition="zcdp", delta="1e-7"),
        digest(plain, method="kng"),
        digest(plain, method="stepwise"),
        digest(plain, method="stepwise", slopes="varying"),
        digest(plain, method="stepwise", draw="interpolate"),
        digest(plain, method="stepwise", taus=[0.25, 0.5, 0.75]),
        digest(plain, method="sandwich", main=[0.5]),
        digest(plain, method="kng", shares={"columns": [1]}),
        digest(plain, fits=2),
        replace(TableSynthesizer(plain, 1).terms(90), version="0.0.1").hash(),
    ]
    assert len({base, *others}) == len(others) + 1


def test_the_same_options_written_otherwise_give_the_same_plan_hash():
    assert digest(epsilon="0.5") == digest(epsilon=Fraction(1, 2)) == digest(epsilon=0.5)
    plain = Schema((PAY,), unit="firm")
    assert digest(plain, method="stepwise", slopes="fixed") == digest(plain, method="stepwise")
    assert digest(Schema.from_toml(SCHEMA.to_toml())) == digest()


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6).filter(
    str.strip
)
BOUNDS = st.integers(-100, 100)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(NAMES, NAMES, NAMES, BOUNDS, BOUNDS, st.booleans()),
    st.tuples(NAMES, NAMES, NAMES, BOUNDS, BOUNDS, st.booleans()),
)
def test_schemas_have_the_same_plan_hash_only_if_they_are_equal(one, other):
    def made(unit, name, source, lower, width, missing):
        column = Column(name, "numeric", lower, lower + 1 + abs(width), source=source, missing=missing)
        return Schema((column,), unit=unit)

    first, second = made(*one), made(*other)
    assert (digest(first) == digest(second)) == (first == second)


def test_under_add_remove_the_hash_has_no_rows():
    protected = replace(SCHEMA, neighbours="add-remove")
    assert digest(protected, rows=90) == digest(protected, rows=91)
    assert TableSynthesizer(protected, 1).terms(90).size is None


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_nothing_confidential_changes_the_hash(relation, tmp_path):
    schema = replace(SCHEMA, neighbours=relation, columns=(REGION, PAY), name="firms")
    rng, hashes = np.random.default_rng(1), set()
    for place, labels in enumerate(
        (["a", "b", "c"] * 40, ["a", "b", "c"] * 40, ["a"] * 120, ["b", "c"] * 60)
    ):
        extra = 0 if relation == "replace-one" else place  # a row more, where that is confidential
        rows = pa.table({"region": labels + ["a"] * extra, "pay": rng.uniform(0, 900, 120 + extra)})
        ledger = Ledger.create(tmp_path / f"{place}", "firms", 1)
        model = TableSynthesizer(schema, 1).fit(rows, ledger=ledger)
        hashes |= {model.terms.hash(), ledger.entries()[-1].plan_hash}
    assert len(hashes) == 1


def test_a_model_keeps_its_terms_and_is_refused_when_they_do_not_match(tmp_path):
    rows = pa.table({"pay": np.arange(60.0)})
    model = TableSynthesizer(Schema((PAY,), unit="firm"), 1, noise="simulated").fit(rows)
    again = TableModel.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.terms == model.terms and again.terms.hash() == model.to_dict()["plan_hash"]
    for changed in ({"plan_hash": "ab" * 32}, {"terms": {**model.terms.to_dict(), "size": 61}}):
        with pytest.raises(ValueError, match="terms"):
            TableModel.from_dict({**model.to_dict(), **changed})
    wider = model.to_dict()["schema"].replace("1000", "2000")
    with pytest.raises(ValueError, match="terms"):  # bounds other than those agreed on
        TableModel.from_dict({**model.to_dict(), "schema": wider})


def test_a_panel_carries_one_hash_in_ledger_and_model(tmp_path):
    years = {f"emp_{year}": [5 + k % 7 for k in range(30)] for year in range(2000, 2004)}
    frame = pa.table({"id": list(range(30)), "first": [2000] * 30, "last": [2003] * 30, **years})
    ledger = Ledger.create(tmp_path / "ledger", "plants", 1)
    schema = replace(PANEL, name="plants")
    model = PanelSynthesizer(schema, 1).fit(frame, ledger=ledger)
    agreed = PanelSynthesizer(schema, 1).terms(30).hash()
    again = PanelModel.from_dict(json.loads(json.dumps(model.to_dict())))
    assert {agreed, again.terms.hash(), model.to_dict()["plan_hash"]} == {ledger.entries()[-1].plan_hash}


def test_terms_survive_json():
    terms = TableSynthesizer(SCHEMA, "1/3").terms(90)
    assert Terms.from_dict(json.loads(json.dumps(terms.to_dict()))) == terms
