"""Differences in regression coefficients, in standard errors of the real fit.

|b_synthetic - b_real| / se(b_real) for every coefficient of a regression fitted to both tables. A coefficient that the
synthetic table does not identify (its predictor is explained by earlier ones) counts as 0 there; in the real table it
is an error.

Two samples of n and m rows differ by f sqrt(1 + n/m) standard errors, where the estimate truly varies by f of them (the
robust standard error over the usual one), so the null is f sqrt(2 (1 + n/m) / pi).

Unless formulas are given, the last number is explained by the columns before it, heavy-tailed ones on a logarithmic
scale: on their own a few rows would decide every coefficient.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from quantail.arrays import Floats
from quantail.errors import DataError
from quantail.evaluation import prediction
from quantail.evaluation.formula import Factor, Formula
from quantail.evaluation.measure import Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.references import SNOKE
from quantail.evaluation.regressions import Fit, Regression
from quantail.evaluation.rows import Rows
from quantail.evaluation.tails import is_heavy

COEFFICIENT_DIFFERENCE = Measure(
    "coefficient_difference",
    "Difference in a coefficient",
    "regressions",
    "How far a coefficient of a regression is off, in standard errors of the real fit.",
    "about 1.13 for tables of equal size, more where robust standard errors are larger",
    SNOKE,
)
MEASURES = (COEFFICIENT_DIFFERENCE, *prediction.MEASURES)

_MOST_PREDICTORS = 12
_MOST_LABELS = 20  # of a predictor in a regression that nobody asked for


def add(rows: Rows, pair: Pair) -> None:
    """Compare every coefficient of the regressions, and what they predict for the holdout."""
    if not rows.wants(*MEASURES):
        return
    for regression in pair.regressions or default_regression(pair):
        note = str(regression)
        try:
            found = compare_coefficients(pair.real, pair.synth, regression)
        except DataError as error:
            rows.skip((COEFFICIENT_DIFFERENCE,), regression.formula.columns, str(error))
        else:
            rows.regressions.append(found)
            response = str(regression.formula.response)
            for name, gap, inflation in zip(
                found.real.names, found.differences, found.real.inflation, strict=True
            ):
                null = independent_difference(pair.n_real, pair.n_synth, float(inflation))
                rows.put(COEFFICIENT_DIFFERENCE, (response, name), float(gap), null, note)
        prediction.add_error(rows, pair, regression)


def default_regression(pair: Pair) -> tuple[Regression, ...]:
    """Explain the last number by the columns before it; nothing if there is none, or in a panel."""
    varying = [name for name in pair.names if _varies(pair, name)]
    numbers = [place for place, name in enumerate(varying) if name in pair.numeric]
    if pair.panels or not numbers or not numbers[-1]:
        return ()
    last, *before = varying[numbers[-1]], *varying[: numbers[-1]][-_MOST_PREDICTORS:]
    response, *predictors = (_default_factor(pair, name) for name in (last, *before))
    text = f"{response} ~ {' + '.join(map(str, predictors))}"
    # Built rather than parsed: column names may hold anything.
    return (Regression(Formula(text, response, tuple((factor,) for factor in predictors))),)


def _varies(pair: Pair, name: str) -> bool:
    """Say whether a column varies among the real rows, and has not too many labels to explain another."""
    if name in pair.labels:
        return 1 < np.unique(pair.codes[name][0]).size <= _MOST_LABELS
    known = pair.real[name][~np.isnan(pair.real[name])]
    return bool(known.size and known.min() < known.max())


def _default_factor(pair: Pair, name: str) -> Factor:
    if name in pair.labels:
        return Factor(name)
    known = np.concatenate([table[name][~np.isnan(table[name])] for table in (pair.real, pair.synth)])
    if not known.size or not is_heavy(known):
        return Factor(name)
    return Factor(name, "log" if known.min() > 0 else "asinh")


class Comparison(NamedTuple):
    """Two fits of one regression, called `text`, and how far their coefficients are apart."""

    text: str
    response: str
    real: Fit
    synthetic: Fit
    differences: Floats


def compare_coefficients(real: Any, synth: Any, regression: Regression) -> Comparison:
    """Fit a regression given by its formula to both tables, with the same levels of its labels.

    Examples
    --------
    >>> table = {"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.0, 1.0, 3.0]}
    >>> compare_coefficients(table, table, Regression.parse("y ~ x")).differences.tolist()
    [0.0, 0.0]
    """
    levels = regression.formula.levels(real, synth)
    fits = regression.fit(real, levels, "real"), regression.fit(synth, levels, "synthetic")
    return compared(str(regression), str(regression.formula.response), *fits)


def independent_difference(n_real: int, n_synth: int, inflation: float = 1.0) -> float:
    """Mean of a standardised difference when both tables are samples of one population; `Fit.inflation` as f."""
    return inflation * sqrt(2 / pi * (1 + n_real / n_synth))


def compared(text: str, response: str, real: Fit, synthetic: Fit) -> Comparison:
    """Set two fits of one regression side by side; the real one must identify every coefficient."""
    if real.dropped:
        raise DataError(f"{text} is collinear in the real table; leave out a predictor.")
    if np.isnan(real.standard_errors).any():
        raise DataError(f"{text} has too few real rows for its predictors.")
    gap = np.abs(synthetic.estimates - real.estimates)
    ratio = np.full(gap.size, np.inf)
    np.divide(gap, real.standard_errors, out=ratio, where=real.standard_errors > 0)
    ratio[gap == 0] = 0.0
    return Comparison(text, response, real, synthetic, ratio)
