"""The budget of the paper's year-by-year procedure: every quantile of every period, before any value is read.

A period gets an equal part of the whole. Its plan has two parts, `births` and `continuers` (the first period has births
only, which get all of it); each holds one model per confidential column, laid out as in
`quantail.orders.design`, with at most one predictor:

    births        the first column has none; later columns follow the first (pay of newborns follows employment)
    continuers    every column follows its own value of the period before

The paper has a single column, and no more can be asked of a twenty-fifth of a budget. Neither entry nor exit decides
what is planned: a part without units is planned like any other and simply not asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from quantail.orders.design import LinesColumn, column_costs, design_column
from quantail.orders.tuning import ACTIVE_SHARE
from quantail.orders.yearly.settings import YearlySettings
from quantail.privacy import Plan, split
from quantail.schema import Schema

BIRTHS, CONTINUERS = "births", "continuers"


@dataclass(frozen=True)
class PeriodDesign:
    """What is asked in one period: the columns of each part, and the plan that they make up."""

    parts: Mapping[str, tuple[LinesColumn, ...]]
    plan: Plan

    def under(self, plan: Plan) -> "PeriodDesign":
        """Return the same design on the leaves of a plan that equals its own."""
        parts = {
            part: tuple(
                replace(column, plan=own) for column, own in zip(columns, under.children, strict=True)
            )
            for (part, columns), under in zip(self.parts.items(), plan.children, strict=True)
        }
        return PeriodDesign(parts, plan)


def plan_yearly(settings: YearlySettings, schema: Schema, units: int, cost: Fraction, name: str) -> Plan:
    """Return the budget of one group of units."""
    return Plan.sequence(name, [design.plan for design in period_designs(settings, schema, units, cost)])


def period_designs(
    settings: YearlySettings, schema: Schema, units: int, cost: Fraction
) -> tuple[PeriodDesign, ...]:
    """Return the designs of all periods; a function of public facts, so the same for a plan and for its fit."""
    assert schema.panel is not None
    rows = max(units // ACTIVE_SHARE, 1)
    panel = schema.panel
    costs = split(cost, [1] * len(panel.periods))
    return tuple(
        _period(settings, schema, rows, part, str(panel.form.written(period)), first=place == 0)
        for place, (period, part) in enumerate(zip(panel.periods, costs, strict=True))
    )


def _period(
    settings: YearlySettings, schema: Schema, rows: int, cost: Fraction, name: str, first: bool
) -> PeriodDesign:
    lead = schema.confidential[0].name
    born = {c.name: () if c.name == lead else (lead,) for c in schema.confidential}
    parts = {BIRTHS: _part(settings, schema, cost if first else cost * settings.births, rows, born)}
    if not first:
        past = {c.name: (before(c.name),) for c in schema.confidential}
        parts[CONTINUERS] = _part(settings, schema, cost * settings.continuers, rows, past)
    plans = [Plan.sequence(part, [column.plan for column in columns]) for part, columns in parts.items()]
    compose = Plan.parallel if settings.sharing == "disjoint" else Plan.sequence
    return PeriodDesign(parts, compose(name, plans))


def _part(
    settings: YearlySettings,
    schema: Schema,
    cost: Fraction,
    rows: int,
    predictors: Mapping[str, tuple[str, ...]],
) -> tuple[LinesColumn, ...]:
    columns, lines = schema.confidential, settings.lines
    return tuple(
        design_column(lines, column, predictors[column.name], share, rows, "pure", explained=True)
        for column, share in zip(columns, column_costs(lines, cost, len(columns)), strict=True)
    )


def before(name: str) -> str:
    """Return what a column's value of the period before is called."""
    return f"{name} before"
