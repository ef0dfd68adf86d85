"""NRMSE on a holdout: how well a regression learnt from synthetic rows predicts rows never seen.

Least squares on the synthetic table, root mean squared error on the holdout, divided by the holdout
response's standard deviation (with n - 1 in its denominator, as R's `sd`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quantail.errors import DataError
from quantail.evaluation.regression import least_squares
from quantail.evaluation.reading import numeric_matrix

NAME = "nrmse"
RANGE = (0.0, float("inf"))  # about 1 when the predictors explain nothing
DIRECTION = "lower"
BEST = 0.0
REFERENCE = "Arnold and Neunhoeffer (2020), Really useful synthetic data, arXiv 2004.07740"


def nrmse(synth: Any, holdout: Any, response: str, predictors: Sequence[str]) -> float:
    """Predict the holdout's `response` with a regression fitted to the synthetic table.

    Examples
    --------
    >>> nrmse({"x": [0.0, 1.0], "y": [0.0, 2.0]}, {"x": [3.0, 4.0], "y": [6.0, 8.0]}, "y", ["x"])
    0.0
    """
    names = [response, *predictors]
    made, unseen = numeric_matrix(synth, names, "synthetic"), numeric_matrix(holdout, names, "holdout")
    if unseen.shape[0] < 2 or np.ptp(unseen[:, 0]) == 0:
        raise DataError(f"nrmse: {response} does not vary in the holdout, so its error has no scale.")
    fit = least_squares(made[:, 0], made[:, 1:])
    error = unseen[:, 0] - fit.predict(unseen[:, 1:])
    return float(np.sqrt(np.mean(error**2)) / unseen[:, 0].std(ddof=1))
