"""How close a synthetic table is to the real one: one concept per file, plain functions on two tables.

`evaluate` computes every measure that applies and gives one tidy table (`Evaluation`, described in `table`). `MEASURES`
lists the definitions: name, title, family, meaning, range, direction, best and null value, reference. `Formula` and
`Regression` read regressions from text. Panels are compared as arrays of shape (units, periods), NaN where a unit is
not active. The classifier and the formulas need the `evaluate` extra.

Every measure here reads real rows without noise, so its value is not private: it belongs in internal reports.
"""

from quantail.evaluation.boosting import classifier_auc
from quantail.evaluation.business_dynamics import flows, flows_of
from quantail.evaluation.coefficients import (
    Comparison,
    compare_coefficients,
)
from quantail.evaluation.columns import total_variation
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
from quantail.evaluation.histories import Histories, read_histories
from quantail.evaluation.marginal import k_marginal, k_marginals, marginal_sets
from quantail.evaluation.measure import Measure
from quantail.evaluation.panel import (
    gross_mape,
    growth_difference,
    jc_mae,
    jd_mae,
    net_mae,
    period_marginals,
    size_class_difference,
    transition_difference,
    unchanged_difference,
)
from quantail.evaluation.propensity_score import Propensity, pmse_null_mean, propensity
from quantail.evaluation.registry import FAMILIES, MEASURES
from quantail.evaluation.regressions import Fit, Regression, fit_linear, fit_logistic, fit_quantile
from quantail.evaluation.relations import correlation_ratio, cramers_v, rank_correlations
from quantail.evaluation.size_classes import (
    SIZE_CLASSES,
    size_class_shares,
    transition_shares,
)
from quantail.evaluation.summary import evaluate
from quantail.evaluation.table import Evaluation, Measured, Overview, Skipped
from quantail.evaluation.tails import gini, hill_index, quantile_errors, top_share
from quantail.evaluation.wasserstein import (
    WassersteinTest,
    wasserstein_test,
)

__all__ = [
    "classifier_auc",
    "compare_coefficients",
    "Comparison",
    "correlation_ratio",
    "cramers_v",
    "Design",
    "evaluate",
    "Evaluation",
    "FAMILIES",
    "Fit",
    "fit_linear",
    "fit_logistic",
    "fit_quantile",
    "flows",
    "flows_of",
    "Formula",
    "gini",
    "gross_employment",
    "gross_mape",
    "growth_difference",
    "growth_rates",
    "growth_shares",
    "hill_index",
    "Histories",
    "jc_mae",
    "jd_mae",
    "job_flows",
    "JobFlows",
    "k_marginal",
    "k_marginals",
    "marginal_sets",
    "Measure",
    "Measured",
    "MEASURES",
    "net_mae",
    "Overview",
    "period_marginals",
    "pmse_null_mean",
    "Propensity",
    "propensity",
    "quantile_errors",
    "rank_correlations",
    "read_histories",
    "Regression",
    "size_class_difference",
    "size_class_shares",
    "SIZE_CLASSES",
    "Skipped",
    "survival",
    "top_share",
    "total_variation",
    "transition_difference",
    "transition_shares",
    "unchanged_difference",
    "unchanged_share",
    "wasserstein_test",
    "WassersteinTest",
]
