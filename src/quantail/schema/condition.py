"""Conditions on the columns of a row, as text: `age >= 15 and region in [north, south]`.

    condition   =  comparison, and further ones after `and`
    comparison  =  column = value (or !=, <, <=, >, >=), column in [value, ...], column is (not) missing

Names with spaces stand in backticks, values with spaces in quotes; dates are written 2020-01-31. Nothing compares with
a missing value or a code of one, except `= -8`, which names the code. Labels in an order compare by it. No text is ever
run as code.
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Flags
from quantail.errors import SchemaError
from quantail.schema.column import Column
from quantail.schema.dates import DateType, date_number

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_EQUAL = ("=", "!=", "in")
_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s,\[\]"'<>=!]+)"""
_COMPARISON = re.compile(
    rf"""\s*(?:`(?P<quoted>[^`]+)`|(?P<name>[^\W\d][\w.]*))\s*
    (?:(?P<sign><=|>=|!=|==|<|>|=)\s*(?P<value>{_VALUE})
      |in\s*\[\s*(?P<values>{_VALUE}(?:\s*,\s*{_VALUE})*)\s*\]
      |is\s+(?P<gone>missing|not\s+missing)\b)\s*""",
    re.VERBOSE,
)
_AND = re.compile(r"and\b")
_ADVICE = "write such as `age >= 15`, `region in [north, south]` or `pay is not missing`, joined by `and`"


@dataclass(frozen=True)
class Comparison:
    """One comparison: a column, a sign ("in", "missing" and "present" among them), and values as they are written."""

    column: str
    sign: str
    values: tuple[str, ...] = ()

    def holds(self, values: NDArray[Any], column: Column) -> Flags:
        """Return where it holds: for numbers (days, seconds; NaN where missing) or codes of labels."""
        absent = values == len(column.labels) if column.is_labelled else np.isnan(values)
        codes = np.isin(values, column.missing_codes) if column.missing_codes else np.zeros(values.size, bool)
        if self.sign in ("missing", "present"):
            return np.asarray((absent | codes) == (self.sign == "missing"))
        wanted = [_known(text, column) for text in self.values]
        if self.sign in ("in", "="):
            return np.asarray(np.isin(values, wanted) & ~absent)
        return np.asarray(_COMPARE[self.sign](values, wanted[0]) & ~absent & ~codes)


@dataclass(frozen=True)
class Condition:
    """Comparisons that hold all together.

    Examples
    --------
    >>> condition = Condition.parse("age >= 15 and region = north")
    >>> columns = {"age": Column("age", "integer", 0, 99)}
    >>> columns["region"] = Column("region", "category", categories=("north", "south"))
    >>> condition.check(columns)
    >>> condition.holds({"age": np.array([12.0, 20.0, 40.0]), "region": np.array([0, 0, 1])}, columns).tolist()
    [False, True, False]
    """

    comparisons: tuple[Comparison, ...]

    @classmethod
    def parse(cls, text: str) -> "Condition":
        """Read a condition, or raise a SchemaError that says how to write one."""
        found, place = [], 0
        while match := _COMPARISON.match(text, place):
            found.append(_comparison(match))
            joined = _AND.match(text, match.end())
            if joined is None:
                place = match.end()
                break
            place = joined.end()
        if not found or place < len(text) or _AND.match(text, place) or text.rstrip().endswith(" and"):
            raise SchemaError(f"it is no condition; {_ADVICE}")
        return cls(tuple(found))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it looks at, each once."""
        return tuple(dict.fromkeys(comparison.column for comparison in self.comparisons))

    def check(self, columns: Mapping[str, Column]) -> None:
        """Raise a SchemaError unless every column is there and can be compared in this way."""
        for comparison in self.comparisons:
            if comparison.column not in columns:
                raise SchemaError(f"it names {comparison.column!r}, which is not a column; correct the name")
            column = columns[comparison.column]
            unordered = column.is_labelled and column.type != "ordinal"
            if unordered and comparison.sign in _COMPARE and comparison.sign not in _EQUAL:
                raise SchemaError(f"labels of {column.name!r} have no order; write = or in [...]")
            for text in comparison.values:
                _known(text, column)

    def holds(self, values: Mapping[str, NDArray[Any]], columns: Mapping[str, Column]) -> Flags:
        """Return in which rows it holds; values are numbers (days, seconds) or codes of labels."""
        masks = [c.holds(values[c.column], columns[c.column]) for c in self.comparisons]
        return np.asarray(np.logical_and.reduce(masks))


def _comparison(match: re.Match[str]) -> Comparison:
    column = match["quoted"] or match["name"]
    if match["gone"]:
        return Comparison(column, "missing" if match["gone"] == "missing" else "present")
    if match["values"]:
        return Comparison(column, "in", tuple(map(_plain, re.findall(_VALUE, match["values"]))))
    return Comparison(column, "=" if match["sign"] == "==" else match["sign"], (_plain(match["value"]),))


def _plain(text: str) -> str:
    return text[1:-1] if text[0] in "\"'" else text


def _known(text: str, column: Column) -> float:
    """Return a value as the column holds it: a number, days, seconds, or the code of a label."""
    if column.is_labelled:
        if text not in column.labels:
            raise SchemaError(f"{text!r} is no label of {column.name!r}; spell it as in categories")
        return column.labels.index(text)
    if column.is_dated:
        number = date_number(cast(DateType, column.type), text)
    else:
        try:
            number = float(text)
        except ValueError:
            number = None
    if number is None or not np.isfinite(number):
        kind = "date, such as 2020-01-31" if column.is_dated else "number"
        raise SchemaError(f"{column.name!r} is compared with {text!r}, which is no {kind}")
    return number
