"""All measures by name, so that reports, documents and the command line can list them.

To add one: a file (or a place in one) with its `Measure` in `MEASURES` and its work in `add`; a new file goes into
`CONCEPTS` below, with its share of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, get_args

from quantail.errors import OptionError
from quantail.evaluation import (
    boosting,
    coefficients,
    columns,
    marginal,
    panel,
    propensity_score,
    relations,
    tails,
)
from quantail.evaluation.measure import Family, Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.rows import Rows

FAMILIES: tuple[str, ...] = get_args(Family)


class Concept(NamedTuple):
    """Measures that are computed together: what they are called while one waits, and their share of the time."""

    title: str
    measures: tuple[Measure, ...]
    add: Callable[[Rows, Pair], None]
    work: float


CONCEPTS = (
    Concept("regressions of the origin", propensity_score.MEASURES, propensity_score.add, 3),
    Concept("gradient boosting", boosting.MEASURES, boosting.add, 5),
    Concept("columns", columns.MEASURES, columns.add, 2),
    Concept("tails", tails.MEASURES, tails.add, 2),
    Concept("relations", relations.MEASURES, relations.add, 1),
    Concept("tables of counts", marginal.MEASURES, marginal.add, 1),
    Concept("regressions", coefficients.MEASURES, coefficients.add, 1),
    Concept("dynamics", panel.MEASURES, panel.add, 1),
)
"""In the order in which results come."""

MEASURES: dict[str, Measure] = {m.name: m for concept in CONCEPTS for m in concept.measures}
"""The definitions, in the order in which results come."""

_RENAMED = {
    "km": "k_marginal",
    "pmse_woi_ratio": "pmse_ratio",
    "pmse_wi_ratio": "pmse_ratio_interactions",
    "wrt_column": "wasserstein_ratio",
    "spearman_difference": "rank_correlation_difference",
    "nrmse": "prediction_error",
    "tail": "tails",
    "column": "columns",
    "correlation": "relations",
    "regression": "regressions",
    "panel": "panels",
}


def chosen(names: Iterable[str] | None) -> frozenset[str]:
    """Turn names of measures and families into names of measures; None stands for all."""
    if names is None:
        return frozenset(MEASURES)
    if isinstance(names, str):
        raise OptionError(f"measures: give a list of names, such as [{names!r}].")
    found: set[str] = set()
    for name in names:
        matches = {m.name for m in MEASURES.values() if name in (m.name, m.family)}
        if not matches:
            now = (
                f"it is called {_RENAMED[name]} now"
                if name in _RENAMED
                else "it is neither a measure nor a family"
            )
            raise OptionError(
                f"measures: {name!r}: {now}; "
                f"families are {', '.join(FAMILIES)}, and `quantail evaluate --list` names the measures."
            )
        found |= matches
    return frozenset(found)
