"""Where values lie among ascending cut points: `np.searchsorted`, several times as fast for many values.

A table of even buckets knows how many cut points lie in buckets before a value's own; the one or two in the same
bucket are compared with the value itself, so the answer is exact. (The bucket of a number never falls as the number
grows, in floating point too, so cut points of earlier buckets are smaller and those of later ones larger.) A few cut
points are compared with all values one after the other (`below_few`).
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats, Integers

_BUCKETS = 1 << 14
_FEWEST, _MOST_STEPS = 4096, 4  # fewer values, or more cut points in a bucket, are searched for one by one
_OUTER = 0.02  # share of cut points at either end that buckets leave out: they may be far apart, or crowd


class Lookup:
    """Counts cut points below values.

    Examples
    --------
    >>> Lookup(np.array([1.0, 2.0, 4.0])).below(np.array([0.5, 2.0, 3.0, 9.0])).tolist()
    [0, 1, 2, 3]
    """

    def __init__(self, cuts: Floats, outer_share: float = _OUTER) -> None:
        self.cuts = cuts
        outer = int(outer_share * cuts.size)
        self._low, self._high = float(cuts[outer]), float(cuts[cuts.size - 1 - outer])
        span = self._high - self._low
        self._steps = _MOST_STEPS + 1
        if 0 < span < np.inf and _BUCKETS / span < np.inf:
            self._factor = _BUCKETS / span
            inner = self._bucket(cuts[outer : cuts.size - outer])
            counts = np.bincount(inner, minlength=_BUCKETS + 2)
            self._before = outer + np.cumsum(counts) - counts
            self._steps = int(counts.max())
        self._padded = np.append(cuts, np.inf)

    @property
    def fast(self) -> bool:
        """Whether cut points lie evenly enough for buckets."""
        return self._steps <= _MOST_STEPS

    def below(self, values: Floats, equal: bool = False) -> Integers:
        """Return how many cut points are smaller than each value, or `equal` to it."""
        side: Literal["left", "right"] = "right" if equal else "left"
        if values.size < _FEWEST or not self.fast:
            return np.searchsorted(self.cuts, values, side)
        far = np.flatnonzero(~((values >= self._low) & (values <= self._high)))
        near = values.copy()
        near[far] = self._low
        place = self._before.take(self._bucket(near))
        for _ in range(self._steps):
            cut = self._padded.take(place)
            place += cut <= values if equal else cut < values
        place[far] = np.searchsorted(self.cuts, values.take(far), side)
        return place

    def _bucket(self, values: Floats) -> NDArray[np.int32]:
        return ((values - self._low) * self._factor).astype(np.int32)


def below_few(cuts: Sequence[float], values: Floats, equal: bool = False) -> Integers:
    """Return how many of at most 127 ascending cut points are smaller than each value, or `equal` to it.

    Examples
    --------
    >>> below_few((1.0, 2.0, 4.0), np.array([0.5, 2.0, 3.0, 9.0])).tolist()
    [0, 1, 2, 3]
    """
    # NaN lies above all numbers, as in a search: counted is what lies above a value.
    above = np.zeros(values.shape, dtype=np.int8)
    for cut in cuts:
        above += values < cut if equal else values <= cut
    return len(cuts) - above.astype(np.int64)
