"""One column by one of the paper's orders, given the slopes of its median plane: intercept, index, then lines.

Tables (`fitting`) and panels year by year (`yearly.fitting`) find slopes in their own ways and share this.
Everything that decides how to go on comes from the schema, the public number of rows, or from what was released before.
"""

from fractions import Fraction

import numpy as np

from quantail.arrays import Floats
from quantail.curves import Scale
from quantail.curves.slope import Slope
from quantail.orders.design import LinesColumn
from quantail.orders.lattice import Candidates, Surroundings
from quantail.orders.lines import INTERCEPT, Rows, choose_line, index_instruments, release_lines
from quantail.orders.model import LinesModel, explained
from quantail.orders.steps import MEDIAN
from quantail.orders.tuning import FIRST_GUESS, INDEX_MARKS
from quantail.privacy import Gate, selection_epsilon


def fit_column(
    gate: Gate,
    design: LinesColumn,
    slopes: tuple[Slope, ...],
    values: dict[str, Floats],
    expected: Floats,
    least: float,
    rows: int,
) -> LinesModel:
    """Release the lines of one column whose slopes are released.

    Parameters
    ----------
    values : dict
        Confidential values of the column and its predictors, on their scales.
    expected : array
        What the slopes explain on released rows; its quantiles are where the index is 0 and 1.
    least : float
        The smallest distance between lines that matters.
    rows : int
        Public number of rows; under add/remove not the number of values.
    """
    scale, y = Scale.of(design.column), values[design.column.name]
    base = _fit_intercept(gate, design, scale, y - explained(slopes, values, y.size))
    low, first, last, high = np.quantile(base + expected, INDEX_MARKS).tolist()
    missing = max(least - (high - low), 0.0)
    ends = low - missing, high + missing
    plane = LinesModel(
        design.column.name, scale, base, slopes, *ends, (0.5,), (0.0,), (0.0,), design.settings.draw
    )
    offsets = _fit_steps(gate, design, plane, values, (first, last), least, rows)
    taus = sorted(offsets)
    at_low, at_high = (tuple(float(offsets[tau][end]) for tau in taus) for end in (0, -1))
    levels = tuple(float(tau) for tau in taus)
    return LinesModel(plane.name, scale, base, slopes, *ends, levels, at_low, at_high, design.settings.draw)


def _fit_intercept(gate: Gate, design: LinesColumn, scale: Scale, left: Floats) -> float:
    """Release the median of what the slopes left over: the column's median where predictors are at their own.

    Rows are placed on the grid and spread over a step to either side: if they heaped on less than a step, one candidate
    would leave them all above, the next all below, and both would be as bad as any other.
    """
    values = design.settings.rules.intercepts(*scale.ends, scale.log)
    steps = np.arange(values.size, dtype=np.float64)
    places = np.interp(left, values, steps, left=-2.0, right=values.size + 1.0)
    places = places + 2 * (gate.noise.random(left.size) - 0.5)
    grid = Candidates(steps[:, None], np.zeros(values.size))
    (chosen,) = choose_line(gate, design.intercept, Rows.of(places, None, INTERCEPT), INTERCEPT, grid, MEDIAN)
    return float(values[int(chosen)])


def _fit_steps(
    gate: Gate,
    design: LinesColumn,
    plane: LinesModel,
    values: dict[str, Floats],
    quartiles: tuple[float, float],
    least: float,
    rows: int,
) -> dict[Fraction, Floats]:
    """Release all lines besides the median, as offsets from its plane."""
    y = values[plane.name]
    centre = plane.centre(values, y.size)
    instruments = INTERCEPT
    if design.varying:
        first, last = plane.index(np.array(quartiles)).tolist()
        instruments = index_instruments(first, last, design.settings.rules.places)
    table = Rows.of(y - centre, plane.index(centre) if design.varying else None, instruments)
    leaves = design.levels
    epsilon = selection_epsilon(leaves[0].cost, gate.definition) if leaves else Fraction(1)
    around = _surroundings(design, plane, least, float(2 / (rows * epsilon)))
    return release_lines(gate, leaves, table, instruments, design.steps, around)


def _surroundings(design: LinesColumn, plane: LinesModel, least: float, noise: float) -> Surroundings:
    """Return what public facts and the released plane say about offsets."""
    low, high = plane.scale.ends
    # Parallel lines must be able to leave the range at one end of the index to reach its bound at the other.
    bottoms = [plane.low, plane.high] if design.varying else [plane.high]
    tops = [plane.low, plane.high] if design.varying else [plane.low]
    below = np.minimum(low - np.array(bottoms), -least)
    above = np.maximum(high - np.array(tops), least)
    guess = FIRST_GUESS * max(min(plane.base - low, high - plane.base), least)
    return Surroundings(below, above, least, guess, noise, design.settings.rules)
