"""All measures by name, so that reports, documents and the command line can list them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from quantail.errors import OptionError
from quantail.evaluation.association import MEASURES as ASSOCIATION
from quantail.evaluation.cart import MEASURES as CART
from quantail.evaluation.coefficients import MEASURES as REGRESSION
from quantail.evaluation.correlations import MEASURES as CORRELATION
from quantail.evaluation.lasso import MEASURES as LASSO
from quantail.evaluation.marginal import MEASURES as MARGINALS
from quantail.evaluation.measure import Family, Measure
from quantail.evaluation.panel import MEASURES as PANEL
from quantail.evaluation.pmse import MEASURES as PROPENSITY
from quantail.evaluation.prediction import MEASURES as PREDICTION
from quantail.evaluation.ridge import MEASURES as RIDGE
from quantail.evaluation.tails import MEASURES as TAIL
from quantail.evaluation.two_by_two import MEASURES as TWO_BY_TWO
from quantail.evaluation.univariate import MEASURES as COLUMN
from quantail.evaluation.wasserstein import MEASURES as DISTANCE

FAMILIES: tuple[str, ...] = get_args(Family)

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measures in (
        PROPENSITY,
        RIDGE,
        LASSO,
        CART,
        DISTANCE,
        MARGINALS,
        COLUMN,
        CORRELATION,
        ASSOCIATION,
        TAIL,
        REGRESSION,
        PREDICTION,
        TWO_BY_TWO,
        PANEL,
    )
    for measure in measures
}
"""The definitions, in the order in which results come."""


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
            raise OptionError(
                f"measures: {name!r} is neither a measure nor a family; "
                f"families are {', '.join(FAMILIES)}, and `quantail evaluate --list` names the measures."
            )
        found |= matches
    return frozenset(found)
