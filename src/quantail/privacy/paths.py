"""Exact sampling of an ordered path from weights that multiply along it (the engine of the joint draw).

Notation. Candidates 0..G-1 carry cumulated counts c_0 <= ... <= c_{G-1} of N rows. A path i_1 <= ... <= i_m cuts
the rows into m + 1 parts n_0 = c_{i_1}, n_k = c_{i_{k+1}} - c_{i_k}, n_m = N - c_{i_m}. With public integer targets
t_k the law is

    P(path) proportional to exp(p_{i_1} - p_{i_m} - h_{i_m}) prod_k exp(-min(rate * |n_k - t_k|, DEEPEST)),

where p, if it is given, is a public log prior on the range: it never falls along the candidates, so a path
whose ends lie far apart is less likely. It keeps outer quantiles within reach where few rows support them. So does h,
a public log prior on the height of the last quantile, for columns as a whole: generous bounds have a far end.

Why floating point is safe here. All weights are kept as logarithms, so nothing underflows; a log weight of size L is
right to about L 2^-53, and DEEPEST keeps L small whatever the number of rows (with N = sum t_k rows it changes
nothing). The backward sums have only positive terms, which adds about G 2^-53 a quantile. Each step of the path is then
drawn with probability *exactly* proportional to the numbers at hand: a log weight is turned into an integer times a
power of two, and a uniform integer below their sum is compared with their partial sums. So every path's probability,
however small, is right to a relative error below 2.5e-9; `SLACK` pays for it (see proofs/joint.md).
"""

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.privacy.noise import Noise

MOST_QUANTILES = 16
DEEPEST = 10_000.0  # no part of a path weighs less than exp(-DEEPEST): this bounds all rounding
SLACK = 1e-8  # privacy loss set aside for the rounding of weights and sums, above its bound
MOST_CANDIDATES = 2000  # what the bound on rounding allows (proofs/joint.md); grids in use have up to 1950
MOST_PRIOR = 1000.0  # nats; bounds rounding, too
_CHUNK = 64
_BEFORE = np.tri(_CHUNK, k=-1, dtype=np.bool_)  # candidates of a chunk that lie before another one


def draw_path(
    counts: Integers,
    rows: int,
    targets: Integers,
    rate: float,
    noise: Noise,
    range_prior: Floats | None = None,
    height_prior: Floats | None = None,
) -> Integers:
    """Draw one path; `targets` has one entry more than the path has quantiles."""
    quantiles = targets.size - 1
    if not 1 <= quantiles <= MOST_QUANTILES:
        raise ValueError(f"a joint draw takes 1 to {MOST_QUANTILES} quantiles")
    if not 1 <= counts.size < MOST_CANDIDATES:
        raise ValueError(f"a joint draw takes fewer than {MOST_CANDIDATES} candidates")
    range_prior = (
        np.zeros(counts.size) if range_prior is None or quantiles == 1 else bounded_prior(range_prior)
    )
    last_prior = range_prior if height_prior is None else bounded_prior(range_prior + height_prior)
    messages = log_messages(counts, rows, targets, rate, last_prior)
    path = [noise.pick(_log_weights(counts - targets[0], rate) + range_prior + messages[0])]
    for k in range(1, quantiles):
        start = path[-1]
        steps = _log_weights(counts[start:] - counts[start] - targets[k], rate)
        path.append(start + noise.pick(steps + messages[k][start:]))
    return np.asarray(path, dtype=np.int64)


def bounded_prior(range_prior: Floats) -> Floats:
    """Return a log prior on the range that lies between zero and `MOST_PRIOR`."""
    return np.asarray(np.clip(range_prior - range_prior[0], 0.0, MOST_PRIOR))


def log_messages(
    counts: Integers, rows: int, targets: Integers, rate: float, range_prior: Floats | float = 0.0
) -> list[Floats]:
    """Return, for each quantile, the log of the total weight of all ways to finish the path from each candidate."""
    message = _log_weights(rows - counts - targets[-1], rate) - range_prior
    messages = [message]
    places = counts.astype(np.float64)  # whole numbers still
    for k in range(targets.size - 2, 0, -1):
        finished = np.empty_like(message)
        for start in range(0, counts.size, _CHUNK):
            stop = min(start + _CHUNK, counts.size)
            missed = places[None, start:] - (places[start:stop, None] + targets[k])
            logs = _log_weights(missed, rate)
            logs += message[start:]
            finished[start:stop] = _log_sums(logs)
        message = finished
        messages.append(message)
    return messages[::-1]


def _log_weights(missed: Integers | Floats, rate: float) -> Floats:
    """Return the log weight of parts that miss their targets by so many rows: one row moves it by `rate` at most."""
    logs = np.multiply(-rate, np.abs(missed))
    return np.maximum(logs, -DEEPEST, out=logs)


def _log_sums(logs: Floats) -> Floats:
    """Return log of the sum of exp over each row, from the diagonal on; the array is used up."""
    number = logs.shape[0]
    np.copyto(logs[:, :number], -np.inf, where=_BEFORE[:number, :number])
    largest = logs.max(axis=1)
    logs -= largest[:, None]
    return np.asarray(largest + np.log(np.exp(logs, out=logs).sum(axis=1)))
