"""Every measure at once, for any two tables: the work behind `quantail evaluate`.

The measures are computed from real rows without noise. They are for internal use and must not be released with
the synthetic table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from quantail.evaluation import panel
from quantail.evaluation.clusters import design_effect, widened
from quantail.evaluation.pair import Pair, read_pair
from quantail.evaluation.reading import require_columns
from quantail.evaluation.registry import CONCEPTS, Concept, chosen
from quantail.evaluation.regressions import Regression
from quantail.evaluation.rows import Rows
from quantail.evaluation.table import Evaluation
from quantail.io.extras import MissingExtra
from quantail.release.progress import Progress
from quantail.release.threads import one_thread
from quantail.schema import Schema


def evaluate(
    real: Any,
    synth: Any,
    holdout: Any = None,
    schema: Schema | None = None,
    *,
    formulas: str | Sequence[str] = (),
    measures: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Compare a synthetic table with the real one by every measure that applies. The result is not private.

    Parameters
    ----------
    real, synth : frame or mapping of arrays
        Tables with the same columns: numbers, dates or labels, with missing values if need be.
    holdout : frame or mapping of arrays, optional
        Real rows that were kept out of the synthesis; adds prediction errors.
    schema : Schema, optional
        Says which columns to compare, in which order, and which of them are categories. Without it every
        column is compared, in the real table's order. The schema of a panel adds measures of dynamics.
    formulas : str or sequence of str
        Regressions to compare, such as "wage ~ education + C(region)", "logistic: union ~ wage" or
        "quantile(0.9): wage ~ age". Without any, the last number is explained by the columns before it.
    measures : names, optional
        Measures or families of measures to compute, such as ["k_marginal", "tails"]; all of them unless given.
    progress : callable, optional
        Called with what is computed next and the share that is done.

    Returns
    -------
    Evaluation
        One tidy table; see `quantail.evaluation.table`. Results are the same each time: random splits come from a
        fixed stream.

    Examples
    --------
    >>> table = {"x": [1.0, 2.0, 3.0, 5.0]}
    >>> evaluate(table, table, measures=["counts"]).value("k_marginal")
    1000.0
    """
    texts = (formulas,) if isinstance(formulas, str) else formulas
    names = None if measures is None or isinstance(measures, str) else list(measures)
    rows = Rows(chosen(measures if names is None else names))
    regressions = tuple(Regression.parse(text) for text in dict.fromkeys(texts))
    pair = replace(read_pair(real, synth, holdout, schema), regressions=regressions)
    for regression in regressions:
        require_columns(pair.real, regression.formula.columns, "real")
    wanted = [concept for concept in CONCEPTS if rows.wants(*concept.measures)]
    total, done = sum(concept.work for concept in wanted), 0.0
    for concept in wanted:
        if progress is not None:
            progress(concept.title, done / total)
        with one_thread():
            _add(rows, pair, concept, asked=names is not None)
        done += concept.work
    return rows.evaluation()


def _add(rows: Rows, pair: Pair, concept: Concept, asked: bool) -> None:
    """Compute some measures; without the packages that they need they are left out, unless they were asked for."""
    before = len(rows.measures)
    try:
        concept.add(rows, pair)
    except MissingExtra as error:
        if asked:
            raise
        rows.skip(concept.measures, pair.names, str(error))
    if pair.panels and concept.measures != panel.MEASURES:
        effect = float(np.mean([design_effect(real) for _, real, _ in pair.panels]))
        rows.measures[before:] = [widened(row, effect) for row in rows.measures[before:]]
