"""The card of a release as an entry of the registry of DP deployments (OpenDP; NIST has proposed to host it).

What the card knows is filled in, up to the registry's tier 2 and most of tier 3; who publishes the table, where and
what for is the curator's to say. Why choices were made is left out: whoever adds `justification` may claim tier 3.
The form is that of deployments-schema.yaml, as of 2026, in the repository opendp/deployments-registry-data.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal, get_args

from quantail.errors import OptionError
from quantail.visible import visible_json

CuratorType = Literal["Government", "Industry", "Nonprofit"]
Sector = Literal["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"]


@dataclass(frozen=True)
class Deployment:
    """What a card cannot know of a release: who publishes it, for whom, and who writes the entry.

    Attributes
    ----------
    curator, curator_type : str
        Who publishes the table.
    region, use : str
        What region the data describe, or whose laws apply; and what the table is for.
    author : str
        Who answers for the entry.
    sector : str, optional
        The domain of the data, of a short list; a domain that is not on it stays out.
    """

    curator: str
    curator_type: CuratorType
    region: str
    use: str
    author: str
    sector: Sector | None = None

    def __post_init__(self) -> None:
        for part in fields(self):
            if getattr(self, part.name) == "":
                raise OptionError(
                    f"an entry of the registry needs {part.name.replace('_', ' ')}: who or what is it?"
                )
        for name, allowed in (("curator_type", get_args(CuratorType)), ("sector", get_args(Sector))):
            if getattr(self, name) not in (None, *allowed):
                raise OptionError(f"{name.replace('_', ' ')} must be one of {', '.join(allowed)}")


def registry_entry(card: Mapping[str, Any], about: Deployment) -> dict[str, Any]:
    """Return the card of a release as a draft for the registry of DP deployments; `registry_yaml` writes it.

    Examples
    --------
    >>> from quantail.examples import payroll_example, payroll_schema
    >>> from quantail.report import release_card
    >>> from quantail.table import TableSynthesizer
    >>> model = TableSynthesizer(payroll_schema(), 1).fit(payroll_example(200), ledger=False)
    >>> about = Deployment("Statistics Office", "Government", "Ruritania", "teaching", "A. Curator")
    >>> registry_entry(release_card(model, rows=200), about)["deployment"]["privacy_loss"]["privacy_parameters"]
    {'epsilon': 1.0}
    """
    if not card["private"]:
        raise OptionError(
            "the card is of a table with simulated noise, which is NOT PRIVATE: nothing to register"
        )
    basic = {
        "name": card["title"],
        "data_curators": [{"data_curator_name": about.curator, "data_curator_type": about.curator_type}],
        "description": f"{card['notice']} {card['synthesis']['in_words']}",
        "intended_use": about.use,
        "data_product_type": "Synthetic data",
        "data_product_region": about.region,
        **({} if about.sector is None else {"data_product_sector": about.sector}),
        "publication_date": card["date"],
    }
    zcdp = card["terms"]["definition"] == "zcdp"
    deployment = {
        "basic": basic,
        "dp_variant": {
            "variant_name": "Zero-concentrated DP" if zcdp else "Pure DP",
            "data_domain": _domain(card),
            "unprotected_quantities": _unprotected(card),
        },
        "privacy_loss": _loss(card, zcdp),
        "deployment_model": _model(card),
        "implementation": _implementation(card, zcdp),
        "administrative": {"status": "Draft", "registry_authors": [about.author], "tier": 2},
    }
    words = f"{card['title']}-{about.curator}-{card['date'][:4]}".lower()
    return {"url_slug": re.sub(r"[^a-z0-9]+", "-", words).strip("-"), "deployment": deployment}


def registry_yaml(entry: Mapping[str, Any]) -> str:
    r"""Return an entry as YAML; texts stand in quotes, as JSON has them, so that none of them can be misread.

    Examples
    --------
    >>> print(registry_yaml({"a": {"b": [{"c": "yes"}], "d": 1.5}}), end="")
    a:
      b:
      - c: "yes"
      d: 1.5
    """
    return "".join(f"{line}\n" for line in _yaml_lines(entry))


def _yaml_lines(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        lines = []
        for name, part in value.items():
            nested = _yaml_lines(part)
            indent = "  " if isinstance(part, Mapping) else ""
            lines += (
                [f"{name}: {nested[0]}"] if _is_plain(part) else [f"{name}:", *(indent + n for n in nested)]
            )
        return lines
    if isinstance(value, list):
        return [
            ("- " if k == 0 else "  ") + line for part in value for k, line in enumerate(_yaml_lines(part))
        ]
    return [visible_json(json.dumps(value, ensure_ascii=False))]


def _is_plain(value: Any) -> bool:
    return not isinstance(value, Mapping | list)


def _domain(card: Mapping[str, Any]) -> str:
    names = ", ".join(stated["column"] for stated in card["public_inputs"])
    return (
        f"All tables whose columns ({names}) keep to the public bounds and categories that the release card lists with "
        "their sources."
    )


def _unprotected(card: Mapping[str, Any]) -> str:
    kept = card["synthesis"]["kept"]
    facts = (
        [] if card["terms"]["size"] is None else [f"the number of units or rows ({card['terms']['size']})"]
    )
    facts += [f"columns that are kept as they are ({', '.join(kept)})"] if kept else []
    # Under add/remove how many rows a group has is protected.
    groups = card["promise"]["groups"] if card["promise"]["neighbours"] == "replace-one" else []
    facts += [f"how many rows each group has, by {', '.join(groups)}"] if groups else []
    return f"Public by declaration: {'; '.join(facts)}." if facts else "None beside the public inputs."


def _loss(card: Mapping[str, Any], zcdp: bool) -> dict[str, Any]:
    promise = card["promise"]
    size, exact = card["terms"]["size"], f"epsilon {promise['epsilon']}"
    if zcdp:
        parameters = {"rho": float(Fraction(promise["rho"]))}
        exact = f"rho {promise['rho']} exactly, which implies {exact} at delta {promise['delta']}"
    else:
        parameters = {"epsilon": float(Fraction(promise["epsilon"]))}
    return {
        "privacy_unit": promise["unit"],
        "privacy_unit_details": promise["neighbours_in_words"],
        **({} if size is None else {"number_of_privacy_units": size}),
        "privacy_parameters": parameters,
        "privacy_parameters_details": f"{exact}; for everything that this release asked, all tables and fits together.",
    }


def _model(card: Mapping[str, Any]) -> dict[str, str]:
    receipt = card["ledger"]
    spent = (
        "no ledger was kept"
        if receipt is None
        else f"{receipt['spent_in_all']} {receipt['unit']} in all so far"
    )
    appended = "released" in card["terms"]["options"]  # the panel that this release adds a period to
    return {
        "model_name": "Central",
        "release_type": "Many releases" if appended else "One release",
        "release_type_details": f"Charges against these data, by the curator's ledger: {spent}.",
        "data_source_type": "Dynamic" if appended else "Static",
        "access_type": "Non-interactive",
    }


def _implementation(card: Mapping[str, Any], zcdp: bool) -> dict[str, str]:
    software, budget = card["software"], card["budget"]
    selection = "the exponential mechanism" if zcdp else "permute-and-flip and the exponential mechanism"
    counts = "discrete Gaussian" if zcdp else "two-sided geometric"
    return {
        "preprocessing_and_hyperparameter_tuning": (
            "Values are clipped to public bounds; bounds, categories and settings are declared before any row is read, "
            f"and fixed by the plan hash {budget['plan_hash']}. The software tunes nothing on the data."
        ),
        "mechanisms": (
            f"{software['name']} {software['version']}, method {software['method']}: quantiles and relations are "
            f"selected by {selection} with integer scores, counts get {counts} noise; samplers are OpenDP's, or exact "
            "on integers, with randomness of the operating system, so that no floating-point noise is released."
        ),
        "composition": (
            f"{'Sequential' if budget['compose'] == 'sum' else 'Parallel'} composition of a fixed tree of questions, "
            f"in exact fractions, to {budget['total']} {budget['unit']}; the card holds the tree."
        ),
        "post_processing": (
            "A model is fitted to the noisy answers, and synthetic rows are drawn from it; declared rules between "
            "columns hold in every row."
        ),
    }
