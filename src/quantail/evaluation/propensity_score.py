"""Propensity score mean squared error: how well a logistic regression tells real rows from synthetic.

Stack both tables (N rows, a share c of them synthetic), regress the origin on the columns, and average
(p_i - c)^2 over all rows. Snoke, Raab, Nowok, Dibben and Slavković (2018). With k terms besides the intercept, and
both tables samples of one population, pMSE N / (c (1 - c)) is close to chi-squared with k degrees of freedom, so its
mean is k c (1 - c) / N. The measures are ratios to that mean. They grow with the number of rows: the more rows, the
smaller the differences that they show.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from quantail.arrays import Floats
from quantail.errors import DataError, OptionError
from quantail.evaluation.logistic import fit_logit
from quantail.evaluation.measure import Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.references import SNOKE
from quantail.evaluation.rows import Rows

_NULL = "1 on average, by the chi-squared law of pMSE"

MAIN_EFFECTS = Measure(
    "pmse_ratio",
    "Propensity score ratio",
    "overall",
    "How well a logistic regression on the columns tells real rows from synthetic (pMSE), over the mean for two "
    "samples of one population.",
    _NULL,
    SNOKE,
)
INTERACTIONS = Measure(
    "pmse_ratio_interactions",
    "Propensity score ratio, with interactions",
    "overall",
    "The same for a logistic regression on the columns and their pairwise products.",
    _NULL,
    SNOKE,
)
MEASURES = (MAIN_EFFECTS, INTERACTIONS)

MOST_CROSSED = 25
"""With more predictors than this, labels keep out of the products; with more numeric columns, there are none."""

_MOST_VALUES = 12_000_000  # of a design; a random part of the rows is taken if there are more


def add(rows: Rows, pair: Pair) -> None:
    """Add the ratios without and with interactions."""
    if rows.wants(MAIN_EFFECTS):
        _add_ratio(rows, pair, MAIN_EFFECTS, 0)
    if not rows.wants(INTERACTIONS):
        return
    crossed = pair.predictors[0].shape[1]
    if crossed > MOST_CROSSED:
        crossed = pair.crossable  # numeric columns, which come first
    if crossed > MOST_CROSSED:
        rows.skip((INTERACTIONS,), pair.names, f"there are more than {MOST_CROSSED} numeric columns")
    elif crossed > 1:
        _add_ratio(rows, pair, INTERACTIONS, crossed)


def _add_ratio(rows: Rows, pair: Pair, measure: Measure, crossed: int) -> None:
    tables = pair.predictors
    terms = tables[0].shape[1] + crossed * (crossed - 1) // 2
    part = _MOST_VALUES / max(terms * (pair.n_real + pair.n_synth), 1)
    note = ""
    if part < 1:
        rng = np.random.default_rng(0)
        tables = tuple(t[np.sort(rng.permutation(len(t))[: int(part * len(t))])] for t in tables)  # type: ignore[assignment]
        note = f"on {len(tables[0]):,} real and {len(tables[1]):,} synthetic rows"
    try:
        rows.put(measure, pair.names, propensity(*tables, crossed).ratio, 1.0, note)
    except DataError as error:
        rows.skip((measure,), pair.names, str(error))


class Propensity(NamedTuple):
    """pMSE, with the number of regression terms besides the intercept and the sizes of the tables."""

    value: float
    terms: int
    n_real: int
    n_synth: int

    @property
    def ratio(self) -> float:
        """Value over the mean for two samples of one population."""
        if not self.terms:
            raise DataError("pMSE ratio: no column varies, so there is nothing to tell rows apart by.")
        return self.value / pmse_null_mean(self.terms, self.n_real, self.n_synth, independent=True)


def propensity(real: Floats, synth: Floats, crossed: int = 0) -> Propensity:
    """Compute pMSE and what its null needs, from two matrices with the same columns.

    The products of the first `crossed` columns are added, none unless given.
    """
    stacked = standardised(np.vstack([real, synth]))
    if crossed > 1:
        stacked = with_products(stacked, crossed)
    label = np.repeat([0.0, 1.0], [len(real), len(synth)])
    _, linear, used = fit_logit(np.column_stack([np.ones(len(stacked)), stacked]), label)
    value = float(np.mean((expit(linear) - label.mean()) ** 2))
    return Propensity(value, len(used) - 1, len(real), len(synth))


def pmse_null_mean(k: int, n_real: int, n_synth: int, independent: bool = False) -> float:
    """Give the mean of pMSE when the synthesis is right, for `k` regression terms besides the intercept.

    Two things can be meant by right. As published (`independent=False`): synthetic rows are drawn from the real
    *table's* own distribution, real rows held fixed, giving k (1-c)^2 c / N. With `independent=True`: both tables
    are independent samples of one *population*; real rows vary too, which gives k (1-c) c / N, twice as much
    for tables of equal size.
    """
    if k < 1 or n_real < 1 or n_synth < 1:
        raise OptionError("pMSE null: k, n_real and n_synth must each be at least 1.")
    total = n_real + n_synth
    share = n_synth / total
    return k * (1 - share) * share / total * (1.0 if independent else 1 - share)


def standardised(columns: Floats) -> Floats:
    """Give every column mean 0 and variance 1; a constant one becomes 0."""
    # Scaled twice: squares of very large values stay finite.
    size = np.abs(columns).max(axis=0, initial=0.0)
    columns = columns / np.where(size > 0, size, 1.0)
    spread = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def with_products(columns: Floats, crossed: int) -> Floats:
    """Add the products of pairs of the first columns, standardised so that they are well conditioned."""
    n, k = columns.shape
    table = np.empty((n, k + crossed * (crossed - 1) // 2), order="F")
    table[:, :k] = columns
    for place, (i, j) in enumerate(combinations(range(crossed), 2), start=k):
        np.multiply(columns[:, i], columns[:, j], out=table[:, place])
    return table
