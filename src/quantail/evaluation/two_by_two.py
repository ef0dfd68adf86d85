"""Arnold and Neunhoeffer's two-by-two: against training and holdout rows, in general and for one analysis.

    general, against each      pMSE over its null mean; Wasserstein distance over its null median
    specific, training         percent bias of the coefficients; ratio of their variances and covariances
    specific, holdout          percent bias; coverage of 90% intervals; root mean squared error of prediction

Everything is averaged over the synthetic replicates: ratios, coverage and errors after they are taken; coefficients
before, as a bias is that of their mean. The population is unknown, so the fit to the holdout stands for it, unless the
true coefficients are given. An interval is then covered less often than 90% even by a fresh sample: for n synthetic
and h holdout rows with probability P(|Z| < 1.645 / sqrt(1 + n/h)), which is the null. Holdout and training rows are
fresh samples to each other: their bias, brought from their sizes to those at hand (errors of estimates shrink like the
root of 1/n + 1/h), is the null of the biases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from quantail.errors import DataError
from quantail.evaluation.measure import Measure
from quantail.evaluation.pair import predictors
from quantail.evaluation.pmse import propensity
from quantail.evaluation.reading import is_numeric, raw_columns
from quantail.evaluation.references import ARNOLD
from quantail.evaluation.regressions import Fit, Regression
from quantail.evaluation.wasserstein import wasserstein_test

Floats = NDArray[np.float64]
Table = dict[str, NDArray[Any]]

_ENDLESS = (0.0, float("inf"))
_LEVEL = 0.9


def _lower(name: str, meaning: str, null: float | None = None) -> Measure:
    return Measure(name, "two-by-two", meaning, _ENDLESS, "lower", 0.0, ARNOLD, null)


_PMSE = "pMSE of a logistic regression over its null mean, against the"
_WRT = "Wasserstein distance over its median for random splits, against the"
_BIAS = "Mean absolute percent bias of a regression's coefficients, against the"
TRAINING_PMSE_RATIO = _lower("training_pmse_ratio", f"{_PMSE} training rows.", 1.0)
TRAINING_WRT = _lower("training_wrt", f"{_WRT} training rows.", 1.0)
HOLDOUT_PMSE_RATIO = _lower("holdout_pmse_ratio", f"{_PMSE} holdout rows.", 1.0)
HOLDOUT_WRT = _lower("holdout_wrt", f"{_WRT} holdout rows.", 1.0)
TRAINING_BIAS = _lower("training_bias", f"{_BIAS} fit to the training rows.")
TRAINING_VARIANCE_RATIO = Measure(
    "training_variance_ratio",
    "two-by-two",
    "Variances and covariances of the coefficients over those of the fit to the training rows, on average.",
    (-float("inf"), float("inf")),
    "closer",
    1.0,
    ARNOLD,
    1.0,
)
HOLDOUT_BIAS = _lower("holdout_bias", f"{_BIAS} fit to the holdout rows (or the truth).")
HOLDOUT_COVERAGE = Measure(
    "holdout_coverage_90",
    "two-by-two",
    "How often 90% intervals from synthetic rows hold the holdout's coefficient (or the true one).",
    (0.0, 1.0),
    "closer",
    0.9,
    ARNOLD,
)
HOLDOUT_RMSE = _lower("holdout_rmse", "Root mean squared error of predicting the holdout's response.")
MEASURES = (
    TRAINING_PMSE_RATIO,
    TRAINING_WRT,
    HOLDOUT_PMSE_RATIO,
    HOLDOUT_WRT,
    TRAINING_BIAS,
    TRAINING_VARIANCE_RATIO,
    HOLDOUT_BIAS,
    HOLDOUT_COVERAGE,
    HOLDOUT_RMSE,
)


@dataclass(frozen=True)
class General:
    """How close the replicates are to some real rows, on average."""

    pmse_ratio: float
    wrt: float


@dataclass(frozen=True)
class Specific:
    """How well one regression on the replicates serves, on average; the nulls are those of a fresh sample."""

    training_bias: float
    training_bias_null: float
    training_variance_ratio: float
    holdout_bias: float
    holdout_bias_null: float
    coverage: float
    coverage_null: float
    rmse: float
    rmse_null: float


def general_quality(
    real: Any, replicates: Sequence[Any], resplits: int = 200, rng: np.random.Generator | None = None
) -> General:
    """Compare each replicate with real rows, training or holdout, and average."""
    table = raw_columns(real, "real")
    found = [
        _general(table, raw_columns(replicate, "synthetic"), resplits, rng) for replicate in _some(replicates)
    ]
    return General(*np.mean(found, axis=0).tolist())


def specific_quality(
    training: Any,
    replicates: Sequence[Any],
    holdout: Any,
    regression: Regression,
    truth: ArrayLike | None = None,
) -> Specific:
    """Run a regression on each replicate, and judge its coefficients and predictions.

    Parameters
    ----------
    training, holdout : frame or mapping of arrays
        Real rows that the synthesis saw, and rows that it did not.
    replicates : sequence of frames
        One or more synthetic tables of one synthesizer.
    regression : Regression
        The analysis.
    truth : array, optional
        Coefficients of the population, if they are known (in simulations).
    """
    formula = regression.formula
    levels = formula.levels(training, holdout, *_some(replicates))
    trained, unseen = regression.fit(training, levels, "training"), regression.fit(holdout, levels, "holdout")
    fits = [regression.fit(replicate, levels, "synthetic") for replicate in replicates]
    y, X, _ = formula.design(holdout, levels, "holdout")
    wanted = unseen.estimates if truth is None else np.asarray(truth, dtype=float)
    if wanted.shape != unseen.estimates.shape:
        raise DataError("two-by-two: give one true coefficient for each of the regression's.")
    rows = float(np.mean([len(formula.design(replicate, levels).y) for replicate in replicates]))
    seen = len(formula.design(training, levels).y)
    return Specific(
        percent_bias(fits, trained.estimates),
        percent_bias([unseen], trained.estimates) * sqrt((1 / seen + 1 / rows) / (1 / seen + 1 / len(y))),
        float(np.mean([_variance_ratio(fit, trained) for fit in fits])),
        percent_bias(fits, wanted),
        percent_bias([trained], wanted) * sqrt(_variance(rows, y, truth) / _variance(seen, y, truth)),
        float(np.mean([_covered(fit, wanted) for fit in fits])),
        _LEVEL if truth is not None else _coverage_null(rows, len(y)),
        float(np.mean([_error(y, X, fit) for fit in fits])),
        _error(y, X, trained),
    )


def percent_bias(fits: Sequence[Fit], wanted: Floats) -> float:
    """Mean over coefficients of 100 |mean estimate - wanted| / |wanted|; those wanted to be 0 are left out."""
    scaled = wanted != 0
    if not scaled.any():
        raise DataError("two-by-two: all coefficients to compare with are 0, so a bias has no scale.")
    mean = np.mean([fit.estimates for fit in fits], axis=0)
    return float(100 * np.mean(np.abs(mean - wanted)[scaled] / np.abs(wanted[scaled])))


def _general(
    real: Table, synth: Table, resplits: int, rng: np.random.Generator | None
) -> tuple[float, float]:
    numeric = [name for name in real if is_numeric(real[name])]
    labels = [name for name in real if name not in numeric]
    ratio = propensity(*predictors(real, synth, numeric, labels)).ratio
    if not numeric:
        return ratio, float("nan")
    pooled = [np.concatenate([table[name].astype(float) for name in numeric]) for table in (real, synth)]
    known = [values[~np.isnan(values)] for values in pooled]
    return ratio, wasserstein_test(known[0], known[1], resplits, rng).ratio


def _variance_ratio(fit: Fit, trained: Fit) -> float:
    upper = np.triu_indices(len(trained.estimates))
    ours, theirs = fit.covariance[upper], trained.covariance[upper]
    fits = ~np.isnan(ours) & ~np.isnan(theirs) & (theirs != 0)
    if not fits.any():
        raise DataError("two-by-two: the coefficients have no variances to compare.")
    return float(np.mean(ours[fits] / theirs[fits]))


def _covered(fit: Fit, wanted: Floats) -> float:
    low, high = fit.interval(_LEVEL)
    return float(np.mean((low <= wanted) & (wanted <= high)))


def _error(y: Floats, X: Floats, fit: Fit) -> float:
    return float(np.sqrt(np.mean((y - X @ fit.estimates) ** 2)))


def _variance(rows: float, holdout: Floats, truth: ArrayLike | None) -> float:
    """Variance, up to a factor, of an estimate from so many rows less the holdout's (or the truth)."""
    return 1 / rows + (0.0 if truth is not None else 1 / len(holdout))


def _coverage_null(n_synth: float, n_holdout: int) -> float:
    return float(2 * norm.cdf(norm.ppf((1 + _LEVEL) / 2) / sqrt(1 + n_synth / n_holdout)) - 1)


def _some(replicates: Sequence[Any]) -> Sequence[Any]:
    if not replicates:
        raise DataError("two-by-two: give at least one synthetic table.")
    return replicates
