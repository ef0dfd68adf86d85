"""The fit of the paper's year-by-year procedure: period after period, births by themselves, continuers on their past.

A unit is one row of one model in every period in which it is active: of the births in its first one, of the continuers
in all others. Continuers are regressed on their confidential value of the period before; where a question needs to know
how that predictor spreads, it looks at the panel synthesised so far, which is released.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

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
from quantail.synthesis.lines_fitting import fit_lines, least_spacing
from quantail.synthesis.lines_model import LinesModel
from quantail.synthesis.panel_units import PanelUnits
from quantail.synthesis.panel_yearly_design import CONTINUERS, before, period_designs
from quantail.synthesis.panel_yearly_model import PeriodModel, YearlyModel, draw_period, members
from quantail.synthesis.panel_yearly_settings import YearlySettings

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
        born, staying = members(units, place)
        asked = design.under(plan)
        births: tuple[LinesModel, ...] = ()
        if born.size:
            values = {c.name: data.values[c.name][born, place] for c in columns}
            births = fit_lines(gate, asked.births(born.size), values, lambda name: None)
        continuers: tuple[LinesModel, ...] = ()
        if staying.size:
            continuers = tuple(
                _fit_continuers(
                    gate,
                    column,
                    spread[column.column.name][staying, place],
                    spread[column.column.name][staying, place - 1],
                    made[column.column.name][staying],
                )
                for column in asked.parts[CONTINUERS]
            )
        models.append(PeriodModel(births, continuers))
        made = draw_period(models[-1], born, staying, made, settings.draw, rng)
    return YearlyModel(settings.draw, tuple(models))


def _spread(scale: Scale, values: Floats, gate: Gate) -> Floats:
    return scale.dithered(values.ravel(), gate.noise).reshape(values.shape)


@dataclass(frozen=True)
class _Plane:
    """A released median line, and where its predictions lie: ends of the index and quartiles."""

    base: float
    slope: Slope
    marks: tuple[float, float, float, float]


def _fit_continuers(gate: Gate, design: LinesColumn, y: Floats, x: Floats, released: Floats) -> LinesModel:
    """Release the lines of a column given its value x of the period before, known from `released` synthetic ones."""
    scale = Scale.of(design.column)
    plane = _fit_plane(gate, design, scale, y, x, released)
    low, first, last, high = plane.marks
    taus = tuple(design.settings.taus)
    empty = LinesModel(
        design.column.name,
        scale,
        plane.base,
        (plane.slope,),
        low,
        high,
        (0.5,),
        (0.0,),
        (0.0,),
        design.settings.draw,
    )
    centre = empty.centre({plane.slope.on: x}, y.size)
    instruments = INTERCEPT
    if design.varying:
        start, stop = empty.index(np.array([first, last])).tolist()
        instruments = index_instruments(start, stop)
    rows = Rows.of(y - centre, empty.index(centre) if design.varying else None, instruments)
    leaves = [design.leaf(step) for step in design.steps]
    around = _surroundings(design, empty, y.size, leaves[0].cost if leaves else Fraction(1))
    offsets = release_lines(gate, leaves, rows, instruments, design.steps, around)
    ends = [tuple(float(offsets[tau][end]) for tau in taus) for end in (0, -1)]
    return LinesModel(
        empty.name,
        scale,
        empty.base,
        empty.slopes,
        low,
        high,
        tuple(float(tau) for tau in taus),
        ends[0],
        ends[1],
        empty.draw,
    )


def _fit_plane(
    gate: Gate, design: LinesColumn, scale: Scale, y: Floats, x: Floats, released: Floats
) -> _Plane:
    """Release slope and intercept of the median line."""
    name, least = before(design.column.name), least_spacing(scale)
    first, median, last = np.quantile(released, [0.25, 0.5, 0.75]).tolist()
    low, high = scale.ends
    reach = _REACH * (high - low) / max(last - first, least)
    leaves = design.plan.find(f"median/slope on {name}").leaves()
    slope = Slope(name, choose_slope(gate, leaves, y, x - median, 0.0, reach, y.size), median)
    base = _fit_intercept(gate, design, scale, y - slope.slope * (x - median))
    marks = np.quantile(base + slope.slope * (released - median), _ENDS)
    missing = max(least - float(marks[3] - marks[0]), 0.0)
    return _Plane(
        base, slope, (float(marks[0]) - missing, float(marks[1]), float(marks[2]), float(marks[3]) + missing)
    )


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


def _surroundings(design: LinesColumn, plane: LinesModel, rows: int, cost: Fraction) -> Surroundings:
    """Return what public facts and the released line say about offsets."""
    low, high = plane.scale.ends
    least = least_spacing(plane.scale)
    # Parallel lines must be able to leave the range at one end of the index to reach its bound at the other.
    bottoms = [plane.low, plane.high] if design.varying else [plane.high]
    tops = [plane.low, plane.high] if design.varying else [plane.low]
    below = np.minimum(low - np.array(bottoms), -least)
    above = np.maximum(high - np.array(tops), least)
    guess = _GUESS * max(min(plane.base - low, high - plane.base), least)
    return Surroundings(below, above, least, guess, float(2 / (rows * cost)))
