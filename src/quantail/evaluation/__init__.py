"""How close a synthetic table is to the real one: one measure per file, plain functions on two tables.

`evaluate` computes every measure that applies and gives one tidy table (`Evaluation`, described in `table`). `MEASURES`
lists the definitions: name, family, meaning, range, direction, best and null value, reference. `Formula` and
`Regression` read regressions from text. Panels are compared as arrays of shape (units, periods), NaN where a unit is
not active.

Every measure here reads real rows without noise, so its value is not private: it belongs in internal reports.
"""

from quantail.evaluation.association import correlation_ratio, cramers_v
from quantail.evaluation.cart import pmse_cart
from quantail.evaluation.coefficients import (
    CoefficientDifference,
    Comparison,
    coefficient_difference,
    compare_coefficients,
)
from quantail.evaluation.correlations import correlation_difference, correlation_matrix
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
from quantail.evaluation.marginal import k_marginal, k_marginals, marginal_sets
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
from quantail.evaluation.pmse import Propensity, pmse, pmse_null_mean, pmse_null_sd, propensity
from quantail.evaluation.prediction import nrmse
from quantail.evaluation.random_marginals import random_marginals, random_periods
from quantail.evaluation.registry import FAMILIES, MEASURES
from quantail.evaluation.regressions import Fit, Regression, fit_linear, fit_logistic, fit_quantile
from quantail.evaluation.ridge import pmse_ridge
from quantail.evaluation.size_classes import (
    SIZE_CLASSES,
    size_class_shares,
    top_shares,
    transition_matrix,
    transition_shares,
)
from quantail.evaluation.summary import evaluate
from quantail.evaluation.table import Evaluation, Measured, Overview, Skipped
from quantail.evaluation.tails import gini, hill_index, mean_excess, quantile_errors, top_share
from quantail.evaluation.two_by_two import General, Specific, general_quality, specific_quality
from quantail.evaluation.univariate import ks_distance, normalised_wasserstein, total_variation
from quantail.evaluation.wasserstein import WassersteinTest, wasserstein_randomization, wasserstein_test

__all__ = [
    "CoefficientDifference",
    "Comparison",
    "Design",
    "Evaluation",
    "FAMILIES",
    "Fit",
    "Formula",
    "General",
    "JobFlows",
    "MEASURES",
    "Measure",
    "Measured",
    "Overview",
    "PANEL_MEASURES",
    "PAPER_MEASURES",
    "Propensity",
    "Regression",
    "SIZE_CLASSES",
    "Skipped",
    "Specific",
    "WassersteinTest",
    "coefficient_difference",
    "compare_coefficients",
    "correlation_difference",
    "correlation_matrix",
    "correlation_ratio",
    "cramers_v",
    "evaluate",
    "evaluate_panel",
    "evaluate_paper",
    "fit_linear",
    "fit_logistic",
    "fit_quantile",
    "general_quality",
    "gini",
    "gross_employment",
    "gross_mape",
    "growth_difference",
    "growth_rates",
    "growth_shares",
    "hill_index",
    "jc_mae",
    "job_flows",
    "k_marginal",
    "k_marginals",
    "ks_distance",
    "marginal_sets",
    "mean_excess",
    "net_mae",
    "normalised_wasserstein",
    "nrmse",
    "pmse",
    "pmse_cart",
    "pmse_lasso",
    "pmse_null_mean",
    "pmse_null_sd",
    "pmse_ridge",
    "propensity",
    "quantile_errors",
    "random_marginals",
    "random_periods",
    "size_class_difference",
    "size_class_shares",
    "specific_quality",
    "survival",
    "top_share",
    "top_share_difference",
    "top_shares",
    "total_variation",
    "transition_difference",
    "transition_matrix",
    "transition_shares",
    "unchanged_difference",
    "unchanged_share",
    "wasserstein_randomization",
    "wasserstein_test",
]
