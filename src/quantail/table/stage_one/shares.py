"""How a budget is shared among the questions of stage one, and which questions are not worth asking.

Each question has a least n epsilon (rows times the epsilon of its query) below which its answer would drown in noise,
a steady one at which it hardly ever runs away, a comfortable one and an ample one; they are filled up in this order.
If the budget does not reach for the least, slopes are dropped, the last predictor of the column that has most of them
first; a curve is never dropped. What is left then is shared by weight. Only the schema, the number of rows and the
budget decide (docs/decisions/0004-shares.md).

In a wide table (more than `WIDE` columns) a number that declares no predictors has slopes on the log-scaled numbers
right before it alone, if it is one itself: tables of counts find what else it depends on.
"""

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from quantail.errors import SchemaError
from quantail.privacy import Definition, split
from quantail.schema import Column, Schema, core_of
from quantail.table.stage_one.tuning import (
    AMPLE_PER_LABEL,
    COMFORT_OF_MORE,
    COMFORT_OF_TWO,
    COMFORT_PER_LABEL,
    FEW_LABELS,
    LEAST_AMPLE,
    LEAST_OF_ONE,
    MOST_DOWNSTREAM,
    MOST_PREDICTORS,
    NEAREST,
    NEEDS,
    WIDE,
)
from quantail.table.tail_plan import expected_present
from quantail.table.tuning import FEW_VALUES, OFTEN

_COUNTS = ("cells", "lowest")


@dataclass(frozen=True, slots=True)
class Question:
    """Something that may be asked: of which column, what kind, on which predictor, of how many of the rows."""

    column: str
    kind: str
    on: str = ""
    least: float = 0.0
    steady: float = 0.0
    comfort: float = 0.0
    ample: float = 0.0
    weight: float = 1.0
    present: float = 1.0


def questions_of(schema: Schema) -> list[Question]:
    """List all that could be asked of a table, in the order of asking."""
    core, by_labels = core_of(schema), counts_by_labels(schema)
    present = {column.name: expected_present(schema, column.name) for column in core.schema.columns}
    schema = core.schema
    columns = [column for column in schema.columns if column.name not in schema.by and not column.public]
    _check_predictors(schema, columns)
    wide = is_wide(schema)
    numbers = [column.name for column in columns if column.type != "category"]
    asked: list[Question] = []
    for column in columns:
        if column.type == "category":
            asked.append(_cells(column, by_labels))
            continue
        near = [name for name in core.predictors_of(column.name) if schema.column(name).type != "category"]
        if wide and column.predictors is None:
            near = _heavy_before(schema, column, near)
        if is_two_sided(column):
            asked.append(_question(column.name, "scale"))
        if may_heap(column):
            asked.append(_question(column.name, "lowest"))
        asked += [_question(column.name, "slope", name, share=len(near)) for name in near]
        curve = _question(column.name, "first curve" if column.name == numbers[0] else "curve")
        asked.append(replace(curve, present=present[column.name]))
    return asked


def _heavy_before(schema: Schema, column: Column, numbers: Sequence[str]) -> list[str]:
    """Return the log-scaled numbers right before one that is: sizes follow sizes, in their tails above all."""
    if column.grid != "log" or is_two_sided(column):
        return []
    return [name for name in numbers if schema.column(name).grid == "log"][-NEAREST:]


def is_wide(core: Schema) -> bool:
    """Say whether a table of plain columns is so wide that slopes on all earlier numbers are too many."""
    return len(core.columns) - len(core.by) > WIDE


def counts_by_labels(schema: Schema) -> bool:
    """Say whether counts of categories need more n epsilon the more labels there are: in wide and in rich tables."""
    core = core_of(schema).schema
    return core != schema or is_wide(core)


def is_two_sided(column: Column) -> bool:
    """Say whether a column has a log grid on both sides of zero."""
    if column.lower is None or column.upper is None:
        return False
    return column.grid == "log" and column.lower < 0 < column.upper


def may_heap(column: Column) -> bool:
    """Say whether many rows may hold the lowest of a column's values unnoticed: where values are not counted."""
    if column.lower is None or column.upper is None or is_two_sided(column):
        return False
    return (column.upper - column.lower) / column.lattice > FEW_VALUES


def share_out(
    asked: Sequence[Question], rows: int, cost: Fraction, definition: Definition
) -> dict[Question, Fraction]:
    """Return what each question that is worth asking may cost; the parts add up to `cost` exactly."""
    kept = list(asked)
    curves = sum(question.kind == "curve" for question in kept)
    downstream = min(max(curves - 1, 1) ** 0.5, MOST_DOWNSTREAM)
    price = _prices(rows, definition)
    total = math.fsum(price(question, question.least) for question in kept)
    dropped: set[Question] = set()
    for question in _droppable(kept):  # when only curves are left, they share what there is
        if total <= float(cost):
            break
        total -= price(question, question.least)
        dropped.add(question)
    kept = [question for question in kept if question not in dropped]
    parts = {question: price(question, question.least) for question in kept}
    _fill(parts, {question: price(question, question.steady) for question in kept}, float(cost))
    _fill(parts, {question: price(question, question.comfort) for question in kept}, float(cost))
    rest = _fill(
        parts, {question: price(question, downstream * question.ample) for question in kept}, float(cost)
    )
    total = sum(question.weight for question in parts)
    wanted = [(q, parts[q] + max(rest, 0.0) * q.weight / total) for q in asked if q in parts]
    return dict(zip((q for q, _ in wanted), split(cost, [part for _, part in wanted]), strict=True))


def needed_costs(asked: Sequence[Question], rows: int, definition: Definition) -> tuple[float, float]:
    """Return what questions cost together with a comfortable, and with an ample n epsilon."""
    price = _prices(rows, definition)
    comfortable = math.fsum(price(question, question.comfort) for question in asked)
    return comfortable, math.fsum(price(question, question.ample) for question in asked)


def _fill(parts: dict[Question, float], goals: dict[Question, float], cost: float) -> float:
    """Raise parts towards their goals as far as the budget goes, all alike; return what is left."""
    rest = cost - sum(parts.values())
    missing = {question: max(goal - parts[question], 0.0) for question, goal in goals.items()}
    needed = sum(missing.values())
    filled = min(1.0, max(rest, 0.0) / needed) if needed > 0 else 0.0
    for question, gap in missing.items():
        parts[question] += filled * gap
    return cost - sum(parts.values())


def _question(column: str, kind: str, on: str = "", share: int = 1) -> Question:
    least, steady, comfort, ample, weight = NEEDS[kind]
    name = "curve" if kind == "first curve" else kind
    return Question(column, name, on, least, steady, comfort, ample / share, weight / share)


def _cells(column: Column, by_labels: bool) -> Question:
    """Return the question that counts labels; a long list takes a larger n epsilon to be as near to the truth."""
    question = _question(column.name, "cells")
    if not by_labels:
        return question
    few = min(len(column.categories), FEW_LABELS)
    least = LEAST_OF_ONE * len(column.categories) ** 0.5
    comfort, ample = (
        first * few + further * (len(column.categories) - few)
        for first, further in (COMFORT_PER_LABEL, AMPLE_PER_LABEL)
    )
    least_comfort = COMFORT_OF_TWO if len(column.categories) == 2 else COMFORT_OF_MORE
    return replace(
        question,
        least=least,
        steady=least,
        comfort=max(least_comfort, comfort),
        ample=max(LEAST_AMPLE, ample),
    )


def _prices(rows: int, definition: Definition) -> Callable[[Question, float], float]:
    """Return the function from a question and its n epsilon to what it costs: under zCDP a count costs more.

    Up to a steady n epsilon a number that few rows have is paid as if more had it, so that it starves no other.
    """

    def price(question: Question, n_epsilon: float) -> float:
        present = question.present if n_epsilon > question.steady else max(question.present, OFTEN)
        epsilon = n_epsilon / (rows * present)
        if definition == "pure":
            return epsilon
        return epsilon**2 / (2 if question.kind in _COUNTS else 8)

    return price


def _droppable(asked: Sequence[Question]) -> Iterator[Question]:
    """Yield slopes in the order of dropping: the last of the column that has most, of the last such column."""
    slopes: dict[str, list[Question]] = {}
    for question in asked:
        if question.kind == "slope":
            slopes.setdefault(question.column, []).append(question)
    columns = [(-len(own), -place, own) for place, own in enumerate(slopes.values())]
    heapq.heapify(columns)
    while columns:
        left, place, own = columns[0]
        yield own.pop()
        if own:
            heapq.heapreplace(columns, (left + 1, place, own))
        else:
            heapq.heappop(columns)


def _check_predictors(schema: Schema, columns: Sequence[Column]) -> None:
    links = sum(
        place if column.predictors is None else len(column.predictors) for place, column in enumerate(columns)
    )
    if links > MOST_PREDICTORS:
        raise SchemaError(
            f"the columns have more than {MOST_PREDICTORS} predictors in all; list the few that matter for "
            "each column, predictors = [...], or none, predictors = []"
        )
