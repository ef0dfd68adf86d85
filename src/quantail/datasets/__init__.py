"""Data that anybody may see: the paper's simulated table, a made-up payroll table, and business panels.

The panels stand in for a confidential file that cannot be handed out; `docs/lbd-stand-in.md` says how well.
"""

from quantail.datasets.example import payroll_example, payroll_schema
from quantail.datasets.lbd import lbd_industry, lbd_long
from quantail.datasets.lbd_industries import lbd_panel, panel_industry, panel_sizes
from quantail.datasets.lbd_targets import LBD_INDUSTRIES
from quantail.datasets.lbd_variants import LBD_VARIANTS
from quantail.datasets.simulation import PAPER_COLUMNS, paper_schema, paper_split, simulate_paper
from quantail.datasets.synlbd import read_synlbd

__all__ = [
    "LBD_INDUSTRIES",
    "LBD_VARIANTS",
    "PAPER_COLUMNS",
    "lbd_industry",
    "lbd_long",
    "lbd_panel",
    "panel_industry",
    "panel_sizes",
    "paper_schema",
    "paper_split",
    "payroll_example",
    "payroll_schema",
    "read_synlbd",
    "simulate_paper",
]
