"""Standard errors as if the table were a real sample, by leaving out blocks of its rows, or units, in turn."""

from collections.abc import Callable

import numpy as np

from quantail.arrays import Floats, Integers

_BLOCKS = 50  # parts that are left out in turn: enough for a naive error, cheap on large tables


def jackknife_errors(size: int, estimates: Callable[[Integers], Floats | float]) -> Floats:
    """Return the standard error of every estimate.

    `estimates` computes them on what is kept of `size` rows or units, given the places in rising order.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 6.0])
    >>> jackknife_errors(3, lambda kept: float(values[kept].mean())).round(6)
    np.float64(1.527525)
    """
    left = []
    for block in np.array_split(np.random.default_rng(0).permutation(size), min(_BLOCKS, size)):
        kept = np.ones(size, dtype=np.bool_)
        kept[block] = False
        left.append(estimates(np.flatnonzero(kept)))
    return np.asarray(np.sqrt((len(left) - 1) * np.array(left).var(axis=0)))
