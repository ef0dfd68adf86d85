"""The design of a fit in two stages: what stage one asks of every column, and how many rounds follow.

Made from the schema, the public number of rows and the budget, before any value is read. Stage one gets what its
questions need for a comfortable n epsilon in any case, and up to half of the budget for an ample one; rounds get the
rest, if it is worth a round at all.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from quantail.privacy import Definition, Plan, count_epsilon, split
from quantail.schema import Schema, core_of
from quantail.table.column_leaves import NOTHING, ColumnLeaves
from quantail.table.heaps import plan_heaps
from quantail.table.round_plan import RoundPlan
from quantail.table.stage_one.design import Design, draw_design
from quantail.table.stage_one.rules import TablesSettings
from quantail.table.stage_one.shares import Question, is_wide, needed_costs, questions_of
from quantail.table.tail_plan import plan_tails
from quantail.table.tuning import (
    ALONE,
    COMFORT,
    COMFORT_WITH_LABELS,
    FEW_CELLS,
    LOWEST_SHARE,
    MOST_ROUND_NOISE,
    NOISE_WITH_LABELS,
    OFTEN,
    ROUND_NOISE,
    ROUND_NOISE_OF_FEW,
    SLOPE_AMPLE,
    STAGE_ONE_LEAST,
    STAGE_ONE_MOST,
    WIDE_SLOPES,
)
from quantail.table.value_counts import counts_every_value, plan_values


@dataclass(frozen=True)
class TablesDesign:
    """The design of both stages, with the plan that they make up.

    Attributes
    ----------
    columns : Design
        Stage one: every column by itself, and slopes on numbers.
    rounds : tuple of Plan
        Stage two: for every round the leaves "choose" and "count".
    explained : tuple of frozenset of int
        For every field, the places of the earlier ones that may explain it.
    schema : Schema
        Its rules are structural zeros.
    """

    columns: Design
    rounds: tuple[Plan, ...]
    explained: tuple[frozenset[int], ...]
    plan: Plan
    rows: int
    schema: Schema
    tails: ColumnLeaves = NOTHING
    heaps: ColumnLeaves = NOTHING
    values: ColumnLeaves = NOTHING


def draw_tables_design(
    settings: TablesSettings, schema: Schema, rows: int, cost: Fraction, definition: Definition, name: str
) -> TablesDesign:
    """Return the design for a table (or a group) of `rows` rows that may cost `cost`."""
    alone = _without_dear_slopes(questions_of(schema), schema, rows, cost, definition)
    alone = _without_dear_lowest(alone, schema, rows, cost, definition)
    asked = [_before_tables(question, rows, cost, definition) for question in alone]
    explained = _explained(schema)
    spare = _spare(asked, rows, cost, definition) if any(explained) else cost
    tails = plan_tails(schema, rows, spare, definition) if spare else NOTHING
    heaps = plan_heaps(schema, rows, cost, definition)
    cost -= tails.cost
    plan_of_rounds = RoundPlan(len(explained), rows, definition, schema.neighbours)

    def both(cost: Fraction) -> tuple[Design, tuple[Plan, ...]]:
        first, number = _stages(asked, plan_of_rounds, any(explained), cost, schema)
        columns = draw_design(
            schema, rows, first, definition, name, asked if number else alone, settings.rules
        )
        return columns, plan_of_rounds.plans(number, cost - first) if number else ()

    columns, rounds = both(cost - heaps.cost)
    values = plan_values(schema, columns.counted, rows, spare, definition, heaps.leaves)
    heaps = heaps.without(_counted(schema, values))
    if values.leaves:
        columns, rounds = both(cost - heaps.cost - values.cost)
    plan = columns.plan
    if rounds:
        stages = [Plan.sequence("columns", columns.plan.children), Plan.sequence("rounds", rounds)]
        plan = Plan.sequence(name, stages, note=columns.plan.note)
    for part in (tails, values, heaps):
        plan = part.joined(plan)
    return TablesDesign(columns, rounds, explained, plan, rows, schema, tails, heaps, values)


def _counted(schema: Schema, values: ColumnLeaves) -> set[str]:
    """Return the numbers of which every value is counted, which tells of round figures as well."""
    columns = core_of(schema).schema.columns
    return {c.name for c in columns if c.name in values.leaves and counts_every_value(c)}


def _without_dear_slopes(
    asked: list[Question], schema: Schema, rows: int, cost: Fraction, definition: Definition
) -> list[Question]:
    """Leave out the slopes that nobody declared, in a wide table, where they would take too much from the rounds."""
    core = core_of(schema).schema
    undeclared = {column.name for column in core.columns if column.predictors is None and is_wide(core)}
    slopes = [question for question in asked if question.kind == "slope" and question.column in undeclared]
    comfortable, _ = needed_costs(slopes, rows, definition)
    dear = COMFORT * comfortable > WIDE_SLOPES * float(cost)
    return [question for question in asked if question not in slopes] if dear else asked


def _without_dear_lowest(
    asked: list[Question], schema: Schema, rows: int, cost: Fraction, definition: Definition
) -> list[Question]:
    """Ask for rows at the lowest value only where they may ruin a column, on a log scale, if n epsilon is short."""
    comfortable, _ = needed_costs(asked, rows, definition)
    if comfortable <= cost:
        return asked
    linear = {column.name for column in core_of(schema).schema.columns if column.grid != "log"}
    return [question for question in asked if question.kind != "lowest" or question.column not in linear]


def _spare(asked: list[Question], rows: int, cost: Fraction, definition: Definition) -> Fraction:
    """Return what stage one leaves; sums of tails are paid from it, so that they starve no round."""
    comfortable, _ = needed_costs(asked, rows, definition)
    return cost * Fraction(str(max(round(1 - COMFORT * comfortable / float(cost), 3), 0.0)))


def _before_tables(question: Question, rows: int, cost: Fraction, definition: Definition) -> Question:
    """Return a question of stage one as it is asked before tables.

    Slopes need a smaller n epsilon than alone; no table mends a heap of zeros that was not noticed.
    """
    if question.kind == "slope":
        return replace(question, ample=max(question.comfort, min(question.ample, SLOPE_AMPLE)))
    if question.kind != "lowest":
        return question
    n_epsilon = rows * float(count_epsilon(LOWEST_SHARE * cost, definition))
    return replace(question, ample=max(question.ample, n_epsilon))


def _stages(
    asked: list[Question], rounds: RoundPlan, explained: bool, cost: Fraction, schema: Schema
) -> tuple[Fraction, int]:
    """Return what stage one may cost, and how many rounds share the rest.

    Slopes between numbers show the most of what relates them. Labels have none, and without rounds all that they move
    is lost: before they have none, rounds may take more, and be noisier.
    """
    if not explained and all(question.kind == "cells" for question in asked):
        return cost, 0
    often = [replace(question, present=max(question.present, OFTEN)) for question in asked]
    comfortable, ample = (
        needed / float(cost) for needed in needed_costs(often, rounds.rows, rounds.definition)
    )
    limits = [(COMFORT, MOST_ROUND_NOISE)]
    if _has_labels(schema):
        limits.append((COMFORT_WITH_LABELS, NOISE_WITH_LABELS))
    for comfort, noise in limits:
        needed = max(comfort * comfortable, min(ample, STAGE_ONE_MOST)) if explained else ALONE * ample
        share = round(max(STAGE_ONE_LEAST, needed), 3)
        if share < 1:
            first, rest = split(cost, [share, 1 - share])
            number = rounds.number(rest, _wanted_noise(schema), noise)
            if number:
                return first, number
    return cost, 0


def _has_labels(schema: Schema) -> bool:
    """Say whether a table has labels beside its groups: categories, or statuses of numbers."""
    core = core_of(schema).schema
    return any(column.type == "category" and column.name not in core.by for column in core.columns)


def _wanted_noise(schema: Schema) -> float:
    """Return the wanted noise of a count: numbers and lists of labels have small cells, which want more exact ones."""
    core = core_of(schema).schema
    few = all(column.type == "category" and len(column.categories) <= FEW_CELLS for column in core.columns)
    return ROUND_NOISE_OF_FEW if few else ROUND_NOISE


def _explained(schema: Schema) -> tuple[frozenset[int], ...]:
    """Return, for every field, the places of earlier fields that it may depend on."""
    core = core_of(schema)
    statuses = set(core.statuses.values())
    fields = [c for c in core.schema.columns if c.name not in core.schema.by and c.name not in statuses]
    places = {column.name: place for place, column in enumerate(fields)}
    found = []
    for column in fields:
        if column.public:
            found.append(frozenset[int]())
            continue
        earlier = core.predictors_of(column.name)
        found.append(frozenset(places[name] for name in earlier if name in places))
    return tuple(found)
