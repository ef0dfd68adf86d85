"""Every measure at once, for any two tables: the work behind `quantail evaluate`.

The measures are computed from the real rows without noise. They are for internal use and must not be
released with the synthetic table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError
from quantail.evaluation.coefficients import coefficient_difference
from quantail.evaluation.marginal import k_marginal
from quantail.evaluation.measure import Direction, Measure
from quantail.evaluation.pmse import pmse
from quantail.evaluation.prediction import nrmse
from quantail.evaluation.reading import (
    is_numeric,
    numeric_matrix,
    raw_columns,
    require_columns,
    require_same_columns,
)
from quantail.evaluation.table import Evaluation, Measured, Skipped
from quantail.evaluation.univariate import LEVELS, ks_distance, quantile_errors, total_variation
from quantail.evaluation.wasserstein import wasserstein_randomization
from quantail.schema import Schema

MOST_INTERACTING = 10
"""With more columns than this, pMSE with interactions is left out."""

MOST_TRIPLES = 120
"""KM of more than three columns averages at most this many triples of columns."""

_RESPLIT_VALUES = 60_000_000  # pooled values times re-splits; bounds the time of WRT on large tables

Table = dict[str, NDArray[Any]]


@dataclass
class _Collector:
    """Gathers measures; one that cannot be computed is recorded as skipped, with its reason."""

    measures: list[Measured] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def add(
        self,
        name: str,
        columns: tuple[str, ...],
        compute: Callable[[], float],
        direction: Direction = "lower",
        best: float = 0.0,
    ) -> None:
        try:
            value = compute()
        except DataError as error:
            self.skipped.append(Skipped(name, columns, str(error)))
            return
        if isfinite(value):
            self.measures.append(_row(name, value, direction, best, columns))
        else:
            self.skipped.append(Skipped(name, columns, "the real table fits exactly, so there is no scale"))


def evaluate(
    real: Any,
    synth: Any,
    holdout: Any = None,
    schema: Schema | None = None,
    rng: np.random.Generator | None = None,
) -> Evaluation:
    """Compare a synthetic table with the real one by every measure that applies. The result is not private.

    Parameters
    ----------
    real, synth : frame or mapping of arrays
        Tables with the same columns.
    holdout : frame or mapping of arrays, optional
        Real rows that were kept out of the synthesis; adds prediction errors.
    schema : Schema, optional
        Says which columns to compare, in which order, and which of them are categories. Without it every
        column is compared, in the real table's order.
    rng : numpy Generator, optional
        Randomness of the Wasserstein re-splits; a fixed stream unless given.

    Examples
    --------
    >>> table = {"x": [1.0, 2.0, 3.0, 5.0]}
    >>> evaluate(table, table).value("km")
    1000.0
    """
    left, right = raw_columns(real, "real"), raw_columns(synth, "synthetic")
    unseen = None if holdout is None else raw_columns(holdout, "holdout")
    names = _names(left, right, schema)
    labels = _label_columns(left, right, names, schema)
    numeric = [name for name in names if name not in labels]
    if unseen is not None and numeric:
        numeric_matrix(unseen, numeric, "holdout")  # a broken holdout is an error, not a skipped measure

    collected = _Collector()
    if numeric:
        left_numbers = dict(zip(numeric, numeric_matrix(left, numeric, "real").T, strict=True))
        right_numbers = dict(zip(numeric, numeric_matrix(right, numeric, "synthetic").T, strict=True))
        _add_joint(collected, left_numbers, right_numbers, rng)
        _add_columns(collected, left_numbers, right_numbers)
        _add_regressions(collected, left_numbers, right_numbers, unseen)
    for name in labels:
        distance = total_variation(left[name].tolist(), right[name].tolist())
        collected.measures.append(_row("total_variation", distance, "lower", 0.0, (name,)))
    return Evaluation(tuple(collected.measures), tuple(collected.skipped))


def marginal_sets(columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """List the column sets that KM averages over: all columns up to three, otherwise triples.

    Beyond `MOST_TRIPLES` triples an evenly spaced part of the list is used; it depends on the names only.
    """
    if len(columns) <= 3:
        return [columns]
    triples = list(combinations(columns, 3))
    places = np.linspace(0, len(triples) - 1, min(len(triples), MOST_TRIPLES)).round().astype(int)
    return [triples[place] for place in places]


def _names(left: Table, right: Table, schema: Schema | None) -> list[str]:
    if schema is None:
        require_same_columns(list(left), list(right))
        return list(left)
    names = [column.name for column in schema.columns]
    require_columns(left, names, "real")
    require_columns(right, names, "synthetic")
    return names


def _label_columns(left: Table, right: Table, names: list[str], schema: Schema | None) -> list[str]:
    if schema is not None:
        return [column.name for column in schema.columns if column.type == "category"]
    for name in names:
        if is_numeric(left[name]) != is_numeric(right[name]):
            raise DataError(
                f"column {name} is numeric in one table and not in the other; write both in the same type."
            )
    return [name for name in names if not is_numeric(left[name])]


def _add_joint(out: _Collector, left: Table, right: Table, rng: np.random.Generator | None) -> None:
    columns = tuple(left)
    out.add("pmse_woi", columns, lambda: pmse(left, right))
    if 2 <= len(columns) <= MOST_INTERACTING:
        out.add("pmse_wi", columns, lambda: pmse(left, right, interactions=True))
    pooled = sum(values.size for table in (left, right) for values in table.values())
    resplits = int(np.clip(_RESPLIT_VALUES // pooled, 50, 1000))
    out.add("wrt", columns, lambda: wasserstein_randomization(left, right, resplits, rng))
    sets = marginal_sets(columns)
    out.add("km", columns, lambda: _mean([k_marginal(left, right, s) for s in sets]), "higher", 1000.0)


def _add_columns(out: _Collector, left: Table, right: Table) -> None:
    for name in left:
        errors = quantile_errors(left[name], right[name], LEVELS).tolist()
        for level, error in zip(LEVELS, errors, strict=True):
            out.measures.append(_row(f"quantile_error_{level:.0%}".rstrip("%"), error, "lower", 0.0, (name,)))
        out.measures.append(_row("ks", ks_distance(left[name], right[name]), "lower", 0.0, (name,)))


def _add_regressions(out: _Collector, left: Table, right: Table, unseen: Table | None) -> None:
    names = tuple(left)
    for place in range(1, len(names)):
        response, predictors = names[place], names[:place]
        columns = (response, *predictors)
        try:
            difference = coefficient_difference(left, right, response, predictors)
        except DataError as error:
            out.skipped.append(Skipped("coefficient_difference", columns, str(error)))
        else:
            out.add("int_diff", columns, lambda d=difference: d.intercept)  # type: ignore[misc]
            for name, value in difference.slopes.items():
                out.add("slope_diff", (response, name), lambda v=value: v)  # type: ignore[misc]
        if unseen is not None:
            out.add("nrmse", columns, lambda r=response, p=predictors: nrmse(right, unseen, r, p))  # type: ignore[misc]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _row(name: str, value: float, direction: Direction, best: float, columns: tuple[str, ...]) -> Measured:
    end = 1000.0 if name == "km" else float("inf")
    return Measured(Measure(name, "column", "", (0.0, end), direction, best, ""), columns, value)
