"""What the year-by-year procedure releases, and how a panel is drawn from it again.

A synthetic history starts with a draw from the births of its first period and goes on by the continuers' lines of each
later one, given its own synthetic value of the period before. Values are rounded to their lattice at the very end.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.orders.levels import level_weights
from quantail.orders.model import LinesModel
from quantail.orders.settings import STORED, read_draw
from quantail.orders.yearly.design import before
from quantail.orders.yearly.settings import Pick
from quantail.schema import Schema


@dataclass(frozen=True)
class PeriodModel:
    """Lines of one period by column, in the order of the schema; none where nobody was born, or nobody stayed."""

    births: tuple[LinesModel, ...]
    continuers: tuple[LinesModel, ...]


@dataclass(frozen=True)
class YearlyModel:
    """Models of all periods, and how levels are drawn."""

    draw: Pick
    periods: tuple[PeriodModel, ...]


class Histories(Protocol):
    """The public side of a panel: its schema, and the first and last active period of every unit."""

    @property
    def schema(self) -> Schema: ...  # noqa: D102

    @property
    def entry(self) -> Integers: ...  # noqa: D102

    @property
    def exit(self) -> Integers: ...  # noqa: D102

    def __len__(self) -> int: ...


def members(units: Histories, place: int) -> tuple[Integers, Integers]:
    """Return who enters in a period and who was there before and still is; both are public."""
    assert units.schema.panel is not None
    period = units.schema.panel.first + place
    born = np.flatnonzero(units.entry == period)
    staying = np.flatnonzero((units.entry < period) & (period <= units.exit))
    return born, staying


def draw_yearly(model: YearlyModel, units: Histories, rng: np.random.Generator) -> dict[str, Floats]:
    """Draw the confidential columns of one group."""
    columns = units.schema.confidential
    made = {column.name: np.full(len(units), np.nan) for column in columns}
    values = {column.name: np.full((len(units), len(model.periods)), np.nan) for column in columns}
    for place, period in enumerate(model.periods):
        born, staying = members(units, place)
        if (born.size and not period.births) or (staying.size and not period.continuers):
            raise ValueError("units are active in a period that was not modelled")
        made = draw_period(period, born, staying, made, model.draw, rng)
        for lines in period.births or period.continuers:
            for who in (born, staying):
                values[lines.name][who, place] = _rounded(lines, made[lines.name][who])
    return values


def draw_period(
    model: PeriodModel,
    born: Integers,
    staying: Integers,
    made: Mapping[str, Floats],
    draw: Pick,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """Return synthetic values of a period on the modelling scale, from those of the period before."""
    new = {name: np.full(values.size, np.nan) for name, values in made.items()}
    for who, lines in ((born, model.births), (staying, model.continuers)):
        earlier = {before(name): values[who] for name, values in made.items()}
        for column in lines:
            line = draw_column(column, earlier, who.size, draw, rng)
            earlier[column.name] = new[column.name][who] = line
    return new


def draw_column(
    model: LinesModel, earlier: Mapping[str, Floats], n: int, draw: Pick, rng: np.random.Generator
) -> Floats:
    """Return n synthetic values of a column on the modelling scale, given those of its predictor."""
    u = rng.random(n)
    if draw != "uniform":
        return model.build(u, earlier)
    ends = np.concatenate([[0.0], np.cumsum(level_weights(model.taus, "midpoint"))])
    centres = (ends[1:] + ends[:-1]) / 2
    return model.build(centres[(u * centres.size).astype(np.int64)], earlier)


def _rounded(model: LinesModel, values: Floats) -> Floats:
    scale = model.scale
    inside = scale.step * np.rint(scale.backward(values) / scale.step)
    return np.clip(inside, scale.lower, scale.upper) + 0.0


def write_yearly(model: YearlyModel) -> dict[str, Any]:
    """Write the model as plain data for JSON."""
    periods = [
        {part: [lines.to_dict() for lines in getattr(period, part)] for part in ("births", "continuers")}
        for period in model.periods
    ]
    return {"draw": STORED.get(model.draw, model.draw), "periods": periods}


def read_yearly_model(form: Mapping[str, Any]) -> YearlyModel:
    """Read what `write_yearly` wrote."""
    periods = tuple(
        PeriodModel(
            tuple(LinesModel.from_dict(lines) for lines in item["births"]),
            tuple(LinesModel.from_dict(lines) for lines in item["continuers"]),
        )
        for item in form["periods"]
    )
    return YearlyModel(read_draw(form["draw"]), periods)
