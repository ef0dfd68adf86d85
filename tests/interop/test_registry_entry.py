"""Entries for the registry of DP deployments: its form, the numbers of the card, and nothing invented."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import yaml

from quantail.errors import OptionError
from quantail.examples import payroll_example, payroll_schema
from quantail.interop import Deployment, registry_entry, registry_yaml
from quantail.report import release_card
from quantail.table import TableSynthesizer

FORM = json.loads((Path(__file__).parent / "deployment.schema.json").read_text(encoding="utf-8"))
ABOUT = Deployment("Statistics Office", "Government", "Ruritania", 'teaching: "yes"', "A. Curator", "Finance")


def card(neighbours="replace-one", **options):
    schema = replace(payroll_schema(), neighbours=neighbours)
    model = TableSynthesizer(schema, 1, **options).fit(payroll_example(200), ledger=False)
    return release_card(model, rows=200)


def checked(entry):
    """What a reader of YAML gets, after the registry's form was checked."""
    read = yaml.safe_load(registry_yaml(entry))
    jsonschema.Draft202012Validator(FORM, format_checker=jsonschema.FormatChecker()).validate(read)
    assert read == entry
    return read["deployment"]


def test_an_entry_has_the_registrys_form_and_the_cards_numbers():
    found = checked(registry_entry(card(), ABOUT))
    assert found["dp_variant"]["variant_name"] == "Pure DP"
    assert found["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.0}
    assert found["privacy_loss"]["number_of_privacy_units"] == 200
    assert found["basic"]["intended_use"] == 'teaching: "yes"'


def test_zcdp_is_registered_by_rho():
    stated = card(definition="zcdp", delta=1e-6)
    found = checked(registry_entry(stated, ABOUT))["privacy_loss"]
    top, _, bottom = stated["promise"]["rho"].partition("/")
    assert found["privacy_parameters"] == {"rho": float(top) / float(bottom or 1)}
    assert stated["promise"]["delta"] in found["privacy_parameters_details"]


def test_a_protected_number_of_rows_is_not_registered():
    entry = registry_entry(card("add-remove"), ABOUT)
    assert "number_of_privacy_units" not in checked(entry)["privacy_loss"]
    assert "200" not in json.dumps(entry)
    stated = card("add-remove")
    stated["promise"]["groups"] = ["trade"]
    assert "how many rows" not in json.dumps(registry_entry(stated, ABOUT))


def test_a_panel_that_grows_is_released_many_times():
    stated = card()
    once = checked(registry_entry(stated, ABOUT))["deployment_model"]
    stated["terms"]["options"] = {"released": "0" * 64}
    grown = checked(registry_entry(stated, ABOUT))["deployment_model"]
    assert (once["release_type"], once["data_source_type"]) == ("One release", "Static")
    assert (grown["release_type"], grown["data_source_type"]) == ("Many releases", "Dynamic")


def test_simulated_noise_is_not_registered():
    with pytest.raises(OptionError, match="NOT PRIVATE"):
        registry_entry(card(noise="simulated", seed=1), ABOUT)


@pytest.mark.parametrize(
    "wrong", [{"curator_type": "Agency"}, {"sector": "Fishing"}, {"curator": ""}, {"region": ""}]
)
def test_what_the_registry_does_not_know_is_refused(wrong):
    with pytest.raises(OptionError):
        Deployment(**{**vars(ABOUT), **wrong})


@pytest.mark.parametrize(
    "text", ["yes", "a: b", "# no", "- x", "\u2028", "\x85", "é \U0001f600", 'a"b\\c', "1", ""]
)
def test_yaml_texts_come_back(text):
    assert yaml.safe_load(registry_yaml({"a": [{"b": text}], "c": {"d": text}})) == {
        "a": [{"b": text}],
        "c": {"d": text},
    }
