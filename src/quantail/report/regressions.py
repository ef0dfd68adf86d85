"""Whether a regression says the same on both tables: forest plots and the coefficients behind them."""

import math

import numpy as np

from quantail.evaluation import Comparison
from quantail.markup import Child, Markup, element
from quantail.report.data import ReportData
from quantail.report.legend import draw_key
from quantail.report.page import section, table
from quantail.report.plots.forest import Estimate, draw_forest
from quantail.report.plots.numbers import plain, short


def draw_regressions(data: ReportData) -> Markup | None:
    """Draw a forest plot for every regression that was compared."""
    parts: list[Child] = []
    for compared in data.measures.regressions:
        forest = _forest(compared)
        if forest is not None:
            parts += [element("h3", compared.text), forest]
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


def _forest(compared: Comparison) -> Markup | None:
    real, synth = compared.real, compared.synthetic
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
        return None
    rows = [
        [e.term, _spread(e.real, e.real_error), _spread(e.synth, e.synth_error), f"{e.shift:+.1f}"]
        for e in estimates
    ]
    head = ("term", "real", "synthetic", "shift")
    return element(
        "div",
        element("figure", draw_forest(compared.response, estimates)),
        table(f"Coefficients of {compared.text}", head, rows, numbers=(1, 2, 3)),
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
