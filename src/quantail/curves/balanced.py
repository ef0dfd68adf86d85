"""Uniform numbers that are spread evenly, so that drawing rows adds little noise of its own."""

import numpy as np

from quantail.arrays import Floats


def balanced_uniform(columns: int, n: int, rng: np.random.Generator) -> Floats:
    """Return n points of a scrambled Sobol sequence in random order, one row per column.

    A sequence has so many dimensions and no more; further columns have sequences of their own.
    """
    from scipy.stats import qmc  # here: slow to import, and not everybody draws

    if columns > qmc.Sobol.MAXDIM:
        rest = balanced_uniform(columns - qmc.Sobol.MAXDIM, n, rng)
        return np.concatenate([balanced_uniform(qmc.Sobol.MAXDIM, n, rng), rest])
    points = qmc.Sobol(columns, scramble=True, rng=rng).random_base2(max(n - 1, 1).bit_length())[:n]
    return np.asarray(rng.permutation(points).T)
