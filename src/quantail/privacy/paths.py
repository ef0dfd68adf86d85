"""Exact sampling of an ordered path from weights that multiply along it (the engine of the joint draw).

Notation. Candidates 0..G-1 carry cumulated counts c_0 <= ... <= c_{G-1} of N rows. A path i_1 <= ... <= i_m cuts
the rows into m + 1 parts n_0 = c_{i_1}, n_k = c_{i_{k+1}} - c_{i_k}, n_m = N - c_{i_m}. With public integer targets
t_k the law is

    P(path) proportional to prod_k w(|n_k - t_k|),      w(u) = max(exp(-rate * u), exp(-FLOOR)).

Why floating point is safe here. `w` is a table: a fixed function of an integer, and the table itself is checked to
fall by no more than exp(rate) per step, so the guarantee does not rest on the accuracy of `exp`. The backward sums
have only positive terms, hence a relative error below (G + 4) m 2^-53. Each step of the path is then drawn with
probability *exactly* proportional to the doubles at hand: doubles are integers times a power of two, and a uniform
integer below their sum is compared with their partial sums. So every path's probability is right to the relative
error above; `SLACK` pays for it (see proofs/joint.md).
"""

import math

import numpy as np
from numpy.typing import NDArray

from quantail.privacy.noise import Integers, Noise

FLOOR = 80.0  # 8 factors of exp(-80) are still a normal double; see `MOST_RUNGS`
MOST_RUNGS = 16
SLACK = 1e-9  # privacy loss set aside for the rounding of the sums, far above its bound
_CHUNK = 256
Floats = NDArray[np.float64]


def weight_table(rate: float, rows: int, parts: int) -> Floats:
    """Return w(0..rows), checked to fall by at most exp(rate) per step."""
    floor = min(FLOOR, 640.0 / parts)
    table = np.exp(-np.minimum(rate * np.arange(rows + 1), floor))
    if rows and np.any(table[:-1] > table[1:] * math.exp(rate) * (1 + 1e-13)):
        raise ArithmeticError("the weight table of a joint draw falls too fast; nothing was released")
    return table


def draw_path(counts: Integers, rows: int, targets: Integers, rate: float, noise: Noise) -> Integers:
    """Draw one path; `targets` has one entry more than the path has rungs.

    The float sums see at most `MOST_RUNGS` factors, none below exp(-640 / parts), so nothing underflows.
    """
    rungs = targets.size - 1
    if not 1 <= rungs <= MOST_RUNGS:
        raise ValueError(f"a joint draw takes 1 to {MOST_RUNGS} rungs")
    largest = int(max(rows, counts.max(initial=0), np.abs(targets).max()))
    table = weight_table(rate, 2 * largest, rungs + 1)
    messages = _backward(counts, rows, targets, table)
    weights = table[np.abs(counts - targets[0])] * messages[0]
    path = [_pick(weights, noise)]
    for k in range(1, rungs):
        weights = _row(counts, path[-1], targets[k], table) * messages[k]
        path.append(_pick(weights, noise))
    return np.asarray(path, dtype=np.int64)


def _backward(counts: Integers, rows: int, targets: Integers, table: Floats) -> list[Floats]:
    """Return, for each rung, the total weight of all ways to finish the path from each candidate."""
    message = table[np.abs(rows - counts - targets[-1])]
    messages = [message]
    for k in range(targets.size - 2, 0, -1):
        finished = np.empty_like(message)
        for start in range(0, counts.size, _CHUNK):
            stop = min(start + _CHUNK, counts.size)
            parts = np.abs(counts[None, start:] - counts[start:stop, None] - targets[k])
            finished[start:stop] = np.triu(table[parts]) @ message[start:]
        message = finished
        messages.append(message)
    return messages[::-1]


def _row(counts: Integers, start: int, target: np.int64, table: Floats) -> Floats:
    """Return the weights of stepping from candidate `start` to every candidate."""
    row = table[np.abs(counts - counts[start] - target)]
    row[:start] = 0.0
    return row


def _pick(weights: Floats, noise: Noise) -> int:
    """Return an index with probability exactly proportional to the given doubles."""
    mantissa, exponent = np.frexp(weights)
    whole = (mantissa * 2.0**53).astype(np.int64).tolist()
    lowest = int(exponent.min())
    parts = [m << (e - lowest) for m, e in zip(whole, exponent.tolist(), strict=True)]
    left = noise.below(sum(parts))
    for index, part in enumerate(parts):
        left -= part
        if left < 0:
            return index
    raise ArithmeticError("unreachable: the parts add up to their sum")
