"""Prediction error on a holdout (NRMSE): how well a regression learnt from synthetic rows predicts rows never seen.

Least squares on the synthetic table, root mean squared error on the holdout, divided by the holdout
response's standard deviation (with n - 1 in its denominator, as R's `sd`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quantail.arrays import Floats
from quantail.errors import DataError
from quantail.evaluation.measure import Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.references import ARNOLD
from quantail.evaluation.regressions import Regression
from quantail.evaluation.rows import Rows

PREDICTION_ERROR = Measure(
    "prediction_error",
    "Prediction error",
    "regressions",
    "Error of predicting unseen real rows from a linear regression on the synthetic table, over their standard "
    "deviation; about 1 if the predictors explain nothing.",
    "the error of the same regression on the real table",
    ARNOLD,
)
MEASURES = (PREDICTION_ERROR,)


def add_error(rows: Rows, pair: Pair, regression: Regression) -> None:
    """Add the error of predicting the holdout, if there is one."""
    if pair.holdout is None or regression.kind != "linear" or not rows.wants(PREDICTION_ERROR):
        return
    columns = regression.formula.columns
    try:
        value, null = (nrmse(t, pair.holdout, regression) for t in (pair.synth, pair.real))
    except DataError as error:
        rows.skip(MEASURES, columns, str(error))
    else:
        rows.put(PREDICTION_ERROR, columns, value, null, str(regression))


def nrmse(synth: Any, holdout: Any, regression: Regression) -> float:
    """Predict the holdout's response with a linear regression given by its formula."""
    levels = regression.formula.levels(synth, holdout)
    unseen, at, _ = regression.formula.design(holdout, levels, "holdout")
    fit = regression.fit(synth, levels, "synthetic")
    return scaled_error(unseen, at @ fit.estimates, str(regression.formula.response))


def scaled_error(truth: Floats, predicted: Floats, response: str) -> float:
    """Divide the root mean squared error by the standard deviation of the truth."""
    if truth.size < 2 or np.ptp(truth) == 0:
        raise DataError(
            f"prediction error: {response} does not vary in the holdout, so its error has no scale."
        )
    return float(np.sqrt(np.mean((truth - predicted) ** 2)) / truth.std(ddof=1))
