"""The border: tables come in here as confidential columns and leave as synthetic frames of the same kind.

Any pandas, polars or pyarrow table is accepted. Messages name columns and say what to do, and never quote a
value or a number of rows. How many values were clipped goes to the logger "quantail.internal" at DEBUG level
only; that log is confidential and must not leave the agency.
"""

from quantail.frames.border import confidential_columns
from quantail.frames.check import check_table
from quantail.frames.files import check_output, read_header, read_table, write_table
from quantail.frames.rules import Problem
from quantail.frames.shape import ColumnShape, FrameShape

__all__ = [
    "ColumnShape",
    "FrameShape",
    "Problem",
    "check_output",
    "check_table",
    "confidential_columns",
    "read_header",
    "read_table",
    "write_table",
]
