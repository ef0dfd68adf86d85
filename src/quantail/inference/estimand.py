"""What is asked of a table: a regression, or a figure of one column, written as text.

wage ~ education + experience        least squares; `logistic:` or `quantile(0.9):` before it for the others
mean(wage)
quantile(wage, 0.9)
top(wage, 0.01)                      the share of the total that the largest 1% of rows hold
gini(wage)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError, OptionError
from quantail.evaluation import Regression, gini, top_share
from quantail.evaluation.formula import Levels
from quantail.evaluation.reading import is_missing, is_numeric, raw_columns, require_columns

Floats = NDArray[np.float64]
Kind = Literal["mean", "quantile", "top", "gini"]

_FIGURE = re.compile(r"\s*(mean|quantile|top|gini)\(\s*(`[^`]+`|[^,()~]+?)\s*(?:,\s*([0-9.]+)\s*)?\)\s*")
_TAKES_LEVEL = ("quantile", "top")


@dataclass(frozen=True)
class Answer:
    """Estimates, and the standard errors that someone would state who took the table for a real sample."""

    estimates: Floats
    naive_errors: Floats


@dataclass(frozen=True)
class Figure:
    """A figure of one column."""

    kind: Kind
    column: str
    level: float = 0.5

    def answer(self, frame: Any) -> Answer:
        """Compute it, with its usual standard error (by influence; for a quantile, from its density)."""
        values = _present(frame, self.column)
        if self.kind == "mean":
            return _single(values.mean(), values - values.mean())
        if self.kind == "quantile":
            return _quantile(values, self.level)
        measure = gini if self.kind == "gini" else lambda part: top_share(part, self.level)
        return _single(measure(values), _jackknifed(values, measure))


@dataclass(frozen=True)
class Estimand:
    """A regression or a figure, with the names of what it estimates."""

    text: str
    what: Regression | Figure

    @classmethod
    def parse(cls, text: str) -> Estimand:
        """Read what is asked; an OptionError says what is wrong.

        Examples
        --------
        >>> Estimand.parse("quantile(wage, 0.9)").what.level
        0.9
        """
        found = _FIGURE.fullmatch(text)
        if found is None:
            if "~" not in text:
                raise OptionError(
                    f"{text!r} is neither a formula such as 'wage ~ education' nor one of mean(x), quantile(x, 0.9), "
                    "top(x, 0.01), gini(x)"
                )
            return cls(text.strip(), Regression.parse(text))
        kind, column, level = found[1], found[2].strip("`"), found[3]
        if (kind in _TAKES_LEVEL) != (level is not None):
            needs = "needs a level" if kind in _TAKES_LEVEL else "takes no level"
            raise OptionError(f"{text!r}: {kind} {needs}, as in quantile(x, 0.9) or mean(x)")
        number = 0.5 if level is None else _level(text, level)
        return cls(text.strip(), Figure(kind, column, number))  # type: ignore[arg-type]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that are needed."""
        return self.what.formula.columns if isinstance(self.what, Regression) else (self.what.column,)

    def levels(self, frame: Any) -> Levels | None:
        """Return the labels of a table's category columns, so that reruns have the same terms."""
        return self.what.formula.levels(frame) if isinstance(self.what, Regression) else None

    def terms(self, frame: Any, levels: Levels | None) -> tuple[str, ...]:
        """Return the names of the estimates."""
        if isinstance(self.what, Figure):
            return (self.text,)
        return self.what.formula.design(frame, levels).names

    def answer(self, frame: Any, levels: Levels | None) -> Answer:
        """Estimate it on one table."""
        if isinstance(self.what, Figure):
            return self.what.answer(frame)
        fit = self.what.fit(frame, levels)
        return Answer(fit.estimates, fit.standard_errors)


def _present(frame: Any, name: str) -> Floats:
    """Return the numbers of a column, missing ones left out."""
    table = raw_columns(frame, "given")
    require_columns(table, (name,), "given")
    values = table[name]
    if not is_numeric(values):
        raise DataError(f"column {name!r} is not numeric; ask for a column of numbers")
    present = values[~is_missing(values)].astype(np.float64)
    if present.size == 0:
        raise DataError(f"column {name!r} has no value at all; ask for another column")
    return present


def _level(text: str, level: str) -> float:
    try:
        number = float(level)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise OptionError(f"{text!r}: the level must be a number between 0 and 1")
    return number


def _single(estimate: float, influence: Floats) -> Answer:
    error = influence.std(ddof=1) / np.sqrt(influence.size) if influence.size > 1 else np.nan
    return Answer(np.array([float(estimate)]), np.array([float(error)]))


def _quantile(values: Floats, level: float) -> Answer:
    """Return a quantile; its error is half the distance of the quantiles one binomial deviation to either side."""
    reach = np.sqrt(level * (1 - level) / values.size)
    low, middle, high = np.quantile(values, np.clip([level - reach, level, level + reach], 0, 1))
    return Answer(np.array([float(middle)]), np.array([float(high - low) / 2]))


def _jackknifed(values: Floats, measure: Any, blocks: int = 50) -> Floats:
    """Return pseudo-influences by leaving out blocks: enough for a naive error, cheap on large tables."""
    blocks = min(blocks, values.size)
    parts = np.array_split(np.random.default_rng(0).permutation(values), blocks)
    left = np.array([measure(np.concatenate(parts[:k] + parts[k + 1 :])) for k in range(blocks)])
    # The deviation of a mean of `blocks` such influences is the jackknife's standard error.
    return (blocks - 1) * (left.mean() - left)
