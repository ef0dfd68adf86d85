"""Propensity score mean squared error: how well a logistic regression tells real rows from synthetic.

Stack both tables (N rows, a share c of them synthetic), regress the origin on the columns, and average
(p_i - c)^2 over all rows. Snoke, Raab, Nowok, Dibben and Slavković (2018). With k terms besides the intercept, and
both tables samples of one population, pMSE N / (c (1 - c)) is close to chi-squared with k degrees of freedom: mean
k, variance 2 k. Hence the ratio (over the null mean) and the standardised form (less the mean, over the null's sd).
"""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantail.errors import DataError, OptionError
from quantail.evaluation.logistic import fit_logit
from quantail.evaluation.measure import Measure
from quantail.evaluation.reading import matrix_pair
from quantail.evaluation.references import SNOKE

PMSE_RANGE = (0.0, 0.25)  # the upper end for tables of equal size; c (1 - c) in general
ENDLESS = (0.0, float("inf"))
EVERYWHERE = (-float("inf"), float("inf"))

MAIN = "a logistic regression on the columns"
PAIRS = "a logistic regression on the columns and their pairwise products"


def pmse_family(
    name: str, model: str, reference: str, null: str = "for two samples of one population"
) -> tuple[Measure, Measure, Measure]:
    """Define pMSE with a model, its ratio to the null and its standardised form."""
    return (
        Measure(
            name,
            "propensity",
            f"How well {model} tells real rows from synthetic; 0 not at all.",
            PMSE_RANGE,
            "lower",
            0.0,
            reference,
        ),
        Measure(
            f"{name}_ratio",
            "propensity",
            f"pMSE with {model}, over its mean {null}.",
            ENDLESS,
            "lower",
            0.0,
            reference,
            null=1.0,
        ),
        Measure(
            f"{name}_z",
            "propensity",
            f"pMSE with {model}, less its mean and over its standard deviation {null}.",
            EVERYWHERE,
            "lower",
            0.0,
            reference,
            null=0.0,
        ),
    )


WITHOUT_INTERACTIONS = pmse_family("pmse_woi", MAIN, SNOKE)
WITH_INTERACTIONS = pmse_family("pmse_wi", PAIRS, SNOKE)
MEASURES = (*WITHOUT_INTERACTIONS, *WITH_INTERACTIONS)

Floats = NDArray[np.float64]


class AgainstNull(NamedTuple):
    """pMSE, and its mean and standard deviation for two samples of one population."""

    value: float
    mean: float
    sd: float

    @property
    def ratio(self) -> float:
        """Value over that mean."""
        return self.value / self.mean

    @property
    def standardised(self) -> float:
        """Value less that mean, over the standard deviation."""
        return (self.value - self.mean) / self.sd


class Propensity(NamedTuple):
    """pMSE, with the number of regression terms besides the intercept and the sizes of the tables."""

    value: float
    terms: int
    n_real: int
    n_synth: int

    def against_null(self) -> AgainstNull:
        """Give the value beside the mean and standard deviation of its null."""
        return AgainstNull(
            self.value, self.null, pmse_null_sd(self.terms, self.n_real, self.n_synth, fresh=True)
        )

    @property
    def null(self) -> float:
        """Mean for two samples of one population."""
        if not self.terms:
            raise DataError("pmse: no column varies, so there is nothing to tell rows apart by.")
        return pmse_null_mean(self.terms, self.n_real, self.n_synth, fresh=True)

    @property
    def ratio(self) -> float:
        """Value over the mean for two samples of one population."""
        return self.against_null().ratio

    @property
    def standardised(self) -> float:
        """Value less that mean, over the standard deviation."""
        return self.against_null().standardised


def pmse(real: Any, synth: Any, interactions: bool = False, columns: list[str] | None = None) -> float:
    """Measure how well an unpenalised logistic regression separates the two tables.

    Parameters
    ----------
    real, synth : frame or mapping of arrays
        Tables with the same numeric columns.
    interactions : bool
        Also offer all products of two different columns to the regression.
    columns : list of str, optional
        Columns to use; all of them unless told.

    Returns
    -------
    float
        0 when the tables cannot be told apart, c (1 - c) when they are perfectly separated.

    Examples
    --------
    >>> pmse({"x": [1.0, 2.0]}, {"x": [1.0, 2.0]})
    0.0
    """
    left, right = matrix_pair(real, synth, columns)
    return propensity(left, right, left.shape[1] if interactions else 0).value


def propensity(real: Floats, synth: Floats, crossed: int = 0) -> Propensity:
    """Compute pMSE and what its null needs, from two matrices with the same columns.

    The products of the first `crossed` columns are added, none unless told.
    """
    stacked = standardised(np.vstack([real, synth]))
    if crossed > 1:
        stacked = with_products(stacked, crossed)
    label = np.repeat([0.0, 1.0], [len(real), len(synth)])
    _, linear, used = fit_logit(np.column_stack([np.ones(len(stacked)), stacked]), label)
    value = float(np.mean((expit(linear) - label.mean()) ** 2))
    return Propensity(value, len(used) - 1, len(real), len(synth))


def pmse_null_mean(k: int, n_real: int, n_synth: int, fresh: bool = False) -> float:
    """Give the mean of pMSE when the synthesis is right, for `k` regression terms besides the intercept.

    Two things can be meant by right. As published (`fresh=False`): synthetic rows are drawn from the real
    *table's* own distribution, real rows held fixed, giving k (1-c)^2 c / N. With `fresh=True`: both tables
    are independent samples of one *population*; real rows vary too, which gives k (1-c) c / N, twice as much
    for tables of equal size.
    """
    return k * _null_unit(k, n_real, n_synth, fresh)


def pmse_null_sd(k: int, n_real: int, n_synth: int, fresh: bool = False) -> float:
    """Give the standard deviation of pMSE when the synthesis is right; see `pmse_null_mean`."""
    return sqrt(2 * k) * _null_unit(k, n_real, n_synth, fresh)


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


def _null_unit(k: int, n_real: int, n_synth: int, fresh: bool) -> float:
    if k < 1 or n_real < 1 or n_synth < 1:
        raise OptionError("pMSE null: k, n_real and n_synth must each be at least 1.")
    total = n_real + n_synth
    share = n_synth / total
    return (1 - share) * share / total * (1.0 if fresh else 1 - share)
