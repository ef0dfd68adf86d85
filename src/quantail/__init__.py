"""Differentially private synthetic copies of heavy-tailed tables.

The names below are the public surface. They are loaded on first use, so that `import quantail` stays fast.

Examples
--------
>>> import quantail
>>> schema = quantail.Schema((quantail.Column("pay", "numeric", 0, 1_000_000, grid="log"),), unit="person")
>>> quantail.plan(schema, rows=5000, epsilon=1).cost
Fraction(1, 1)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quantail._version import __version__

if TYPE_CHECKING:
    from quantail.answers import bound, quantiles
    from quantail.auditing import audit
    from quantail.errors import (
        BudgetError,
        DataError,
        EngineError,
        LedgerError,
        LostChargeError,
        ModelError,
        NoLedgerWarning,
        OptionError,
        QuantailError,
        SchemaError,
    )
    from quantail.evaluation import evaluate, flows
    from quantail.inference import infer
    from quantail.interop.published import read_synthetic
    from quantail.io import open_source, read_table, write_table
    from quantail.panel import PanelModel, PanelSynthesizer, PeriodSynthesizer
    from quantail.privacy import Ledger
    from quantail.report.internal import write_report
    from quantail.schema import Column, CsvFormat, Identity, Inequality, Key, Panel, Schema
    from quantail.table import TableModel, TableSynthesizer, plan
    from quantail.table_or_panel import load_model, synthesizer_for

__all__ = [
    "BudgetError",
    "Column",
    "CsvFormat",
    "DataError",
    "EngineError",
    "Identity",
    "Inequality",
    "Key",
    "Ledger",
    "LedgerError",
    "LostChargeError",
    "ModelError",
    "NoLedgerWarning",
    "OptionError",
    "Panel",
    "PanelModel",
    "PanelSynthesizer",
    "PeriodSynthesizer",
    "QuantailError",
    "Schema",
    "SchemaError",
    "TableModel",
    "TableSynthesizer",
    "__version__",
    "audit",
    "bound",
    "evaluate",
    "flows",
    "infer",
    "load_model",
    "open_source",
    "plan",
    "quantiles",
    "read_synthetic",
    "read_table",
    "synthesizer_for",
    "write_report",
    "write_table",
]

_ROOMS = {
    "quantiles": "quantail.answers",
    "bound": "quantail.answers",
    "audit": "quantail.auditing",
    "evaluate": "quantail.evaluation",
    "flows": "quantail.evaluation",
    "open_source": "quantail.io",
    "read_table": "quantail.io",
    "read_synthetic": "quantail.interop.published",
    "write_table": "quantail.io",
    "infer": "quantail.inference",
    "Ledger": "quantail.privacy",
    "write_report": "quantail.report.internal",
    "Column": "quantail.schema",
    "CsvFormat": "quantail.schema",
    "Identity": "quantail.schema",
    "Inequality": "quantail.schema",
    "Key": "quantail.schema",
    "Panel": "quantail.schema",
    "Schema": "quantail.schema",
    "PanelModel": "quantail.panel",
    "PanelSynthesizer": "quantail.panel",
    "PeriodSynthesizer": "quantail.panel",
    "TableModel": "quantail.table",
    "TableSynthesizer": "quantail.table",
    "plan": "quantail.table",
    "load_model": "quantail.table_or_panel",
    "synthesizer_for": "quantail.table_or_panel",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'quantail' has no attribute {name!r}")
    found = getattr(import_module(_ROOMS.get(name, "quantail.errors")), name)
    globals()[name] = found  # the next look-up no longer comes here
    return found


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
