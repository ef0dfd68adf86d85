"""The eight measures of the paper's Tables 1 and 2, on columns X1, X2, X3."""

from typing import Any

import numpy as np

from quantail.evaluation.coefficients import coefficient_difference
from quantail.evaluation.marginal import k_marginal
from quantail.evaluation.prediction import nrmse
from quantail.evaluation.propensity_score import pmse
from quantail.evaluation.wasserstein import wasserstein_randomization

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
