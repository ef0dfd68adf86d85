"""All quantiles of a column in one draw (DESIGN 4.1, after JointExp), with public targets.

For levels tau_1 < ... < tau_m and n rows the targets are t_k = round(n tau_{k+1}) - round(n tau_k). A vector of
candidates is drawn with weight exp(-rate * sum_k |n_k - t_k|), n_k the rows between neighbouring candidates. A
public log prior c on the range multiplies a weight by exp(c of the first candidate - c of the last), and one
on the height of the last candidate by exp(- its height).
Proof: privacy/proofs/joint.md.
"""

from functools import partial

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.curves.rows import Vector
from quantail.curves.tuning import SPREAD_STEPS
from quantail.privacy import Gate, PathQuestion, Plan


def targets(rows: int, levels: Floats) -> Integers:
    """Return the public number of rows wanted in each part; they add up to `rows`."""
    cuts = np.rint(rows * np.concatenate([[0.0], levels, [1.0]])).astype(np.int64)
    return np.asarray(np.diff(cuts))


def spread_places(values: Floats, uniform: Floats, grid: Floats, steps: float = SPREAD_STEPS) -> Floats:
    """Return values as places on the grid, each spread over some steps to either side by a number of its own.

    Rows that heap on less than a step would leave no good cut between candidates, and then one far away costs as
    little. Spread row by row, independently of everything else (as by the dither of `Scale`), heaps become
    passable. Rows whose value is absent (NaN) lie below all candidates.
    """
    values = np.where(np.isnan(values), -np.inf, values)
    if grid.size == 1:
        return np.where(values <= grid[0], 0.0, 1.0)
    outside = 1 + steps  # rows beyond the grid stay there
    places = np.interp(
        values, grid, np.arange(grid.size, dtype=np.float64), -outside, grid.size - 1 + outside
    )
    return np.asarray(places + 2 * steps * (uniform - 0.5))


def _count_places(values: Floats, uniform: Floats, grid: Floats, steps: float) -> Integers:
    """Return how many rows lie between neighbouring candidates, with those below and above them all."""
    cells = np.ceil(spread_places(values, uniform, grid, steps)).astype(np.int64)
    return np.bincount(np.clip(cells, 0, grid.size), minlength=grid.size + 1)


def joint_quantiles(
    gate: Gate,
    leaf: Plan,
    values: Vector | Floats,
    grid: Floats,
    levels: Floats,
    rows: int,
    range_prior: Floats | None = None,
    height_prior: Floats | None = None,
    steps: float = SPREAD_STEPS,
) -> Floats:
    """Release the quantiles of `values` at `levels`, as members of `grid`.

    Parameters
    ----------
    values : Vector or array
        Confidential values.
    grid : array
        Public candidates, ascending.
    rows : int
        Public number of rows (released, under add/remove).
    range_prior : array, optional
        Public log prior on the range: how far along it each candidate lies, in nats.
    height_prior : array, optional
        Public log prior on the height of the last quantile: what each candidate costs it, in nats.
    steps : float
        Candidate steps over which rows are spread to either side.
    """
    values = Vector.of(values)
    cells = values.total(partial(_count_places, grid=grid, steps=steps), values.uniform(gate.noise))
    counts = np.cumsum(cells)
    question = PathQuestion(counts[:-1], int(counts[-1]), targets(rows, levels), range_prior, height_prior)
    (path,) = gate.path(leaf, [question])
    return grid[path]
