"""Rows of results on single columns: distances, missing values, labels, tails."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError
from quantail.evaluation import tails, univariate, wasserstein
from quantail.evaluation.fresh import LEAST_ROWS, split_null
from quantail.evaluation.marginal import Cells, marginal_null
from quantail.evaluation.pair import Pair
from quantail.evaluation.reading import is_missing
from quantail.evaluation.rows import Rows
from quantail.evaluation.table_rows import resplits_for

Floats = NDArray[np.float64]

_DISTANCES = (univariate.KS, univariate.WASSERSTEIN, wasserstein.WRT_COLUMN, wasserstein.WRT_COLUMN_P)
_NO_TAIL = "it needs a column that varies, without negative values and with enough of them in its tail"


def add_columns(rows: Rows, pair: Pair, rng: np.random.Generator | None) -> None:
    """Add the distances of every column, and its share of missing values where there are any."""
    resplits = resplits_for(max(len(pair.numeric), 1) * (pair.n_real + pair.n_synth))
    for name in pair.numeric:
        try:
            left, right = pair.known(name)
        except DataError as error:
            rows.skip((*_DISTANCES, *tails.MEASURES), (name,), str(error))
        else:
            _add_distances(rows, name, left, right, resplits, rng)
            _add_tails(rows, name, left, right)
    for name in pair.labels:
        _add_labels(rows, pair, name)
    for name in pair.names:
        _add_missing(rows, pair, name)


def _add_distances(
    rows: Rows, name: str, left: Floats, right: Floats, resplits: int, rng: np.random.Generator | None
) -> None:
    rows.add(
        univariate.KS,
        (name,),
        lambda: (univariate.ks_distance(left, right), univariate.ks_null(left.size, right.size)),
    )
    typical: float | None = None
    if rows.wants(*_DISTANCES[1:]):
        try:
            test = wasserstein.wasserstein_test(left, right, resplits, rng)
        except DataError as error:
            rows.skip(_DISTANCES[2:], (name,), str(error))
        else:
            rows.put(wasserstein.WRT_COLUMN, (name,), test.ratio)
            rows.put(wasserstein.WRT_COLUMN_P, (name,), test.p_value)
            typical = test.distance / test.ratio if test.ratio else None
    spread = float(np.mean(np.abs(left - np.median(left))))
    null = typical / spread if typical is not None and spread > 0 else None
    rows.add(univariate.WASSERSTEIN, (name,), lambda: (univariate.normalised_wasserstein(left, right), null))


def _add_tails(rows: Rows, name: str, left: Floats, right: Floats) -> None:
    if not rows.wants(*tails.MEASURES):
        return
    threshold = tails.tail_threshold(left)

    def profile(values: Floats) -> Floats:
        return tails.tail_profile(values, threshold)

    truth, made = profile(left), profile(right)
    scale = tails.tail_scale(truth, float(np.abs(left).max()))
    null = np.full(truth.size, np.nan)
    if left.size >= LEAST_ROWS:
        null = split_null(profile, left, right.size, np.random.default_rng(0)) / scale
    for measure, error, expected in zip(tails.MEASURES, np.abs(made - truth) / scale, null, strict=True):
        if np.isfinite(error):
            rows.put(measure, (name,), float(error), float(expected))
        else:
            rows.skip((measure,), (name,), _NO_TAIL)


def _add_labels(rows: Rows, pair: Pair, name: str) -> None:
    if not rows.wants(univariate.TOTAL_VARIATION):
        return
    left, right = pair.codes[name]
    cells = Cells(np.concatenate([left, right]), int(max(left.max(), right.max())) + 1)
    null = 1 - marginal_null([cells], pair.n_real, np.random.default_rng(0), draws=20) / 1000
    rows.put(univariate.TOTAL_VARIATION, (name,), univariate.code_variation(left, right), null)


def _add_missing(rows: Rows, pair: Pair, name: str) -> None:
    left, right = (float(is_missing(table[name]).mean()) for table in (pair.real, pair.synth))
    if left or right:
        share = (left * pair.n_real + right * pair.n_synth) / (pair.n_real + pair.n_synth)
        null = sqrt(2 / pi * share * (1 - share) * (1 / pair.n_real + 1 / pair.n_synth))
        rows.put(univariate.MISSING, (name,), abs(left - right), null)
