"""The types of columns, and the groups of types that are treated alike; the scales of numbers."""

from typing import Literal

ColumnType = Literal["numeric", "integer", "category", "boolean", "ordinal", "date", "datetime"]
Grid = Literal["linear", "log"]

NUMBERS = ("numeric", "integer")
DATED = ("date", "datetime")
LISTED = ("category", "ordinal")
"""Labels that a schema lists as categories."""
LABELLED = (*LISTED, "boolean")
