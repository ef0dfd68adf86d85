"""Every value of a number of few values, counted once relations are known (proofs/counts.md).

Stage one counts the values of a number that nothing explains. Of others it releases slopes and a smooth curve; here
their values are counted as well, at the end of a fit, where the budget allows.
"""

from collections.abc import Collection
from fractions import Fraction

import numpy as np

from quantail.arrays import Floats
from quantail.curves import Scale
from quantail.privacy import Definition, Plan, count_epsilon, geometric_cost, unit_of
from quantail.schema import Schema, core_of
from quantail.table.column_leaves import NOTHING, ColumnLeaves
from quantail.table.factor_width import log_factor_width
from quantail.table.stage_one.column import NumericModel
from quantail.table.stage_one.counting import count_values
from quantail.table.stage_one.design import values_of
from quantail.table.stage_one.fit_state import Fit
from quantail.table.stage_one.tuning import DOUBT
from quantail.table.tuning import AMPLE_VALUES, FEW_VALUES, LEAST_VALUES, VALUES_SHARE
from quantail.table.values import ValueCuts, cut_values


def plan_values(
    schema: Schema, counted: Collection[str], rows: int, cost: Fraction, definition: Definition
) -> ColumnLeaves:
    """Return the counts of numbers of few values, but for those that stage one counts already.

    What noise would drown is not asked.
    """
    core = core_of(schema).schema
    few = {
        column: values_of(column)
        for column in core.columns
        if column.type != "category" and not column.public and column.name not in counted
    }
    few = {column: number for column, number in few.items() if number <= FEW_VALUES}
    leaves = {}
    for column, number in few.items():
        ample = geometric_cost(Fraction(AMPLE_VALUES * number) / max(rows, 1), definition)
        part = min(cost * VALUES_SHARE / len(few), ample)
        if rows * float(count_epsilon(part, definition)) >= LEAST_VALUES * number:
            leaves[column.name] = Plan.leaf(
                column.name, part, f"{number} values counted", unit_of(definition)
            )
    return ColumnLeaves("values", "rows that hold each of few values", leaves) if leaves else NOTHING


def release_values(fit: Fit, leaf: Plan, column: NumericModel, drawn: Floats, edges: Floats) -> ValueCuts:
    """Release how many rows hold each value of a column, and return how drawn numbers become values.

    Parameters
    ----------
    drawn : array
        Numbers drawn from the model, on the modelling scale.
    edges : array
        Inner edges of the column's cells, on the modelling scale.
    """
    noisy, noise = count_values(fit, leaf, column.scale, fit.confidential.column(column.name))
    expected = expected_shares(drawn, column.scale, noisy.size) * fit.present(column.status)
    return cut_values(drawn, likely_counts(noisy, noise, expected), edges, column.scale)


def expected_shares(drawn: Floats, scale: Scale, number: int) -> Floats:
    """Return the shares of all values, ascending, among drawn numbers on the modelling scale."""
    places = np.rint((scale.unfolded(drawn) - scale.lower) / scale.step).astype(np.int64)
    return np.bincount(np.clip(places, 0, number - 1), minlength=number) / drawn.size


def likely_counts(noisy: Floats, noise: float, expected: Floats) -> Floats:
    """Return counts of values between what was released and what the model expects, by how well each is known.

    How far the model is off is found from all values together. A count that noise cannot explain stands as it is.

    Parameters
    ----------
    noise : float
        The scale of the noise.
    expected : array
        The model's counts.

    Examples
    --------
    >>> likely_counts(np.array([103.0, 98.0, 99.0, 700.0]), 5.0, np.full(4, 100.0)).round().tolist()
    [103.0, 98.0, 99.0, 700.0]
    """
    deviation = noise * 2**0.5
    off = expected * log_factor_width(noisy - expected, expected, deviation)
    weight = off**2 / (off**2 + deviation**2)
    weight[np.abs(noisy - expected) > noise * (np.log(noisy.size) + DOUBT)] = 1.0
    return np.maximum(expected + weight * (noisy - expected), 0.0)
