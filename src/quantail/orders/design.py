"""The design of a fit by one of the paper's orders: every quantile of every column, and what it may cost.

A column's part of the plan is `median` (slopes one at a time, then the intercept) followed by the parts of its order:
`levels`, `outward`, or `main` and `inner`, with one leaf per quantile. Made from public facts, before any value is
read.
"""

from dataclasses import dataclass
from fractions import Fraction

from quantail.curves import slope_plan
from quantail.errors import OptionError
from quantail.orders.settings import LinesSettings
from quantail.orders.steps import Step, steps_of
from quantail.orders.tuning import INTERCEPT_WEIGHT, SLOPE_N_EPSILON, SLOPE_WEIGHT
from quantail.privacy import Definition, Plan, selection_epsilon, split, unit_of
from quantail.privacy.budget import Unit
from quantail.schema import Column, Schema, core_of


@dataclass(frozen=True)
class LinesColumn:
    """What is asked of one column."""

    column: Column
    plan: Plan  # its part of the budget
    predictors: tuple[str, ...]  # earlier columns that get a slope
    steps: tuple[Step, ...]  # the quantiles besides the median, in the order of asking
    settings: LinesSettings

    @property
    def varying(self) -> bool:
        """Whether slopes differ between quantiles."""
        return bool(self.predictors) and self.settings.slopes == "varying"

    @property
    def slopes(self) -> dict[str, tuple[Plan, ...]]:
        """For every predictor the leaves that release its slope."""
        *slopes, _ = self.plan.children[0].children
        return {name: part.leaves() for name, part in zip(self.predictors, slopes, strict=True)}

    @property
    def intercept(self) -> Plan:
        """The leaf of the median's intercept."""
        return self.plan.children[0].children[-1]

    @property
    def levels(self) -> tuple[Plan, ...]:
        """The leaf of every step."""
        parts = {part.name: iter(part.children) for part in self.plan.children[1:]}
        return tuple(next(parts[step.part]) for step in self.steps)


@dataclass(frozen=True)
class LinesDesign:
    """The designs of all columns, with the plan that they make up."""

    columns: tuple[LinesColumn, ...]
    plan: Plan
    rows: int


def draw_lines_design(
    settings: LinesSettings,
    schema: Schema,
    rows: int,
    cost: Fraction,
    definition: Definition,
    name: str = "table",
) -> LinesDesign:
    """Return the design for a table (or a group) of `rows` rows that may cost `cost`."""
    core = core_of(schema)
    if core.statuses or any(column.public for column in schema.columns):
        raise OptionError(
            f"method {settings.order!r} knows no missing values, atoms, inequalities or public columns; "
            "use method 'tables', or leave such columns out of the schema"
        )
    schema = core.schema
    columns = [column for column in schema.columns if column.name not in schema.by]
    _check_numeric(columns, settings)
    if not columns:
        raise OptionError(f"method {settings.order!r} needs a numeric column besides the groups")
    designs = tuple(
        design_column(settings, column, predictors, part, rows, definition, bool(predictors))
        for column, part in zip(columns, column_costs(settings, cost, len(columns)), strict=True)
        for predictors in [schema.predictors_of(column.name)]
    )
    note = f"{rows} rows" + (f", {settings.slopes} slopes" if len(columns) > 1 else "")
    return LinesDesign(designs, Plan.sequence(name, [design.plan for design in designs], note), rows)


def _check_numeric(columns: list[Column], settings: LinesSettings) -> None:
    for column in columns:
        if column.type == "category":
            raise OptionError(
                f"method {settings.order!r} models numbers only, and column {column.name!r} is a category; "
                "use method 'tables', or list the column in the schema's `by` to fit every category apart"
            )


def column_costs(settings: LinesSettings, cost: Fraction, columns: int) -> tuple[Fraction, ...]:
    """Return what columns may cost: the first, which all others build on, twice as much unless shares are set."""
    if settings.columns and len(settings.columns) != columns:
        raise OptionError(f"shares: columns lists {len(settings.columns)} shares for {columns} columns")
    return split(cost, settings.columns or (2, *[1] * (columns - 1)))


def design_column(
    settings: LinesSettings,
    column: Column,
    predictors: tuple[str, ...],
    cost: Fraction,
    rows: int,
    definition: Definition,
    explained: bool,
) -> LinesColumn:
    """Return what is asked of a column; `explained` says which shares of the settings hold."""
    steps = steps_of(settings.order, settings.taus, settings.main)
    unit = unit_of(definition)
    median, parts = _shared(settings, cost, explained, steps)
    kept = _kept(predictors, median, rows, definition)
    plans = [_median(kept, median, rows, definition, unit)]
    for part, amount in parts.items():
        own = [step for step in steps if step.part == part]
        leaves = zip(own, split(amount, [1] * len(own)), strict=True)
        plans.append(
            Plan.sequence(part, [Plan.leaf(f"{float(step.tau):g}", each, "", unit) for step, each in leaves])
        )
    return LinesColumn(column, Plan.sequence(column.name, plans), kept, steps, settings)


def _shared(
    settings: LinesSettings, cost: Fraction, explained: bool, steps: tuple[Step, ...]
) -> tuple[Fraction, dict[str, Fraction]]:
    """Return what the median may cost, and what the other parts of the order may."""
    parts = {step.part for step in steps}
    median, main = settings.median_shares[explained], settings.main_shares[explained]
    if settings.order == "kng":
        weights = {"levels": Fraction(len(steps)), "": Fraction(1)}
    elif settings.order == "stepwise":
        weights = {"outward": 1 - median, "": median}
    else:
        weights = {"main": main * (1 - median), "inner": 1 - main, "": main * median}
    asked = [part for part in weights if part == "" or part in parts]
    *amounts, whole = split(cost, [weights[part] for part in asked])
    return whole, dict(zip(asked, amounts, strict=False))


def _kept(predictors: tuple[str, ...], cost: Fraction, rows: int, definition: Definition) -> tuple[str, ...]:
    """Return the predictors that can be asked about: as many as the n epsilon of each carries, and at least one."""
    for number in range(len(predictors), 1, -1):
        slope = cost * SLOPE_WEIGHT / (number * SLOPE_WEIGHT + INTERCEPT_WEIGHT)
        if rows * float(selection_epsilon(slope, definition)) >= SLOPE_N_EPSILON:
            return predictors[:number]
    return predictors[:1]


def _median(
    predictors: tuple[str, ...], cost: Fraction, rows: int, definition: Definition, unit: Unit
) -> Plan:
    costs = split(cost, [*[SLOPE_WEIGHT] * len(predictors), INTERCEPT_WEIGHT])
    parts = []
    for name, part in zip(predictors, costs, strict=False):
        parts.append(slope_plan(name, part, rows * float(selection_epsilon(part, definition)), unit))
    return Plan.sequence("median", [*parts, Plan.leaf("intercept", costs[-1], "", unit)])
