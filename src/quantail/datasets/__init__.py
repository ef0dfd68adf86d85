"""Data that anybody may see: the paper's simulated table and a made-up payroll table, with their schemas."""

from quantail.datasets.example import payroll_example, payroll_schema
from quantail.datasets.simulation import PAPER_COLUMNS, paper_schema, paper_split, simulate_paper

__all__ = [
    "PAPER_COLUMNS",
    "paper_schema",
    "paper_split",
    "payroll_example",
    "payroll_schema",
    "simulate_paper",
]
