"""All quantiles of a column in one draw (DESIGN 4.1, after JointExp), with public targets.

For levels tau_1 < ... < tau_m and n rows the targets are t_k = round(n tau_{k+1}) - round(n tau_k). A vector of
candidates is drawn with weight exp(-rate * sum_k |n_k - t_k|), n_k the rows between neighbouring candidates.
Proof: privacy/proofs/joint.md.
"""

import numpy as np
from numpy.typing import NDArray

from quantail.privacy import Gate, PathQuestion, Plan

Floats = NDArray[np.float64]


def targets(rows: int, levels: Floats) -> NDArray[np.int64]:
    """Return the public number of rows wanted in each part; they add up to `rows`."""
    cuts = np.rint(rows * np.concatenate([[0.0], levels, [1.0]])).astype(np.int64)
    return np.diff(cuts)


def draw_rungs(gate: Gate, leaf: Plan, values: Floats, grid: Floats, levels: Floats, rows: int) -> Floats:
    """Release the quantiles of `values` at `levels`, as members of `grid`.

    Parameters
    ----------
    values : array
        Confidential values, in any order.
    grid : array
        Public candidates, ascending.
    rows : int
        Public number of rows (released, under add/remove).
    """
    counts = np.searchsorted(np.sort(values), grid, side="right").astype(np.int64)
    question = PathQuestion(counts, values.size, targets(rows, levels))
    (path,) = gate.path(leaf, [question])
    return grid[path]
