"""For other programs: JSON Schemas of what Quantail writes, data dictionaries, bridges to SDMetrics and scikit-learn.

None of these packages is needed to import this room; SDMetrics and scikit-learn are whoever calls it.
"""

from quantail.interop.dictionary import data_dictionary, dictionary_csv
from quantail.interop.json_schemas import card_json_schema, model_json_schema
from quantail.interop.scoring import fidelity_scorer
from quantail.interop.sdmetrics import sdmetrics_frame, sdmetrics_metadata

__all__ = [
    "card_json_schema",
    "data_dictionary",
    "dictionary_csv",
    "fidelity_scorer",
    "model_json_schema",
    "sdmetrics_frame",
    "sdmetrics_metadata",
]
