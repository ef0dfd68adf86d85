"""The border: tables and panels come in here as confidential arrays and leave as synthetic frames in normal form.

Any pandas, polars or pyarrow table and any DuckDB relation is accepted; `open_source` and `read_table` get them from
files and databases. Messages name columns and say what to do, and never quote a
value or a number of rows. How many values were clipped goes to the logger "quantail.internal" at DEBUG level
only; that log is confidential and must not leave the agency.
"""

from quantail.frames.border import confidential_columns
from quantail.frames.check import check_table
from quantail.frames.files import (
    Where,
    check_output,
    database_tables,
    open_source,
    read_header,
    read_table,
    write_table,
)
from quantail.frames.native import Kind, library_kind
from quantail.frames.panel import PanelData
from quantail.frames.panel_border import confidential_panel
from quantail.frames.panel_release import release_panel
from quantail.frames.place import Place
from quantail.frames.release import empty_release, release_table
from quantail.frames.rules import Problem
from quantail.frames.source import Source

__all__ = [
    "Kind",
    "PanelData",
    "Place",
    "Problem",
    "Source",
    "Where",
    "check_output",
    "check_table",
    "confidential_columns",
    "confidential_panel",
    "database_tables",
    "empty_release",
    "library_kind",
    "open_source",
    "read_header",
    "read_table",
    "release_panel",
    "release_table",
    "write_table",
]
