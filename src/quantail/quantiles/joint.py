"""All quantiles of a column in one draw (DESIGN 4.1, after JointExp), with public targets.

For levels tau_1 < ... < tau_m and n rows the targets are t_k = round(n tau_{k+1}) - round(n tau_k). A vector of
candidates is drawn with weight exp(-rate * sum_k |n_k - t_k|), n_k the rows between neighbouring candidates.
Proof: privacy/proofs/joint.md.
"""

import numpy as np
from numpy.typing import NDArray

from quantail.privacy import Gate, PathQuestion, Plan

Floats = NDArray[np.float64]

_SPREAD_STEPS = 1.0


def targets(rows: int, levels: Floats) -> NDArray[np.int64]:
    """Return the public number of rows wanted in each part; they add up to `rows`."""
    cuts = np.rint(rows * np.concatenate([[0.0], levels, [1.0]])).astype(np.int64)
    return np.asarray(np.diff(cuts))


def _spread(gate: Gate, values: Floats, grid: Floats) -> Floats:
    """Return values as sorted places on the grid, each spread over a step to either side.

    Rows that heap on less than a step would leave no good cut between candidates, and then a bad one costs little.
    Spread row by row, independently of everything else (as by the dither of `Scale`), heaps become passable.
    """
    if grid.size == 1:
        return np.sort(np.where(values <= grid[0], 0.0, 1.0))
    places = np.interp(values, grid, np.arange(grid.size, dtype=np.float64))
    places = np.where(values > grid[-1], grid.size + 1.0, np.where(values < grid[0], -2.0, places))
    return np.sort(places + 2 * _SPREAD_STEPS * (gate.noise.random(values.size) - 0.5))


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
    counts = np.searchsorted(_spread(gate, values, grid), np.arange(grid.size), side="right").astype(np.int64)
    question = PathQuestion(counts, values.size, targets(rows, levels))
    (path,) = gate.path(leaf, [question])
    return grid[path]
