"""Regression formulas as text, such as `log(wage) ~ education + C(region) + age:education`.

A small language, read by our own parser; no text is ever run as code.

    formula  =  factor ~ terms
    terms    =  term + term + ...        0 or - 1 leaves out the intercept
    term     =  factor, or a:b for a product, or a*b for a + b + a:b
    factor   =  column, C(column) for labels, I(column^2), or log, log1p, sqrt, exp, asinh (column)

Names with spaces or signs stand in backticks. Columns that are not numeric count as labels. Labels become 0/1
columns, one for each level but the first in sorted order (all of them for the first term without an intercept).
Rows with a missing value in any column of the formula are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError
from quantail.evaluation.formula_text import Factor, parse_formula
from quantail.evaluation.reading import is_missing, is_numeric, raw_columns, require_columns

Floats = NDArray[np.float64]
Levels = Mapping[str, tuple[str, ...]]

INTERCEPT = "Intercept"
MOST_LEVELS = 500

_FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "asinh": np.arcsinh,
}


class Design(NamedTuple):
    """Response, shape (n,); predictors, shape (n, k), with the column of ones if there is one; their names."""

    y: Floats
    X: Floats
    names: tuple[str, ...]


@dataclass(frozen=True)
class Formula:
    """A parsed formula; see the module for the language.

    Examples
    --------
    >>> formula = Formula.parse("y ~ x + C(g)")
    >>> y, X, names = formula.design({"y": [1.0, 2.0, 3.0], "x": [5.0, 6.0, 8.0], "g": ["a", "b", "a"]})
    >>> names
    ('Intercept', 'x', 'g[b]')
    """

    text: str
    response: Factor
    terms: tuple[tuple[Factor, ...], ...]
    intercept: bool = True

    @classmethod
    def parse(cls, text: str) -> Formula:
        """Read a formula; an OptionError says where it is wrong."""
        response, terms, intercept = parse_formula(text, frozenset(_FUNCTIONS))
        return cls(" ".join(text.split()), response, terms, intercept)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the formula needs, the response first."""
        factors = [self.response, *(factor for term in self.terms for factor in term)]
        return tuple(dict.fromkeys(factor.column for factor in factors))

    def levels(self, *frames: Any) -> dict[str, tuple[str, ...]]:
        """Collect the levels of every label column over several tables, so that their designs agree."""
        tables = [self._read(frame, "given") for frame in frames]
        asked = {f.column for f in (self.response, *(f for t in self.terms for f in t)) if f.function == "C"}
        found = {}
        for name in self.columns:
            if name in asked or not all(is_numeric(table[name]) for table in tables):
                found[name] = _sorted_levels([table[name] for table in tables])
                if len(found[name]) > MOST_LEVELS:
                    raise DataError(
                        f"column {name} has more than {MOST_LEVELS} labels, too many for a regression."
                    )
        return found

    def design(self, frame: Any, levels: Levels | None = None, role: str = "given") -> Design:
        """Turn a table into response and predictors.

        Parameters
        ----------
        frame : frame or mapping of arrays
            Table with the formula's columns.
        levels : mapping, optional
            Levels of the label columns, from `levels`; those of this table unless given. A response with two
            levels becomes 0 and 1.
        role : str
            Names the table in errors.
        """
        table = self._read(frame, role)
        known = self.levels(frame) if levels is None else levels
        response, _ = self._block((self.response,), table, known, role, full=False)
        if response.shape[1] != 1:
            raise DataError(
                f"the response {self.response} of the {role} table must be numeric or have exactly two levels."
            )
        blocks, names = [], []
        if self.intercept:
            blocks, names = [np.ones((len(response), 1))], [INTERCEPT]
        for place, term in enumerate(self.terms):
            block, labels = self._block(term, table, known, role, full=place == 0 and not self.intercept)
            blocks.append(block)
            names += labels
        X = np.hstack(blocks)
        complete = ~(np.isnan(X).any(axis=1) | np.isnan(response[:, 0]))
        if not complete.any():
            raise DataError(f"{self.text}: no row of the {role} table has all of its columns; leave one out.")
        return Design(response[complete, 0], X[complete], tuple(names))

    def _read(self, frame: Any, role: str) -> dict[str, NDArray[Any]]:
        table = raw_columns(frame, role)
        require_columns(table, self.columns, role)
        return {name: table[name] for name in self.columns}

    def _block(
        self, term: tuple[Factor, ...], table: dict[str, NDArray[Any]], levels: Levels, role: str, full: bool
    ) -> tuple[Floats, list[str]]:
        """Columns of one term: the products of its factors' columns, and their names."""
        block, names = np.ones((len(table[self.columns[0]]), 1)), [""]
        for factor in term:
            values = table[factor.column]
            if factor.column in levels:
                part, labels = _indicators(factor, values, levels[factor.column], full)
            else:
                part, labels = _numbers(factor, values, role), [str(factor)]
            block = (block[:, :, None] * part[:, None, :]).reshape(len(block), -1)
            names = [f"{a}:{b}" if a else b for a in names for b in labels]
        return block, names


def _numbers(factor: Factor, values: NDArray[Any], role: str) -> Floats:
    numbers = values.astype(float)
    if factor.function == "I":
        return np.asarray(numbers**factor.power)[:, None]
    if factor.function:
        with np.errstate(all="ignore"):
            changed = np.asarray(_FUNCTIONS[factor.function](numbers))
        if not np.isfinite(changed[~np.isnan(numbers)]).all():
            raise DataError(
                f"{factor} has no value for some rows of the {role} table; use another function, such as asinh."
            )
        return changed[:, None]
    return numbers[:, None]


def _indicators(
    factor: Factor, values: NDArray[Any], levels: tuple[str, ...], full: bool
) -> tuple[Floats, list[str]]:
    if factor.function not in ("", "C"):
        raise DataError(f"{factor}: column {factor.column} holds labels; write C({factor.column}).")
    place = {level: number for number, level in enumerate(levels)}
    missing = is_missing(values)
    code = np.array([place.get(label, -1) for label in label_texts(values)])
    if (code[~missing] < 0).any():
        raise DataError(
            f"column {factor.column} has labels that are not among its levels; collect them first."
        )
    kept = range(0 if full else 1, len(levels))
    block = np.column_stack(
        [np.where(missing, np.nan, code == level) for level in kept] or [np.empty((len(code), 0))]
    )
    return block, [f"{factor.column}[{levels[level]}]" for level in kept]


def label_texts(values: NDArray[Any]) -> list[str]:
    """Write labels as text, whole numbers without a decimal point whatever their type."""
    if is_numeric(values):
        return [format(float(value), ".15g") for value in values]
    return [str(value) for value in values]


def _sorted_levels(columns: list[NDArray[Any]]) -> tuple[str, ...]:
    seen = {label for values in columns for label in label_texts(values[~is_missing(values)])}
    try:
        return tuple(sorted(seen, key=float))
    except ValueError:
        return tuple(sorted(seen))
