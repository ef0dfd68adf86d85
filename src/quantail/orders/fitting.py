"""The fit of one table (or group) by one of the paper's orders, question by question through the gate.

For each column: slopes of the median plane one at a time, its intercept, then line after line in the order of the
design. A slope is asked for along what is left of a predictor after *its* released median plane: the planes are the
same as with the predictors themselves, but these leftovers are nearly uncorrelated. Everything that decides how to go
on comes from the schema, the public number of rows, or from what was released before.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats
from quantail.curves import Scale, choose_slope, slope_reach
from quantail.curves.rows import Rows as ConfidentialRows
from quantail.curves.rows import gathered
from quantail.curves.slope import Slope
from quantail.orders.column import fit_column
from quantail.orders.design import LinesColumn, LinesDesign
from quantail.orders.model import LinesModel, draw_lines, explained
from quantail.privacy import Gate


@dataclass
class LinesFit:
    """A fit in progress: the gate, the public number of rows, confidential values, released models."""

    gate: Gate
    rows: int
    confidential: dict[str, NDArray[Any]]
    rng: np.random.Generator
    values: dict[str, Floats] = field(default_factory=dict)
    models: dict[str, LinesModel] = field(default_factory=dict)

    def simulated(self, rows: int) -> dict[str, Floats]:
        """Draw rows of all columns released so far."""
        return draw_lines(tuple(self.models.values()), rows, self.rng, balanced=True)


def fit_lines(
    gate: Gate, design: LinesDesign, confidential: ConfidentialRows, progress: Callable[[str], None]
) -> tuple[LinesModel, ...]:
    """Release the lines of all columns of a design; these methods need all rows in memory."""
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
    fit.values[name] = scale.dithered(fit.confidential[name], fit.gate.noise)
    number = design.settings.rules.simulated_rows
    simulated = fit.simulated(number) if design.predictors else {}
    slopes = _fit_slopes(fit, design, scale, simulated)
    expected = explained(slopes, simulated, number)
    return fit_column(fit.gate, design, slopes, fit.values, expected, scale.least, fit.rows)


def _fit_slopes(
    fit: LinesFit, design: LinesColumn, scale: Scale, simulated: dict[str, Floats]
) -> tuple[Slope, ...]:
    """Release the slopes of the median plane."""
    total = dict.fromkeys(design.predictors, 0.0)
    residual, rules = fit.values[design.column.name], design.settings.rules
    for name, leaves in design.slopes.items():
        # What is left of a predictor, as slopes on the predictors themselves: itself, less what explains it.
        model = fit.models[name]
        parts = [Slope(name, 1.0, model.base)]
        parts += [Slope(s.on, -s.slope, s.centre) for s in model.slopes if s.on in total]
        known = explained(parts, simulated, rules.simulated_rows)
        first, median, last = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
        x = explained(parts, fit.values, residual.size)
        reach = slope_reach(scale, last - first, model.scale.least)
        cuts = median, median
        slope = choose_slope(fit.gate, leaves, residual, x, cuts, reach, fit.rows, rules=rules.slopes)
        residual = residual - slope * x
        for part in parts:
            total[part.on] += slope * part.slope
    return tuple(Slope(name, slope, fit.models[name].base) for name, slope in total.items())
