"""Whether a regression says the same on both tables: forest plots and the coefficients behind them."""

import math
from collections.abc import Iterator

import numpy as np

from quantail.errors import DataError
from quantail.evaluation.formula import Formula
from quantail.evaluation.formula_text import Factor
from quantail.evaluation.regressions import Regression
from quantail.report.columns import AnyColumn, Numbers
from quantail.report.dossier import Dossier
from quantail.report.legend import draw_key
from quantail.report.markup import Child, Markup, element
from quantail.report.page import section, sentence, table
from quantail.report.plots.forest import Estimate, draw_forest
from quantail.report.plots.numbers import plain, short

MOST_PREDICTORS = 12


def draw_regressions(dossier: Dossier) -> Markup | None:
    """Draw a forest plot for every formula; without any, for the last number explained by the columns before it."""
    parts: list[Child] = []
    for regression in _asked(dossier):
        parts.append(element("h3", str(regression)))
        try:
            parts.append(_forest(regression, dossier))
        except DataError as error:
            parts.append(sentence(f"Left out: {error}"))
    if not parts:
        return None
    return section(
        "regressions",
        "Regressions",
        draw_key(),
        *parts,
        hint="Coefficients with 95% intervals on both tables, and their estimates ± standard errors; the shift is in "
        "standard errors of the real fit. Errors of the synthetic table are computed as if its rows were real, so they "
        "leave out the noise of privacy.",
    )


def _asked(dossier: Dossier) -> Iterator[Regression]:
    if dossier.formulas:
        yield from map(Regression.parse, dossier.formulas)
        return
    places = [k for k, column in enumerate(dossier.columns) if isinstance(column, Numbers)]
    if dossier.panels is not None or not places or places[-1] == 0:
        return
    last = places[-1]
    response, *predictors = map(_factor, (dossier.columns[last], *dossier.columns[:last][-MOST_PREDICTORS:]))
    text = f"{response} ~ {' + '.join(map(str, predictors))}"
    # Built rather than parsed: column names may hold anything.
    yield Regression(Formula(text, response, tuple((factor,) for factor in predictors)))


def _factor(column: AnyColumn) -> Factor:
    """Use heavy-tailed columns on a logarithmic scale: on their own a few rows would decide every coefficient."""
    scale = column.scale.kind if isinstance(column, Numbers) and column.drawable else "linear"
    return Factor(column.name, {"log": "log", "signed": "asinh"}.get(scale, ""))


def _forest(regression: Regression, dossier: Dossier) -> Markup:
    levels = regression.formula.levels(dossier.real, dossier.synth)
    real = regression.fit(dossier.real, levels, "real")
    synth = regression.fit(dossier.synth, levels, "synthetic")
    estimates = [
        Estimate(*values)
        for values in zip(
            real.names,
            real.estimates.tolist(),
            real.standard_errors.tolist(),
            synth.estimates.tolist(),
            synth.standard_errors.tolist(),
            strict=True,
        )
        if values[2] > 0 and np.isfinite(values[1:]).all()
    ]
    if not estimates:
        raise DataError("no coefficient has a standard error on both tables.")
    rows = [
        [e.term, _spread(e.real, e.real_error), _spread(e.synth, e.synth_error), f"{e.shift:+.1f}"]
        for e in estimates
    ]
    head = ("term", "real", "synthetic", "shift")
    return element(
        "div",
        element("figure", draw_forest(str(regression.formula.response), estimates)),
        table(f"Coefficients of {regression}", head, rows, numbers=(1, 2, 3)),
        class_="plots wide",
    )


def _spread(estimate: float, error: float) -> str:
    """Write an estimate to the digits that its standard error leaves it.

    Examples
    --------
    >>> _spread(-0.00578, 0.0249), _spread(1234.5, 71.0), _spread(3.0, 0.0)
    ('-0.006 ± 0.025', '1234 ± 71', '3 ± 0')
    """
    if not 1e-4 < error < 1e6:
        return f"{short(estimate)} ± {short(error, 2)}"
    places = max(1 - math.floor(math.log10(error)), 0)
    return f"{plain(estimate, places)} ± {error:.{places}f}"
