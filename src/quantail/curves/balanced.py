"""Uniform numbers that are spread evenly, so that drawing rows adds little noise of its own."""

import numpy as np

from quantail.arrays import Floats
from quantail.curves.sobol import DIMENSIONS, UNIT, sobol_points


def balanced_uniform(columns: int, n: int, rng: np.random.Generator) -> Floats:
    """Return n points of a scrambled Sobol sequence in random order, one row per column.

    A sequence has so many dimensions and no more; further columns have sequences of their own.
    """
    power = max(n - 1, 1).bit_length()
    if columns <= DIMENSIONS:
        points = sobol_points(columns, power, rng)
        order = rng.permutation(n)
        uniform = np.empty((columns, n))
        for own, row in zip(uniform, points, strict=True):
            np.multiply(row.take(order), UNIT, out=own)
        return uniform
    from scipy.stats import qmc  # here: slow to import, and few tables are as wide

    if columns > qmc.Sobol.MAXDIM:
        rest = balanced_uniform(columns - qmc.Sobol.MAXDIM, n, rng)
        return np.concatenate([balanced_uniform(qmc.Sobol.MAXDIM, n, rng), rest])
    points = qmc.Sobol(columns, scramble=True, rng=rng).random_base2(power)[:n]
    return np.asarray(rng.permutation(points).T)
