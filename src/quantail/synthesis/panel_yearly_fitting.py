"""The fit of the paper's year-by-year procedure: period after period, births by themselves, continuers on their past.

A unit is one row of one model in every period in which it is active: of the births in its first one, of the continuers
in all others. Continuers are regressed on their confidential value of the period before; where a question needs to know
how that predictor spreads, it looks at the panel synthesised so far, which is released.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quantail.frames import PanelData
from quantail.privacy import Gate
from quantail.quantiles import Scale, choose_slope
from quantail.quantiles.grid import wide
from quantail.quantiles.lattice import Candidates, Surroundings
from quantail.quantiles.lines import INTERCEPT, Rows, choose_line, index_instruments, release_lines
from quantail.quantiles.orders import MEDIAN
from quantail.synthesis.column import Slope
from quantail.synthesis.lines_design import LinesColumn
from quantail.synthesis.lines_fitting import least_spacing
from quantail.synthesis.lines_model import LinesModel, explained
from quantail.synthesis.panel_units import PanelUnits
from quantail.synthesis.panel_yearly_design import BIRTHS, CONTINUERS, before, period_designs
from quantail.synthesis.panel_yearly_model import (
    PeriodModel,
    YearlyModel,
    draw_column,
    draw_period,
    members,
)
from quantail.synthesis.panel_yearly_settings import Pick, YearlySettings

Floats = NDArray[np.float64]

_REACH = 0.25  # largest slope: it moves a column by this share of its range over the predictor's quartiles
_GUESS = (
    0.3  # first guess at the distance of lines, as a share of the median's distance from the nearer bound
)
_ENDS = (
    0.05,
    0.25,
    0.75,
    0.95,
)  # quantiles of released predictions: ends of the index, and between them its quartiles


def fit_yearly(
    settings: YearlySettings, gate: Gate, data: PanelData, tell: Callable[[str], None]
) -> YearlyModel:
    """Release the models of all periods of one group of units."""
    units, rng = PanelUnits.of(data), gate.noise.generator()
    columns = data.schema.confidential
    tell(columns[0].name)
    designs = period_designs(settings, data.schema, len(data), gate.plan.cost)
    # Each value is spread over its lattice cell once: as a response, and a period later as a predictor.
    spread = {c.name: _spread(Scale.of(c), data.values[c.name], gate) for c in columns}
    made = {c.name: np.full(len(data), np.nan) for c in columns}  # synthetic, on the modelling scale
    models = []
    for place, (design, plan) in enumerate(zip(designs, gate.plan.children, strict=True)):
        asked = design.under(plan)
        released: dict[str, tuple[LinesModel, ...]] = {BIRTHS: (), CONTINUERS: ()}
        born, staying = members(units, place)
        for part, who in ((BIRTHS, born), (CONTINUERS, staying)):
            if who.size:
                real = {name: values[who, place] for name, values in spread.items()}
                past = {before(name): values[who, place - 1] for name, values in spread.items()}
                seen = {before(name): values[who] for name, values in made.items()}
                released[part] = _fit_part(gate, asked.parts[part], real | past, seen, settings.draw, rng)
        models.append(PeriodModel(released[BIRTHS], released[CONTINUERS]))
        made = draw_period(models[-1], born, staying, made, settings.draw, rng)
    return YearlyModel(settings.draw, tuple(models))


def _spread(scale: Scale, values: Floats, gate: Gate) -> Floats:
    return scale.dithered(values.ravel(), gate.noise).reshape(values.shape)


def _fit_part(
    gate: Gate,
    designs: tuple[LinesColumn, ...],
    confidential: dict[str, Floats],
    released: dict[str, Floats],
    draw: Pick,
    rng: np.random.Generator,
) -> tuple[LinesModel, ...]:
    """Release the columns of births or continuers; `released` holds synthetic values of the same units."""
    models = []
    for design in designs:
        model = _fit_column(gate, design, confidential, released)
        released = released | {
            model.name: draw_column(model, released, confidential[model.name].size, draw, rng)
        }
        models.append(model)
    return tuple(models)


def _fit_column(
    gate: Gate, design: LinesColumn, confidential: dict[str, Floats], released: dict[str, Floats]
) -> LinesModel:
    """Release the lines of one column, given its predictor if it has one."""
    y, scale = confidential[design.column.name], Scale.of(design.column)
    slopes = tuple(_fit_slope(gate, design, scale, y, confidential, released) for _ in design.predictors)
    base = _fit_intercept(gate, design, scale, y - explained(slopes, confidential, y.size))
    least = least_spacing(scale) / len(design.settings.taus)  # whole numbers hold several lines each
    low, first, last, high = _index_marks(base + explained(slopes, released, y.size), least)
    plane = LinesModel(
        design.column.name, scale, base, slopes, low, high, (0.5,), (0.0,), (0.0,), design.settings.draw
    )
    centre = plane.centre(confidential, y.size)
    instruments = INTERCEPT
    if design.varying:
        instruments = index_instruments(*plane.index(np.array([first, last])).tolist())
    rows = Rows.of(y - centre, plane.index(centre) if design.varying else None, instruments)
    leaves = [design.leaf(step) for step in design.steps]
    around = _surroundings(design, plane, least, float(y.size * leaves[0].cost) if leaves else 1.0)
    offsets = release_lines(gate, leaves, rows, instruments, design.steps, around)
    taus = sorted(offsets)
    at_low, at_high = (tuple(float(offsets[tau][end]) for tau in taus) for end in (0, -1))
    return replace(plane, taus=tuple(float(tau) for tau in taus), at_low=at_low, at_high=at_high)


def _fit_slope(
    gate: Gate,
    design: LinesColumn,
    scale: Scale,
    y: Floats,
    confidential: dict[str, Floats],
    released: dict[str, Floats],
) -> Slope:
    """Release the slope of the median line, measured from the predictor's released median."""
    (name,) = design.predictors
    first, median, last = np.quantile(released[name], [0.25, 0.5, 0.75]).tolist()
    low, high = scale.ends
    reach = _REACH * (high - low) / max(last - first, least_spacing(scale))
    leaves = design.plan.find(f"median/slope on {name}").leaves()
    return Slope(name, choose_slope(gate, leaves, y, confidential[name] - median, 0.0, reach, y.size), median)


def _fit_intercept(gate: Gate, design: LinesColumn, scale: Scale, left: Floats) -> float:
    """Release the median of what the slope left over, with rows spread over a step of the grid (`lines_fitting`)."""
    values = wide(*scale.ends, scale.log)
    steps = np.arange(values.size, dtype=np.float64)
    places = np.interp(left, values, steps, left=-2.0, right=values.size + 1.0)
    places = places + 2 * (gate.noise.random(left.size) - 0.5)
    grid = Candidates(steps[:, None], np.zeros(values.size))
    leaf = design.plan.find("median/intercept")
    (chosen,) = choose_line(gate, leaf, Rows.of(places, None, INTERCEPT), INTERCEPT, grid, MEDIAN)
    return float(values[int(chosen)])


def _index_marks(predicted: Floats, least: float) -> tuple[float, float, float, float]:
    """Return released predictions of the median line where the index is 0, its quartiles lie, and it is 1."""
    low, first, last, high = np.quantile(predicted, _ENDS).tolist()
    missing = max(least - (high - low), 0.0)
    return low - missing, first, last, high + missing


def _surroundings(design: LinesColumn, plane: LinesModel, least: float, signal: float) -> Surroundings:
    """Return what public facts and the released line say about offsets."""
    low, high = plane.scale.ends
    # Parallel lines must be able to leave the range at one end of the index to reach its bound at the other.
    bottoms = [plane.low, plane.high] if design.varying else [plane.high]
    tops = [plane.low, plane.high] if design.varying else [plane.low]
    below = np.minimum(low - np.array(bottoms), -least)
    above = np.maximum(high - np.array(tops), least)
    guess = _GUESS * max(min(plane.base - low, high - plane.base), least)
    return Surroundings(below, above, least, guess, 2 / signal)
