"""Rows of results on regressions: those you name, a default sequence, predictions, and the two-by-two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError
from quantail.evaluation import coefficients, prediction, two_by_two
from quantail.evaluation.formula import INTERCEPT, Formula
from quantail.evaluation.formula_text import Factor
from quantail.evaluation.pair import Pair, Table
from quantail.evaluation.pmse import WITHOUT_INTERACTIONS
from quantail.evaluation.regressions import Fit, Regression
from quantail.evaluation.rows import Rows
from quantail.evaluation.table_rows import resplits_for
from quantail.evaluation.wasserstein import WRT

COMPLETE = "rows without missing values"


def add_sequence(rows: Rows, pair: Pair) -> None:
    """Regress every numeric column on those before it, as a sequential synthesis does; constants are left out."""
    varying = pair.varying
    for place in range(1, len(varying)):
        columns = (varying[place], *varying[:place])
        (left, note), (right, other) = (_complete(table, columns) for table in (pair.real, pair.synth))
        if rows.wants(coefficients.INT_DIFF, coefficients.SLOPE_DIFF, coefficients.CI_OVERLAP):
            _add_linear(rows, left, right, columns, note or other)
        if pair.holdout is not None:
            unseen, missing = _complete(pair.holdout, columns)
            rows.add(
                prediction.NRMSE,
                columns,
                partial(_prediction, left, right, unseen, columns),
                note or missing,
            )


def add_formulas(rows: Rows, pair: Pair, regressions: Sequence[Regression]) -> None:
    """Compare every coefficient of the regressions that were named, and their predictions."""
    for regression in regressions:
        columns, note = regression.formula.columns, str(regression)
        measures = (coefficients.COEFFICIENT_DIFFERENCE, coefficients.CI_OVERLAP)
        try:
            found = coefficients.compare_coefficients(pair.real, pair.synth, regression)
        except DataError as error:
            rows.skip(measures, columns, str(error))
        else:
            response = str(regression.formula.response)
            nulls = _fresh(found.real, pair.n_real, pair.n_synth)
            for name, gap, overlap, (null, shared) in zip(
                found.real.names, found.differences, found.overlaps, nulls, strict=True
            ):
                rows.put(measures[0], (response, name), float(gap), null, note)
                rows.put(measures[1], (response, name), float(overlap), shared, note)
        if pair.holdout is not None and regression.kind == "linear":
            rows.add(
                prediction.NRMSE,
                columns,
                partial(_formula_prediction, pair, regression),
                note,
            )


def add_two_by_two(
    rows: Rows,
    pair: Pair,
    replicates: Sequence[Table],
    regressions: Sequence[Regression],
    rng: np.random.Generator | None,
) -> None:
    """Add Arnold and Neunhoeffer's two-by-two, on the first linear regression named or on the last numeric column."""
    if pair.holdout is None:
        return
    holdout = {name: pair.holdout[name] for name in pair.names}
    sets = (pair.synth, *replicates)
    for real, (ratio, distance) in (
        (pair.real, two_by_two.MEASURES[:2]),
        (holdout, two_by_two.MEASURES[2:4]),
    ):
        if rows.wants(ratio, distance):
            try:
                found = _general(rows, pair, real, sets, rng)
            except DataError as error:
                rows.skip((ratio, distance), pair.names, str(error))
            else:
                rows.put(ratio, pair.names, found.pmse_ratio)
                rows.put(distance, pair.names, found.wrt)
    linear = [regression for regression in regressions if regression.kind == "linear"]
    if len(pair.varying) > 1 or linear:
        _add_specific(rows, pair, sets, holdout, linear[0] if linear else last_on_others(pair.varying))


def last_on_others(numeric: Sequence[str]) -> Regression:
    """Regress the last of some numeric columns on all the others."""
    *others, last = numeric
    text = f"{last} ~ {' + '.join(others)}"
    return Regression(Formula(text, Factor(last), tuple((Factor(name),) for name in others)))


def _add_linear(rows: Rows, left: Table, right: Table, columns: tuple[str, ...], note: str) -> None:
    response, *predictors = columns
    measures = (coefficients.INT_DIFF, coefficients.SLOPE_DIFF, coefficients.CI_OVERLAP)
    try:
        found = coefficients.compare_linear(left, right, response, predictors)
    except DataError as error:
        rows.skip(measures, columns, str(error))
        return
    nulls = _fresh(found.real, len(left[response]), len(right[response]))
    rows.put(coefficients.INT_DIFF, columns, float(found.differences[0]), nulls[0][0], note)
    for name, gap, (null, _) in zip(predictors, found.differences[1:], nulls[1:], strict=True):
        rows.put(coefficients.SLOPE_DIFF, (response, name), float(gap), null, note)
    for name, overlap, (_, shared) in zip((INTERCEPT, *predictors), found.overlaps, nulls, strict=True):
        rows.put(coefficients.CI_OVERLAP, (response, name), float(overlap), shared, note)


def _fresh(fit: Fit, n_real: int, n_synth: int) -> list[tuple[float, float]]:
    """Difference and overlap that a fresh sample would have, for every coefficient of the real fit."""
    return [
        (
            coefficients.fresh_difference(n_real, n_synth, inflation),
            coefficients.fresh_overlap(n_real, n_synth, inflation),
        )
        for inflation in fit.inflation.tolist()
    ]


def _general(
    rows: Rows, pair: Pair, real: Table, sets: Sequence[Table], rng: np.random.Generator | None
) -> two_by_two.General:
    """Compare with training or holdout rows; what is known from the whole tables is not computed again."""
    known = rows.found(WITHOUT_INTERACTIONS[1]), rows.found(WRT)
    if real is pair.real and len(sets) == 1 and known[0] is not None and known[1] is not None:
        return two_by_two.General(known[0], known[1])
    values = max(len(pair.numeric), 1) * (pair.n_real + pair.n_synth)
    return two_by_two.general_quality(real, sets, resplits_for(values), rng)


def _add_specific(
    rows: Rows, pair: Pair, sets: Sequence[Table], holdout: Table, regression: Regression
) -> None:
    measures = two_by_two.MEASURES[4:]
    if not rows.wants(*measures):
        return
    columns, note = regression.formula.columns, str(regression)
    try:
        found = two_by_two.specific_quality(pair.real, sets, holdout, regression)
    except DataError as error:
        rows.skip(measures, columns, str(error))
        return
    rows.put(two_by_two.TRAINING_BIAS, columns, found.training_bias, found.training_bias_null, note)
    rows.put(two_by_two.TRAINING_VARIANCE_RATIO, columns, found.training_variance_ratio, None, note)
    rows.put(two_by_two.HOLDOUT_BIAS, columns, found.holdout_bias, found.holdout_bias_null, note)
    rows.put(two_by_two.HOLDOUT_COVERAGE, columns, found.coverage, found.coverage_null, note)
    rows.put(two_by_two.HOLDOUT_RMSE, columns, found.rmse, found.rmse_null, note)


def _prediction(left: Table, right: Table, unseen: Table, columns: tuple[str, ...]) -> tuple[float, float]:
    """Error of the synthetic regression on the holdout, and that of the real one, which is its null."""
    response, *predictors = columns
    made, truth = (prediction.nrmse(table, unseen, response, predictors) for table in (right, left))
    return made, truth


def _formula_prediction(pair: Pair, regression: Regression) -> tuple[float, float]:
    made, truth = (prediction.formula_nrmse(t, pair.holdout, regression) for t in (pair.synth, pair.real))
    return made, truth


def _complete(table: dict[str, NDArray[Any]], columns: tuple[str, ...]) -> tuple[Table, str]:
    """Keep the rows without missing values in some numeric columns; the note says so if any were left out."""
    known = ~np.isnan(np.column_stack([table[name] for name in columns])).any(axis=1)
    if known.all():
        return {name: table[name] for name in columns}, ""
    return {name: table[name][known] for name in columns}, COMPLETE
