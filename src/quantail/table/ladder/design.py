"""The design of a fit: what will be asked of each column and what each question may cost.

Made from the schema, the public number of rows and the budget, before any value is read. The same object is the
budget plan that the ledger and the user see and the script that the fit follows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from quantail.curves import slope_plan
from quantail.curves.calibration import cell_levels
from quantail.curves.depth import (
    bin_number,
    cell_number,
    histogram_fits,
    rung_levels,
)
from quantail.curves.tuning import LOCATE_SHARE, TWO_STAGES, TWO_STAGES_NARROW
from quantail.privacy import Definition, Plan, geometric_strength, split, strength_of, unit_of
from quantail.privacy.budget import Unit
from quantail.schema import Column, Core, Schema, core_of
from quantail.table.column_leaves import NOTHING, ColumnLeaves
from quantail.table.ladder.rules import LADDER_RULES, LadderRules
from quantail.table.ladder.shares import (
    LOCATE_SIGNAL,
    Question,
    has_contexts,
    is_two_sided,
    questions_of,
    share_out,
)

_EFFECTS = ("scale", "lowest", "choice", "shift", "slope", "bend")
_LADDER_LEVELS = ("median", "quintiles")
_CONTEXT_SHARES = (1, 3)
NUMBER_CELLS = 4  # parts of a number's range as a context


@dataclass(frozen=True)
class ColumnDesign:
    """What is asked of one column.

    Attributes
    ----------
    column : Column
        The column.
    plan : Plan, optional
        Its part of the budget; the leaves are found by `leaves`. A public column has none.
    shifts, slopes, bends : tuple of str
        Predictors that are used, by the kind of effect.
    context : str
        For a category: the earlier column whose cells it is counted in, or "".
    bins : int
        Bins of each bend, or cells of a context.
    cells : bool
        True if the column is counted cell by cell instead of cut by quantiles.
    two_sided : bool
        True for a log grid on both sides of zero, whose scale is released first.
    lowest : bool
        True if it is asked how many rows hold the lowest value.
    calibrated : int
        Cells of the calibration, zero if there is none.
    status : str
        The category that says whether the number is there; empty if it always is.
    candidates : tuple of str
        Earlier columns from which predictors, or a context, are chosen.
    choices : int
        How many of them.
    """

    column: Column
    plan: Plan | None
    shifts: tuple[str, ...] = ()
    slopes: tuple[str, ...] = ()
    bends: tuple[str, ...] = ()
    context: str = ""
    bins: int = 0
    cells: bool = False
    two_sided: bool = False
    lowest: bool = False
    calibrated: int = 0
    status: str = ""
    candidates: tuple[str, ...] = ()
    choices: int = 0

    def leaves(self, path: str) -> tuple[Plan, ...]:
        """Return the leaves below a part of the plan."""
        assert self.plan is not None
        return self.plan.find(path).leaves()


@dataclass(frozen=True)
class Design:
    """All columns, the plan that they make up, how many labels of ordinals are in order, rules, sums of tails."""

    columns: tuple[ColumnDesign, ...]
    plan: Plan
    rows: int
    ordered: dict[str, int] = field(default_factory=dict)
    rules: LadderRules = LADDER_RULES
    tails: ColumnLeaves = NOTHING


def draw_design(
    schema: Schema,
    rows: int,
    cost: Fraction,
    definition: Definition,
    name: str = "table",
    asked: Sequence[Question] | None = None,
    rules: LadderRules = LADDER_RULES,
) -> Design:
    """Return the design for a table (or a group) of `rows` rows that may cost `cost`.

    Only what is `asked` may be asked, if it is given; categories then have no context.
    """
    core = core_of(schema)
    costs = share_out(questions_of(schema) if asked is None else asked, rows, cost, definition)
    designs, shared = [], dict[str, dict[Question, Fraction]]()
    for question, part in costs.items():
        shared.setdefault(question.column, {})[question] = part
    for column in core.schema.columns:
        if column.public:
            designs.append(ColumnDesign(column, None, status=core.statuses.get(column.name, "")))
        elif column.name not in core.schema.by:
            own = shared[column.name]
            if column.type == "category":
                first = asked is None and not has_contexts(schema)
                designs.append(_category(column, core, own, rows, definition, first))
            else:
                designs.append(_numeric(column, core, own, rows, definition))
    plan = Plan.sequence(name, [design.plan for design in designs if design.plan], note=f"{rows} rows")
    return Design(tuple(designs), plan, rows, core.ordered, rules)


def _numeric(
    column: Column, core: Core, costs: Mapping[Question, Fraction], rows: int, definition: Definition
) -> ColumnDesign:
    def names(kind: str) -> tuple[str, ...]:
        return tuple(question.on for question in costs if question.kind == kind)

    bent = [part for question, part in costs.items() if question.kind == "bend"]
    bins = min((bin_number(rows * _strength(part, definition)) for part in bent), default=0)
    effects = [(question, part) for question, part in costs.items() if question.kind in _EFFECTS]
    whole = next(part for question, part in costs.items() if question.kind == "curve")
    checked = next((part for question, part in costs.items() if question.kind == "calibration"), None)
    parts = [
        _effect(question, part, rows * _strength(part, definition), unit_of(definition), bins)
        for question, part in effects
    ]
    cells = round((_upper(column) - _lower(column)) / column.lattice) + 1
    counted = not parts and histogram_fits(cells, rows * _count_strength(whole, definition))
    if counted and checked is not None:  # counting every value leaves nothing to calibrate
        whole, checked = whole + checked, None
    explained = any(question.kind != "lowest" for question, _ in effects)
    enough = TWO_STAGES_NARROW if column.grid == "log" and explained else TWO_STAGES
    located = bins > 0 or rows * _strength(whole, definition) >= enough
    parts.append(_curve(whole, rows, definition, located, cells if counted else 0))
    number = 0
    if checked is not None:
        number = cell_number(rows * _count_strength(checked, definition))
        parts.append(
            Plan.leaf(
                "calibration",
                checked,
                f"rows counted in {cell_levels(number).size + 2} cells",
                unit_of(definition),
            )
        )
    return ColumnDesign(
        column,
        Plan.sequence(column.name, parts),
        names("shift"),
        names("slope"),
        names("bend"),
        bins=bins,
        cells=counted,
        two_sided=is_two_sided(column),
        lowest=any(question.kind == "lowest" for question in costs),
        calibrated=number,
        status=core.statuses.get(column.name, ""),
        candidates=core.predictors_of(column.name) if names("choice") else (),
        choices=len(names("choice")),
    )


def _effect(question: Question, cost: Fraction, signal: float, unit: Unit, bins: int) -> Plan:
    """Return the leaves of a slope, a shift or a bend."""
    if question.kind == "scale":
        return Plan.leaf("scale", cost, "one quantile of absolute values", unit)
    if question.kind == "lowest":
        return Plan.leaf("lowest", cost, "rows that hold the lowest value", unit)
    if question.kind == "choice":
        return _choice(question, cost, unit)
    if question.kind == "slope":
        return slope_plan(question.on, cost, signal, unit)
    shares: tuple[float, ...]
    words: tuple[str, ...]
    if question.kind == "shift":
        first = min(LOCATE_SIGNAL / signal, 1 / 3)
        shares, note = (first, (1 - first) / 2, (1 - first) / 2), "three quantiles in every category"
        words = ("locate", *_LADDER_LEVELS)
    elif bins:
        shares, note = (1, 1), f"three quantiles in each of at most {bins} bins"
        words = _LADDER_LEVELS
    else:
        shares, note = (4, 3, 3), "two parameters"
        words = ("curvature", "median", "spread")
    parts = zip(words, split(cost, shares), strict=True)
    leaves = [Plan.leaf(word, part, "", unit) for word, part in parts]
    return Plan.sequence(f"{question.kind} on {question.on}", leaves, note)


def _choice(question: Question, cost: Fraction, unit: Unit) -> Plan:
    """Return the leaves of a chosen predictor: which one, and its effect in two steps; the first locates the column."""
    words, shares = ("pick", "effect", "refined"), (2, 3, 4)
    if question.on == "1":
        words, shares = ("locate", *words), (2, *shares)  # type: ignore[assignment]
    parts = zip(words, split(cost, shares), strict=True)
    leaves = [Plan.leaf(word, part, "", unit) for word, part in parts]
    return Plan.sequence(f"choice {question.on}", leaves, "a predictor is chosen, and its effect")


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
    levels = rung_levels(rows * _strength(cost, definition))
    return f"{levels.size} quantiles from {levels[0]:.3g} to {levels[-1]:.3g} in one draw"


def _category(
    column: Column,
    core: Core,
    costs: Mapping[Question, Fraction],
    rows: int,
    definition: Definition,
    first: bool,
) -> ColumnDesign:
    """Count a category by itself and in the cells of a context that it chooses, or in those of the first that fits."""
    counted, unit = next(part for q, part in costs.items() if q.kind == "cells"), unit_of(definition)
    chosen = next((part for q, part in costs.items() if q.kind == "context"), None)
    predictors = core.predictors_of(column.name)
    note = f"{len(column.categories)} categories"
    if chosen is not None:
        pick, joint = split(chosen, _CONTEXT_SHARES)
        leaves = [
            Plan.leaf("count", counted, note, unit),
            Plan.leaf("pick", pick, f"a context out of {len(predictors)}", unit),
            Plan.leaf(
                "joint", joint, f"{len(column.categories)} categories in the cells of the context", unit
            ),
        ]
        plan = Plan.sequence(column.name, leaves)
        return ColumnDesign(column, plan, cells=True, candidates=predictors, choices=1)
    context, bins = "", 0
    if first:
        signal = rows * _count_strength(counted, definition)
        context, bins = _context(core, predictors, signal / 20 / len(column.categories))
    note += f" in {bins} cells of {context}" if context else ""
    plan = Plan.sequence(column.name, [Plan.leaf("count", counted, note, unit)])
    return ColumnDesign(column, plan, context=context, bins=bins, cells=True)


def _context(core: Core, predictors: tuple[str, ...], most: float) -> tuple[str, int]:
    """Return the first predictor whose cells all keep a signal, and how many cells it has."""
    for name in predictors:
        column = core.schema.column(name)
        levels = len(column.categories) if column.type == "category" else NUMBER_CELLS
        if levels <= most:
            return name, levels
    return "", 0


def _strength(cost: Fraction, definition: Definition) -> float:
    return float(strength_of(cost, definition))


def _count_strength(cost: Fraction, definition: Definition) -> float:
    return float(geometric_strength(cost, definition))


def _lower(column: Column) -> float:
    assert column.lower is not None
    return column.lower


def _upper(column: Column) -> float:
    assert column.upper is not None
    return column.upper
