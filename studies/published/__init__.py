"""The paper's mechanisms as published, converged, and repaired one fault at a time. Everything here is NOT PRIVATE.

Samplers are compiled by numba (extra "experiments"); without it, calling them is an error that says so.
"""

from studies.paper_tables import PAPER_TABLE
from studies.published.density import PUBLISHED, Density, sensitivity
from studies.published.diagnostics import (
    ChainReport,
    Diagnostics,
    effective_size,
    potential_scale_reduction,
)
from studies.published.orders import COLUMN_SHARES, MAIN_TAUS, METHODS, Visit, visits
from studies.published.study import row_weights, synthesize_published

__all__ = [
    "COLUMN_SHARES",
    "ChainReport",
    "Density",
    "Diagnostics",
    "MAIN_TAUS",
    "METHODS",
    "PAPER_TABLE",
    "PUBLISHED",
    "Visit",
    "effective_size",
    "potential_scale_reduction",
    "row_weights",
    "sensitivity",
    "synthesize_published",
    "visits",
]
