"""How far a synthetic table is from the made-up one that it was drawn from: the errors that a plan speaks of, signed.

q50, q90, q99   quantile of the synthetic column / that of the original - 1
slope           the same for the least-squares slope on the column's first numeric predictor; columns with a log
                grid enter as logarithms (asinh)
shares          categories: half the summed difference of shares (total variation)
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from quantail.arrays import Columns, Floats
from quantail.evaluation import quantile_errors
from quantail.evaluation.columns import code_variation
from quantail.frames import confidential_columns
from quantail.schema import Column, Schema, core_of

SLOPE, SHARES = "slope", "shares"


def deviations(
    schema: Schema, original: pa.Table, synthetic: pa.Table, levels: Sequence[float]
) -> dict[tuple[str, str], float]:
    """Return the error of every measure of every plain column, by column and measure, of the numbers that are there."""
    found: dict[tuple[str, str], float] = {}
    real, drawn = (confidential_columns(table, schema) for table in (original, synthetic))
    plain = core_of(schema).schema
    for column in plain.confidential:
        name = column.name
        if column.type == "category":
            found[name, SHARES] = code_variation(real[name], drawn[name])
            continue
        pair = _present(real[name]), _present(drawn[name])
        truth, made = (np.quantile(values, levels) for values in pair)
        errors = np.sign(made - truth) * quantile_errors(*pair, levels)
        found |= {(name, quantile_name(level)): float(e) for level, e in zip(levels, errors, strict=True)}
        predictor = first_predictor(plain, name)
        if predictor is not None:
            slope, again = (_slope(parts, column, predictor) for parts in (real, drawn))
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


def _present(values: Floats) -> Floats:
    """Return the numbers that are there; zero if none is."""
    there = values[~np.isnan(values)]
    return there if there.size else np.zeros(1)


def _slope(table: Columns, column: Column, predictor: Column) -> float:
    y, x = _scaled(table, column), _scaled(table, predictor)
    both = ~np.isnan(x + y)
    if not both.any():
        return 0.0
    y, x = y[both], x[both] - x[both].mean()
    spread = float(x @ x)
    return float(x @ y) / spread if spread > 0 else 0.0


def _scaled(table: Columns, column: Column) -> Floats:
    values = table[column.name]
    return np.asarray(np.arcsinh(values / column.lattice) if column.grid == "log" else values)
