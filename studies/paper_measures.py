"""The eight measures of the paper's Tables 1 and 2, on columns X1, X2, X3, each as the paper takes it.

`quantail.evaluate` has relatives of them that a person can read: ratios to what an independent sample gets.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError
from quantail.evaluation.coefficients import compared
from quantail.evaluation.marginal import k_marginal
from quantail.evaluation.prediction import scaled_error
from quantail.evaluation.propensity_score import propensity
from quantail.evaluation.reading import is_numeric, raw_columns, require_columns, require_same_columns
from quantail.evaluation.regressions import Fit, fit_linear
from quantail.evaluation.wasserstein import TOO_FEW, wasserstein_test

Floats = NDArray[np.float64]

PAPER_MEASURES = ("pmse_woi", "pmse_wi", "wrt", "km", "int_diff", "slope_diff", "nrmse_x2", "nrmse_x3")

_COLUMNS = ["X1", "X2", "X3"]


def evaluate_paper(
    train: Any, synth: Any, test: Any, rng: np.random.Generator | None = None
) -> dict[str, float]:
    """Compute the paper's eight measures for one replication.

    Parameters
    ----------
    train, synth, test : frame or mapping of arrays
        Tables with columns X1, X2, X3.
    rng : numpy Generator, optional
        Randomness of the Wasserstein re-splits; a fixed stream unless given.

    Returns
    -------
    dict
        Keys as in `PAPER_MEASURES`.
    """
    differences = coefficient_difference(train, synth, "X2", ["X1"])
    return {
        "pmse_woi": pmse(train, synth, columns=_COLUMNS),
        "pmse_wi": pmse(train, synth, interactions=True, columns=_COLUMNS),
        "wrt": wasserstein_randomization(train, synth, rng=rng, columns=_COLUMNS),
        "km": k_marginal(train, synth, _COLUMNS),
        "int_diff": differences.intercept,
        "slope_diff": differences.slopes["X1"],
        "nrmse_x2": nrmse(synth, test, "X2", ["X1"]),
        "nrmse_x3": nrmse(synth, test, "X3", ["X1", "X2"]),
    }


def pmse(real: Any, synth: Any, interactions: bool = False, columns: Sequence[str] | None = None) -> float:
    """Measure how well an unpenalised logistic regression separates two tables of numbers.

    Returns
    -------
    float
        0 when the tables cannot be told apart, c (1 - c) when they are perfectly separated.

    Examples
    --------
    >>> pmse({"x": [1.0, 2.0]}, {"x": [1.0, 2.0]})
    0.0
    """
    left, right = _matrices(real, synth, columns)
    return propensity(left, right, left.shape[1] if interactions else 0).value


def wasserstein_randomization(
    real: Any,
    synth: Any,
    resplits: int = 1000,
    rng: np.random.Generator | None = None,
    columns: Sequence[str] | None = None,
) -> float:
    """Divide the Wasserstein distance of all columns' values, pooled, by its median over random re-splits.

    As in the code behind the paper's tables, columns are pooled as they are, so that large ones dominate.

    Examples
    --------
    >>> wasserstein_randomization({"x": [1.0, 2.0]}, {"x": [2.0, 1.0]})
    0.0
    """
    left, right = (table.ravel() for table in _matrices(real, synth, columns))
    found = wasserstein_test(left, right, resplits, rng).ratio
    if not np.isfinite(found):
        raise DataError(f"wasserstein ratio: {TOO_FEW}.")
    return found


class CoefficientDifference(NamedTuple):
    """Differences in standard errors of the real fit."""

    intercept: float
    slopes: dict[str, float]


def coefficient_difference(
    real: Any, synth: Any, response: str, predictors: Sequence[str]
) -> CoefficientDifference:
    """Compare the least-squares regression of `response` on `predictors` between the two tables.

    If the real fit is perfect, its standard errors are 0 and a difference is infinite.

    Examples
    --------
    >>> table = {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 1.0]}
    >>> coefficient_difference(table, table, "y", ["x"])
    CoefficientDifference(intercept=0.0, slopes={'x': 0.0})
    """
    fits = (_fit(table, response, predictors, role) for table, role in ((real, "real"), (synth, "synthetic")))
    text = f"the regression of {response} on {', '.join(predictors)}"
    found = compared(text, response, *fits).differences
    return CoefficientDifference(float(found[0]), dict(zip(predictors, found[1:].tolist(), strict=True)))


def nrmse(synth: Any, holdout: Any, response: str, predictors: Sequence[str]) -> float:
    """Predict the holdout's `response` with a regression fitted to the synthetic table.

    Examples
    --------
    >>> nrmse({"x": [0.0, 1.0], "y": [0.0, 2.0]}, {"x": [3.0, 4.0], "y": [6.0, 8.0]}, "y", ["x"])
    0.0
    """
    unseen, at = _design(holdout, response, predictors, "holdout")
    fit = _fit(synth, response, predictors, "synthetic")
    return scaled_error(unseen, at @ fit.estimates, response)


def _fit(table: Any, response: str, predictors: Sequence[str], role: str) -> Fit:
    return fit_linear(*_design(table, response, predictors, role))


def _design(table: Any, response: str, predictors: Sequence[str], role: str) -> tuple[Floats, Floats]:
    numbers = _matrix(table, [response, *predictors], role)
    return numbers[:, 0], np.column_stack([np.ones(len(numbers)), numbers[:, 1:]])


def _matrices(real: Any, synth: Any, columns: Sequence[str] | None) -> tuple[Floats, Floats]:
    """Read the same numeric columns of both tables, in the real table's order; all unless some are named."""
    names = list(raw_columns(real, "real")) if columns is None else list(columns)
    if columns is None:
        require_same_columns(names, list(raw_columns(synth, "synthetic")))
    return _matrix(real, names, "real"), _matrix(synth, names, "synthetic")


def _matrix(frame: Any, names: Sequence[str], role: str) -> Floats:
    table = raw_columns(frame, role)
    require_columns(table, names, role)
    for name in names:
        if not is_numeric(table[name]):
            raise DataError(f"column {name} of the {role} table is not numeric; leave it out or encode it.")
        if not np.isfinite(table[name]).all():
            raise DataError(
                f"column {name} of the {role} table has missing or infinite values; remove or impute them first."
            )
    return np.column_stack([table[name].astype(float) for name in names])
