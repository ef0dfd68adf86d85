"""The law that stage one gives a number: a quantile function and its inverse, tabulated, shifted by slopes.

A row's number is Q(u) + eta, eta the sum of its slopes, unless it lies in the column's atom, which nothing shifts.
Tabulated on the logistic scale, linear between, both directions cost a table look-up; a counted column (`StepCurve`)
is linear between its own knots, hence exact.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantail.curves import AnyCurve, StepCurve
from quantail.curves.atom_curve import AtomCurve

Floats = NDArray[np.float64]

_NARROWEST = 1e-9
_KNOTS = expit(np.linspace(-21.0, 21.0, 2001))  # one row in 10^9 lies beyond


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
        beyond = np.interp((u - self.share) / (1 - self.share), self.levels, self._own(shift))
        beyond = beyond if shift is None else beyond + shift
        if not self.share:
            return beyond
        within = self.low + (self.high - self.low) * u / self.share
        return np.where(u <= self.share, within, np.maximum(beyond, np.nextafter(self.high, np.inf)))

    def level(self, y: Floats, shift: Floats | None = None) -> Floats:
        """Return the share of the law, moved by a shift, at or below numbers."""
        beyond = np.interp(y if shift is None else y - shift, self._own(shift), self.levels, 0.0, 1.0)
        if not self.share:
            return beyond
        within = np.clip((y - self.low) / (self.high - self.low), 0.0, 1.0)
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

    def _own(self, shift: Floats | None) -> Floats:
        return self.values if shift is not None or self.spread is None else self.spread
