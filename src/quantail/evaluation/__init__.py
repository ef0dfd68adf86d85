"""How close a synthetic table is to the real one: one measure per file, plain functions on two tables.

Every measure here reads real rows without noise, so its value is not private: it belongs in internal reports.
Each file declares its NAME, RANGE, DIRECTION (which values are better), BEST value and REFERENCE.
"""

from quantail.evaluation.coefficients import CoefficientDifference, coefficient_difference
from quantail.evaluation.marginal import k_marginal
from quantail.evaluation.measure import Evaluation, Measure, Skipped
from quantail.evaluation.paper import PAPER_MEASURES, evaluate_paper
from quantail.evaluation.pmse import pmse, pmse_null_mean, pmse_null_sd
from quantail.evaluation.prediction import nrmse
from quantail.evaluation.summary import evaluate
from quantail.evaluation.univariate import ks_distance, quantile_errors, total_variation
from quantail.evaluation.wasserstein import wasserstein_randomization

__all__ = [
    "CoefficientDifference",
    "Evaluation",
    "Measure",
    "PAPER_MEASURES",
    "Skipped",
    "coefficient_difference",
    "evaluate",
    "evaluate_paper",
    "k_marginal",
    "ks_distance",
    "nrmse",
    "pmse",
    "pmse_null_mean",
    "pmse_null_sd",
    "quantile_errors",
    "total_variation",
    "wasserstein_randomization",
]
