"""How close a synthetic table is to the real one: one measure per file, plain functions on two tables.

Panels are compared as arrays of shape (units, periods), NaN where a unit is not active.

Every measure here reads real rows without noise, so its value is not private: it belongs in internal reports.
Each file declares its NAME, RANGE, DIRECTION (which values are better), BEST value and REFERENCE.
"""

from quantail.evaluation.coefficients import CoefficientDifference, coefficient_difference
from quantail.evaluation.dynamics import (
    JobFlows,
    gross_employment,
    growth_rates,
    growth_shares,
    job_flows,
    survival,
    unchanged_share,
)
from quantail.evaluation.formula import Design, Formula
from quantail.evaluation.lasso import pmse_lasso
from quantail.evaluation.marginal import k_marginal
from quantail.evaluation.measure import Measure
from quantail.evaluation.panel import (
    PANEL_MEASURES,
    evaluate_panel,
    gross_mape,
    growth_difference,
    jc_mae,
    net_mae,
    size_class_difference,
    top_share_difference,
    transition_difference,
    unchanged_difference,
)
from quantail.evaluation.paper import PAPER_MEASURES, evaluate_paper
from quantail.evaluation.pmse import pmse, pmse_null_mean, pmse_null_sd
from quantail.evaluation.prediction import nrmse
from quantail.evaluation.random_marginals import random_marginals, random_periods
from quantail.evaluation.regressions import Fit, Regression, fit_linear, fit_logistic, fit_quantile
from quantail.evaluation.size_classes import (
    SIZE_CLASSES,
    size_class_shares,
    top_shares,
    transition_matrix,
    transition_shares,
)
from quantail.evaluation.summary import evaluate
from quantail.evaluation.table import Evaluation, Measured, Overview, Skipped
from quantail.evaluation.univariate import ks_distance, quantile_errors, total_variation
from quantail.evaluation.wasserstein import wasserstein_randomization

__all__ = [
    "CoefficientDifference",
    "Design",
    "Evaluation",
    "Fit",
    "Formula",
    "JobFlows",
    "Measure",
    "Measured",
    "Overview",
    "PANEL_MEASURES",
    "PAPER_MEASURES",
    "Regression",
    "SIZE_CLASSES",
    "Skipped",
    "coefficient_difference",
    "evaluate",
    "evaluate_panel",
    "evaluate_paper",
    "fit_linear",
    "fit_logistic",
    "fit_quantile",
    "gross_employment",
    "gross_mape",
    "growth_difference",
    "growth_rates",
    "growth_shares",
    "jc_mae",
    "job_flows",
    "k_marginal",
    "ks_distance",
    "net_mae",
    "nrmse",
    "pmse",
    "pmse_lasso",
    "pmse_null_mean",
    "pmse_null_sd",
    "quantile_errors",
    "random_marginals",
    "random_periods",
    "size_class_difference",
    "size_class_shares",
    "survival",
    "top_share_difference",
    "top_shares",
    "total_variation",
    "transition_difference",
    "transition_matrix",
    "transition_shares",
    "unchanged_difference",
    "unchanged_share",
    "wasserstein_randomization",
]
