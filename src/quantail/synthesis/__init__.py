"""Synthesizers: fit a released model to a confidential table, then draw synthetic tables from it."""

from quantail.synthesis.design import Design, draw_design
from quantail.synthesis.model import TableModel
from quantail.synthesis.panel import PanelSynthesizer
from quantail.synthesis.panel_model import PanelModel
from quantail.synthesis.table import TableSynthesizer, plan

__all__ = [
    "Design",
    "PanelModel",
    "PanelSynthesizer",
    "TableModel",
    "TableSynthesizer",
    "draw_design",
    "plan",
]
