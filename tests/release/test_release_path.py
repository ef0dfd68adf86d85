"""One release path: facts as objects, one saved form, one charge, one design, for tables and panels alike."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import quantail
from quantail.errors import ModelError, OptionError
from quantail.examples import industry_example, industry_schema, payroll_example, payroll_schema
from quantail.panel import PanelModel, PanelSynthesizer
from quantail.privacy import Ledger, epsilon_from
from quantail.release.facts import facts_of_fits
from quantail.table import TableModel, TableSynthesizer

KINDS = {
    "table": (payroll_schema(), payroll_example(150), TableModel, PanelModel),
    "panel": (industry_schema(), industry_example(80), PanelModel, TableModel),
}


@pytest.fixture(params=KINDS)
def case(request):
    return KINDS[request.param]


def maker_of(schema, epsilon="1/3", **options):
    return quantail.synthesizer_for(schema, epsilon, noise="simulated", seed=1, **options)


def test_a_budget_is_a_fraction_until_it_is_printed(case):
    schema, rows, *_ = case
    facts = maker_of(schema).fit(rows).facts()
    assert facts.epsilon == Fraction(1, 3) and facts.delta is None and facts.plan.cost == facts.epsilon
    assert facts.schema is schema and facts.size == rows.num_rows
    stated = facts.to_dict()
    assert stated["epsilon"] == "0.333333333333 (1/3)" and json.loads(json.dumps(stated)) == stated


def test_a_model_comes_back_as_what_it_was(case, tmp_path):
    schema, rows, own, other = case
    model = maker_of(schema).fit(rows)
    model.save(tmp_path / "m.json")
    again = quantail.load_model(tmp_path / "m.json")
    assert type(again) is own and again.to_dict() == model.to_dict() and again.facts() == model.facts()
    with pytest.raises(ModelError, match="load_model"):
        other.load(tmp_path / "m.json")


@pytest.mark.parametrize(
    "changed", [{"epsilon": "0.1"}, {"delta": "1e-06"}, {"method": "kng"}, {"version": "0"}]
)
def test_a_file_that_states_another_budget_than_its_terms_is_refused(case, tmp_path, changed):
    schema, rows, *_ = case
    form = maker_of(schema).fit(rows).to_dict() | changed
    (tmp_path / "m.json").write_text(json.dumps(form), encoding="utf-8")
    with pytest.raises(ModelError, match="not a complete model"):
        quantail.load_model(tmp_path / "m.json")


def test_several_fits_cost_several_times_and_are_charged_once(case, tmp_path):
    schema, rows, *_ = case
    ledger = Ledger.create(tmp_path / "ledger", schema.name, 2)
    one, two = maker_of(schema).fit_many(rows, 2, ledger)
    assert ledger.spent == Fraction(2, 3) and len(ledger.charges) == 1
    assert one.to_dict()["groups"] != two.to_dict()["groups"]
    facts = facts_of_fits([one.facts(), two.facts()])
    assert facts.epsilon == facts.plan.cost == Fraction(2, 3) and facts.terms.fits == 2


def test_several_fits_under_zcdp_state_the_epsilon_of_all_of_them():
    models = maker_of(payroll_schema(), 1, definition="zcdp", delta="1e-6").fit_many(payroll_example(100), 2)
    facts = facts_of_fits([model.facts() for model in models])
    assert facts.epsilon == epsilon_from(facts.plan.cost, Fraction(1, 10**6))
    assert 1 < facts.epsilon < 2 and facts.delta_text == "1e-06"


def test_what_was_read_is_fitted_as_the_table_itself_and_by_its_own_schema_only(case):
    schema, rows, *_ = case
    maker = maker_of(schema)
    data = maker.read(rows)
    assert maker.read(data) is data and data.size == rows.num_rows
    assert maker.fit(data).to_dict() == maker.fit(rows).to_dict()
    with pytest.raises(OptionError, match="another schema"):
        maker_of(replace(schema, unit="person")).fit(data)


def test_an_empty_copy_looks_like_the_copy(case):
    schema, rows, *_ = case
    maker = maker_of(schema)
    data, made = maker.read(rows), maker.fit(rows).sample(seed=1)
    assert data.empty_copy().schema.equals(made.schema, check_metadata=True)
    assert data.empty_copy().num_rows == 0 and data.copied_rows == made.num_rows


@pytest.mark.parametrize(("neighbours", "times"), [("replace-one", 1), ("add-remove", 2)])
def test_the_design_of_a_table_is_drawn_once(monkeypatch, neighbours, times):
    honest, drawn = TableSynthesizer._design_of, []
    monkeypatch.setattr(TableSynthesizer, "_design_of", lambda *given: drawn.append(given) or honest(*given))
    maker_of(replace(payroll_schema(), neighbours=neighbours)).fit(payroll_example(100))
    assert len(drawn) == times  # under add/remove once before the charge, and once for the released sizes


def test_synthesizers_of_panels_can_be_copied_and_varied():
    schema = industry_schema()
    schema = replace(schema, panel=replace(schema.panel, synthesis="partial"))
    maker = PanelSynthesizer(schema, 1, method="kng", slopes="varying", noise="simulated", seed=1)
    assert maker.get_params()["slopes"] == "varying"
    other = maker.set_params(epsilon=2, slopes="fixed")
    assert other.epsilon == 2 and other.terms(5).options["lines"]["slopes"] == "fixed"


@pytest.mark.parametrize("options", [{"definition": "zcdp", "delta": "1e-6"}, {"delta": "1e-6"}])
def test_panels_refuse_what_they_cannot_do_by_name(options):
    with pytest.raises(OptionError, match="pure epsilon-DP; leave it out"):
        quantail.synthesizer_for(industry_schema(), 1, **options)


def test_a_model_that_cannot_be_written_is_not_lost(case, tmp_path):
    schema, rows, *_ = case
    model = maker_of(schema).fit(rows)
    with pytest.raises(ModelError, match=r"cannot be written to .*no folder.*No such file"):
        model.save(tmp_path / "no folder" / "model.json")
    model.save(tmp_path / "model.json")
    assert quantail.load_model(tmp_path / "model.json").to_dict() == model.to_dict()


@pytest.mark.parametrize("maker", [TableSynthesizer, PanelSynthesizer])
def test_what_is_no_schema_is_refused_with_a_word_on_how_to_read_one(maker):
    for schema in ("schema.toml", payroll_example(10), None):
        with pytest.raises(OptionError, match=r'must be a Schema; Schema.load\("schema.toml"\)'):
            maker(schema, 1)
