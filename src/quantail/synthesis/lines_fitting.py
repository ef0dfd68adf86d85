"""The fit of one table (or group) by one of the paper's orders, question by question through the gate.

For each column: slopes of the median plane one at a time, its intercept, then line after line in the order of the
design. A slope is asked for along what is left of a predictor after *its* released median plane: the planes are the
same as with the predictors themselves, but these leftovers are nearly uncorrelated. Everything that decides how to go
on comes from the schema, the public number of rows, or from what was released before.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.privacy import Gate, Plan, strength_of
from quantail.quantiles import Scale, choose_slope
from quantail.quantiles.grid import wide
from quantail.quantiles.lattice import Candidates, Surroundings
from quantail.quantiles.lines import INTERCEPT, Rows, choose_line, index_instruments, release_lines
from quantail.quantiles.orders import MEDIAN
from quantail.quantiles.rows import Rows as ConfidentialRows
from quantail.quantiles.rows import gathered
from quantail.synthesis.column import Slope
from quantail.synthesis.lines_design import LinesColumn, LinesDesign
from quantail.synthesis.lines_model import LinesModel, draw_lines, explained

Floats = NDArray[np.float64]

_SIMULATED_ROWS = 2**14
_REACH = 0.25  # largest slope: it moves a column by this share of its range over a predictor's quartiles
_GUESS = (
    0.3  # first guess at the distance of lines, as a share of the median's distance from the nearer bound
)
_ENDS = (0.05, 0.95)  # quantiles of the median plane's predictions where the index is 0 and 1


@dataclass
class LinesFit:
    """A fit in progress: the gate, the public number of rows, confidential values, released models."""

    gate: Gate
    rows: int
    confidential: dict[str, NDArray[Any]]
    rng: np.random.Generator
    values: dict[str, Floats] = field(default_factory=dict)
    models: dict[str, LinesModel] = field(default_factory=dict)

    def simulated(self) -> dict[str, Floats]:
        """Draw rows of all columns released so far."""
        return draw_lines(tuple(self.models.values()), _SIMULATED_ROWS, self.rng, balanced=True)


def fit_lines(
    gate: Gate, design: LinesDesign, confidential: ConfidentialRows, progress: Callable[[str], None]
) -> tuple[LinesModel, ...]:
    """Release the lines of all columns of a design; unlike the ladder, these methods need all rows in memory."""
    names = [column.column.name for column in design.columns]
    arrays = gathered(*(confidential.column(name) for name in names))
    held = dict(zip(names, arrays, strict=True))
    fit = LinesFit(gate, design.rows, held, gate.noise.generator())
    for column in design.columns:
        progress(column.column.name)
        fit.models[column.column.name] = _fit_column(fit, column)
    return tuple(fit.models.values())


def _fit_column(fit: LinesFit, design: LinesColumn) -> LinesModel:
    name, scale = design.column.name, Scale.of(design.column)
    y = fit.values[name] = scale.dithered(fit.confidential[name], fit.gate.noise)
    simulated = fit.simulated() if design.predictors else {}
    slopes = _fit_slopes(fit, design, scale, y, simulated)
    left = y - explained(slopes, fit.values, y.size)
    base = _fit_intercept(fit, design, scale, left)
    low, first, last, high = _index_marks(base, slopes, simulated, least_spacing(scale))
    empty = LinesModel(name, scale, base, slopes, low, high, (0.5,), (0.0,), (0.0,), design.settings.draw)
    released = _fit_steps(fit, design, empty, y, (first, last))
    taus = sorted(released)
    return LinesModel(
        name,
        scale,
        base,
        slopes,
        low,
        high,
        tuple(float(tau) for tau in taus),
        tuple(float(released[tau][0]) for tau in taus),
        tuple(float(released[tau][-1]) for tau in taus),
        design.settings.draw,
    )


def _fit_slopes(
    fit: LinesFit, design: LinesColumn, scale: Scale, y: Floats, simulated: dict[str, Floats]
) -> tuple[Slope, ...]:
    """Release the slopes of the median plane."""
    total = dict.fromkeys(design.predictors, 0.0)
    residual = y
    for name in design.predictors:
        # What is left of a predictor, as slopes on the predictors themselves: itself, less what explains it.
        model = fit.models[name]
        parts = [Slope(name, 1.0, model.base)]
        parts += [Slope(s.on, -s.slope, s.centre) for s in model.slopes if s.on in total]
        first, median, last = np.quantile(
            explained(parts, simulated, _SIMULATED_ROWS), [0.25, 0.5, 0.75]
        ).tolist()
        x = explained(parts, fit.values, y.size)
        low, high = scale.ends
        reach = _REACH * (high - low) / max(last - first, least_spacing(model.scale))
        leaves = design.plan.find(f"median/slope on {name}").leaves()
        slope = choose_slope(fit.gate, leaves, residual, x, median, reach, fit.rows)
        residual = residual - slope * x
        for part in parts:
            total[part.on] += slope * part.slope
    return tuple(Slope(name, slope, fit.models[name].base) for name, slope in total.items())


def _fit_intercept(fit: LinesFit, design: LinesColumn, scale: Scale, left: Floats) -> float:
    """Release the median of what the slopes left over: the column's median where predictors are at their own.

    Rows are placed on the grid and spread over a step to either side: if they heaped on less than a step, one candidate
    would leave them all above, the next all below, and both would be as bad as any other.
    """
    values = wide(*scale.ends, scale.log)
    steps = np.arange(values.size, dtype=np.float64)
    places = np.interp(left, values, steps, left=-2.0, right=values.size + 1.0)
    places = places + 2 * (fit.gate.noise.random(left.size) - 0.5)
    grid = Candidates(steps[:, None], np.zeros(values.size))
    leaf = design.plan.find("median/intercept")
    (chosen,) = choose_line(fit.gate, leaf, Rows.of(places, None, INTERCEPT), INTERCEPT, grid, MEDIAN)
    return float(values[int(chosen)])


def _index_marks(
    base: float, slopes: tuple[Slope, ...], simulated: dict[str, Floats], least: float
) -> tuple[float, float, float, float]:
    """Return released predictions of the median plane where the index is 0, its quartiles lie, and it is 1."""
    if not slopes:
        return base - least, base, base, base + least
    predicted = base + explained(slopes, simulated, _SIMULATED_ROWS)
    low, first, last, high = np.quantile(predicted, [_ENDS[0], 0.25, 0.75, _ENDS[1]]).tolist()
    missing = max(least - (high - low), 0.0)
    return low - missing, first, last, high + missing


def _fit_steps(
    fit: LinesFit, design: LinesColumn, plane: LinesModel, y: Floats, quartiles: tuple[float, float]
) -> dict[Fraction, Floats]:
    """Release all lines besides the median, as offsets from its plane."""
    centre = plane.centre(fit.values, y.size)
    instruments = INTERCEPT
    if design.varying:
        first, last = plane.index(np.array(quartiles)).tolist()
        instruments = index_instruments(first, last)
    rows = Rows.of(y - centre, plane.index(centre) if design.varying else None, instruments)
    leaves = [design.leaf(step) for step in design.steps]
    around = _surroundings(fit, design, plane, leaves)
    return release_lines(fit.gate, leaves, rows, instruments, design.steps, around)


def _surroundings(fit: LinesFit, design: LinesColumn, plane: LinesModel, leaves: list[Plan]) -> Surroundings:
    """Return what public facts and the released plane say about offsets."""
    low, high = plane.scale.ends
    least = least_spacing(plane.scale)
    # Parallel lines must be able to leave the range at one end of the index to reach its bound at the other.
    ends = [plane.low, plane.high] if design.varying else [plane.high]
    tops = [plane.low, plane.high] if design.varying else [plane.low]
    below, above = (np.minimum(low - np.array(ends), -least), np.maximum(high - np.array(tops), least))
    guess = _GUESS * max(min(plane.base - low, high - plane.base), least)
    strength = strength_of(leaves[0].cost, fit.gate.definition) if leaves else Fraction(1)
    return Surroundings(below, above, least, guess, float(2 / (fit.rows * strength)))


def least_spacing(scale: Scale) -> float:
    """Return the smallest distance between lines that matters: a lattice step, or a millionth of the range."""
    low, high = scale.ends
    return (high - low) * 1e-6 if scale.log else max(scale.step, (high - low) * 1e-6)
