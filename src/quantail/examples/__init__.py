"""Data that anybody may see, for the demo and the documentation: a table, a panel, and the paper's simulated table."""

from quantail.examples.industry import industry_example, industry_schema
from quantail.examples.payroll import payroll_example, payroll_schema
from quantail.examples.simulation import PAPER_COLUMNS, paper_schema, paper_split, simulate_paper

__all__ = [
    "PAPER_COLUMNS",
    "industry_example",
    "industry_schema",
    "paper_schema",
    "paper_split",
    "payroll_example",
    "payroll_schema",
    "simulate_paper",
]
