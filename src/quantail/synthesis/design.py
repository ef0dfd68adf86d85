"""The design of a fit: what will be asked of each column and what each question may cost.

Made from the schema, the public number of rows and the budget, before any value is read. The same object is the
budget plan that the ledger and the user see and the script that the fit follows.

Weights say how the budget is shared; only their ratios matter. The first numeric column weighs more because
everything after it inherits its errors, and a slope weighs more than a later curve because a wrong slope shows in
every joint measure (docs/decisions/0004-shares.md).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quantail.privacy import Definition, Plan, split, strength_of
from quantail.privacy.budget import Unit
from quantail.quantiles.depth import (
    COARSE_SHARE,
    LEAST_SLOPE_SIGNAL,
    LOCATE_SHARE,
    TWO_SLOPE_STAGES,
    TWO_STAGES,
    bin_number,
    histogram_fits,
    rung_levels,
)
from quantail.schema import Column, Schema

FIRST_CURVE, LATER_CURVE, SLOPE, BENDS, SHIFT, CATEGORY, SCALE, ROWS = 2.5, 1.2, 1.6, 0.8, 0.5, 0.6, 0.4, 0.1
_LADDER_LEVELS = ("median", "quintiles")


@dataclass(frozen=True)
class Question:
    """One weighted part of a column's budget: what it is, on which predictor, and in how many leaves."""

    kind: str
    on: str
    weight: float


Asked = dict[str, list[Question]]


@dataclass(frozen=True)
class ColumnDesign:
    """What is asked of one column.

    Attributes
    ----------
    column : Column
        The column.
    plan : Plan
        Its part of the budget; the leaves are found by `leaf`.
    shifts, slopes, bends : tuple of str
        Predictors that are used, by the kind of effect.
    context : str
        For a category: the earlier column whose cells it is counted in, or "".
    bins : int
        Bins of each bend, or of a numeric context.
    cells : bool
        True if the column is counted cell by cell instead of cut by quantiles.
    two_sided : bool
        True for a log grid on both sides of zero, whose scale is released first.
    """

    column: Column
    plan: Plan
    shifts: tuple[str, ...] = ()
    slopes: tuple[str, ...] = ()
    bends: tuple[str, ...] = ()
    context: str = ""
    bins: int = 0
    cells: bool = False
    two_sided: bool = False

    def leaves(self, path: str) -> tuple[Plan, ...]:
        """Return the leaves below a part of the plan."""
        return self.plan.find(path).leaves()


@dataclass(frozen=True)
class Design:
    """The designs of all columns, with the plan that they make up."""

    columns: tuple[ColumnDesign, ...]
    plan: Plan
    rows: int


def draw_design(
    schema: Schema, rows: int, cost: Fraction, definition: Definition, name: str = "table"
) -> Design:
    """Return the design for a table (or a group) of `rows` rows that may cost `cost`."""
    columns = [column for column in schema.columns if column.name not in schema.by]
    asked = {column.name: _questions(column, schema) for column in columns}
    while (dropped := _weakest(asked, rows, cost, definition)) is not None:
        asked = dropped
    costs = split(cost, [sum(question.weight for question in asked[column.name]) for column in columns])
    designs = tuple(
        _column(column, schema, asked[column.name], part, rows, definition)
        for column, part in zip(columns, costs, strict=True)
    )
    return Design(
        designs, Plan.sequence(name, [design.plan for design in designs], note=f"{rows} rows"), rows
    )


def _weakest(asked: Asked, rows: int, cost: Fraction, definition: Definition) -> Asked | None:
    """Return the questions without those that would drown in noise, or None if all carry a signal.

    Bends go first, all at once; then slopes, the last predictor of the column that has most of them, one at a time.
    """
    total = sum(question.weight for parts in asked.values() for question in parts)

    def signal(question: Question) -> float:
        return rows * _strength(cost * Fraction(question.weight / total), definition)

    every = [question for parts in asked.values() for question in parts]
    bends = [question for question in every if question.kind == "bend"]
    if bends and not any(bin_number(signal(question)) for question in bends):
        return {name: [q for q in parts if q.kind != "bend"] for name, parts in asked.items()}
    slopes = [question for question in every if question.kind == "slope"]
    if slopes and signal(slopes[0]) < LEAST_SLOPE_SIGNAL:
        crowded = max(asked, key=lambda name: sum(q.kind == "slope" for q in asked[name]))
        last = [q for q in asked[crowded] if q.kind == "slope"][-1]
        return asked | {crowded: [q for q in asked[crowded] if q is not last]}
    return None


def _questions(column: Column, schema: Schema) -> list[Question]:
    """List what could be asked of a column, with weights."""
    if column.type == "category":
        return [Question("cells", "", CATEGORY)]
    predictors = schema.predictors_of(column.name)
    categories = [name for name in predictors if schema.column(name).type == "category"]
    numbers = [name for name in predictors if schema.column(name).type != "category"]
    parts = [Question("shift", name, SHIFT) for name in categories]
    parts += [Question("slope", name, SLOPE) for name in numbers]
    parts += [Question("bend", name, BENDS / len(numbers)) for name in numbers]
    if _two_sided(column):
        parts.append(Question("scale", "", SCALE))
    first = next(other.name for other in schema.columns if other.type != "category")
    return [*parts, Question("curve", "", FIRST_CURVE if column.name == first else LATER_CURVE)]


def _column(
    column: Column,
    schema: Schema,
    asked: list[Question],
    cost: Fraction,
    rows: int,
    definition: Definition,
) -> ColumnDesign:
    if column.type == "category":
        return _category(column, schema, cost, rows, definition)
    costs = dict(zip(asked, split(cost, [question.weight for question in asked]), strict=True))
    unit = _unit(definition)
    used: dict[str, list[str]] = {"scale": [], "shift": [], "slope": [], "bend": []}
    parts: list[Plan] = []
    bins = bin_number(
        rows * min((_strength(c, definition) for q, c in costs.items() if q.kind == "bend"), default=0)
    )
    left = Fraction(0)  # what a question that is not worth asking leaves to the curve
    for question, part in costs.items():
        if question.kind == "curve":
            continue
        strength = rows * _strength(part, definition)
        if question.kind == "shift":
            levels = len(schema.column(question.on).categories)
            worth = bin_number(strength) > 0 and levels <= strength / 40
        else:
            worth = question.kind != "bend" or bins > 0
        if not worth:
            left += part
            continue
        used[question.kind].append(question.on)
        parts.append(_effect(question, part, strength, unit, bins))
    whole = costs[asked[-1]] + left
    cells = round((_upper(column) - _lower(column)) / column.lattice) + 1
    counted = not parts and histogram_fits(cells, rows * _strength(whole, definition))
    parts.append(_curve(whole, rows, definition, bool(used["bend"]), cells if counted else 0))
    return ColumnDesign(
        column,
        Plan.sequence(column.name, parts),
        tuple(used["shift"]),
        tuple(used["slope"]),
        tuple(used["bend"]),
        bins=bins,
        cells=counted,
        two_sided=_two_sided(column),
    )


def _effect(question: Question, cost: Fraction, signal: float, unit: Unit, bins: int) -> Plan:
    """Return the leaves of a slope, a shift or a bend."""
    if question.kind == "scale":
        return Plan.leaf("scale", cost, "3 quantiles, to tell small from large", unit)
    name = f"{question.kind} on {question.on}"
    if question.kind == "slope":
        if signal < TWO_SLOPE_STAGES:
            return Plan.leaf(name, cost, "one selection", unit)
        coarse, fine = split(cost, [COARSE_SHARE, 1 - COARSE_SHARE])
        stages = [Plan.leaf("coarse", coarse, "", unit), Plan.leaf("fine", fine, "", unit)]
        return Plan.sequence(name, stages, "coarse, then fine")
    if question.kind == "shift":
        first, *levels = split(cost, [1, 1, 1])
        leaves = [Plan.leaf("locate", first, "", unit)]
        note = "three quantiles in every category"
    else:
        levels, leaves = list(split(cost, [1, 1])), []
        note = f"three quantiles in each of {bins} bins"
    leaves += [Plan.leaf(word, part, "", unit) for word, part in zip(_LADDER_LEVELS, levels, strict=True)]
    return Plan.sequence(name, leaves, note)


def _curve(cost: Fraction, rows: int, definition: Definition, located: bool, cells: int) -> Plan:
    """Return the leaves of a column's last step: its curve."""
    unit = _unit(definition)
    if cells:
        leaf = Plan.leaf("count", cost, f"{cells} values counted", unit)
        return Plan.sequence("curve", [leaf])
    if not located and rows * _strength(cost, definition) < TWO_STAGES:
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
    column: Column, schema: Schema, cost: Fraction, rows: int, definition: Definition
) -> ColumnDesign:
    """Count a category within the cells of one earlier column: the first whose cells all keep a signal."""
    cells = len(column.categories)
    signal = rows * _strength(cost, definition)
    context, bins = "", 0
    for name in schema.predictors_of(column.name):
        earlier = schema.column(name)
        levels = len(earlier.categories) if earlier.type == "category" else 4
        if cells * levels <= signal / 20:
            context, bins = name, levels
            break
    note = f"{cells} categories" + (f" in {bins} cells of {context}" if context else "")
    leaf = Plan.leaf("count", cost, note, _unit(definition))
    return ColumnDesign(column, Plan.sequence(column.name, [leaf]), context=context, bins=bins, cells=True)


def _two_sided(column: Column) -> bool:
    return column.grid == "log" and _lower(column) < 0 < _upper(column)


def _strength(cost: Fraction, definition: Definition) -> float:
    return float(strength_of(cost, definition))


def _unit(definition: Definition) -> Unit:
    return "epsilon" if definition == "pure" else "rho"


def _lower(column: Column) -> float:
    assert column.lower is not None
    return column.lower


def _upper(column: Column) -> float:
    assert column.upper is not None
    return column.upper


def even_levels(bins: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the levels that cut a distribution into equal parts, ends left out."""
    return np.asarray([k / bins for k in range(1, bins)])
