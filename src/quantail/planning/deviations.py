"""How far a synthetic table is from the made-up one that it was drawn from: the errors that a plan speaks of, signed.

q50, q90, q99   quantile of the synthetic column / that of the original - 1
slope           the same for the least-squares slope on the column's first numeric predictor; columns with a log
                grid enter as logarithms (asinh)
shares          categories: half the summed difference of shares (total variation)
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.evaluation import quantile_errors, total_variation
from quantail.schema import Column, Schema

Floats = NDArray[np.float64]

SLOPE, SHARES = "slope", "shares"


def deviations(
    schema: Schema, original: pa.Table, synthetic: pa.Table, levels: Sequence[float]
) -> dict[tuple[str, str], float]:
    """Return the error of every measure of every column, by column and measure."""
    found: dict[tuple[str, str], float] = {}
    for column in schema.confidential:
        name = column.name
        if column.type == "category":
            shares = total_variation(original[name].to_pylist(), synthetic[name].to_pylist())
            found[name, SHARES] = shares
            continue
        pair = original[name].to_numpy(), synthetic[name].to_numpy()
        truth, made = (np.quantile(values, levels) for values in pair)
        errors = np.sign(made - truth) * quantile_errors(*pair, levels)
        found |= {(name, quantile_name(level)): float(e) for level, e in zip(levels, errors, strict=True)}
        predictor = first_predictor(schema, name)
        if predictor is not None:
            slope, again = (_slope(table, column, predictor) for table in (original, synthetic))
            found[name, SLOPE] = again / slope - 1 if slope else again
    return found


def quantile_name(level: float) -> str:
    """Return what a quantile is called: q99 for 0.99.

    Examples
    --------
    >>> quantile_name(0.99), quantile_name(0.999)
    ('q99', 'q99.9')
    """
    return f"q{100 * level:.6g}"


def first_predictor(schema: Schema, name: str) -> Column | None:
    """Return the first numeric column that explains `name`, if there is one."""
    for predictor in schema.predictors_of(name):
        if schema.column(predictor).type != "category":
            return schema.column(predictor)
    return None


def _slope(table: pa.Table, column: Column, predictor: Column) -> float:
    y, x = _scaled(table, column), _scaled(table, predictor)
    x = x - x.mean()
    spread = float(x @ x)
    return float(x @ y) / spread if spread > 0 else 0.0


def _scaled(table: pa.Table, column: Column) -> Floats:
    values = table[column.name].to_numpy().astype(np.float64)
    return np.asarray(np.arcsinh(values / column.lattice) if column.grid == "log" else values)
