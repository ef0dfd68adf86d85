"""The law that stage one gives a number: a quantile function and its inverse, tabulated, shifted by slopes.

A row's number is Q(u) + eta, eta the sum of its slopes. Tabulated on the logistic scale, linear between, both
directions cost a table look-up; a counted column (`StepCurve`) is linear between its own knots, hence exact.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantail.curves import AnyCurve, StepCurve
from quantail.curves.atom_curve import AtomCurve

Floats = NDArray[np.float64]

_KNOTS = expit(np.linspace(-21.0, 21.0, 2001))  # one row in 10^9 lies beyond


@dataclass(frozen=True, eq=False)
class BaseLaw:
    """A quantile function and its inverse, linear between knots that never fall."""

    levels: Floats
    values: Floats

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
        levels = _KNOTS
        if isinstance(curve, AtomCurve):
            levels = np.union1d(levels, [curve.share, np.nextafter(curve.share, 1.0)])
        return cls(levels, np.maximum.accumulate(curve(levels)))

    def quantile(self, u: Floats) -> Floats:
        """Return the numbers at levels u."""
        return np.interp(u, self.levels, self.values)

    def level(self, y: Floats) -> Floats:
        """Return the share of the law at or below numbers."""
        return np.interp(y, self.values, self.levels, 0.0, 1.0)

    def cell_shares(self, edges: Floats, shifts: Floats) -> Floats:
        """Return the mass between edges of the law shifted by each of several numbers, one row for each."""
        below = self.level(edges[None, :] - shifts[:, None])
        return np.diff(below, axis=1, prepend=0.0, append=1.0)
