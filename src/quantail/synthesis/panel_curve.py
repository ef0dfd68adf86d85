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
_BEND = (
    0.15  # weight against bends, relative to those of a normal curve: tails are exponential unless they tell
)
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


def smooth_weights(edges: Floats, noisy: Floats, deviation: float) -> Floats:
    """Return positive weights of cells, of sum 1.

    Parameters
    ----------
    edges : array, shape (J + 1,)
        Ends of the cells.
    noisy : array, shape (J,)
        Weights with noise; some may be negative.
    deviation : float
        Standard deviation of the noise.

    Examples
    --------
    >>> smooth_weights(np.array([0.0, 1.0, 2.0]), np.array([30.0, 10.0]), 1e-6).round(2)
    array([0.75, 0.25])
    """
    fitted = _log_concave(edges, noisy, deviation)
    spread = (_ROUGHNESS * fitted) ** 2
    weights = fitted + (noisy - fitted) * spread / (spread + deviation**2 + 1e-300)
    weights = np.maximum(weights, 0.1 * fitted)
    return np.asarray(weights / weights.sum())


def _log_concave(edges: Floats, noisy: Floats, deviation: float) -> Floats:
    widths, middle = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    cells, total = widths.size, max(float(noisy.sum()), 10.0 * deviation, 1e-9)
    if cells < 4:
        return np.maximum(noisy, 1e-3 * total / cells)
    gaps = np.diff(middle)
    bump, rate = _gaussian(middle, widths, noisy, deviation)
    slopes = np.diff(bump) / gaps
    x = np.concatenate([[bump[0] + np.log(total), 0.0, slopes[0]], -np.diff(slopes)])
    low = np.concatenate([np.full(3, -np.inf), np.zeros(cells - 2)])
    bend = rate**2 * (gaps[1:] + gaps[:-1]) / 2  # of a normal curve, from cell to cell

    def weights(x: Floats) -> Floats:
        phi = x[0] + np.concatenate([[0.0], np.cumsum((x[2] - np.append(0.0, np.cumsum(x[3:]))) * gaps)])
        phi[0] += x[1]
        return np.asarray(widths * np.exp(np.minimum(phi, 50.0)))

    def residuals(x: Floats, root: Floats) -> Floats:
        ridge = [0.02 * (x[2] - slopes[0]) / rate, 0.1 * x[1]]
        return np.concatenate([(weights(x) - noisy) / root, _BEND * x[3:] / bend, ridge])

    # Variances come from a first fit: taken from the noisy weights, they would favour those that are low by luck.
    for _ in range(2):
        root = np.sqrt(deviation**2 + weights(x) + 1e-6 * total)
        options = {"max_nfev": 60, "loss": "soft_l1", "kwargs": {"root": root}}
        x = least_squares(residuals, np.maximum(x, low + 1e-9), bounds=(low, np.inf), **options).x
    return weights(x)


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
