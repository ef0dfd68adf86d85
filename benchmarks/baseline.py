"""The simple peer: thresholded noisy histograms joined by a noisy Gaussian copula (pure DP).

Neighbours are replace-one. Half of epsilon goes to the marginals: per column a histogram on public bins,
where replacing a row moves two counts by one (L1 sensitivity 2), plus discrete Laplace noise, cut at a few
noise scales and renormalised. The other half goes to the copula: per pair of columns the number of rows on
the same side of both released medians (sensitivity 1), turned into the correlation of a bivariate normal
with the released margins. It is meant to be strong: bins are spaced on the asinh scale, zero has a bin of
its own, and its settings (64 bins, cut at 4 noise scales) were the best on average over this bench's
shapes, sizes and budgets among 32 to 128 bins, cuts at 2 to 6, and cuts lowered where few rows pass.

The noise is numpy's: a yardstick for simulations, not a mechanism for releases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.tables import on_lattice
from quantail.schema import Column, Schema

HISTOGRAM_SENSITIVITY = 2
AGREEMENT_SENSITIVITY = 1
_EDGE = 1e-6


@dataclass(frozen=True)
class Settings:
    """Choices of the baseline, fixed before any data are seen."""

    bins: int = 64
    threshold: float = 4.0
    spacing: str = "log"
    marginal_share: float = 0.5


USUAL = Settings()


@dataclass(frozen=True)
class Marginal:
    """A released histogram: bin i is the interval (edges[i], edges[i+1]] and holds shares[i] of the rows."""

    column: Column
    edges: np.ndarray
    shares: np.ndarray

    def cumulative(self) -> np.ndarray:
        """Share of rows at or below each edge."""
        return np.concatenate([[0.0], np.cumsum(self.shares)])

    def median_edge(self) -> tuple[float, float]:
        """Return the edge whose released share below is nearest one half, and that share."""
        cumulative = self.cumulative()
        nearest = int(np.argmin(np.abs(cumulative - 0.5)))
        return float(self.edges[nearest]), float(np.clip(cumulative[nearest], _EDGE, 1 - _EDGE))

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """Invert the histogram, uniform inside each bin."""
        cumulative = self.cumulative()
        index = np.searchsorted(cumulative[1:], u, side="left").clip(0, len(self.shares) - 1)
        # Empty bins are met only at u = 0 or by rounding at u = 1: step to the nearest occupied bin below.
        occupied = np.flatnonzero(self.shares > 0)
        index = occupied[(np.searchsorted(occupied, index, side="right") - 1).clip(0)]
        within = np.clip((u - cumulative[index]) / self.shares[index], 0, 1)
        low, high = self.edges[index], self.edges[index + 1]
        return on_lattice(low + within * (high - low), self.column)


@dataclass(frozen=True)
class BaselineModel:
    """Released marginals and the correlation matrix of the Gaussian copula that joins them."""

    marginals: tuple[Marginal, ...]
    correlation: np.ndarray

    def sample(self, n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Draw n rows."""
        values, vectors = np.linalg.eigh(self.correlation)
        root = vectors * np.sqrt(np.clip(values, 0, None))
        uniform = ndtr(rng.standard_normal((n, len(values))) @ root.T)
        return {m.column.name: m.quantile(uniform[:, j]) for j, m in enumerate(self.marginals)}


def fit_baseline(
    arrays: Mapping[str, np.ndarray],
    schema: Schema,
    epsilon: float,
    rng: np.random.Generator,
    settings: Settings = USUAL,
) -> BaselineModel:
    """Release the marginals and the copula with epsilon in all."""
    columns = schema.columns
    share = epsilon * settings.marginal_share / len(columns)
    marginals = tuple(release_marginal(arrays[c.name], c, share, rng, settings) for c in columns)
    rest = epsilon * (1 - settings.marginal_share)
    return BaselineModel(marginals, release_correlation(arrays, marginals, rest, rng))


def public_edges(column: Column, settings: Settings) -> np.ndarray:
    """Edges of the public bins; integers get edges between integers, zero a bin of its own."""
    lower, upper = float(column.lower), float(column.upper)
    if settings.spacing == "log" or column.grid == "log":
        edges = np.sinh(np.linspace(np.arcsinh(lower), np.arcsinh(upper), settings.bins + 1))
    else:
        edges = np.linspace(lower, upper, settings.bins + 1)
    if column.type == "integer":
        inner = np.floor(edges[1:-1]) + 0.5
        return np.unique(np.concatenate([[lower - 0.5, min(lower + 0.5, upper)], inner, [upper + 0.5]]))
    zero = [np.nextafter(0.0, -1.0), 0.0] if lower <= 0 < upper else []
    return np.unique(np.concatenate([[lower], edges[1:-1], [upper], zero]))


def discrete_laplace(size: int, scale: float, rng: np.random.Generator) -> np.ndarray:
    """Draw two-sided geometric noise: the difference of two geometric variables."""
    p = -np.expm1(-1 / scale)
    return (rng.geometric(p, size) - rng.geometric(p, size)).astype(float)


def noisy_counts(
    counts: np.ndarray, sensitivity: int, epsilon: float, rng: np.random.Generator
) -> np.ndarray:
    """Add discrete Laplace noise that makes counts of this L1 sensitivity epsilon-DP."""
    return counts + discrete_laplace(len(counts), sensitivity / epsilon, rng)


def release_marginal(
    values: np.ndarray, column: Column, epsilon: float, rng: np.random.Generator, settings: Settings
) -> Marginal:
    """Release one column's histogram, thresholded at a few noise scales and renormalised."""
    edges = public_edges(column, settings)
    placed = np.clip(np.asarray(values, dtype=float), column.lower, column.upper)
    index = np.searchsorted(edges[1:], placed, side="left").clip(0, len(edges) - 2)
    counts = np.bincount(index, minlength=len(edges) - 1)
    noisy = noisy_counts(counts, HISTOGRAM_SENSITIVITY, epsilon, rng)
    kept = np.where(noisy >= settings.threshold * HISTOGRAM_SENSITIVITY / epsilon, noisy, 0.0)
    if kept.sum() <= 0:
        # Nothing stands out of the noise: the largest bin is the best guess left.
        kept = (np.arange(len(noisy)) == np.argmax(noisy)).astype(float)
    return Marginal(column, edges, kept / kept.sum())


def release_correlation(
    arrays: Mapping[str, np.ndarray],
    marginals: tuple[Marginal, ...],
    epsilon: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Release the copula's correlations from noisy agreement counts, projected to a correlation matrix."""
    pairs = list(combinations(range(len(marginals)), 2))
    cuts = [m.median_edge() for m in marginals]
    above = [np.asarray(arrays[m.column.name]) > cut for m, (cut, _) in zip(marginals, cuts, strict=True)]
    correlation = np.eye(len(marginals))
    for i, j in pairs:
        agree = np.array([np.count_nonzero(above[i] == above[j])])
        noisy = noisy_counts(agree, AGREEMENT_SENSITIVITY, epsilon / len(pairs), rng)[0]
        rho = tetrachoric(noisy / len(above[i]), cuts[i][1], cuts[j][1])
        correlation[i, j] = correlation[j, i] = rho
    return nearest_correlation(correlation)


def tetrachoric(agreement: float, below_x: float, below_y: float) -> float:
    """Find the normal correlation under which two margins, cut at the given shares, agree this often.

    d P(X<=a, Y<=b) / d rho is the bivariate density at (a, b), so the probability is its integral over rho.
    """
    a, b = ndtri(below_x), ndtri(below_y)
    theta = np.linspace(-np.pi / 2, np.pi / 2, 401)[1:-1]
    rho = np.sin(theta)
    # With rho = sin(theta) the factor 1 / sqrt(1 - rho^2) of the density cancels against d rho.
    density = np.exp(-(a * a - 2 * rho * a * b + b * b) / (2 * np.cos(theta) ** 2)) / (2 * np.pi)
    steps = np.diff(theta) * (density[1:] + density[:-1]) / 2
    integral = np.concatenate([[0.0], np.cumsum(steps)])
    both = below_x * below_y + integral - np.interp(0.0, theta, integral)
    return float(np.interp(agreement, 1 - below_x - below_y + 2 * both, rho))


def nearest_correlation(matrix: np.ndarray) -> np.ndarray:
    """Clip negative eigenvalues and rescale to a unit diagonal."""
    values, vectors = np.linalg.eigh(matrix)
    repaired = (vectors * np.clip(values, 1e-6, None)) @ vectors.T
    scale = np.sqrt(np.diag(repaired))
    return repaired / np.outer(scale, scale)
