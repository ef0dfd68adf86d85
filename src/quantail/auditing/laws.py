"""Laws of single draws, written down apart from the code that draws, and a test of draws against a law.

Notation: scores s_j, noise scale b, a_j = (s_j - max s) / b.
"""

import functools
import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import roots_legendre
from scipy.stats import chi2

from quantail.arrays import Floats


@functools.cache
def _unit_nodes(degree: int) -> tuple[Floats, Floats]:
    """Return Gauss-Legendre nodes and weights on [0, 1], exact for polynomials up to `degree`."""
    # By scipy, which solves a banded problem: lists may have thousands of candidates.
    nodes, weights = roots_legendre(degree // 2 + 1)
    return (nodes + 1) / 2, weights / 2


def _round_degree(degree: int) -> int:
    """Return a degree at least as high, one of eight for every doubling: finding nodes takes longest."""
    step = 1 << max(degree.bit_length() - 4, 0)
    return -(-degree // step) * step


def noisy_max_log_law(scores: ArrayLike, scale: float, definition: str) -> Floats:
    """Return log P(argmax of score + noise = i) for every i.

    Exponential noise (pure DP): P(i) = e^{a_i} int_0^1 prod_{j != i} (1 - e^{a_j} z) dz, the integral of a polynomial
    with positive values. Gumbel noise (zCDP): a softmax.
    """
    return _noisy_max_log_law(tuple(np.asarray(scores).tolist()), scale, definition)


@functools.lru_cache(maxsize=100_000)
def _noisy_max_log_law(scores: tuple[float, ...], scale: float, definition: str) -> Floats:
    a = (np.array(scores, dtype=float) - max(scores)) / scale
    if definition == "zcdp":
        return np.asarray(a - np.logaddexp.reduce(a))
    z, w = _unit_nodes(_round_degree(a.size - 1))
    values, place, number = np.unique(a, return_inverse=True, return_counts=True)
    parts = np.log1p(-np.exp(values)[:, None] * z)
    logs = number @ parts - parts + np.log(w)
    return np.asarray((values + np.logaddexp.reduce(logs, axis=1))[place])


def geometric_law(scale: float, reach: int) -> Floats:
    """Return the law of two-sided geometric noise on -reach..reach, with the tails in the ends."""
    alpha = math.exp(-1 / scale)
    k = np.arange(-reach, reach + 1)
    law = (1 - alpha) / (1 + alpha) * alpha ** np.abs(k)
    law[[0, -1]] = alpha**reach / (1 + alpha)
    return np.asarray(law)


def gaussian_law(scale: float, reach: int) -> Floats:
    """Return the law of discrete Gaussian noise on -reach..reach; what lies beyond is left out."""
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * scale**2))
    return np.asarray(weights / weights.sum())


def path_law(counts: Any, rows: int, targets: Any, rate: float) -> dict[tuple[int, ...], float]:
    """Return the law of an ordered path by direct enumeration: weights exp(-rate * sum |part - target|)."""
    paths = list(combinations_with_replacement(range(len(counts)), len(targets) - 1))
    parts = np.array([np.diff([0, *(counts[k] for k in path), rows]) for path in paths])
    weights = np.exp(-rate * np.abs(parts - np.asarray(targets)).sum(axis=1))
    return dict(zip(paths, (weights / weights.sum()).tolist(), strict=True))


def p_value(observed: ArrayLike, probability: ArrayLike) -> float:
    """Return the p-value of a chi-square test (likelihood ratio); cells with fewer than 5 expected are pooled."""
    observed = np.asarray(observed, dtype=float)
    expected = np.asarray(probability) * np.sum(observed)
    small = expected < 5
    if small.any():
        observed = np.append(observed[~small], observed[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
    kept = observed > 0
    g = 2 * np.sum(observed[kept] * np.log(observed[kept] / expected[kept]))
    return float(chi2.sf(g, expected.size - 1))
