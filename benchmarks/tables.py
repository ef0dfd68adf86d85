"""Tables of the bench: arrays placed on a schema's lattice, and pyarrow tables made of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from quantail.schema import Column, Schema


def on_lattice(values: np.ndarray, column: Column) -> np.ndarray:
    """Clip to the public bounds and round as the column declares (integers come back as int64); labels stay."""
    if column.is_labelled:
        return np.asarray(values)
    clipped = np.clip(np.asarray(values, dtype=float), column.lower, column.upper)
    if column.type == "integer":
        return np.rint(clipped).astype(np.int64)
    return clipped if column.decimals is None else np.round(clipped, column.decimals)


def to_frame(arrays: Mapping[str, np.ndarray], schema: Schema) -> pa.Table:
    """Put the arrays on the schema's lattice, in the schema's order, as a pyarrow table."""
    return pa.table({column.name: on_lattice(arrays[column.name], column) for column in schema.columns})


def to_arrays(frame: pa.Table) -> dict[str, np.ndarray]:
    """Return the columns of a pyarrow table as numpy arrays."""
    return {name: frame.column(name).to_numpy() for name in frame.column_names}
