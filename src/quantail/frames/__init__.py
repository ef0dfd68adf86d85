"""The border: tables and panels come in here as confidential arrays and leave as synthetic frames in normal form.

Any pandas, polars or pyarrow table and any DuckDB relation is accepted; `open_source` and `read_table` get them from
files and databases. Messages name columns and say what to do, and never quote a
value or a number of rows. How many values were clipped goes to the logger "quantail.internal" at DEBUG level
only; that log is confidential and must not leave the agency.
"""

from quantail.frames.border import confidential_columns
from quantail.frames.check import check_table
from quantail.frames.firms import protected_panel
from quantail.frames.left_out import left_out_columns, left_out_words
from quantail.frames.panel import PanelData
from quantail.frames.panel_border import confidential_panel
from quantail.frames.panel_release import release_panel
from quantail.frames.release import empty_release, release_table
from quantail.frames.rules import FEWEST_ROWS, MisfitError, Problem, problem_lines

__all__ = [
    "FEWEST_ROWS",
    "MisfitError",
    "PanelData",
    "Problem",
    "check_table",
    "confidential_columns",
    "confidential_panel",
    "empty_release",
    "left_out_columns",
    "left_out_words",
    "problem_lines",
    "protected_panel",
    "release_panel",
    "release_table",
]
