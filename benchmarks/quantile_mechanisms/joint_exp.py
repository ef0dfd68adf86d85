"""JointExp (Gillenwater, Joseph and Kulesza 2021): all quantiles in one draw of the exponential mechanism.

Notation. Interval i (0 <= i <= n) lies between rows i and i + 1 of the sorted values and has i rows below it. Rungs
1..m are to have t_0 rows below the first, t_1 between the first two, and so on. A rising vector of rungs has density
proportional to exp(-rate sum |n_k - t_k|), n_k the rows between neighbouring rungs, rate = epsilon / 4 (replacing a
row moves the sum by 2). r rungs in one interval of length w have volume w^r / r!, so paths are counted by runs:

    arrive[k][i]  weight of all before rung k, when it is the first rung in interval i
    end[k][i]     weight of all up to rung k, when it is the last rung in interval i

Rungs farther than `REACH` / rate rows from their targets weigh less than exp(-2 REACH) and are left out.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import gammaln, logsumexp

REACH = 20.0
_NOTHING = 60.0  # log weight below which a longer run is not worth counting


def joint_exp(
    values: np.ndarray,
    levels: np.ndarray,
    epsilon: float,
    bounds: tuple[float, float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Release the quantiles of sorted values at the levels."""
    edges = np.concatenate([[bounds[0]], np.clip(values, *bounds), [bounds[1]]])
    paths = _Paths(edges, np.rint(values.size * levels).astype(np.int64), epsilon / 4)
    released = np.empty(levels.size)
    for interval, first, last in paths.draw(rng):
        ends = edges[interval], edges[interval + 1]
        released[first:last] = np.sort(rng.uniform(*ends, size=last - first))
    return released


class _Paths:
    """The weights of all paths, and a draw from them backwards."""

    def __init__(self, edges: np.ndarray, cuts: np.ndarray, rate: float) -> None:
        self.rows, self.rate = edges.size - 2, rate
        with np.errstate(divide="ignore"):  # ties: an interval of no length has no weight
            self.lengths = np.log(np.diff(edges))
        self.targets = np.diff(cuts, prepend=0, append=self.rows)
        reach = int(np.ceil(REACH / rate))
        self.low = np.clip(cuts - reach, 0, self.rows)
        self.high = np.clip(cuts + reach, 0, self.rows) + 1
        self.arrive: list[np.ndarray] = []
        self.end: list[np.ndarray] = []
        for rung in range(cuts.size):
            self.arrive.append(self._arrive(rung))
            self.end.append(logsumexp(self._runs(rung), axis=0))

    def _arrive(self, rung: int) -> np.ndarray:
        here = np.arange(self.low[rung], self.high[rung])
        if rung == 0:
            return -self.rate * np.abs(here - self.targets[0])
        before = self.end[rung - 1]
        steps = _steps(
            int(self.low[rung] - self.low[rung - 1]),
            here.size,
            before.size,
            int(self.targets[rung]),
            self.rate,
        )
        largest = before.max()
        with np.errstate(divide="ignore"):
            return largest + np.log(steps @ np.exp(before - largest))

    def _runs(self, rung: int) -> np.ndarray:
        """Return log weights, one row for each length of the run that ends at this rung in interval i."""
        low, high = self.low[rung], self.high[rung]
        rows, inner = [], 0.0
        for length in range(1, rung + 2):
            start = rung - length + 1
            if length > 1:
                inner += self.rate * self.targets[start + 1]  # no rows between two rungs of the run
            if inner > _NOTHING:
                break
            row = np.full(high - low, -np.inf)
            first, last = max(low, self.low[start]), min(high, self.high[start])
            if first < last:
                arrived = self.arrive[start][first - self.low[start] : last - self.low[start]]
                volume = length * self.lengths[first:last] - gammaln(length + 1)
                row[first - low : last - low] = arrived + volume - inner
            rows.append(row)
        return np.array(rows)

    def draw(self, rng: np.random.Generator) -> list[tuple[int, int, int]]:
        """Draw a path as runs (interval, first rung, one past the last rung)."""
        rung = len(self.end) - 1
        here = np.arange(self.low[rung], self.high[rung])
        weights = self.end[rung] - self.rate * np.abs(self.rows - here - self.targets[-1])
        runs = []
        while True:
            interval = int(self.low[rung] + _pick(weights, rng))
            length = 1 + _pick(self._runs(rung)[:, interval - self.low[rung]], rng)
            runs.append((interval, rung - length + 1, rung + 1))
            rung -= length
            if rung < 0:
                return runs
            before = np.arange(self.low[rung], self.high[rung])
            gaps = interval - before
            weights = self.end[rung] - self.rate * np.abs(gaps - self.targets[rung + 1])
            weights[gaps <= 0] = -np.inf


@lru_cache(maxsize=8)
def _steps(offset: int, here: int, before: int, target: int, rate: float) -> np.ndarray:
    """Return exp(-rate |gap - target|) for all gaps from an earlier interval to a later one, 0 if it is no later."""
    gaps = np.arange(here)[:, None] - np.arange(before)[None, :] + offset
    return np.where(gaps > 0, np.exp(-rate * np.abs(gaps - target)), 0.0)


def _pick(weights: np.ndarray, rng: np.random.Generator) -> int:
    return int(np.argmax(weights + rng.gumbel(size=weights.size)))
