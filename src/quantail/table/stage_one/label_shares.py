"""Shares of labels from noisy counts: posterior means. Post-processing: costs nothing.

Before they are counted, the shares s of a list of L labels are taken to follow a symmetric Dirichlet law of shape a:
the smaller a, the more of the list a few labels hold. How uneven a list is, nobody knows before: shapes are weighed by
how likely they make its noisy counts. So a long list of rare labels keeps its mass, a list of few labels in use is not
joined by those that noise shows, and a label that stands out is left alone.

That law is one of independent Gamma(a, rate a L) shares, given that they add up to 1; given noisy shares z, that is

    s_k ~ s^(a-1) exp(-a L s) likelihood(z_k | s) exp(tilt s),   with the tilt for which means add up to 1,

(a saddle-point: the same tilt gives the likelihood of all z together). Integrals are sums over intervals near z or 0.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln

from quantail.arrays import Floats
from quantail.table.stage_one.tuning import EVENNESS

_REACH, _INTERVALS = 30.0, 160  # they lie within so many noise scales; shares beyond are told from zero
_STEPS, _TINY = 60, 1e-300


def label_shares(found: Floats, noise: float, gaussian: bool = False) -> Floats:
    """Return the shares of labels, which add up to 1, from noisy ones.

    Parameters
    ----------
    noise : float
        Scale of the noise in a share: of a Laplace law, or the standard deviation of a normal one.

    Examples
    --------
    >>> label_shares(np.array([0.54, 0.5, -0.01]), 0.01).round(2).tolist()
    [0.52, 0.48, 0.0]
    >>> label_shares(np.array([0.3, 0.2, 0.2, 0.3]), 0.1).round(2).tolist()
    [0.27, 0.23, 0.23, 0.27]
    """
    if found.size == 1:
        return np.ones(1)
    grid = _Grid.of(found, noise, gaussian)
    likely, means = zip(*(grid.fit(shape) for shape in EVENNESS), strict=True)
    weights = np.exp(np.array(likely) - max(likely))
    shares = weights @ np.array(means)
    return np.asarray(shares / shares.sum())


@dataclass(frozen=True)
class _Grid:
    """Intervals of shares, a row for each label, and the log likelihood of its noisy share in each of them.

    Attributes
    ----------
    clear : array
        Labels whose share is told from zero: their intervals lie around it, those of all others near zero.
    """

    clear: NDArray[np.bool_]
    around: Floats
    near: Floats
    points: Floats
    told: Floats

    @classmethod
    def of(cls, found: Floats, noise: float, gaussian: bool) -> "_Grid":
        part = np.arange(_INTERVALS + 1) / _INTERVALS
        clear = found > _REACH * noise
        around = found[clear, None] + _REACH * noise * (2 * part - 1)
        near = 2 * _REACH * noise * part**3  # a law of rare labels rises without end towards zero
        points = np.empty((found.size, _INTERVALS))
        points[clear], points[~clear] = ((edges[..., 1:] + edges[..., :-1]) / 2 for edges in (around, near))
        distance = np.abs(found[:, None] - points) / noise
        return cls(clear, around, near, points, -(distance**2) / 2 if gaussian else -distance)

    def fit(self, shape: float) -> tuple[float, Floats]:
        """Return how likely the noisy shares are under a shape of the prior, as a logarithm, and posterior means."""
        rate = shape * len(self.points)
        prior = np.empty(self.points.shape)
        for rows, edges in ((self.clear, self.around), (~self.clear, self.near)):
            prior[rows] = np.diff(gammainc(shape, rate * edges))
        weights = self.told + np.log(np.maximum(prior, _TINY))
        least, most, tilt = -np.inf, np.inf, 0.0
        for _ in range(_STEPS):
            logs = weights + tilt * self.points
            highest = logs.max(axis=1, keepdims=True)
            mass = np.exp(logs - highest)
            total = mass.sum(axis=1, keepdims=True)
            mass /= total
            means = (mass * self.points).sum(axis=1)
            spread = float((mass * (self.points - means[:, None]) ** 2).sum())
            missing = 1 - float(means.sum())
            if abs(missing) < 1e-9 or spread < _TINY:  # no tilt moves what is certain
                break
            least, most = (tilt, most) if missing > 0 else (least, tilt)
            tilt += missing / spread
            if not least < tilt < most:  # Newton's step leaves the bracket
                tilt = (least + most) / 2
        likely = float((np.log(total) + highest).sum()) - tilt - np.log(max(spread, _TINY)) / 2
        return likely - (rate * np.log(rate) - gammaln(rate) - rate), means
