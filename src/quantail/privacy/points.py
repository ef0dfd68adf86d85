"""Ordered points of a lattice far finer than the rows, drawn jointly: many quantiles at once, without a floor.

Notation. The lattice has C cells of F points each; a row lies at a point, and c(v) counts the rows at or below point
v. Points v_1 <= ... <= v_m cut the n rows into parts n_0 = c(v_1), n_k = c(v_{k+1}) - c(v_k), n_m = n - c(v_m). Two of
them in one cell must be the same point, a public rule. Among all such vectors, with public targets t_k,

    P(v) proportional to exp(-rate * sum_k |n_k - t_k|).

That is the law of `paths` on another public list of candidates, and that of JointExp (Gillenwater, Joseph and Kulesza
2021) on a lattice; what is new is how it is drawn. Points between two neighbouring rows of one cell share their count:
such a *piece* of w points is treated at once, and of two points in one piece the rule leaves only one. With M_k(x) the
weight of all ways to go on from a point of piece x,

    M_k(x) = exp(-rate t_k) M_{k+1}(x) + sum_y w_y exp(-rate |c_y - c_x - t_k|) M_{k+1}(y),   y in later cells.

The sum takes time proportional to the number of pieces: beyond count c_x + t_k it is exp(rate (c_x + t_k)) times a sum
that ends at the last piece, below it exp(-rate (c_x + t_k)) times a sum over a window (`window_sums`). Only positive
terms are added, on a logarithmic scale, so that every vector's probability is right to a relative error that `slack`
pays for (proofs/points.md).
"""

import math
from dataclasses import dataclass

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.privacy.noise import Noise

MOST_POINTS = 300
SHARPEST_RATE = 16.0  # nats a row: beyond, an answer is off by a row about never
_ROW = 64  # entries that are added up together
_SPAN = 600.0  # nats that doubles can add up without losing the smaller part
_KEPT = 4 * 10**7  # numbers of messages that are kept; beyond, some are computed twice
_DIGIT = 1024


@dataclass(frozen=True)
class PointsQuestion:
    """One question of `points`."""

    places: Integers  # the lattice point of every row
    rows: int  # public: how many rows there are at most, those that have no place included
    targets: Integers  # public number of rows wanted in each part, one more than there are points
    # cells, fine: public: cells of the lattice, and points in each
    cells: int
    fine: int


def slack(rows: int, points: int, lattice: int, rate: float) -> float:
    """Return a bound on what rounding may add to the privacy loss (proofs/points.md); all arguments are public.

    Parameters
    ----------
    rows : int
        Pieces of the lattice at most: rows and cells.
    lattice : int
        Points of the lattice.
    """
    largest = 2 * rate * rows + points * math.log(lattice + 1) + 800
    return 8 * points * (2 * rows + 400 * largest + 3000) * 2.0**-53


def draw_points(question: PointsQuestion, rate: float, noise: Noise) -> Integers:
    """Draw one vector of points."""
    if not 2 <= question.targets.size <= MOST_POINTS + 1:
        raise ValueError(f"at most {MOST_POINTS} points are drawn together")
    pieces = _Pieces(question, rate)
    first = pieces.logs - rate * np.abs(pieces.counts - question.targets[0])
    piece = _pick(first + pieces.message(0), noise)
    points = [pieces.point(piece, noise)]
    for k in range(1, question.targets.size - 1):
        onward = pieces.onward(piece, k)
        chosen = _pick(onward, noise) - 1
        if chosen < 0:
            points.append(points[-1])
        else:
            piece = int(pieces.later[piece]) + chosen
            points.append(pieces.point(piece, noise))
    return np.asarray(points, dtype=np.int64)


class _Pieces:
    """The pieces of a lattice between rows and cell borders, and the weights of all ways to go on from each.

    Attributes
    ----------
    starts, sizes : array
        First point of every piece, and how many points it has.
    logs : array
        Logarithms of the sizes.
    counts : array
        Rows at or below the points of a piece.
    later : array
        The first piece of the next cell.
    """

    def __init__(self, question: PointsQuestion, rate: float) -> None:
        self.targets, self.rate = question.targets, rate
        rows = np.sort(question.places)
        borders = np.arange(question.cells, dtype=np.int64) * question.fine
        self.starts = np.union1d(borders, rows)
        self.sizes = np.diff(self.starts, append=question.cells * question.fine)
        self.logs = np.log(self.sizes)
        self.counts = np.searchsorted(rows, self.starts, side="right")
        self.rows = rows.size
        self.later = np.searchsorted(self.starts, (self.starts // question.fine + 1) * question.fine)
        # From a number of rows to the first piece with as many: `first[rows + 1]` is beyond the last.
        self._first = np.searchsorted(self.counts, np.arange(rows.size + 2))
        self._messages: dict[int, Floats] = {}
        every = 1 if self.starts.size * (question.targets.size - 1) <= _KEPT else 16
        self._prepare(every)

    def message(self, k: int) -> Floats:
        """Return the log weight of all ways to go on from point k (the first is 0) in each piece."""
        if k not in self._messages:
            known = min(place for place in self._messages if place > k)
            message = self._messages[known]
            for place in range(known - 1, k - 1, -1):
                message = self._messages[place] = self._before(message, place)
        found = self._messages[k]
        for place in [place for place in self._messages if place < k]:
            del self._messages[place]  # points are drawn in order
        return found

    def onward(self, piece: int, k: int) -> Floats:
        """Return the log weights of the next point, k: the same point first, then the pieces of later cells."""
        message, later = self.message(k), int(self.later[piece])
        missed = np.abs(self.counts[later:] - self.counts[piece] - self.targets[k])
        moved = self.logs[later:] + message[later:] - self.rate * missed
        return np.concatenate([[message[piece] - self.rate * self.targets[k]], moved])

    def point(self, piece: int, noise: Noise) -> int:
        """Return one point of a piece, each with the same chance."""
        size, unit = int(self.sizes[piece]), 1
        while unit * _DIGIT < size:
            unit *= _DIGIT
        while (
            True
        ):  # digit by digit, the first one no larger than it must be: half of all tries or more succeed
            place, rest = unit * noise.pick(np.zeros(-(-size // unit))), unit
            while rest > 1:
                rest //= _DIGIT
                place += rest * noise.pick(np.zeros(_DIGIT))
            if place < size:
                return int(self.starts[piece]) + place

    def _prepare(self, every: int) -> None:
        last = self.targets.size - 2
        message = -self.rate * np.abs(self.rows - self.counts - self.targets[-1])
        self._messages[last] = message
        for place in range(last - 1, -1, -1):
            message = self._before(message, place)
            if place % every == 0:
                self._messages[place] = message

    def _before(self, message: Floats, k: int) -> Floats:
        """Return the message of point k from that of the point after it."""
        target, weights = int(self.targets[k + 1]), self.logs + message
        wanted = self.counts + target
        middle = np.maximum(self._first[np.minimum(wanted, self.rows + 1)], self.later)
        turned = log_prefix_sums((weights - self.rate * self.counts)[::-1])[::-1]
        above = np.append(turned, -np.inf)[middle] + self.rate * wanted
        below = window_sums(weights + self.rate * self.counts, self.later, middle) - self.rate * wanted
        moved = np.logaddexp(above, below)
        return np.asarray(np.logaddexp(moved, message - self.rate * target))


def log_prefix_sums(logs: Floats) -> Floats:
    """Return the logarithms of all sums of exp from the first entry on, whatever their range."""
    if logs.size <= _ROW:
        return np.asarray(np.logaddexp.accumulate(logs))
    rows = -(-logs.size // _ROW)
    filled = np.full(rows * _ROW, -np.inf)
    filled[: logs.size] = logs
    table = filled.reshape(rows, _ROW)
    top = table.max(axis=1)
    sums = np.cumsum(np.exp(table - top[:, None]), axis=1)
    # Where a row rises by more than doubles can hold, its first sums would be lost: those rows are added one by one.
    steep = np.flatnonzero(table[:, 0] < top - _SPAN)
    by_one = np.logaddexp.accumulate(table[steep], axis=1)
    totals = top + np.log(sums[:, -1])
    before = np.concatenate([[-np.inf], log_prefix_sums(totals)[:-1]])
    ahead = before - top
    with np.errstate(divide="ignore"):  # in steep rows only
        found = top[:, None] + np.log(sums + np.exp(np.minimum(ahead, _SPAN))[:, None])
    found[ahead > _SPAN] = before[ahead > _SPAN, None]
    found[steep] = np.logaddexp(before[steep, None], by_one)
    return np.asarray(found.reshape(-1)[: logs.size])


def window_sums(logs: Floats, starts: Integers, ends: Integers) -> Floats:
    """Return the logarithm of the sum of exp over each window [start, end); neither starts nor ends ever fall.

    No sum is found by subtraction, which would lose small windows behind large entries: windows that share a place,
    the end of the first of them, are sums up to it and sums from it on.
    """
    found = np.full(starts.size, -np.inf)
    held = np.flatnonzero(starts < ends)
    starts, ends = starts[held], ends[held]
    here = 0
    while here < held.size:
        share = int(ends[here])
        stop = int(np.searchsorted(starts, share))
        first, last = int(starts[here]), int(ends[stop - 1])
        up_to = log_prefix_sums(logs[first:share][::-1])[::-1][starts[here:stop] - first]
        if last > share:
            beyond = np.append(-np.inf, log_prefix_sums(logs[share:last]))[ends[here:stop] - share]
            up_to = np.logaddexp(up_to, beyond)
        found[held[here:stop]] = up_to
        here = stop
    return found


def _pick(logs: Floats, noise: Noise) -> int:
    """Return an index with probability proportional to exp of its log weight: first some entries, then one of them."""
    if logs.size <= _DIGIT:
        return noise.pick(logs)
    width = math.isqrt(logs.size) + 1
    bounds = np.arange(0, logs.size, width)
    top = np.maximum.reduceat(logs, bounds)
    sums = np.add.reduceat(np.exp(logs - np.repeat(top, np.diff(bounds, append=logs.size))), bounds)
    row = noise.pick(top + np.log(sums))
    return int(bounds[row]) + noise.pick(logs[bounds[row] : bounds[row] + width])
