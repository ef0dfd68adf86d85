"""The border: tables and panels come in here as confidential arrays and leave as synthetic frames alike.

Any pandas, polars or pyarrow table and any DuckDB relation is accepted; `open_source` and `read_table` get them from
files and databases. Messages name columns and say what to do, and never quote a
value or a number of rows. How many values were clipped goes to the logger "quantail.internal" at DEBUG level
only; that log is confidential and must not leave the agency.
"""

from quantail.frames.border import confidential_columns
from quantail.frames.check import check_table
from quantail.frames.files import Where, check_output, open_source, read_header, read_table, write_table
from quantail.frames.panel import PanelData
from quantail.frames.panel_border import confidential_panel
from quantail.frames.panel_shape import PanelShape, panel_frame
from quantail.frames.place import Place
from quantail.frames.rules import Problem
from quantail.frames.shape import ColumnShape, FrameShape
from quantail.frames.source import Source

__all__ = [
    "ColumnShape",
    "FrameShape",
    "PanelData",
    "PanelShape",
    "Place",
    "Problem",
    "Source",
    "Where",
    "check_output",
    "check_table",
    "confidential_columns",
    "confidential_panel",
    "open_source",
    "panel_frame",
    "read_header",
    "read_table",
    "write_table",
]
