"""What is public about a table: columns, bounds, grids, categories, groups, the privacy unit, the panel.

Everything the mechanisms may use without spending budget is written down here, with its source, and nothing
is ever read off the data: a missing bound is an error, not something to infer. `Schema` and `Column` are
frozen and checked on construction; the TOML file is their written form; `draft` starts such a file from names
and types.
"""

from quantail.schema.column import Column
from quantail.schema.column_types import ColumnType, Grid
from quantail.schema.csv_format import CsvFormat
from quantail.schema.draft import draft, header_of
from quantail.schema.formulas import formula_columns, formula_warning, is_formula
from quantail.schema.key import Key
from quantail.schema.kinds import Core, core_of
from quantail.schema.panel import Layout, Panel
from quantail.schema.panel_draft import PanelNames
from quantail.schema.proposals import DraftType
from quantail.schema.structure import Identity, Inequality
from quantail.schema.table import Neighbours, Schema
from quantail.schema.table_facts import TableFacts

__all__ = [
    "Column",
    "ColumnType",
    "Core",
    "CsvFormat",
    "Grid",
    "Identity",
    "Inequality",
    "Key",
    "Layout",
    "Neighbours",
    "Panel",
    "PanelNames",
    "Schema",
    "TableFacts",
    "core_of",
    "draft",
    "DraftType",
    "formula_columns",
    "formula_warning",
    "header_of",
    "is_formula",
]
