"""What is asked of a table: a regression, or a figure of one column, written as text; or a function of a frame.

wage ~ education + experience        least squares; `logistic:` or `quantile(0.9):` before it for the others
mean(wage), total(wage)               the total of as many rows as the confidential table has
quantile(wage, 0.9), median(wage)
share(wage = 0)                      the share of rows in which a condition holds, written as `where` is
top(wage, 0.01)                      the share of the total that the largest 1% of rows hold
gini(wage), hill(wage)                Gini's coefficient; Hill's index of the top 5% of values, one over Pareto's
flows(emp)                           of a panel: rates of job creation, destruction, entry and exit, means over periods
flows(emp, exit_rate)                of a panel: one of these rates, period by period

Rows with a missing value in a column that takes part are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, cast

import numpy as np

from quantail.arrays import Columns, Floats
from quantail.errors import DataError, OptionError
from quantail.evaluation import Regression, gini, hill_index, top_share
from quantail.evaluation.formula import Levels, label_texts
from quantail.evaluation.reading import is_missing, is_numeric, require_columns
from quantail.inference.flow import Flow
from quantail.inference.interval import Link
from quantail.inference.jackknife import jackknife_errors
from quantail.inference.statistic import Statistic
from quantail.inference.subset import WHERE, Subset, chosen
from quantail.schema import Schema

Kind = Literal["mean", "total", "quantile", "share", "top", "gini", "hill"]

_FIGURE = re.compile(
    r"\s*(mean|total|quantile|median|top|gini|hill)\(\s*(`[^`]+`|[^,()~]+?)\s*(?:,\s*([0-9.]+)\s*)?\)\s*"
)
_FLOW = re.compile(r"\s*flows\(\s*(`[^`]+`|[^,()~]+?)\s*(?:,\s*([a-z_]+)\s*)?\)\s*")
_SHARE = re.compile(r"\s*share\((.+)\)\s*")
_TAKES_LEVEL = ("quantile", "top")


class Answer(NamedTuple):
    """Estimates, and the standard errors that one would state who took the table for a real sample."""

    estimates: Floats
    naive_errors: Floats


@dataclass(frozen=True)
class Figure:
    """A figure of one column."""

    kind: Kind
    column: str  # of a share the question itself: it is a column of ones and zeros (`analysed`)
    level: float = 0.5
    rows: int = 0  # rows that a total is of; 0 for those of the table itself
    signed: bool = False  # whether zero is just another value: of dates, and of amounts that may be negative
    condition: Subset | None = None  # of a share: the rows that are counted

    @property
    def link(self) -> Link:
        """The scale on which errors are alike: figures of heavy tails are off by factors, shares by odds."""
        if self.signed and self.kind in ("mean", "total", "quantile"):
            return "identity"
        return "logit" if self.kind in ("share", "top", "gini") else "log"

    @property
    def rests_on_the_tail(self) -> bool:
        """Whether a few of the largest values may decide it."""
        return self.kind in ("mean", "total", "top", "gini")

    def estimate(self, table: Columns) -> float:
        """Compute it on a table."""
        values = self._values(table)
        if self.kind == "total":
            return float(values.sum()) * self._times(table)
        return float(self._measure(values))

    def naive_error(self, table: Columns) -> float:
        """Compute its usual standard error: from the density for a quantile, else by a jackknife."""
        values = self._values(table)
        if self.kind == "total":
            filled = np.append(values, np.zeros(table[self.column].size - values.size))
            return float(filled.std() * np.sqrt(filled.size)) * self._times(table)
        if self.kind in ("mean", "share"):
            return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else np.nan
        if self.kind == "quantile":
            return _quantile_error(values, self.level)
        return float(jackknife_errors(values.size, lambda kept: self._measure(values[kept])))

    def _values(self, table: Columns) -> Floats:
        """Return the numbers that are asked about; a total of some rows is scaled as that of all rows is."""
        return _present(
            chosen({name: table[name] for name in (self.column, WHERE) if name in table}), self.column
        )

    def _measure(self, values: Floats) -> float:
        if self.kind in ("mean", "share"):
            return float(values.mean())
        if self.kind == "quantile":
            return float(np.quantile(values, self.level))
        if self.kind == "hill":
            return hill_index(values[values > 0])
        return gini(values) if self.kind == "gini" else top_share(values, self.level)

    def _times(self, table: Columns) -> float:
        """Return how many times as many rows a total is of as the table has; missing values count nothing."""
        size = table[self.column].size
        return self.rows / size if self.rows else 1.0


@dataclass(frozen=True)
class Estimand:
    """A regression, a figure, flows or a statistic of one's own, to be estimated on any table."""

    text: str
    what: Regression | Figure | Flow | Statistic
    # names of the estimates; those of a regression or of flows are known when it has seen a table (`on`)
    terms: tuple[str, ...] = ()
    # Labels of the columns of labels, so that a regression has the same terms on every table. Rows with other
    # labels are left out.
    levels: Levels | None = None

    @classmethod
    def parse(cls, text: str) -> Estimand:
        """Read what is asked; an OptionError says what is wrong.

        Examples
        --------
        >>> Estimand.parse("quantile(wage, 0.9)").what.level
        0.9
        """
        flow = _FLOW.fullmatch(text)
        if flow is not None:
            return cls(text.strip(), Flow(flow[1].strip("`"), flow[2] or ""))
        if _SHARE.fullmatch(text) is not None:
            return cls(text.strip(), Figure("share", text.strip()), (text.strip(),))
        found = _FIGURE.fullmatch(text)
        if found is None:
            if "~" not in text:
                raise OptionError(
                    f"{text!r} is neither a formula such as 'wage ~ education' nor one of mean(x), median(x), "
                    "quantile(x, 0.9), share(x = 0), total(x), top(x, 0.01), gini(x), hill(x), flows(x)"
                )
            return cls(text.strip(), Regression.parse(text))
        kind, column, level = found[1], found[2].strip("`"), found[3]
        if (kind in _TAKES_LEVEL) != (level is not None):
            needs = "needs a level" if kind in _TAKES_LEVEL else "takes no level"
            raise OptionError(f"{text!r}: {kind} {needs}, as in quantile(x, 0.9) or mean(x)")
        number = 0.5 if level is None else _level(text, level)
        kind = "quantile" if kind == "median" else kind
        return cls(text.strip(), Figure(cast(Kind, kind), column, number), (text.strip(),))

    def on(self, table: Columns) -> Estimand:
        """Return the same question, with the terms and labels that a table gives it."""
        if isinstance(self.what, Figure):
            return self
        table = chosen(table)
        if isinstance(self.what, Flow | Statistic):
            return replace(self, terms=self.what.terms(table))
        levels = self.what.formula.levels(table)
        return replace(self, terms=self.what.formula.design(table, levels).names, levels=levels)

    def of_rows(self, rows: int) -> Estimand:
        """Return the same question; a total is that of so many rows."""
        return replace(self, what=replace(self.what, rows=rows)) if isinstance(self.what, Figure) else self

    def of(self, schema: Schema) -> Estimand:
        """Return the same question, with what a schema says of its columns."""
        what = self.what
        keys = {key.name for key in schema.keys} & set(
            () if isinstance(what, Statistic) else self.columns({})
        )
        if keys:
            name = min(keys)
            raise OptionError(
                f"column {name!r} is a key: its rows are numbered anew, and nothing can be told of it"
            )
        if not isinstance(what, Figure):
            return self
        if what.kind == "share":
            found = _SHARE.fullmatch(what.column)
            assert found is not None
            return replace(self, what=replace(what, condition=Subset.of(found[1], schema)))
        column = schema.column(what.column) if what.column in schema.names else None
        signed = column is not None and (
            column.is_dated or ((column.lower or 0) < 0 and what.kind != "quantile")
        )
        return replace(self, what=replace(what, signed=signed))

    @property
    def link(self) -> Link:
        """The scale on which errors of its estimates are alike."""
        return self.what.link if isinstance(self.what, Figure) else "identity"

    def columns(self, table: Columns) -> tuple[str, ...]:
        """Columns of a table that are needed."""
        if isinstance(self.what, Regression):
            return self.what.formula.columns
        if isinstance(self.what, Statistic):
            return tuple(table)
        return (self.what.column,) if isinstance(self.what, Figure) else self.what.columns

    def estimates(self, table: Columns) -> Floats:
        """Estimate it on one table; NaN for a term that the table does not identify.

        Raises a DataError if the table identifies no term, for instance because the responses of a logistic
        regression are alike.
        """
        if isinstance(self.what, Figure):
            return np.array([self.what.estimate(table)])
        table = chosen(table)
        if isinstance(self.what, Flow | Statistic):
            return self.what.estimates(table, self.terms)
        fit = self.what.fit(self._known(table), self.levels)
        return np.where(np.isnan(fit.standard_errors), np.nan, fit.estimates)

    def answer(self, table: Columns) -> Answer:
        """Estimate it on one table, with naive errors."""
        if isinstance(self.what, Figure):
            return Answer(self.estimates(table), np.array([self.what.naive_error(table)]))
        table = chosen(table)
        if isinstance(self.what, Flow | Statistic):
            return Answer(self.estimates(table), self.what.naive_errors(table, self.terms))
        fit = self.what.fit(self._known(table), self.levels)
        errors = fit.standard_errors
        return Answer(np.where(np.isnan(errors), np.nan, fit.estimates), errors)

    def _known(self, table: Columns) -> Columns:
        """Return the table with labels that are not among the levels turned into missing ones."""
        known = dict(table)
        for name, levels in (self.levels or {}).items():
            strange = ~np.isin(np.array(label_texts(table[name]), dtype=object).astype(str), levels)
            if strange.any():
                known[name] = table[name].astype(object)
                known[name][strange] = None
        return known


def _present(table: Columns, name: str) -> Floats:
    """Return the numbers of a column, missing ones left out."""
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


def _quantile_error(values: Floats, level: float) -> float:
    """Return half the distance of the quantiles one binomial deviation to either side."""
    reach = np.sqrt(level * (1 - level) / values.size)
    low, high = np.quantile(values, np.clip([level - reach, level + reach], 0, 1))
    return float(high - low) / 2
