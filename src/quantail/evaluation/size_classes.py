"""Sizes in a panel: shares of size classes, moves between them, and how much the largest units hold.

Panels are arrays of shape (units, periods), NaN where a unit is not active, as in `dynamics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantail.errors import OptionError
from quantail.evaluation.dynamics import histories

Floats = NDArray[np.float64]

# Lower ends of the classes: 0, 1-4, 5-9, 10-19, 20-49, 50-99, 100-249, 250-499, 500-999, 1000 and more.
SIZE_CLASSES = (0.0, 1.0, 5.0, 10.0, 20.0, 50.0, 100.0, 250.0, 500.0, 1000.0)


def size_class_shares(values: ArrayLike, classes: Sequence[float] = SIZE_CLASSES) -> Floats:
    """Share of active unit-periods in each size class; zeros if there are none.

    Examples
    --------
    >>> size_class_shares([[0, 4], [5, float("nan")]], classes=(0, 1, 5)).round(2)
    array([0.33, 0.33, 0.33])
    """
    array = histories(values)
    cells = _class_of(array[~np.isnan(array)], classes)
    return np.bincount(cells, minlength=len(classes)) / max(cells.size, 1)


def transition_shares(values: ArrayLike, classes: Sequence[float] = SIZE_CLASSES, lag: int = 1) -> Floats:
    """Joint shares of continuers by class at t - lag (rows) and at t (columns); they sum to 1."""
    array = histories(values)
    if not 1 <= lag < array.shape[1]:
        raise OptionError("lag must be at least 1 and smaller than the number of periods.")
    before, after = array[:, :-lag], array[:, lag:]
    both = ~np.isnan(before) & ~np.isnan(after)
    count = len(classes)
    cells = _class_of(before[both], classes) * count + _class_of(after[both], classes)
    return (np.bincount(cells, minlength=count**2) / max(cells.size, 1)).reshape(count, count)


def transition_matrix(values: ArrayLike, classes: Sequence[float] = SIZE_CLASSES, lag: int = 1) -> Floats:
    """Probability of a class given the class `lag` periods before; rows sum to 1, or to 0 if never seen.

    Examples
    --------
    >>> transition_matrix([[0, 3], [3, 3], [3, 0], [2, 4]], classes=(0, 1)).round(2)
    array([[0.  , 1.  ],
           [0.33, 0.67]])
    """
    joint = transition_shares(values, classes, lag)
    whole = joint.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(joint, whole, out=np.zeros_like(joint), where=whole > 0))


def top_shares(values: ArrayLike, tops: Sequence[float] = (0.01, 0.1)) -> Floats:
    """Share of each period's total held by its largest active units, shape (tops, periods).

    The top q is the q-th part of the units active in that period, rounded up. Periods without any total: 0.

    Examples
    --------
    >>> top_shares([[6], [3], [1], [float("nan")]], tops=(0.4,))
    array([[0.9]])
    """
    if any(not 0 < top <= 1 for top in tops):
        raise OptionError("tops are shares of units; give numbers above 0 and up to 1.")
    array = histories(values)
    ranked = -np.sort(-np.nan_to_num(array), axis=0)
    held = np.vstack([np.zeros(array.shape[1]), np.cumsum(ranked, axis=0)])
    active = (~np.isnan(array)).sum(axis=0)
    shares = np.zeros((len(tops), array.shape[1]))
    for row, top in zip(shares, tops, strict=True):
        many = np.ceil(top * active - 1e-9).astype(int)  # .1 of 30 is 3, whatever rounding says
        row[:] = held[many, np.arange(array.shape[1])]
    return np.asarray(np.divide(shares, held[-1], out=np.zeros_like(shares), where=held[-1] > 0))


def _class_of(sizes: Floats, classes: Sequence[float]) -> NDArray[np.int64]:
    if len(classes) < 1 or classes[0] > 0 or any(a >= b for a, b in pairwise(classes)):
        raise OptionError("size classes are lower ends in increasing order, beginning at 0.")
    # The lowest class takes negative sizes too, which only a faulty synthesis has.
    return np.asarray(np.maximum(np.searchsorted(np.asarray(classes), sizes, side="right") - 1, 0))
