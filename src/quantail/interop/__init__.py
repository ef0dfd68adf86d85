"""For other programs: JSON Schemas, data dictionaries, cards for portals and registries, SDMetrics and scikit-learn.

None of these packages is needed to import this room; SDMetrics and scikit-learn are whoever calls it.
"""

from quantail.interop.croissant import croissant
from quantail.interop.dictionary import data_dictionary, dictionary_csv
from quantail.interop.json_schemas import card_json_schema, model_json_schema
from quantail.interop.published import read_synthetic
from quantail.interop.registry import Deployment, registry_entry, registry_yaml
from quantail.interop.scoring import fidelity_scorer
from quantail.interop.sdmetrics import sdmetrics_frame, sdmetrics_metadata

__all__ = [
    "Deployment",
    "card_json_schema",
    "croissant",
    "data_dictionary",
    "dictionary_csv",
    "fidelity_scorer",
    "model_json_schema",
    "read_synthetic",
    "registry_entry",
    "registry_yaml",
    "sdmetrics_frame",
    "sdmetrics_metadata",
]
