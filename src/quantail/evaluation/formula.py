"""Regression formulas as text, such as `log(wage) ~ education + C(region) + age:education`.

The language is that of R, read by the library formulaic, which also codes labels and products. No text is ever run as
code: of what formulaic reads as an expression, only these factors are let through, and they are computed here.

    factor   =  column, C(column) for labels, I(column^2), or log, log1p, sqrt, exp, asinh (column)
    terms    =  a + b, a:b for a product, a*b for a + b + a:b, (a + b)^2; 0 or - 1 leaves out the intercept

Products come after single columns. Names with spaces or signs stand in backticks. Columns that are not numeric count as
labels. Labels become 0/1 columns, one for each level but the first in sorted order (all of them where nothing else
spans the constant). Rows with a missing value in any column of the formula are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats
from quantail.errors import DataError, OptionError
from quantail.evaluation.reading import is_missing, is_numeric, raw_columns, require_columns
from quantail.io.extras import MissingExtra, optional

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
_CALL = re.compile(r"(\w+)\(\s*(?:`([^`]+)`|([^\W\d][\w.]*))\s*(?:(?:\^|\*\*)\s*(\d+)\s*)?\)")
_HIGHEST_POWER = 9
_COLUMN = re.compile(
    r"f(\d+)(?:\[(?:T\.)?(\d+)\])?"
)  # how formulaic names what it makes of `f3` and its level 2


@dataclass(frozen=True)
class Factor:
    """A column as it enters a term: as it is, as labels (C), as a power (I), or changed by a function."""

    column: str
    function: str = ""
    power: int = 1

    def __str__(self) -> str:
        """Write the factor as it stands in a formula."""
        inside = f"{self.column}^{self.power}" if self.function == "I" else self.column
        return f"{self.function}({inside})" if self.function else inside


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
        formulaic: Any = optional("formulaic", "evaluate", "a regression formula", MissingExtra)
        try:
            read = formulaic.Formula(text)
        except (formulaic.errors.FormulaicError, SyntaxError, ValueError) as error:
            reason = re.sub(r"\x1b\[[\d;]*m", "", str(error)).strip().splitlines()
            raise _wrong(text, reason[0].rstrip(".") if reason else "it cannot be read") from None
        sides: list[Any] = [getattr(read, side, None) for side in ("lhs", "rhs")]
        if not all(isinstance(side, formulaic.SimpleFormula) for side in sides) or len(sides[0]) != 1:
            raise _wrong(text, "it needs one response, ~ and the predictors, in one part")
        response, *terms = (tuple(_factor(text, f) for f in term.factors) for term in (*sides[0], *sides[1]))
        if len(response) != 1 or response[0] is None:
            raise _wrong(text, "the response must be a single column")
        intercept = (None,) in terms
        kept = tuple(term for term in terms if term != (None,))
        written = text.partition("~")[2].strip()
        if any(factor is None for term in kept for factor in term) or not (written and (kept or intercept)):
            raise _wrong(text, "its right side must hold columns, or 1 alone")
        return cls(" ".join(text.split()), response[0], kept, intercept)  # type: ignore[arg-type]

    @property
    def factors(self) -> tuple[Factor, ...]:
        """All different factors, the response first."""
        return tuple(dict.fromkeys([self.response, *(factor for term in self.terms for factor in term)]))

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the formula needs, the response first."""
        return tuple(dict.fromkeys(factor.column for factor in self.factors))

    def levels(self, *frames: Any) -> dict[str, tuple[str, ...]]:
        """Collect the levels of every label column over several tables, so that their designs agree."""
        tables = [self._read(frame, "given") for frame in frames]
        asked = {factor.column for factor in self.factors if factor.function == "C"}
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
        values = [_values(factor, table[factor.column], known, role) for factor in self.factors]
        complete = ~np.isnan(np.column_stack(values)).any(axis=1)
        if not complete.any():
            raise DataError(f"{self.text}: no row of the {role} table has all of its columns; leave one out.")
        if len(known.get(self.response.column, ("no", "yes"))) != 2:
            raise DataError(
                f"the response {self.response} of the {role} table must be numeric or have exactly two levels."
            )
        X, names = self._coded([column[complete] for column in values], known)
        return Design(values[0][complete], X, names)

    def _read(self, frame: Any, role: str) -> dict[str, NDArray[Any]]:
        table = raw_columns(frame, role)
        require_columns(table, self.columns, role)
        return {name: table[name] for name in self.columns}

    def _coded(self, values: list[Floats], levels: Levels) -> tuple[Floats, tuple[str, ...]]:
        """Let formulaic lay out the terms, over columns called f0, f1, ... so that no name or label is read as text."""
        formulaic: Any = optional("formulaic", "evaluate", "a regression formula", MissingExtra)
        import pandas as pd

        factors = self.factors
        columns: dict[str, Any] = {}
        for place, (factor, column) in enumerate(zip(factors, values, strict=True)):
            labels = levels.get(factor.column)
            columns[f"f{place}"] = (
                column
                if labels is None
                else pd.Categorical.from_codes(column.astype(int), range(len(labels)))
            )
        terms = [":".join(f"f{factors.index(factor)}" for factor in term) for term in self.terms]
        text = " + ".join(["1" if self.intercept else "0", *terms])
        matrix = formulaic.Formula(text).get_model_matrix(pd.DataFrame(columns))

        def written(found: re.Match[str]) -> str:
            factor = factors[int(found[1])]
            return (
                str(factor)
                if found[2] is None
                else f"{factor.column}[{levels[factor.column][int(found[2])]}]"
            )

        names = tuple(
            ":".join(_COLUMN.sub(written, part) for part in name.split(":")) for name in matrix.columns
        )
        return np.asarray(matrix, dtype=float), names


def _factor(text: str, read: Any) -> Factor | None:
    """Let a factor through if it is a column, or one of the known functions of one; None for the constant."""
    if read.eval_method.value == "lookup":
        return Factor(read.expr)
    if read.eval_method.value == "literal" and read.expr == "1":
        return None
    found = _CALL.fullmatch(read.expr)
    known = {*_FUNCTIONS, "C", "I"}
    if found is None or found[1] not in known:
        raise _wrong(
            text, f"{read.expr} is not known; write a column or one of {', '.join(sorted(known))} of one"
        )
    power = int(found[4] or 1)
    if (found[1] == "I") != (found[4] is not None) or not 1 <= power <= _HIGHEST_POWER:
        raise _wrong(text, f"I() holds a whole power from 1 to {_HIGHEST_POWER}, such as I(age^2)")
    return Factor(found[2] or found[3], found[1], power)


def _wrong(text: str, what: str) -> OptionError:
    return OptionError(f"formula {text!r}: {what}. A formula reads like wage ~ age + C(region).")


def _values(factor: Factor, values: NDArray[Any], levels: Levels, role: str) -> Floats:
    """Give a factor as numbers: its values, or the places of its labels among their levels; NaN if missing."""
    if factor.column in levels:
        return _places(factor, values, levels[factor.column])
    numbers = values.astype(float)
    if factor.function == "I":
        return np.asarray(numbers**factor.power)
    if not factor.function:
        return np.asarray(numbers)
    with np.errstate(all="ignore"):
        changed = np.asarray(_FUNCTIONS[factor.function](numbers))
    if not np.isfinite(changed[~np.isnan(numbers)]).all():
        raise DataError(
            f"{factor} has no value for some rows of the {role} table; use another function, such as asinh, "
            "or ask about the others only (infer: where)."
        )
    return changed


def _places(factor: Factor, values: NDArray[Any], levels: tuple[str, ...]) -> Floats:
    if factor.function not in ("", "C"):
        raise DataError(f"{factor}: column {factor.column} holds labels; write C({factor.column}).")
    place = {level: number for number, level in enumerate(levels)}
    missing = is_missing(values)
    code = np.array([place.get(label, -1) for label in label_texts(values)], dtype=float)
    if (code[~missing] < 0).any():
        raise DataError(
            f"column {factor.column} has labels that are not among its levels; collect them first."
        )
    return np.where(missing, np.nan, code)


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
