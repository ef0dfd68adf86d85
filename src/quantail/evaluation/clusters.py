"""Rows of one unit are alike, so the rows of a panel say less than as many independent ones.

Nulls of measures on unit-periods would be too strict if they took rows for independent. The design effect of the mean
rank (Kish 1965) is the correction: with deviations d_ut of unit u in period t from the mean rank,

    effect = sum over u of (sum over t of d_ut)^2 / sum over u, t of d_ut^2,

1 for independent rows, the number of periods for units that never change. Errors of an independent sample of units are
larger by its root, and pMSE, a squared error, by the effect itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quantail.arrays import Floats
from quantail.evaluation.table import Measured

_OF_ROWS = ("overall", "columns", "tails", "relations", "counts", "regressions")
_OF_UNITS = ("auc",)  # measures that take whole units for rows


def design_effect(histories: Floats) -> float:
    """Give the design effect of the mean rank, at least 1; shape (units, periods), NaN where not active.

    Examples
    --------
    >>> design_effect(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    2.0
    """
    from scipy.stats import rankdata  # here: slow to import

    ranks = np.full(histories.shape, np.nan)
    known = ~np.isnan(histories)
    ranks[known] = rankdata(histories[known])
    away = np.where(known, ranks - np.nanmean(ranks), 0.0)
    total = float((away**2).sum())
    return max(float((away.sum(axis=1) ** 2).sum()) / total, 1.0) if total > 0 else 1.0


def widened(row: Measured, effect: float) -> Measured:
    """Widen the null of a measure on unit-periods."""
    if row.null is None or row.family not in _OF_ROWS or row.name in _OF_UNITS:
        return row
    factor = effect if row.family == "overall" else np.sqrt(effect)
    low, high = row.measure.range
    return replace(row, null=float(np.clip(row.best + factor * (row.null - row.best), low, high)))
