"""Rows of one unit are alike, so the rows of a panel say less than as many independent ones.

Nulls of measures on unit-periods would be too strict if they took rows for independent. The design effect of the mean
rank (Kish 1965) tells how much less they say: with deviations d_ut of unit u in period t from the mean rank,

    effect = sum over u of (sum over t of d_ut)^2 / sum over u, t of d_ut^2,

1 for independent rows, the number of periods for units that never change. Errors of a fresh sample of units are larger
by its root, and pMSE, a squared error, by the effect itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from quantail.evaluation.table import Measured

Floats = NDArray[np.float64]

_ERRORS = ("distance", "marginals", "column", "correlation", "tail", "regression")


def design_effect(histories: Floats) -> float:
    """Give the design effect of the mean rank, at least 1; shape (units, periods), NaN where not active.

    Examples
    --------
    >>> design_effect(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    2.0
    """
    ranks = np.full(histories.shape, np.nan)
    known = ~np.isnan(histories)
    ranks[known] = rankdata(histories[known])
    away = np.where(known, ranks - np.nanmean(ranks), 0.0)
    total = float((away**2).sum())
    return max(float((away.sum(axis=1) ** 2).sum()) / total, 1.0) if total > 0 else 1.0


def widened(rows: Sequence[Measured], effect: float) -> list[Measured]:
    """Widen the nulls of measures on unit-periods; p-values and standardised forms have none and lose theirs."""
    return [_widened(row, effect) for row in rows]


def _widened(row: Measured, effect: float) -> Measured:
    if row.null is None or row.family not in ("propensity", *_ERRORS):
        return row
    if row.name.endswith(("_z", "_p")):
        return replace(row, null=None)
    factor = effect if row.family == "propensity" else np.sqrt(effect)
    low, high = row.measure.range
    return replace(row, null=float(np.clip(row.best + factor * (row.null - row.best), low, high)))
