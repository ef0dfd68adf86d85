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

from quantail.curves import slope_plan
from quantail.errors import OptionError
from quantail.orders.design import LinesColumn
from quantail.orders.settings import LinesSettings
from quantail.orders.steps import Step, steps_of
from quantail.orders.tuning import ACTIVE_SHARE, INTERCEPT_WEIGHT, SLOPE_WEIGHT
from quantail.orders.yearly.settings import YearlySettings
from quantail.privacy import Plan, split
from quantail.schema import Column, Schema

BIRTHS, CONTINUERS = "births", "continuers"


@dataclass(frozen=True)
class PeriodDesign:
    """What is asked in one period: the columns of each part, and the plan that they make up."""

    parts: Mapping[str, tuple[LinesColumn, ...]]
    plan: Plan

    def under(self, plan: Plan) -> "PeriodDesign":
        """Return the same design on the leaves of a plan that equals its own."""
        parts = {
            part: tuple(replace(column, plan=plan.find(f"{part}/{column.column.name}")) for column in columns)
            for part, columns in self.parts.items()
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
    costs = split(cost, [1] * len(schema.panel.periods))
    return tuple(
        _period(settings, schema, rows, part, str(period), first=place == 0)
        for place, (period, part) in enumerate(zip(schema.panel.periods, costs, strict=True))
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
    if lines.columns and len(lines.columns) != len(columns):
        raise OptionError(f"shares: columns lists {len(lines.columns)} shares for {len(columns)} columns")
    costs = split(cost, lines.columns or (2, *[1] * (len(columns) - 1)))
    return tuple(
        _column(lines, column, predictors[column.name], share, rows)
        for column, share in zip(columns, costs, strict=True)
    )


def before(name: str) -> str:
    """Return what a column's value of the period before is called."""
    return f"{name} before"


def _column(
    settings: LinesSettings, column: Column, predictors: tuple[str, ...], cost: Fraction, rows: int
) -> LinesColumn:
    """Plan the lines of one column."""
    steps = steps_of(settings.order, settings.taus, settings.main)
    weights = _weights(settings, steps)
    costs = dict(zip(weights, split(cost, list(weights.values())), strict=True))
    plans = [_median(predictors, costs.pop("median"), rows)]
    for part, amount in costs.items():
        own = [step for step in steps if step.part == part]
        leaves = [
            Plan.leaf(f"{float(step.tau):g}", each)
            for step, each in zip(own, split(amount, [1] * len(own)), strict=True)
        ]
        plans.append(Plan.sequence(part, leaves))
    return LinesColumn(column, Plan.sequence(column.name, plans), predictors, steps, settings)


def _weights(settings: LinesSettings, steps: tuple[Step, ...]) -> dict[str, Fraction]:
    """Return what the median and the other parts of the order weigh; parts without a quantile are left out."""
    median, main = settings.median_shares[1], settings.main_shares[1]
    if settings.order == "kng":
        weights = {"median": Fraction(1), "levels": Fraction(len(steps))}
    elif settings.order == "stepwise":
        weights = {"median": median, "outward": 1 - median}
    else:
        weights = {"median": main * median, "main": main * (1 - median), "inner": 1 - main}
    asked = {"median", *(step.part for step in steps)}
    return {part: weight for part, weight in weights.items() if part in asked}


def _median(predictors: tuple[str, ...], cost: Fraction, rows: int) -> Plan:
    if not predictors:
        return Plan.sequence("median", [Plan.leaf("intercept", cost)])
    slope, intercept = split(cost, [SLOPE_WEIGHT, INTERCEPT_WEIGHT])
    asked = slope_plan(predictors[0], slope, rows * float(slope))
    return Plan.sequence("median", [asked, Plan.leaf("intercept", intercept)])
