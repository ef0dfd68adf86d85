"""Every value of a number of few values, and every round figure, counted once relations are known (proofs/counts.md).

Stage one counts the values of a number that nothing explains. Of others it releases slopes and a smooth curve; here
their values are counted as well, at the end of a fit, where the budget allows. Of many values single ones may be
popular: forty hours, a carat. Where there are too many to be counted, round figures that were declared are
(`heaps.py`).
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.curves import Scale
from quantail.privacy import Definition, Plan, count_epsilon, geometric_cost, unit_of
from quantail.schema import Column, Schema, core_of
from quantail.table.column_leaves import NOTHING, ColumnLeaves
from quantail.table.factor_width import log_factor_width
from quantail.table.heaps import Heap, chosen_heaps, count_figures, figures_of, rounded
from quantail.table.stage_one.column import NumericModel
from quantail.table.stage_one.counting import count_values, release_counts
from quantail.table.stage_one.design import values_of
from quantail.table.stage_one.fit_state import Fit
from quantail.table.stage_one.tuning import DOUBT
from quantail.table.tuning import AMPLE_VALUES, LEAST_POPULAR, LEAST_VALUES, MOST_VALUES, VALUES_SHARE
from quantail.table.values import Figures, ValueCuts, cut_figures, cut_values, lattice_values


def plan_values(
    schema: Schema,
    counted: Collection[str],
    rows: int,
    cost: Fraction,
    definition: Definition,
    heaped: Collection[str] = (),
) -> ColumnLeaves:
    """Return the counts of values, and of round figures, that noise would not drown.

    Parameters
    ----------
    counted : collection of str
        Numbers whose values stage one counts.
    heaped : collection of str
        Numbers of which it is asked how many are round figures.
    """
    core = core_of(schema).schema
    asked = {
        column: _countable(column, column.name in heaped)
        for column in core.columns
        if column.type != "category" and not column.public and column.name not in counted
    }
    asked = {column: number for column, number in asked.items() if number}
    leaves, left = {}, cost * VALUES_SHARE
    for place, (column, number) in enumerate(sorted(asked.items(), key=lambda each: each[1])):
        ample = geometric_cost(Fraction(AMPLE_VALUES * number) / max(rows, 1), definition)
        part = min(left / (len(asked) - place), ample)  # what short lists do not need is left to longer ones
        if rows * float(count_epsilon(part, definition)) >= min(LEAST_VALUES * number, LEAST_POPULAR):
            what = "values" if counts_every_value(column) else "round figures"
            leaves[column.name] = Plan.leaf(
                column.name, part, f"{number} {what} counted", unit_of(definition)
            )
            left -= part
    return ColumnLeaves("values", "rows that hold each of few values", leaves) if leaves else NOTHING


def counts_every_value(column: Column) -> bool:
    """Say whether a number has so few values that each of them can be counted."""
    return values_of(column) <= MOST_VALUES


def _countable(column: Column, heaped: bool) -> int:
    """Return how many values, or else round figures, of a number can be counted; 0 if none."""
    if counts_every_value(column):
        return values_of(column)
    return figures_of(column).size if heaped else 0


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
    values = lattice_values(column.scale, noisy.size)
    return cut_values(drawn, values, likely_counts(noisy, noise, expected), edges, column.scale)


def release_figures(
    fit: Fit,
    leaf: Plan,
    column: NumericModel,
    heaps: Sequence[Heap],
    figures: Integers,
    drawn: Floats,
    edges: Floats,
) -> Figures:
    """Release how many rows are on each round figure, and return which drawn numbers become one.

    Parameters
    ----------
    heaps : sequence of Heap
        How many numbers are rounded, to multiples of what: released before.
    figures : array
        Round figures, in steps of the column's lattice.
    drawn, edges : array
        As in `release_values`.
    """
    scale = column.scale
    count = partial(count_figures, figures=figures, lattice=scale.step)
    noisy, noise = release_counts(fit.gate, leaf, fit.confidential.column(column.name), count)
    values = scale.unfolded(drawn)
    chosen = chosen_heaps(values, fit.gate.noise.generator().random(values.size), heaps)
    present = fit.present(column.status)
    per_row = present / values.size
    expected = np.asarray(per_row * count(rounded(values, chosen, heaps, scale.lower, scale.upper)))
    beyond = np.maximum(likely_counts(noisy, noise, expected) - per_row * count(values), 0.0)
    return cut_figures(drawn, np.asarray(figures * scale.step), beyond, present, edges, scale)


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
