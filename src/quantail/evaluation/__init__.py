"""How close a synthetic table is to the real one: one concept per file, plain functions on two tables.

`evaluate` computes every measure that applies and gives one tidy table (`Evaluation`, described in `table`). `MEASURES`
lists the definitions: name, title, family, meaning, range, direction, best and null value, reference. `Regression`
reads regressions from text. Panels are compared as arrays of shape (units, periods), NaN where a unit is
not active. The classifier and the formulas need the `evaluate` extra.

Every measure here reads real rows without noise, so its value is not private: it belongs in internal reports.
"""

from quantail.evaluation.business_dynamics import flows, flows_of
from quantail.evaluation.coefficients import Comparison
from quantail.evaluation.columns import total_variation
from quantail.evaluation.dynamics import gross_employment, survival
from quantail.evaluation.histories import Histories, read_histories
from quantail.evaluation.marginal import k_marginal, k_marginals, marginal_sets
from quantail.evaluation.measure import Measure
from quantail.evaluation.panel import (
    gross_mape,
    growth_difference,
    jc_mae,
    net_mae,
    period_marginals,
    size_class_difference,
    transition_difference,
    unchanged_difference,
)
from quantail.evaluation.propensity_score import pmse_null_mean, propensity
from quantail.evaluation.registry import FAMILIES, MEASURES
from quantail.evaluation.regressions import Regression
from quantail.evaluation.summary import evaluate
from quantail.evaluation.table import Evaluation
from quantail.evaluation.tails import gini, hill_index, quantile_errors, top_share

__all__ = [
    "Comparison",
    "evaluate",
    "Evaluation",
    "FAMILIES",
    "flows",
    "flows_of",
    "gini",
    "gross_employment",
    "gross_mape",
    "growth_difference",
    "hill_index",
    "Histories",
    "jc_mae",
    "k_marginal",
    "k_marginals",
    "marginal_sets",
    "Measure",
    "MEASURES",
    "net_mae",
    "period_marginals",
    "pmse_null_mean",
    "propensity",
    "quantile_errors",
    "read_histories",
    "Regression",
    "size_class_difference",
    "survival",
    "top_share",
    "total_variation",
    "transition_difference",
    "unchanged_difference",
]
