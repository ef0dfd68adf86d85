"""Rows of results on whole tables: propensity scores, Wasserstein distance, k-marginals, correlations."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from quantail.errors import DataError, OptionError
from quantail.evaluation import association, cart, correlations, lasso, marginal, ridge, wasserstein
from quantail.evaluation.fresh import LEAST_ROWS, split_null
from quantail.evaluation.measure import Measure
from quantail.evaluation.pair import MOST_LEVELS, Pair
from quantail.evaluation.pmse import WITH_INTERACTIONS, WITHOUT_INTERACTIONS, AgainstNull, propensity
from quantail.evaluation.rows import Rows

MOST_INTERACTING = 25
"""With more predictors than this, labels keep out of the products of pMSE with interactions; with more numeric
columns than this, it is left out."""

_RESPLIT_VALUES = 60_000_000  # pooled values times re-splits; bounds the time of WRT on large tables
_TREE_VALUES = 60_000_000  # values times trees; bounds the time of the null of CART
_FOLDS = 5
_KENDALL = 2000, 8  # its null comes from so many rows and splits: each pair of columns takes a sort

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def resplits_for(values: int) -> int:
    """Random re-splits for so many values: 1000 as in the paper, fewer for large tables."""
    return int(np.clip(_RESPLIT_VALUES // values, 99, 1000))


def add_propensity(rows: Rows, pair: Pair, rng: np.random.Generator | None) -> None:
    """Add pMSE with every model."""
    for measures, interactions in ((WITHOUT_INTERACTIONS, False), (WITH_INTERACTIONS, True)):
        if rows.wants(*measures):
            _add_logistic(rows, pair, measures, interactions)
    if rows.wants(*ridge.MEASURES):
        _add_against_null(rows, pair, ridge.MEASURES, ridge.ridge_propensity(*pair.predictors))
    if rows.wants(*lasso.MEASURES):
        _add_lasso(rows, pair)
    if rows.wants(*cart.MEASURES):
        _add_against_null(rows, pair, cart.MEASURES, _cart(pair, rng))


def add_distances(rows: Rows, pair: Pair, rng: np.random.Generator | None) -> None:
    """Add the Wasserstein randomization test of all numeric columns together."""
    if not pair.numeric or not rows.wants(wasserstein.WRT, wasserstein.WRT_P):
        return
    left, right = (pair.matrix(table).ravel() for table in (pair.real, pair.synth))
    left, right = left[~np.isnan(left)], right[~np.isnan(right)]
    try:
        if not left.size or not right.size:
            raise DataError("wrt: no value is known in one of the tables.")
        found = wasserstein.wasserstein_test(left, right, resplits_for(left.size + right.size), rng)
    except DataError as error:
        rows.skip((wasserstein.WRT, wasserstein.WRT_P), pair.numeric, str(error))
        return
    rows.put(wasserstein.WRT, pair.numeric, found.ratio)
    rows.put(wasserstein.WRT_P, pair.numeric, found.p_value)


def add_marginals(rows: Rows, pair: Pair) -> None:
    """Add the k-marginal scores of three columns, of two and of one."""
    if not rows.wants(*marginal.MEASURES):
        return
    cells, n_real = marginal.cells_of(pair.real, pair.synth)
    for measure, k in zip(marginal.MEASURES, (3, 2, 1), strict=True):
        if k == 3 or k < len(cells):
            sets = [[cells[name] for name in names] for names in marginal.marginal_sets(pair.names, k)]
            rng, draws = np.random.default_rng(0), max(20 // len(sets), 1)
            try:
                score = np.mean([marginal.marginal_score(columns, n_real) for columns in sets])
                null = np.mean([marginal.marginal_null(columns, n_real, rng, draws) for columns in sets])
            except OptionError as error:  # labels with more values than fit into cells
                rows.skip((measure,), pair.names, str(error))
            else:
                rows.put(measure, pair.names, float(score), float(null))


def add_correlations(rows: Rows, pair: Pair) -> None:
    """Add the difference in correlation of every pair of numeric columns."""
    real, synth = (pair.matrix(table) if pair.numeric else None for table in (pair.real, pair.synth))
    if real is None or synth is None or len(pair.numeric) < 2:
        return
    for measure, kind in zip(correlations.MEASURES, get_args(correlations.Kind), strict=True):
        if not rows.wants(measure):
            continue
        difference = correlations.correlation_difference(real, synth, kind)
        null = _correlation_null(real, len(synth), kind)
        for i, j in combinations(range(len(pair.numeric)), 2):
            columns = (pair.numeric[i], pair.numeric[j])
            if np.isfinite(difference[i, j]):
                rows.put(measure, columns, float(difference[i, j]), float(null[i, j]))
            else:
                rows.skip((measure,), columns, "one of the columns does not vary")


def add_associations(rows: Rows, pair: Pair) -> None:
    """Add the difference in association of every label with the other labels and the numbers."""
    if not rows.wants(association.ASSOCIATION_DIFFERENCE):
        return
    names = (*pair.labels, *pair.numeric)
    places = association.label_pairs(len(pair.labels), len(names))
    real, synth = _labels_and_ranks(pair)
    truth, made = (association.associations(columns, places) for columns in (real, synth))
    null = np.full(len(places), np.nan)
    if places and pair.n_real >= LEAST_ROWS:

        def of_rows(chosen: Integers) -> Floats:
            return association.associations([column[chosen] for column in real], places)

        null = split_null(of_rows, np.arange(pair.n_real), pair.n_synth, np.random.default_rng(0))
    for (i, j), gap, expected in zip(places, np.abs(made - truth), null, strict=True):
        rows.put(association.ASSOCIATION_DIFFERENCE, (names[i], names[j]), float(gap), float(expected))


def _labels_and_ranks(pair: Pair) -> tuple[association.Columns, association.Columns]:
    """Columns of both tables, labels first: rare labels together, numbers as ranks."""
    labels = [cart.bin_labels(np.concatenate(pair.codes[name]), MOST_LEVELS) for name in pair.labels]
    real, synth = ([association.ranked(t[name]) for name in pair.numeric] for t in (pair.real, pair.synth))
    return [*(c[: pair.n_real] for c in labels), *real], [*(c[pair.n_real :] for c in labels), *synth]


def _add_logistic(rows: Rows, pair: Pair, measures: tuple[Measure, ...], interactions: bool) -> None:
    left, right = pair.predictors
    crossed = left.shape[1] if interactions else 0
    if interactions and crossed > MOST_INTERACTING:
        crossed = pair.crossable  # numeric columns, which come first
    if interactions and not 2 <= crossed <= MOST_INTERACTING:
        if crossed > 1:
            rows.skip(measures, pair.names, f"there are more than {MOST_INTERACTING} numeric columns")
        return
    try:
        _add_against_null(rows, pair, measures, propensity(left, right, crossed).against_null())
    except DataError as error:
        rows.skip(measures, pair.names, str(error))


def _add_against_null(rows: Rows, pair: Pair, measures: tuple[Measure, ...], found: AgainstNull) -> None:
    """Add pMSE with one model, and how it compares with two samples of one population."""
    value, ratio, standardised = measures
    rows.put(value, pair.names, found.value, found.mean)
    if found.mean > 0 and found.sd > 0:
        rows.put(ratio, pair.names, found.ratio)
        rows.put(standardised, pair.names, found.standardised)
    else:
        rows.skip(
            (ratio, standardised), pair.names, "two samples of one population would have no pMSE at all"
        )


def _add_lasso(rows: Rows, pair: Pair) -> None:
    folds = min(_FOLDS, pair.n_real, pair.n_synth)
    if folds < 2:
        rows.skip(lasso.MEASURES, pair.names, "one of the tables has too few rows for cross-validation")
    else:
        _add_against_null(rows, pair, lasso.MEASURES, lasso.lasso_propensity(*pair.predictors, folds))


def _cart(pair: Pair, rng: np.random.Generator | None) -> AgainstNull:
    numbers = [cart.bin_numbers(np.concatenate([pair.real[n], pair.synth[n]])) for n in pair.numeric]
    labels = [cart.bin_labels(np.concatenate(pair.codes[name])) for name in pair.labels]
    kinds = (False,) * len(numbers) + (True,) * len(labels)
    binned = cart.Binned(np.vstack([*numbers, *labels]), kinds)
    trees = int(np.clip(_TREE_VALUES // binned.codes.size, 20, 100))
    return cart.pmse_cart(binned, pair.n_real, trees, rng)


def _correlation_null(real: Floats, n_synth: int, kind: correlations.Kind) -> Floats:
    """Null from halves of the real rows, for complete columns."""
    null = np.full((real.shape[1], real.shape[1]), np.nan)
    complete = np.flatnonzero(~np.isnan(real).any(axis=0))
    if complete.size > 1 and len(real) >= LEAST_ROWS:
        known = rankdata(real[:, complete], axis=0) if kind == "spearman" else real[:, complete]
        matrix = partial(correlations.correlation_matrix, kind="kendall" if kind == "kendall" else "pearson")
        most, splits = _KENDALL if kind == "kendall" else (None, None)
        found = split_null(matrix, known, n_synth, np.random.default_rng(0), most, splits)
        null[np.ix_(complete, complete)] = found
    return null
