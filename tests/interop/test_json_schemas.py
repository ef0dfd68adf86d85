"""Models and cards are what the published JSON Schemas say, and tampered ones are not."""

import copy
import json

import jsonschema
import numpy as np
import pyarrow as pa
import pytest

from quantail.interop import card_json_schema, model_json_schema
from quantail.io.codebook import Codebook, Entry
from quantail.panel import PanelSynthesizer
from quantail.privacy import Ledger
from quantail.report import release_card
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

BOOK = Codebook(
    "stata", "Firms", (("jobs", Entry("Jobs", "%8.0g", "int16", values=((1.0, "one"), ("a", "refused")))),)
)
OPTIONS = {
    "tables": {"method": "tables", "epsilon": 200},  # so much that there are rounds
    "zcdp": {"definition": "zcdp", "delta": 1e-6},
    "kng": {"method": "kng", "taus": [0.25, 0.5, 0.75]},
    "stepwise": {"method": "stepwise", "taus": [0.25, 0.5, 0.75]},
    "sandwich": {"method": "sandwich", "taus": [0.25, 0.5, 0.75], "main": [0.5]},
}


def table():
    rng = np.random.default_rng(5)
    jobs = rng.integers(0, 60, 120)
    columns = {"region": ["n", "s"] * 60, "jobs": jobs, "pay": np.round(jobs * rng.lognormal(2, 0.5, 120), 2)}
    return BOOK.attached(pa.table(columns))


def model(name):
    numbers = (Column("jobs", "integer", 0, 500, grid="log"), Column("pay", "numeric", 0, 1e4, decimals=2))
    category = (Column("region", "category", categories=("n", "s")),) if name in ("tables", "zcdp") else ()
    schema = Schema((*category, *numbers), unit="firm", name="firms")
    options = {"epsilon": 2, "noise": "simulated", "seed": 2, **OPTIONS[name]}
    return TableSynthesizer(schema, **options).fit(table())


def rich_model():
    columns = (
        Column("open", "boolean", missing=True),
        Column("jobs", "integer", 0, 500, missing_codes=(-8,), atoms=(0,)),
        Column("day", "date", "2020-01-01", "2020-12-31"),
    )
    rng = np.random.default_rng(3)
    days = pa.array(rng.integers(18_262, 18_600, 120).astype(np.int32)).cast(pa.date32())
    rows = pa.table({"open": [True, False, None] * 40, "jobs": rng.choice([-8, 0, 5, 90], 120), "day": days})
    return TableSynthesizer(Schema(columns, unit="firm"), 2, noise="simulated", seed=2).fit(rows)


def atom_model():
    amount = np.where(np.arange(400) % 5 < 2, 0, 100 + np.arange(400))
    schema = Schema((Column("grant", "integer", 0, 10**6, grid="log"),), unit="firm")
    return TableSynthesizer(schema, 5, noise="simulated", seed=2).fit(pa.table({"grant": amount}))


def panel_model():
    panel = Panel("id", "first", "last", 2000, 2002)
    schema = Schema((Column("emp", "integer", 0, 2000),), unit="plant", panel=panel)
    years = {f"emp_{year}": [5 + k % 7 for k in range(30)] for year in (2000, 2001, 2002)}
    frame = pa.table({"id": list(range(30)), "first": [2000] * 30, "last": [2002] * 30, **years})
    return PanelSynthesizer(schema, 4, noise="simulated", seed=1).fit(frame)


@pytest.fixture(scope="module")
def models():
    return {name: model(name) for name in OPTIONS}


@pytest.fixture(scope="module")
def checker():
    schema = model_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", OPTIONS)
def test_models_of_every_method_fit(models, checker, name):
    form = json.loads(json.dumps(models[name].to_dict()))
    checker.validate(form)
    assert form["library"] == "pyarrow"


def test_models_and_cards_of_every_kind_of_column_fit(checker):
    fitted = rich_model()
    checker.validate(json.loads(json.dumps(fitted.to_dict())))
    card = json.loads(json.dumps(release_card(fitted, rows=10)))
    jsonschema.Draft202012Validator(card_json_schema()).validate(card)


def test_models_of_columns_with_an_atom_fit(checker):
    form = json.loads(json.dumps(atom_model().to_dict()))
    curve = form["groups"][0]["columns"][0]["curve"]
    assert curve["kind"] == "atom"
    checker.validate(form)
    for change in ({"share": 0}, {"share": 1}, {"low": "0"}, {"rest": dict(curve)}, {"row": 1}):
        _with(form, {**curve, **change}, "groups", 0, "columns", 0, "curve")
        assert not checker.is_valid(form), change


def test_models_of_panels_fit(checker):
    form = panel_model().to_dict()
    checker.validate(form)
    assert not checker.is_valid({**form, "list": 7})


def _without(form, *path):
    *inner, last = path
    for step in inner:
        form = form[step]
    del form[last]


def _with(form, value, *path):
    *inner, last = path
    for step in inner:
        form = form[step]
    form[last] = value


TAMPERED = {
    "another format": lambda form: _with(form, 1, "format"),
    "no longer marked": lambda form: _without(form, "notice"),
    "called private": lambda form: _with(form, True, "private"),
    "a cost that is a number": lambda form: _with(form, 1.0, "plan", "cost"),
    "a plan without note": lambda form: _without(form, "plan", "children", 0, "note"),
    "an unknown method": lambda form: _with(form, "magic", "method"),
    "rows below zero": lambda form: _with(form, -1, "groups", 0, "rows"),
    "no groups": lambda form: _with(form, [], "groups"),
    "text among rungs": lambda form: _with(form, ["x"], "groups", 0, "columns", -1, "curve", "rungs"),
    "a share below zero": lambda form: _with(form, [[-1.0, 2.0]], "groups", 0, "columns", 0, "shares"),
    "a column of no kind": lambda form: _with(form, "other", "groups", 0, "columns", 0, "kind"),
    "something extra": lambda form: _with(form, {"row": 1}, "confidential"),
    "another library": lambda form: _with(form, "excel", "library"),
    "types of a table": lambda form: _with(form, {"kind": "pandas", "columns": []}, "shape"),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_tampered_models_do_not_fit(models, checker, how):
    form = copy.deepcopy(json.loads(json.dumps(models["tables"].to_dict())))
    TAMPERED[how](form)
    assert not checker.is_valid(form)


@pytest.mark.parametrize("name", ["tables", "zcdp", "kng"])
def test_cards_fit_and_tampered_ones_do_not(models, name, tmp_path):
    checker = jsonschema.Draft202012Validator(card_json_schema())
    checker.check_schema(card_json_schema())
    card = json.loads(json.dumps(release_card(models[name], rows=10, replicates=2)))
    checker.validate(card)
    for change in (
        {"notice": "PRIVATE"},
        {"public_inputs": []},
        {"rows": 7},
        {"date": "today"},
        {"release": {"rows": 10, "replicates": 0}},
        {"budget": {**card["budget"], "plan_hash": "0"}},
        {"synthesis": {**card["synthesis"], "kind": "partial"}},
        {"terms": {**card["terms"], "size": "many"}},
    ):
        assert not checker.is_valid({**card, **change}), change


def test_a_card_with_its_ledger_fits(models, tmp_path):
    fitted = models["tables"]
    ledger = Ledger.create(tmp_path / "ledger", "firms", 200)
    entry = ledger.charge(fitted.plan.cost, "fit", fitted.terms.hash())
    card = release_card(fitted, rows=10, ledger=ledger, entry=entry)
    jsonschema.Draft202012Validator(card_json_schema()).validate(json.loads(json.dumps(card)))
    assert card["ledger"]["entry"] == entry.number
