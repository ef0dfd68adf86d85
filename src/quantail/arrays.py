"""What kinds of arrays functions take and give, by the names that all rooms use."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Columns = Mapping[str, NDArray[Any]]
"""Columns of a table by their names."""
