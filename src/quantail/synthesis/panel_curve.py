"""A smooth size distribution out of noisy weights of cells: log-concave, corrected where the counts are precise.

Notation: cells with ends e_0 < ... < e_J, noisy weights o_j, noise of standard deviation d. The fit minimises
sum (o_j - m_j)^2 / (d^2 + m_j) over weights m_j = width_j exp(phi_j) with concave phi (the lowest cell is free,
since sizes pile up there). Concavity is what keeps a tail of mere noise from holding most of the total. Where
o_j is precise, the fit gives way to it. All of it is post-processing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import least_squares

Floats = NDArray[np.float64]

_ROUGHNESS = 0.15  # relative distance of true weights from a log-concave curve, as a prior
_FINE = 8  # points per cell of the interpolated distribution


@dataclass(frozen=True)
class Curve:
    """A distribution of sizes: probabilities and sizes between which its quantile function is linear.

    Examples
    --------
    >>> Curve((0.0, 1.0), (2.0, 4.0)).centre
    3.0
    """

    levels: tuple[float, ...]
    sizes: tuple[float, ...]

    @classmethod
    def of(cls, edges: Floats, weights: Floats) -> "Curve":
        """Interpolate weights of cells."""
        levels, fine = quantile_points(edges, weights)
        return cls(tuple(levels.tolist()), tuple(fine.tolist()))

    def at(self, probabilities: Floats) -> Floats:
        """Return quantiles."""
        return np.interp(probabilities, self.levels, self.sizes)

    def quantile(self, probability: float) -> float:
        """Return one quantile."""
        return float(np.interp(probability, self.levels, self.sizes))

    def stretched(self, factor: float) -> "Curve":
        """Return a curve whose upper half is that much wider."""
        sizes = np.array(self.sizes)
        above = np.maximum(sizes - self.centre, 0.0)
        return Curve(self.levels, tuple((sizes + (factor - 1.0) * above).tolist()))

    @property
    def centre(self) -> float:
        """Its median."""
        return self.quantile(0.5)

    @property
    def spread(self) -> float:
        """Its width, as a standard deviation."""
        return max((self.quantile(0.9) - self.quantile(0.25)) / 1.956, 1e-9)


def smooth_weights(
    edges: Floats,
    noisy: Floats,
    deviation: float,
    sizes: Floats | None = None,
    total: float = 0.0,
    total_deviation: float = 1.0,
) -> Floats:
    """Return positive weights of cells, of sum 1.

    Parameters
    ----------
    edges : array, shape (J + 1,)
        Ends of the cells.
    noisy : array, shape (J,)
        Weights with noise; some may be negative.
    deviation : float
        Standard deviation of the noise.
    sizes : array, shape (J,), optional
        Mean of the (capped) values in a cell, if their sum is known too.
    total, total_deviation : float
        That sum, and the standard deviation of its noise.

    Examples
    --------
    >>> smooth_weights(np.array([0.0, 1.0, 2.0]), np.array([30.0, 10.0]), 1e-6).round(2)
    array([0.75, 0.25])
    """
    mass = max(float(noisy.sum()), 10.0 * deviation, 1e-9)
    known = np.zeros(noisy.size) if sizes is None else sizes / total_deviation
    fitted = _log_concave(edges, noisy, deviation, mass, known, total / total_deviation)
    spread = (_ROUGHNESS * fitted) ** 2
    weights = fitted + (noisy - fitted) * spread / (spread + deviation**2 + 1e-300)
    weights = np.maximum(weights, 0.1 * fitted)
    if sizes is not None:
        weights = _tilted(edges, weights, sizes, float(fitted @ sizes))
    return np.asarray(weights / weights.sum())


def _tilted(edges: Floats, weights: Floats, sizes: Floats, total: float) -> Floats:
    """Tilt the upper half so that the sum of values is the fitted one again."""
    middle = (edges[1:] + edges[:-1]) / 2
    median = middle[np.searchsorted(np.cumsum(weights), weights.sum() / 2)]
    above = np.maximum(middle - median, 0.0) / (edges[-1] - edges[0])
    slope = 0.0
    for _ in range(20):
        tilted = weights * np.exp(slope * above)
        tilted *= weights.sum() / tilted.sum()
        centred = above - (tilted @ above) / tilted.sum()
        gain = float(tilted @ (centred * sizes))
        slope = float(np.clip(slope + (total - tilted @ sizes) / max(gain, 1e-9), -3.0, 3.0))
    return np.asarray(tilted)


def _log_concave(
    edges: Floats, noisy: Floats, deviation: float, total: float, sizes: Floats, sum_: float
) -> Floats:
    widths, middle = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    cells = widths.size
    if cells < 4:
        return np.maximum(noisy, 1e-3 * total / cells)
    gaps = np.diff(middle)
    positive = np.maximum(noisy, 0.0)
    bump, rate = _gaussian(middle, widths, noisy, deviation)
    slopes = np.diff(bump) / gaps
    start = np.concatenate([[bump[0] + np.log(total), 0.0, slopes[0]], -np.diff(slopes)])
    root = np.sqrt(deviation**2 + positive + 1e-6 * total)

    def weights(parameters: Floats) -> Floats:
        slopes = parameters[2] - np.concatenate([[0.0], np.cumsum(parameters[3:])])
        phi = parameters[0] + np.concatenate([[0.0], np.cumsum(slopes * gaps)])
        phi[0] += parameters[1]
        return np.asarray(widths * np.exp(np.minimum(phi, 50.0)))

    def residuals(parameters: Floats, known: bool) -> Floats:
        made = weights(parameters)
        ridge = [0.02 * (parameters[2] - slopes[0]) / rate, 0.1 * parameters[1], known * (made @ sizes - sum_)]
        return np.concatenate([(made - noisy) / root, 0.02 * parameters[3:] / rate, ridge])

    low = np.concatenate([np.full(3, -np.inf), np.zeros(cells - 2)])
    for known in (False, True) if sum_ else (False,):
        # The sum alone could lead astray, so it joins in once the cells are met.
        options = {"max_nfev": 100, "loss": "soft_l1", "kwargs": {"known": known}}
        found = least_squares(residuals, start, bounds=(low, np.inf), **options)
        start = np.maximum(found.x, low + 1e-6)
    return weights(found.x)


def _gaussian(middle: Floats, widths: Floats, noisy: Floats, deviation: float) -> tuple[Floats, float]:
    """Return the log density of a broad normal start, and how fast it falls at one standard deviation."""
    clear = np.maximum(noisy - 2.0 * deviation, 0.0)
    clear = clear if clear.any() else np.maximum(noisy, 0.0)
    clear = clear if clear.any() else np.exp(-np.arange(middle.size, dtype=np.float64))
    mean = float(clear @ middle / clear.sum())
    wide = 1.3 * float(np.sqrt(clear @ (middle - mean) ** 2 / clear.sum() + np.mean(widths) ** 2))
    density = np.exp(-0.5 * ((middle - mean) / wide) ** 2)
    return np.asarray(-0.5 * ((middle - mean) / wide) ** 2 - np.log(density @ widths)), 1.0 / wide


def quantile_points(edges: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return probabilities and sizes between which the quantile function is linear."""
    cumulative = np.concatenate([[0.0], np.cumsum(weights)])
    cumulative /= cumulative[-1]
    fine = np.interp(np.arange(_FINE * (edges.size - 1) + 1) / _FINE, np.arange(edges.size), edges)
    levels = np.maximum.accumulate(np.clip(PchipInterpolator(edges, cumulative)(fine), 0.0, 1.0))
    return levels, fine
