"""Sizes in a panel: shares of size classes, moves between them, and how much the largest units hold.

Panels are arrays of shape (units, periods), NaN where a unit is not active, as in `dynamics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from quantail.arrays import Floats, Integers
from quantail.errors import DataError, OptionError
from quantail.evaluation.dynamics import histories

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


def transition_shares(values: ArrayLike, classes: Sequence[float] = SIZE_CLASSES) -> Floats:
    """Joint shares of continuers by class at t - 1 (rows) and at t (columns); they sum to 1."""
    array = histories(values)
    if array.shape[1] < 2:
        raise DataError("the panel has a single period; moves between classes need at least two.")
    before, after = array[:, :-1], array[:, 1:]
    both = ~np.isnan(before) & ~np.isnan(after)
    count = len(classes)
    cells = _class_of(before[both], classes) * count + _class_of(after[both], classes)
    return (np.bincount(cells, minlength=count**2) / max(cells.size, 1)).reshape(count, count)


def _class_of(sizes: Floats, classes: Sequence[float]) -> Integers:
    if len(classes) < 1 or classes[0] > 0 or any(a >= b for a, b in pairwise(classes)):
        raise OptionError("size classes are lower ends in increasing order, beginning at 0.")
    # The lowest class takes negative sizes too, which only a faulty synthesis has.
    return np.asarray(np.maximum(np.searchsorted(np.asarray(classes), sizes, side="right") - 1, 0))
