"""Tables, a row for every unit: from a confidential table and its schema to a released model and synthetic rows."""

from quantail.table.model import TableModel
from quantail.table.synthesizer import TableSynthesizer, plan

__all__ = ["TableModel", "TableSynthesizer", "plan"]
