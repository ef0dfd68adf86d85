"""The published JSON Schemas (draft 2020-12) of saved models and release cards, shipped with the package."""

import json
from importlib.resources import files
from typing import Any


def model_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a saved model, of a table or of a panel.

    Examples
    --------
    >>> model_json_schema()["$id"]
    'urn:quantail:model:3'
    """
    return _read("quantail.table", "model.schema.json")


def card_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a release card.

    Examples
    --------
    >>> card_json_schema()["$id"]
    'urn:quantail:card:2'
    """
    return _read("quantail.report", "card.schema.json")


def _read(package: str, name: str) -> dict[str, Any]:
    form: dict[str, Any] = json.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
    return form
