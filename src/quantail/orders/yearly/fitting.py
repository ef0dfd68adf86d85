"""The fit of the paper's year-by-year procedure: period after period, births by themselves, continuers on their past.

A unit is one row of one model in every period in which it is active: of the births in its first one, of the continuers
in all others. Continuers are regressed on their confidential value of the period before; where a question needs to know
how that predictor spreads, it looks at the panel synthesised so far, which is released.
"""

from collections.abc import Callable

import numpy as np

from quantail.arrays import Floats
from quantail.curves import Scale, choose_slope, slope_reach
from quantail.curves.slope import Slope
from quantail.frames import PanelData
from quantail.orders.column import fit_column
from quantail.orders.design import LinesColumn
from quantail.orders.model import LinesModel, explained
from quantail.orders.yearly.design import BIRTHS, CONTINUERS, before, period_designs
from quantail.orders.yearly.model import (
    PeriodModel,
    YearlyModel,
    draw_column,
    draw_period,
    members,
)
from quantail.orders.yearly.settings import Pick, YearlySettings
from quantail.privacy import Gate


def fit_yearly(
    settings: YearlySettings, gate: Gate, data: PanelData, tell: Callable[[str], None]
) -> YearlyModel:
    """Release the models of all periods of one group of units."""
    rng = gate.noise.generator()
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
        born, staying = members(data, place)
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
    scale, rows = Scale.of(design.column), confidential[design.column.name].size
    slopes = tuple(_fit_slope(gate, design, name, confidential, released[name]) for name in design.slopes)
    least = scale.least / len(design.settings.taus)  # whole numbers hold several lines each
    return fit_column(gate, design, slopes, confidential, explained(slopes, released, rows), least, rows)


def _fit_slope(
    gate: Gate, design: LinesColumn, name: str, confidential: dict[str, Floats], released: Floats
) -> Slope:
    """Release the slope of the median line on a predictor, measured from its released median."""
    scale, y = Scale.of(design.column), confidential[design.column.name]
    first, median, last = np.quantile(released, [0.25, 0.5, 0.75]).tolist()
    reach = slope_reach(scale, last - first, scale.least)
    x, rules = confidential[name] - median, design.settings.rules.slopes
    leaves = design.slopes[name]
    return Slope(name, choose_slope(gate, leaves, y, x, (0.0, 0.0), reach, y.size, rules=rules), median)
