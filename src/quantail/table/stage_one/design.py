"""The design of stage one: what will be asked of each column and what each question may cost.

Made from the schema, the public number of rows and the budget, before any value is read. The same object is the
budget plan that the ledger and the user see and the script that the fit follows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from quantail.curves import slope_plan
from quantail.curves.depth import histogram_fits, quantile_levels
from quantail.curves.tuning import LOCATE_SHARE, TWO_STAGES
from quantail.privacy import Definition, Plan, count_epsilon, selection_epsilon, split, unit_of
from quantail.privacy.budget import Unit
from quantail.schema import Column, Core, Schema, core_of
from quantail.table.stage_one.rules import STAGE_ONE_RULES, StageOneRules
from quantail.table.stage_one.shares import Question, is_two_sided, share_out
from quantail.table.tuning import OFTEN


@dataclass(frozen=True)
class ColumnDesign:
    """What is asked of one column.

    Attributes
    ----------
    column : Column
        The column.
    plan : Plan, optional
        Its part of the budget; the leaves are found by `leaves`. A public column has none.
    slopes : tuple of str
        Predictors on which slopes are asked.
    cells : bool
        True if the column is counted cell by cell instead of cut by quantiles.
    two_sided : bool
        True for a log grid on both sides of zero, whose scale is released first.
    lowest : bool
        True if it is asked how many rows hold the lowest value.
    status : str
        The category that says whether the number is there; empty if it always is.
    """

    column: Column
    plan: Plan | None
    slopes: tuple[str, ...] = ()
    cells: bool = False
    two_sided: bool = False
    lowest: bool = False
    status: str = ""

    def leaves(self, path: str) -> tuple[Plan, ...]:
        """Return the leaves below a part of the plan."""
        assert self.plan is not None
        return self.plan.find(path).leaves()


@dataclass(frozen=True)
class Design:
    """All columns, the plan that they make up, how many labels of ordinals are in order, and rules."""

    columns: tuple[ColumnDesign, ...]
    plan: Plan
    rows: int
    ordered: dict[str, int] = field(default_factory=dict)
    rules: StageOneRules = STAGE_ONE_RULES

    @property
    def counted(self) -> frozenset[str]:
        """Columns of which every value is counted."""
        return frozenset(each.column.name for each in self.columns if each.cells)


def draw_design(
    schema: Schema,
    rows: int,
    cost: Fraction,
    definition: Definition,
    name: str,
    asked: Sequence[Question],
    rules: StageOneRules = STAGE_ONE_RULES,
) -> Design:
    """Return the design of stage one for a table (or a group) of `rows` rows that may cost `cost`."""
    core = core_of(schema)
    designs, shared = [], dict[str, dict[Question, Fraction]]()
    for question, part in share_out(asked, rows, cost, definition).items():
        shared.setdefault(question.column, {})[question] = part
    for column in core.schema.columns:
        if column.public:
            designs.append(ColumnDesign(column, None, status=core.statuses.get(column.name, "")))
        elif column.name not in core.schema.by:
            own = shared[column.name]
            if column.type == "category":
                designs.append(_category(column, own, definition))
            else:
                designs.append(_numeric(column, core, own, rows, definition))
    plan = Plan.sequence(name, [design.plan for design in designs if design.plan], note=f"{rows} rows")
    return Design(tuple(designs), plan, rows, core.ordered, rules)


def _numeric(
    column: Column, core: Core, costs: Mapping[Question, Fraction], rows: int, definition: Definition
) -> ColumnDesign:
    effects = [(question, part) for question, part in costs.items() if question.kind != "curve"]
    whole, expected = next((part, q.present) for q, part in costs.items() if q.kind == "curve")
    parts = [
        _effect(question, part, rows * _epsilon(part, definition), unit_of(definition))
        for question, part in effects
    ]
    cells = values_of(column)
    counted = not parts and histogram_fits(cells, rows * _count_epsilon(whole, definition))
    often = 1.0 if expected >= OFTEN else expected
    located = often * rows * _epsilon(whole, definition) >= TWO_STAGES
    parts.append(_curve(whole, rows, definition, located, cells if counted else 0))
    return ColumnDesign(
        column,
        Plan.sequence(column.name, parts),
        tuple(question.on for question in costs if question.kind == "slope"),
        cells=counted,
        two_sided=is_two_sided(column),
        lowest=any(question.kind == "lowest" for question in costs),
        status=core.statuses.get(column.name, ""),
    )


def _effect(question: Question, cost: Fraction, n_epsilon: float, unit: Unit) -> Plan:
    """Return the leaves of what is asked before the curve."""
    if question.kind == "scale":
        return Plan.leaf("scale", cost, "one quantile of absolute values", unit)
    if question.kind == "lowest":
        return Plan.leaf("lowest", cost, "rows that hold the lowest value", unit)
    return slope_plan(question.on, cost, n_epsilon, unit)


def _curve(cost: Fraction, rows: int, definition: Definition, located: bool, cells: int) -> Plan:
    """Return the leaves of a column's last step: its curve."""
    unit = unit_of(definition)
    if cells:
        leaf = Plan.leaf("count", cost, f"{cells} values counted", unit)
        return Plan.sequence("curve", [leaf])
    if not located:
        return Plan.sequence("curve", [Plan.leaf("draw", cost, _levels_note(rows, cost, definition), unit)])
    first, second = split(cost, [LOCATE_SHARE, 1 - LOCATE_SHARE])
    leaves = [
        Plan.leaf("locate", first, "3 quantiles, wide candidates", unit),
        Plan.leaf("draw", second, _levels_note(rows, second, definition), unit),
    ]
    return Plan.sequence("curve", leaves)


def _levels_note(rows: int, cost: Fraction, definition: Definition) -> str:
    levels = quantile_levels(rows * _epsilon(cost, definition))
    return f"{levels.size} quantiles from {levels[0]:.3g} to {levels[-1]:.3g} in one draw"


def _category(column: Column, costs: Mapping[Question, Fraction], definition: Definition) -> ColumnDesign:
    (counted,) = costs.values()
    leaf = Plan.leaf("count", counted, f"{len(column.categories)} categories", unit_of(definition))
    return ColumnDesign(column, Plan.sequence(column.name, [leaf]), cells=True)


def _epsilon(cost: Fraction, definition: Definition) -> float:
    return float(selection_epsilon(cost, definition))


def _count_epsilon(cost: Fraction, definition: Definition) -> float:
    return float(count_epsilon(cost, definition))


def values_of(column: Column) -> int:
    """Return how many values a number can have."""
    assert column.lower is not None and column.upper is not None
    return round((column.upper - column.lower) / column.lattice) + 1
