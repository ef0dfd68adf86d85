"""How much a relation may be other than a line with an even spread: two reruns start from tables in which it is.

The model relates numbers by lines. Where no counts tell otherwise its relations are straight and their spreads even,
so reruns that start from it never see what the mechanism loses of a bend. With f the line of a regression's response y
through the model's own rows, z its distance from the middle in deviations, and r = y - f, one rerun each starts from

    bend    y -> f at sign(z) |z|^a, + r        a = exp(`BEND`)
    fan     y -> f + r exp(c sign(z) log(1 + |z|))        c = `FAN`

and its error is the distance from what the model says with the same change. What the mechanism can tell of a bend it
finds again, and the error is as small as that of the others; what it cannot tell is the doubt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri

from quantail.arrays import Columns, Flags, Floats
from quantail.evaluation import Regression
from quantail.evaluation.reading import is_missing, is_numeric
from quantail.inference.estimand import Estimand
from quantail.inference.interval import Corrected
from quantail.inference.tail_doubt import changed_column, on_lattice, tied
from quantail.schema import Column, Schema

Change = Literal["bend", "fan"]
CHANGES: tuple[Change, ...] = ("bend", "fan")

BEND, FAN = 0.15, 0.5
"""One deviation of what relations may be: powers of .86 to 1.16, spreads that grow by half where the line doubles its
distance from the middle (docs/decisions/0012-inference.md)."""


@dataclass(frozen=True, eq=False)
class Relation:
    """The line of a response on numbers, on the scales that the schema gives them.

    Attributes
    ----------
    response : Column
    on : tuple of Column
        Numbers that explain it.
    line : array
        Intercept and slopes.
    middle, spread : float
        Mean and standard deviation of the line's values.
    """

    response: Column
    on: tuple[Column, ...]
    line: Floats
    middle: float
    spread: float

    @classmethod
    def of(cls, response: Column, on: tuple[Column, ...], table: Columns) -> Relation | None:
        """Return the line through a table's rows; None if it tells nothing apart."""
        there = _plain(table, (response, *on))
        if not there.any():
            return None
        design = _design(table, on, there)
        line = np.linalg.lstsq(design, _scaled(response, table[response.name][there]), rcond=None)[0]
        values = design @ line
        spread = float(values.std())
        if not spread > 1e-9 * max(1.0, abs(float(values.mean()))):
            return None
        return cls(response, on, np.asarray(line, dtype=np.float64), float(values.mean()), spread)

    def changed(self, table: Columns, change: Change) -> NDArray[Any]:
        """Return the response with another relation; rows without a plain number in every column stay as they are."""
        there = _plain(table, (self.response, *self.on))
        old = table[self.response.name]
        f = _design(table, self.on, there) @ self.line
        z = (f - self.middle) / self.spread
        r = _scaled(self.response, old[there]) - f
        if change == "bend":
            f = self.middle + self.spread * np.sign(z) * np.abs(z) ** math.exp(BEND)
        else:
            r = r * np.exp(FAN * np.sign(z) * np.log1p(np.abs(z)))
        found = f + r
        with np.errstate(over="ignore"):
            found = np.exp(found) if self.response.grid == "log" else found
        new = old.copy()
        new[there] = np.clip(on_lattice(self.response, found), self.response.lower, self.response.upper)
        return new


@dataclass(frozen=True, eq=False)
class Bent:
    """A relation that a question rests on, and how it is changed."""

    question: str
    relation: Relation
    change: Change

    def table(self, table: pa.Table, schema: Schema) -> pa.Table:
        """Return a synthetic table with the changed relation; columns keep their types."""
        names = [column.name for column in (self.relation.response, *self.relation.on)]
        plain = {name: _values(table, schema.column(name)) for name in names}
        return changed_column(table, names[0], self.relation.changed(plain, self.change))

    def columns(self, table: Columns) -> Columns:
        """Return analysed columns with the changed relation."""
        return {**table, self.relation.response.name: self.relation.changed(table, self.change)}


def doubted_relation(
    schema: Schema, estimand: Estimand, table: Columns, kept: frozenset[str] = frozenset()
) -> Relation | None:
    """Return the relation that a regression rests on: of a number that is drawn freely, with numbers.

    Parameters
    ----------
    table : mapping
        A large table of the model itself.
    kept : set of str
        Columns that choose rows (`where`): other values would be other rows.
    """
    what = estimand.what
    if not isinstance(what, Regression) or what.kind == "logistic" or schema.panel is not None:
        return None
    name, *others = what.formula.columns
    response = schema.column(name)
    labels = {factor.column for factor in what.formula.factors if factor.function == "C"}
    on = tuple(
        schema.column(other) for other in others if _is_number(schema.column(other)) and other not in labels
    )
    if not on or not _is_number(response) or response.public or name in kept or tied(schema, response):
        return None
    return Relation.of(response, on, table)


def doubted_interval(
    found: Corrected, errors: Floats, bent: Floats, level: float
) -> tuple[float, float, float]:
    """Return one deviation of what other relations add to an estimate's error, and the interval that allows for it.

    Parameters
    ----------
    errors : array
        Errors of reruns that start from the model.
    bent : array
        Errors of those that start from changed relations, one for each change.

    Examples
    --------
    >>> from quantail.inference.interval import corrected
    >>> errors = np.array([-1.0, 1.0, 0.0, 0.0])
    >>> found = corrected(5.0, errors, 0.95)
    >>> doubt, low, high = doubted_interval(found, errors, np.array([10.0, 0.5]), 0.95)
    >>> round(doubt, 2), low < found.low
    (9.96, True)
    """
    known = errors[np.isfinite(errors)]
    if not (np.isfinite(bent).all() and np.isfinite(found.error)):
        return math.nan, math.nan, math.nan
    chance = found.error**2 * (1 + 1 / known.size)
    doubt = math.sqrt(sum(max((error - found.bias) ** 2 - chance, 0.0) for error in bent.tolist()))
    reach = math.hypot(found.high - found.estimate, float(ndtri((1 + level) / 2)) * doubt)
    return doubt, found.estimate - reach, found.estimate + reach


def _is_number(column: Column) -> bool:
    return column.type != "category" and not column.is_dated


def _plain(table: Columns, columns: Sequence[Column]) -> Flags:
    """Mark the rows that have a number in all columns, which a relation may move: no code, atom or zero of a log."""
    there = np.ones(table[columns[0].name].size, dtype=np.bool_)
    for column in columns:
        values = table[column.name]
        if not is_numeric(values):
            return np.zeros_like(there)
        there &= ~is_missing(values)
        for code in (*column.missing_codes, *column.atoms):
            there &= values != code
        if column.grid == "log":
            there &= values > 0
    return there


def _scaled(column: Column, values: NDArray[Any]) -> Floats:
    found = values.astype(np.float64)
    return np.log(found) if column.grid == "log" else found


def _design(table: Columns, on: Sequence[Column], there: Flags) -> Floats:
    scaled = [_scaled(column, table[column.name][there]) for column in on]
    return np.column_stack([np.ones(int(there.sum())), *scaled])


def _values(table: pa.Table, column: Column) -> NDArray[Any]:
    """Return a column as numbers, missing ones NaN."""
    values: NDArray[Any] = (
        table[column.name].combine_chunks().cast(pa.float64()).to_numpy(zero_copy_only=False)
    )
    return values
