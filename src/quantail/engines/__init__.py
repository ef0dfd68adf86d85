"""Where work runs: in this process, in several processes, or on a Dask cluster; the result is the same.

with engine_of("processes") as engine:
    model = synthesize_table("payroll/", "synthetic/", TableSynthesizer(schema, 1), engine, ledger=ledger)
"""

from quantail.engines.engine import Engine, LocalEngine, engine_of
from quantail.engines.panels import synthesize_panel
from quantail.engines.partitions import Partitions
from quantail.engines.store import Store
from quantail.engines.tables import synthesize_table

__all__ = [
    "Engine",
    "LocalEngine",
    "Partitions",
    "Store",
    "engine_of",
    "synthesize_panel",
    "synthesize_table",
]
