"""Every measure at once, for any two tables: the work behind `quantail evaluate`.

The measures are computed from all real rows without noise. They are for internal use and must not be released with
the synthetic table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from quantail.evaluation import panel
from quantail.evaluation.clusters import design_effect, widened
from quantail.evaluation.column_rows import add_columns
from quantail.evaluation.pair import Pair, read_pair
from quantail.evaluation.panel_null import panel_against_null
from quantail.evaluation.reading import require_columns
from quantail.evaluation.registry import chosen
from quantail.evaluation.regression_rows import add_formulas, add_sequence, add_two_by_two
from quantail.evaluation.regressions import Regression
from quantail.evaluation.rows import Rows
from quantail.evaluation.table import Evaluation
from quantail.evaluation.table_rows import (
    add_associations,
    add_correlations,
    add_distances,
    add_marginals,
    add_propensity,
)
from quantail.schema import Schema


def evaluate(
    real: Any,
    synth: Any,
    holdout: Any = None,
    schema: Schema | None = None,
    rng: np.random.Generator | None = None,
    *,
    formulas: str | Sequence[str] = (),
    measures: Iterable[str] | None = None,
    replicates: Sequence[Any] = (),
) -> Evaluation:
    """Compare a synthetic table with the real one by every measure that applies. The result is not private.

    Parameters
    ----------
    real, synth : frame or mapping of arrays
        Tables with the same columns: numbers, dates or labels, with missing values if need be.
    holdout : frame or mapping of arrays, optional
        Real rows that were kept out of the synthesis; adds prediction errors and the two-by-two.
    schema : Schema, optional
        Says which columns to compare, in which order, and which of them are categories. Without it every
        column is compared, in the real table's order. The schema of a panel adds measures of dynamics.
    rng : numpy Generator, optional
        Randomness of re-splits and permutations; a fixed stream unless given.
    formulas : str or sequence of str
        Regressions to compare, such as "wage ~ education + C(region)", "logistic: union ~ wage" or
        "quantile(0.9): wage ~ age".
    measures : names, optional
        Measures or families of measures to compute, such as ["km", "tail"]; all of them unless told.
    replicates : sequence of frames
        Further synthetic tables of the same synthesizer, over which the two-by-two is averaged.

    Returns
    -------
    Evaluation
        One tidy table; see `quantail.evaluation.table`.

    Examples
    --------
    >>> table = {"x": [1.0, 2.0, 3.0, 5.0]}
    >>> evaluate(table, table).value("km")
    1000.0
    """
    texts = (formulas,) if isinstance(formulas, str) else formulas
    regressions = [Regression.parse(text) for text in dict.fromkeys(texts)]
    rows = Rows(chosen(measures))
    pair = read_pair(real, synth, holdout, schema)
    for regression in regressions:
        require_columns(pair.real, regression.formula.columns, "real")
    others = [read_pair(real, replicate, None, schema).synth for replicate in replicates]
    add_propensity(rows, pair, rng)
    add_distances(rows, pair, rng)
    add_marginals(rows, pair)
    add_columns(rows, pair, rng)
    add_correlations(rows, pair)
    add_associations(rows, pair)
    add_sequence(rows, pair)
    add_formulas(rows, pair, regressions)
    add_two_by_two(rows, pair, others, regressions, rng)
    _add_panels(rows, pair)
    return rows.evaluation()


def _add_panels(rows: Rows, pair: Pair) -> None:
    if pair.panels:
        effect = float(np.mean([design_effect(real) for _, real, _ in pair.panels]))
        rows.measures = widened(rows.measures, effect)
    if not rows.wants(*panel.MEASURES):
        return
    for name, real, synth in pair.panels:
        found = panel_against_null(real, synth)
        for measure, key in zip(panel.MEASURES, panel.PANEL_MEASURES, strict=True):
            rows.put(measure, (name,), *found[key])
