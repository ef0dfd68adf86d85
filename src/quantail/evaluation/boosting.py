"""AUC of gradient boosting: how often a strong classifier ranks a synthetic row above a real one.

Boosted trees (scikit-learn's HistGradientBoostingClassifier) learn to tell the tables apart on four fifths of the rows;
the area under the ROC curve is taken on the fifth that was kept out, and averaged over the five. 0.5 says that they
cannot be told apart, 1 that they always can. Unlike pMSE it does not grow with the number of rows. Labels are split in
groups, missing values are a value of their own. The rows of a panel are whole units: its periods, side by side.

For two samples of one population the AUC of n and m rows under a fixed score varies about 0.5 with variance
(n + m + 1) / (12 n m), as the statistic of Mann and Whitney does. Cross-validation doubles that: what two rows have in
common by chance counts twice, once with each of them in the training. The mean distance from 0.5 is sqrt(2 / pi)
standard deviations. An AUC below 0.5 is stated as 0.5: what trees learned does not hold.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from quantail.arrays import Floats
from quantail.evaluation.measure import Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.references import FRIEDMAN
from quantail.evaluation.relations import frequent_labels
from quantail.evaluation.rows import Rows
from quantail.io.extras import MissingExtra, optional
from quantail.release.threads import one_thread

AUC = Measure(
    "auc",
    "AUC of gradient boosting",
    "overall",
    "How often boosted trees, tried on rows kept out of their training, rank a synthetic row above a real one.",
    "0.5 plus its mean distance from it, by the law of Mann and Whitney",
    FRIEDMAN,
    (0.5, 1.0),
    best=0.5,
)
MEASURES = (AUC,)

MOST_ROWS = 20_000
"""Rows of each table; the AUC of more would hardly differ."""

_FOLDS = 5
_LEAST_ROWS = 50
_MOST_LABELS = 250  # the classifier takes up to 255


def add(rows: Rows, pair: Pair) -> None:
    """Add the AUC, if the tables have enough rows and the classifier is installed."""
    if not rows.wants(AUC):
        return
    real, synth, labelled = _rows(pair)
    if min(len(real), len(synth)) < _LEAST_ROWS:
        rows.skip(MEASURES, pair.names, f"it needs at least {_LEAST_ROWS} rows in each table")
        return
    rng = np.random.default_rng(0)
    parts = [table[np.sort(rng.permutation(len(table))[:MOST_ROWS])] for table in (real, synth)]
    n, m = map(len, parts)
    null = 0.5 + sqrt(2 / pi * 2 * (n + m + 1) / (12 * n * m))
    note = f"on {n:,} real and {m:,} synthetic rows" if n < len(real) or m < len(synth) else ""
    rows.put(AUC, pair.names, max(classifier_auc(parts[0], parts[1], labelled), 0.5), null, note)


def classifier_auc(real: Floats, synth: Floats, labelled: tuple[bool, ...] = (), seed: int = 0) -> float:
    """Cross-validate the AUC of boosted trees that tell two matrices with the same columns apart.

    Parameters
    ----------
    real, synth : arrays of shape (rows, columns)
        Numbers, NaN where missing; labels as whole numbers from 0 to 254.
    labelled : tuple of bool
        Which columns hold labels; none unless given.
    seed : int
        Decides which row is in which fold.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> bool(classifier_auc(rng.normal(size=(200, 1)), 3 + rng.normal(size=(200, 1))) > 0.9)
    True
    """
    ensemble, selection = (
        optional(f"sklearn.{part}", "evaluate", "the AUC of gradient boosting", MissingExtra)
        for part in ("ensemble", "model_selection")
    )
    table = np.vstack([real, synth])
    origin = np.repeat([0, 1], [len(real), len(synth)])
    kinds = np.array(labelled or (False,) * table.shape[1], dtype=bool)
    trees = ensemble.HistGradientBoostingClassifier(
        categorical_features=kinds, early_stopping=False, random_state=seed
    )
    folds = selection.StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    with one_thread():  # here: only now are the threads of scikit-learn loaded
        return float(selection.cross_val_score(trees, table, origin, cv=folds, scoring="roc_auc").mean())


def _rows(pair: Pair) -> tuple[Floats, Floats, tuple[bool, ...]]:
    if pair.panels:
        real, synth = (np.hstack([panel[side] for panel in pair.panels]) for side in (1, 2))
        return real, synth, (False,) * real.shape[1]
    numbers = [np.concatenate([pair.real[name], pair.synth[name]]) for name in pair.numeric]
    labels = [frequent_labels(np.concatenate(pair.codes[name]), _MOST_LABELS) for name in pair.labels]
    table = np.column_stack([*numbers, *labels]).astype(float)
    return table[: pair.n_real], table[pair.n_real :], (False,) * len(numbers) + (True,) * len(labels)
