"""The design of a fit: what will be asked of each column and what each question may cost.

Made from the schema, the public number of rows and the budget, before any value is read. The same object is the
budget plan that the ledger and the user see and the script that the fit follows.

Weights say how the budget is shared; only their ratios matter. The first numeric column weighs more because
everything after it inherits its errors, and a slope weighs more than a later curve because a wrong slope shows in
every joint measure (docs/decisions/0004-shares.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quantail.privacy import Definition, Plan, split, strength_of
from quantail.privacy.budget import Unit
from quantail.quantiles.depth import (
    COARSE_SHARE,
    LOCATE_SHARE,
    TWO_SLOPE_STAGES,
    TWO_STAGES,
    bin_number,
    histogram_fits,
    rung_levels,
)
from quantail.schema import Column, Schema

FIRST_CURVE, LATER_CURVE, SLOPE, BENDS, SHIFT, CATEGORY, ROWS = 2.5, 1.2, 1.6, 0.8, 0.5, 0.6, 0.1
_LADDER_LEVELS = ("median", "quintiles")


@dataclass(frozen=True)
class Question:
    """One weighted part of a column's budget: what it is, on which predictor, and in how many leaves."""

    kind: str
    on: str
    weight: float


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
    """

    column: Column
    plan: Plan
    shifts: tuple[str, ...] = ()
    slopes: tuple[str, ...] = ()
    bends: tuple[str, ...] = ()
    context: str = ""
    bins: int = 0
    cells: bool = False

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
    asked = {column.name: _questions(column, schema, bends=True) for column in columns}
    total = _total(asked)

    def signal(weight: float) -> float:
        share = cost * Fraction(weight / total).limit_denominator(10**6)
        return rows * float(strength_of(share, definition))

    bends = {question.on for parts in asked.values() for question in parts if question.kind == "bend"}
    if bends and not any(_bins(asked, column.name, signal) for column in columns):
        asked = {column.name: _questions(column, schema, bends=False) for column in columns}
        total = _total(asked)
    costs = split(cost, [sum(question.weight for question in asked[column.name]) for column in columns])
    designs = tuple(
        _column(column, schema, asked[column.name], part, rows, definition, signal)
        for column, part in zip(columns, costs, strict=True)
    )
    return Design(
        designs, Plan.sequence(name, [design.plan for design in designs], note=f"{rows} rows"), rows
    )


def _total(asked: dict[str, list[Question]]) -> float:
    return sum(question.weight for parts in asked.values() for question in parts)


def _bins(asked: dict[str, list[Question]], name: str, signal: Callable[[float], float]) -> int:
    weights = [question.weight for question in asked[name] if question.kind == "bend"]
    return bin_number(signal(min(weights))) if weights else 0


def _questions(column: Column, schema: Schema, bends: bool) -> list[Question]:
    """List what could be asked of a column, with weights."""
    if column.type == "category":
        return [Question("cells", "", CATEGORY)]
    predictors = schema.predictors_of(column.name)
    categories = [name for name in predictors if schema.column(name).type == "category"]
    numbers = [name for name in predictors if schema.column(name).type != "category"]
    parts = [Question("shift", name, SHIFT) for name in categories]
    parts += [Question("slope", name, SLOPE) for name in numbers]
    if bends:
        parts += [Question("bend", name, BENDS / len(numbers)) for name in numbers]
    first = next(other.name for other in schema.columns if other.type != "category")
    return [*parts, Question("curve", "", FIRST_CURVE if column.name == first else LATER_CURVE)]


def _column(
    column: Column,
    schema: Schema,
    asked: list[Question],
    cost: Fraction,
    rows: int,
    definition: Definition,
    signal: Callable[[float], float],
) -> ColumnDesign:
    if column.type == "category":
        return _category(column, schema, cost, definition, signal(CATEGORY))
    costs = dict(zip(asked, split(cost, [question.weight for question in asked]), strict=True))
    unit = _unit(definition)
    used: dict[str, list[str]] = {"shift": [], "slope": [], "bend": []}
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
            worth = question.kind == "slope" or bins > 0
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
    )


def _effect(question: Question, cost: Fraction, signal: float, unit: Unit, bins: int) -> Plan:
    """Return the leaves of a slope, a shift or a bend."""
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
    column: Column, schema: Schema, cost: Fraction, definition: Definition, signal: float
) -> ColumnDesign:
    """Count a category within the cells of one earlier column: the first whose cells all keep a signal."""
    cells = len(column.categories)
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
