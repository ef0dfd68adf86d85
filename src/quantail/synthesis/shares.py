"""How a budget is shared among the questions of a fit, and which questions are not worth asking.

Each question has a least signal (rows * strength) below which its answer would drown in noise, a comfortable one
that is filled up next, and a weight for what is left then. If the budget does not reach, questions are dropped:
calibrations, bends and shifts that would have too few rows a cell, then slopes, the last predictor of the column
that has most of them first. A curve is never dropped. Only the schema, the number of rows and the budget decide
(docs/decisions/0004-shares.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from quantail.privacy import Definition, split
from quantail.quantiles.depth import cell_number, tilt_fits
from quantail.schema import Column, Schema

# kind: (least signal, comfortable signal, weight beyond). The first curve gets more because every later column
# inherits its errors.
_NEEDS = {
    "first curve": (100.0, 300.0, 2.3),
    "curve": (85.0, 160.0, 1.0),
    "slope": (45.0, 90.0, 2.5),
    "bend": (0.0, 0.0, 0.6),
    "shift": (0.0, 0.0, 0.7),
    "scale": (40.0, 60.0, 0.3),
    "cells": (20.0, 60.0, 0.6),
    "calibration": (0.0, 0.0, 1.3),
}
_COUNTS = ("cells", "calibration")
_OPTIONAL = ("calibration", "bend", "shift")  # in the order in which they are given up
_SHIFT_SIGNAL = 40.0  # per category


@dataclass(frozen=True)
class Question:
    """Something that may be asked: of which column, what kind, on which predictor."""

    column: str
    kind: str
    on: str = ""
    least: float = 0.0
    comfort: float = 0.0
    weight: float = 1.0
    parts: int = 1


def questions_of(schema: Schema) -> list[Question]:
    """List all that could be asked of a table, in the order of asking."""
    columns = [column for column in schema.columns if column.name not in schema.by]
    numbers = [column.name for column in columns if column.type != "category"]
    asked: list[Question] = []
    for column in columns:
        if column.type == "category":
            asked.append(_question(column.name, "cells"))
            continue
        predictors = schema.predictors_of(column.name)
        near = [name for name in predictors if schema.column(name).type != "category"]
        if is_two_sided(column):
            asked.append(_question(column.name, "scale"))
        for name in predictors:
            if name not in near:
                asked.append(_question(column.name, "shift", name, parts=len(schema.column(name).categories)))
        asked += [_question(column.name, "slope", name) for name in near]
        asked += [_question(column.name, "bend", name, share=len(near)) for name in near]
        asked.append(_question(column.name, "first curve" if column.name == numbers[0] else "curve"))
        asked.append(_question(column.name, "calibration"))
    return asked


def is_two_sided(column: Column) -> bool:
    """Say whether a column has a log grid on both sides of zero."""
    if column.lower is None or column.upper is None:
        return False
    return column.grid == "log" and column.lower < 0 < column.upper


def share_out(
    asked: Sequence[Question], rows: int, cost: Fraction, definition: Definition
) -> dict[Question, Fraction]:
    """Return what each question that is worth asking may cost; the parts add up to `cost` exactly."""
    least = _least_cost(rows, definition)
    asked = list(asked)
    while True:
        floors = [least(question.least) for question in asked]
        rest = float(cost) - sum(floors)
        if rest < 0:
            dropped = _next_to_drop(asked)
            if dropped is None:  # only curves are left: let them share what there is
                return dict(zip(asked, split(cost, floors), strict=True))
            asked.remove(dropped)
            continue
        wanted = _wanted(asked, floors, [least(question.comfort) for question in asked], rest)
        weak = [
            question
            for question, part in zip(asked, wanted, strict=True)
            if not _worth(question, rows * _strength(part, question, definition))
        ]
        if not weak:
            return dict(zip(asked, split(cost, wanted), strict=True))
        # One kind at a time: what the first kind leaves may be enough for the next.
        kind = next(kind for kind in _OPTIONAL if any(question.kind == kind for question in weak))
        asked = [question for question in asked if question not in weak or question.kind != kind]


def _wanted(
    asked: Sequence[Question], floors: Sequence[float], comforts: Sequence[float], rest: float
) -> list[float]:
    """Return costs: the least, then as much comfort as there is, then the rest by weight."""
    missing = [comfort - floor for comfort, floor in zip(comforts, floors, strict=True)]
    filled = min(1.0, rest / sum(missing)) if sum(missing) > 0 else 1.0
    beyond = max(rest - sum(missing), 0.0) / sum(question.weight for question in asked)
    return [
        floor + filled * gap + beyond * question.weight
        for floor, gap, question in zip(floors, missing, asked, strict=True)
    ]


def _question(column: str, kind: str, on: str = "", parts: int = 1, share: int = 1) -> Question:
    least, comfort, weight = _NEEDS[kind]
    name = "curve" if kind == "first curve" else kind
    return Question(column, name, on, least, comfort, weight / share, parts)


def _least_cost(rows: int, definition: Definition) -> Callable[[float], float]:
    """Return the function from a signal to what it costs."""
    if definition == "pure":
        return lambda signal: signal / rows
    return lambda signal: (signal / rows) ** 2 / 8


def _strength(cost: float, question: Question, definition: Definition) -> float:
    """Return the strength that a cost buys (see `privacy.gate`): under zCDP a count gets half of a selection's."""
    if definition == "pure":
        return cost
    return float(((2 if question.kind in _COUNTS else 8) * cost) ** 0.5)


def _worth(question: Question, signal: float) -> bool:
    if question.kind == "bend":
        return tilt_fits(signal)
    if question.kind == "shift":
        return question.parts * _SHIFT_SIGNAL <= signal
    if question.kind == "calibration":
        return cell_number(signal) > 0
    return True


def _next_to_drop(asked: Sequence[Question]) -> Question | None:
    for kind in _OPTIONAL:
        for question in reversed(asked):
            if question.kind == kind:
                return question
    slopes = [question for question in asked if question.kind == "slope"]
    if not slopes:
        return None
    count = {name: sum(q.column == name for q in slopes) for name in {q.column for q in slopes}}
    most = max(count.values())
    return [question for question in slopes if count[question.column] == most][-1]
