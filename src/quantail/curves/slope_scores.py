"""Scores of slopes: how well one threshold splits the residuals of both halves of the rows.

At slope b a row has the residual y_i - b (x_i - m), m a released cut of x. A threshold puts u of the n_u rows with
x > m and l of the n_l others below it; rows at the threshold may be put on either side, whatever others are. Then

    g(b) = min over thresholds of |2u - n_u| + |2l - n_l|,    score(b) = -g(b):

integers, sensitivity 2 under replace-one and 1 under add/remove for every b, whatever x is.

As b grows, residuals of the upper half fall and those of the lower half rise. So g is the larger of two numbers, one
that never rises with b (as long as the upper half lies too high) and one that never falls. Slopes between two with the
same number have it too; between others only few thresholds can be best, which only few rows can cross. Each number is
found with a fraction of the work, and exactly. Proofs: privacy/proofs/slopes.md.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from quantail.arrays import Flags, Floats, Integers

Cuts = tuple[Integers, Integers]

_LARGEST = 1e150  # larger numbers count as this, so that no residual overflows
_SIZE = np.iinfo(np.int64).max  # all bits of a double but its sign
_PARTS = 4  # a list of slopes is cut into so many parts, and these again,
_SHORT = 12  # until they are as short as this,
_FEW = 1 << 14  # or have so few residuals in all that finding what to leave out takes longer
_CELLS = 1 << 17  # residuals that are held at once


def score_slopes(y: Floats, x: Floats, cut: float, slopes: Floats) -> Integers:
    """Return the integer score of every candidate slope; neither y nor x may be NaN."""
    order = np.argsort(slopes, kind="stable")
    ascending = _bounded(slopes[order])
    y, x, upper = _bounded(y), _bounded(x - cut), x > cut
    scores = np.zeros(slopes.size, dtype=np.int64)
    if slopes.size > 0:
        too_high = _Search(ascending).run(_Rows.of(y, x, ~upper))
        too_low = _Search(ascending[::-1]).run(_Rows.of(y, x, upper))[::-1]
        scores[order] = -np.maximum(too_high, too_low)
    return scores


def _bounded(values: Floats) -> Floats:
    return np.clip(values, -_LARGEST, _LARGEST) + 0.0  # and no negative zero


@dataclass(frozen=True)
class _Rows:
    """Rows that thresholds in the window from `low` to `high` may have on either side, and two that they never have.

    Along the slopes in question the first half falls and the second half rises. Of rows that were left out no more
    is known than how many lie `below` the window.
    """

    y: Floats
    x: Floats
    second: Integers  # 1 in the second half, 0 in the first
    sizes: tuple[int, int]  # of both halves, with the rows that were left out
    below: tuple[int, int] = (0, 0)
    low: int = -_SIZE
    high: int = _SIZE

    @classmethod
    def of(cls, y: Floats, x: Floats, second: Flags) -> "_Rows":
        """Return all rows, with one below all thresholds and one above them."""
        number = int(np.count_nonzero(second))
        marks = np.append(second, [False, False]).astype(np.int64)
        return cls(np.append(y, [-np.inf, np.inf]), np.append(x, [0, 0]), marks, (y.size - number, number))

    def keys(self, slopes: Floats) -> Integers:
        """Return whole numbers in the order of residuals; the last bit is the half, so that the first comes first."""
        found = (self.y - slopes[:, np.newaxis] * self.x).view(np.int64)
        found ^= (found >> 63) & _SIZE  # the bits of negative doubles are in descending order
        found &= -2
        found |= self.second
        return found

    def cuts(self, slopes: Floats) -> tuple[Integers, Integers]:
        """Return ordered keys, and how far from half the first half falls short and the second half exceeds, below.

        In which order rows of both halves come that tie is for the better: of rows at a threshold those of the first
        half count as below.
        """
        ordered = self.keys(slopes)
        ordered.sort(axis=1)
        over = ordered[:, :-1] & 1  # from here on in place: these arrays are read again and again
        np.cumsum(over, axis=1, out=over)
        over *= 2
        over += 2 * self.below[1] - self.sizes[1]
        both = 2 * np.arange(self.y.size - 1) + (2 * sum(self.below) - sum(self.sizes))
        missed = np.subtract(over, both)
        np.maximum(missed, self.sizes[0] % 2, out=missed)
        missed += np.maximum(over, self.sizes[1] % 2, out=over)
        if self.low != -_SIZE or self.high != _SIZE:
            impossible = (ordered[:, 1:] < self.low) | (ordered[:, :-1] > self.high)
            np.copyto(missed, 2 * sum(self.sizes) + 1, where=impossible)
        return ordered, missed

    def between(self, slopes: Floats, most: int, ordered: Integers, missed: Integers) -> "_Rows":
        """Narrow the window to thresholds that can be best between two slopes, `most` being missed at the first.

        What a threshold misses at the second slope (its `cuts` are given), it misses at least at all slopes before. A
        row that is beside the window at both slopes is so at all between.
        """
        cuts = np.flatnonzero(missed <= most)
        low, high = int(ordered[cuts[0]]) & -2, int(ordered[cuts[-1] + 1]) | 1
        low, high = max(low, self.low), min(high, self.high)
        ends = self.keys(slopes)
        under, above = np.maximum(*ends) < low, np.minimum(*ends) > high
        under[-2:] = above[-2:] = False
        second = int(np.count_nonzero(under & (self.second == 1)))
        below = (self.below[0] + int(np.count_nonzero(under)) - second, self.below[1] + second)
        kept = np.flatnonzero(~(under | above))
        y, x, marks = self.y.take(kept), self.x.take(kept), self.second.take(kept)
        return replace(self, y=y, x=x, second=marks, below=below, low=low, high=high)


class _Search:
    """The least that thresholds miss, for slopes along which it never rises."""

    def __init__(self, slopes: Floats) -> None:
        self.slopes = slopes
        self.missed = np.empty(slopes.size, dtype=np.int64)

    def run(self, rows: _Rows) -> Integers:
        """Return what is missed at every slope."""
        last = self.slopes.size - 1
        *_, known = self._measure(rows, np.array([0, last]))
        self._fill(rows, 0, last, known)
        return self.missed

    def _fill(self, rows: _Rows, first: int, last: int, known: Cuts | None = None) -> None:
        """Find what lies between two slopes that are known, the last by its cuts: nothing new if they agree."""
        if self.missed[first] == self.missed[last]:
            self.missed[first:last] = self.missed[first]
            return
        number = last - first - 1
        if number * rows.y.size <= _FEW:
            if number:
                self._measure(rows, np.arange(first + 1, last))
            return
        ends = self.slopes[[first, last]]
        cuts = known or tuple(part[0] for part in rows.cuts(ends[1:]))
        rows = rows.between(ends, int(self.missed[first]), *cuts)
        step = 1 if number < _SHORT or number * rows.y.size <= _FEW else -(-(last - first) // _PARTS)
        inner = np.arange(first + step, last, step)
        found = self._measure(rows, inner)
        if step > 1:
            for (left, right), each in zip(
                pairwise([first, *inner.tolist(), last]), [*found, None], strict=True
            ):
                self._fill(rows, left, right, each)

    def _measure(self, rows: _Rows, which: Integers) -> list[Cuts]:
        found: list[Cuts] = []
        parts = min(-(-which.size * rows.y.size // _CELLS), which.size)
        for part in np.array_split(which, parts) if parts > 1 else [which]:
            ordered, missed = rows.cuts(self.slopes[part])
            self.missed[part] = missed.min(axis=1)
            found += zip(ordered, missed, strict=True)
        return found
