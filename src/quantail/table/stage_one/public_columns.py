"""Public columns: known row by row, so that nothing about them is asked or paid for.

Their curves and shares are computed as they are, and a sample of their rows stands in for them wherever a fit
simulates (privacy/proofs/absent.md). They explain later columns like any other column.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Scale, StepCurve, Vector
from quantail.curves.rows import gathered
from quantail.schema import Column
from quantail.table.stage_one.column import CategoryModel, NumericModel
from quantail.table.stage_one.design import ColumnDesign
from quantail.table.stage_one.fit_state import Fit
from quantail.table.stage_one.tuning import PUBLIC_CELLS, TYPICAL

Floats = NDArray[np.float64]


def fit_public(fit: Fit, designs: Sequence[ColumnDesign]) -> None:
    """Take public columns as they are; they stand first in synthesis order."""
    for design in designs:
        column = design.column
        is_labelled = column.type == "category"
        fit.models[column.name] = (
            _labels(fit, column) if is_labelled else _numbers(fit, column, design.status)
        )
    names = [design.column.name for design in designs]
    sample = _sample(fit, [fit.values[name] for name in names])
    places = fit.rng.integers(sample[0].size, size=fit.rules.simulated_rows)
    fit.public = {name: values[places] for name, values in zip(names, sample, strict=True)}


def _sample(fit: Fit, vectors: Sequence[Vector]) -> tuple[Floats, ...]:
    """Return some public rows, the same of every vector."""
    number = min(fit.rows, fit.rules.simulated_rows)
    places = vectors[0].at(np.sort(fit.rng.choice(fit.rows, number, replace=False)))
    return gathered(*(vector.where(places) for vector in vectors))


def _labels(fit: Fit, column: Column) -> CategoryModel:
    codes = fit.values[column.name] = fit.confidential.column(column.name)
    counts = codes.total(partial(np.bincount, minlength=len(column.categories)))
    shares = fit.shares[column.name] = counts / counts.sum()
    return CategoryModel(column.name, tuple(shares.tolist()))


def _numbers(fit: Fit, column: Column, status: str) -> NumericModel:
    raw = fit.confidential.column(column.name)
    some = _present(fit, raw)
    scale = Scale.of(column)
    if scale.log and scale.lower < 0 < scale.upper:
        scale = scale.crossing(2 * float(np.quantile(np.abs(some), TYPICAL)))
    values = raw.map(scale.spread, raw.uniform(fit.gate.noise)).kept()
    fit.values[column.name] = values
    fit.innovations[column.name] = values.map(scale.recorded).kept()
    edges = np.quantile(_present(fit, values), np.linspace(0, 1, PUBLIC_CELLS + 1))
    curve = StepCurve(tuple(edges.tolist()), (1 / PUBLIC_CELLS,) * PUBLIC_CELLS)
    return NumericModel(column.name, scale, (), curve, status=status)


def _present(fit: Fit, vector: Vector) -> Floats:
    """Return numbers of some rows that have one; zero if none does."""
    (some,) = _sample(fit, [vector])
    there = some[~np.isnan(some)]
    return there if there.size else np.zeros(1)
