"""The law that stage one gives a number: a quantile function and its inverse, tabulated, shifted by slopes.

A row's number is Q(u) + eta, eta the sum of its slopes, unless it lies in the column's atom, which nothing shifts.
Tabulated on the logistic scale, linear between, both directions cost a table look-up; a counted column (`StepCurve`)
is linear between its own knots, hence exact.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantail.curves import AnyCurve, StepCurve
from quantail.curves.atom_curve import AtomCurve
from quantail.curves.lookup import Lookup

Floats = NDArray[np.float64]

_NARROWEST = 1e-9
_REACH, _NUMBER = 21.0, 2000
_KNOTS = expit(np.linspace(-_REACH, _REACH, _NUMBER + 1))  # one row in 10^9 lies beyond
_TAILS = 0.38  # share of knots at either end that few rows reach: one in 150, on the logistic scale
_MANY = 4096  # fewer numbers are looked up one by one


@dataclass(frozen=True, eq=False)
class BaseLaw:
    """A quantile function and its inverse, linear between knots that never fall.

    Attributes
    ----------
    levels, values : array
        Knots, of the rows that are not in the atom, from which slopes shift them.
    spread : array
        The same where there are no slopes: a lower tail that would reach into the atom is spread above it.
    share, low, high : float
        Share of rows in the atom at the lowest value, and the ends of its cell.
    """

    levels: Floats
    values: Floats
    spread: Floats | None = None
    share: float = 0.0
    low: float = -np.inf
    high: float = -np.inf

    @classmethod
    def of(cls, curve: AnyCurve) -> "BaseLaw":
        """Tabulate a released curve.

        Examples
        --------
        >>> law = BaseLaw.of(StepCurve((0.0, 1.0, 3.0), (0.5, 0.5)))
        >>> law.quantile(np.array([0.25, 0.75])).tolist(), law.level(np.array([1.0, 2.0])).tolist()
        ([0.5, 2.0], [0.5, 0.75])
        """
        if isinstance(curve, StepCurve):
            shares = np.asarray(curve.shares)
            kept = shares > 0
            ends = np.cumsum(shares[kept]) / shares.sum()
            starts = np.concatenate([[0.0], ends[:-1]])
            edges = np.asarray(curve.edges)
            levels = np.stack([starts, ends], axis=1).ravel()
            return cls(levels, np.stack([edges[:-1][kept], edges[1:][kept]], axis=1).ravel())
        if isinstance(curve, AtomCurve):
            rest, spread = (np.maximum.accumulate(part(_KNOTS)) for part in (curve.rest, curve.beyond))
            return cls(_KNOTS, rest, spread, curve.share, curve.low, curve.high)
        return cls(_KNOTS, np.maximum.accumulate(curve(_KNOTS)))

    def quantile(self, u: Floats, shift: Floats | None = None) -> Floats:
        """Return the numbers at levels u, those beyond the atom moved by a shift."""
        beyond = self._lines(shift).value((u - self.share) / (1 - self.share))
        beyond = beyond if shift is None else beyond + shift
        if not self.share:
            return beyond
        within = self.low + (self.high - self.low) * u / self.share
        return np.where(u <= self.share, within, np.maximum(beyond, np.nextafter(self.high, np.inf)))

    def level(self, y: Floats, shift: Floats | None = None) -> Floats:
        """Return the share of the law, moved by a shift, at or below numbers."""
        beyond = self._lines(shift).level(y if shift is None else y - shift)
        if not self.share:
            return beyond
        width = self.high - self.low or 1.0  # a lattice step at bounds of 1e99 has none
        within = np.where(y < self.high, np.clip((y - self.low) / width, 0.0, 1.0), 1.0)
        return np.where(y <= self.high, self.share * within, self.share + (1 - self.share) * beyond)

    def cell_shares(self, edges: Floats, shifts: Floats) -> Floats:
        """Return the mass between edges of the law shifted by each of several numbers, one row for each."""
        below = self.level(edges[None, :], shifts[:, None])
        return np.diff(below, axis=1, prepend=0.0, append=1.0)

    @property
    def width(self) -> float:
        """Half the distance between the 16% and the 84% quantile beyond the atom: a standard deviation of a normal."""
        low, high = np.interp([0.16, 0.84], self.levels, self.values)
        return max(float(high - low) / 2, _NARROWEST)

    def _lines(self, shift: Floats | None) -> "_Lines":
        return self._shifting if shift is not None or self.spread is None else self._standing

    @cached_property
    def _shifting(self) -> "_Lines":
        return _Lines(self.levels, self.values)

    @cached_property
    def _standing(self) -> "_Lines":
        assert self.spread is not None
        return _Lines(self.levels, self.spread)


class _Lines:
    """Lines between knots: `np.interp` in both directions, several times as fast for many numbers."""

    def __init__(self, levels: Floats, values: Floats) -> None:
        self._levels, self._values = levels, values

    def value(self, u: Floats) -> Floats:
        """Return values at levels."""
        if u.size < _MANY or self._levels is not _KNOTS:
            return np.interp(u, self._levels, self._values)
        u = np.clip(u, _KNOTS[0], _KNOTS[-1])
        place = ((np.log(u) - np.log1p(-u) + _REACH) * (_NUMBER / (2 * _REACH))).astype(np.int64)
        place = np.minimum(place, _NUMBER - 1)
        return self._values.take(place) + self._rises.take(place) * (u - _KNOTS.take(place))

    def level(self, y: Floats) -> Floats:
        """Return levels at values: 0 below the first, 1 above the last."""
        first, last = self._values[0], self._values[-1]
        if y.size < _MANY or not self._lookup.fast:
            return np.interp(y, self._values, self._levels, 0.0, 1.0)
        inner = np.clip(y, first, last)
        # at the upper end of a jump, as `np.interp`
        place = self._lookup.below(inner.ravel(), equal=True).reshape(y.shape) - 1
        place = np.minimum(place, self._levels.size - 2)
        found = self._levels.take(place) + self._gains.take(place) * (inner - self._values.take(place))
        found[y < first], found[y > last] = 0.0, 1.0
        return found

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self._values, _TAILS)

    @cached_property
    def _rises(self) -> Floats:
        return np.diff(self._values) / np.diff(self._levels)

    @cached_property
    def _gains(self) -> Floats:
        widths = np.diff(self._values)
        return np.divide(np.diff(self._levels), widths, out=np.zeros(widths.size), where=widths > 0)
