"""A smooth size distribution out of noisy weights of cells: log-concave, corrected where the counts are precise.

Notation: cells with ends e_0 < ... < e_J, noisy weights o_j, noise of standard deviation d. The fit minimises
sum (o_j - m_j)^2 / (d^2 + m_j) over weights m_j = width_j exp(phi_j) with concave phi (the lowest cell is free,
since sizes pile up there). Concavity is what keeps a tail of mere noise from holding most of the total. Where
o_j is precise, the fit gives way to it. All of it is post-processing.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr

from quantail.arrays import Floats, Integers
from quantail.panel.place import Located
from quantail.panel.tuning import (
    BEND_WEIGHT,
    CURVE_STEPS,
    MOST_COUNTED,
    POINTS_PER_CELL,
    PRIOR_UNITS,
    RATIO_ENDS,
    RATIO_SPREAD_ERROR,
    RATIO_SPREADS,
    ROUGHNESS,
    TAIL_NOISE,
    USUAL_RATIO_SPREAD,
    USUAL_SPREADS,
)

_BEYOND = np.geomspace(1.0, 1e-7, 80)  # shares of larger sizes between which a tail is linear, out of its own


class Line(NamedTuple):
    """What a curve is linear between, as arrays: enough to look up sizes, for those who try thousands of curves."""

    levels: Floats
    sizes: Floats

    def at(self, probabilities: Floats) -> Floats:
        """Return quantiles."""
        return np.interp(probabilities, self.levels, self.sizes)


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

    @cached_property
    def line(self) -> Line:
        """The same as arrays."""
        return Line(np.array(self.levels), np.array(self.sizes))

    def at(self, probabilities: Floats) -> Floats:
        """Return quantiles."""
        return self.line.at(probabilities)

    def quantile(self, probability: float) -> float:
        """Return one quantile."""
        return float(np.interp(probability, *self.line))

    def stretched(self, factor: float) -> "Curve":
        """Return a curve whose upper half is that much wider."""
        sizes = np.array(self.sizes)
        above = np.maximum(sizes - self.centre, 0.0)
        return Curve(self.levels, tuple((sizes + (factor - 1.0) * above).tolist()))

    def tilted(self, tilt: float) -> "Curve":
        """Return the curve with sizes weighted by exp(tilt * size) up to its tail, which keeps its shape."""
        levels, sizes, start = np.array(self.levels), np.array(self.sizes), self.quantile(0.9)
        middle = np.minimum((sizes[1:] + sizes[:-1]) / 2 - start, 0.0)
        weights = np.diff(levels) * np.exp(np.clip(tilt * middle, -50.0, 50.0))
        own = np.concatenate([[0.0], np.cumsum(weights)])
        return Curve(tuple((own / own[-1]).tolist()), self.sizes)

    def moved(self, by: float) -> "Curve":
        """Return the curve with all sizes moved."""
        return Curve(self.levels, tuple(size + by for size in self.sizes))

    @property
    def mean(self) -> float:
        """Its mean."""
        levels, sizes = np.array(self.levels), np.array(self.sizes)
        return float(np.diff(levels) @ (sizes[1:] + sizes[:-1]) / (2 * (levels[-1] - levels[0])))

    def tail_level(self, total: float, deviation: float) -> float:
        """Return the level beyond which cells hold little but noise: where the tail is extrapolated.

        `total` and `deviation`: units that the curve was made from, and the standard deviation of the noise of a cell.
        """
        return float(np.clip(1.0 - TAIL_NOISE * deviation / max(total, 1e-9), 0.8, MOST_COUNTED))

    def fall_below(self, level: float) -> float:
        """Return within how many units of size the upper tail falls to 1/e below a level."""
        return self.fall(1.0 - 4.0 * (1.0 - level), level)

    def fall(self, low: float, high: float) -> float:
        """Return within how many units of size the share of larger sizes falls to 1/e, between two levels."""
        return (self.quantile(high) - self.quantile(low)) / float(np.log((1.0 - low) / (1.0 - high)))

    def with_tail(self, level: float, fall: float, bend: float = 0.0) -> "Curve":
        """Return a curve whose upper tail falls to 1/e within so many units of size, from a level on.

        With a bend b it falls the faster the farther out: within fall * (t / t_0)^-b, where t is minus the log of the
        share of larger sizes, t_0 at the level.
        """
        levels, sizes = self.line_with_tail(level, fall, bend)
        return Curve(tuple(levels.tolist()), tuple(sizes.tolist()))

    def line_with_tail(self, level: float, fall: float, bend: float = 0.0) -> Line:
        """Return `with_tail` as arrays."""
        start, rises = _rises(level, bend)
        tail = self.quantile(level) + fall * start / (1.0 - bend) * rises
        below = int(np.searchsorted(self.line.levels, level))
        levels = np.concatenate([self.line.levels[:below], 1.0 - (1.0 - level) * _BEYOND])
        return Line(levels, np.concatenate([self.line.sizes[:below], np.minimum(tail, self.sizes[-1])]))

    @property
    def centre(self) -> float:
        """Its median."""
        return self.quantile(0.5)

    @property
    def spread(self) -> float:
        """Its width, as a standard deviation."""
        return max((self.quantile(0.9) - self.quantile(0.25)) / 1.956, 1e-9)


@lru_cache(maxsize=64)
def _rises(level: float, bend: float) -> tuple[float, Floats]:
    """Return t at a level, and how far a tail of that bend rises beyond it, the same for every fall."""
    start = -float(np.log1p(-level))
    return start, (1.0 - np.log(_BEYOND) / start) ** (1.0 - bend) - 1.0


def smooth_weights(edges: Floats, noisy: Floats, deviation: float, total: float, prior: Floats) -> Floats:
    """Return positive weights of cells, of sum 1.

    Parameters
    ----------
    edges : array, shape (J + 1,)
        Ends of the cells.
    noisy : array, shape (J,)
        Weights with noise; some may be negative.
    deviation : float
        Standard deviation of the noise.
    total : float
        What the weights add up to, as far as it is known.
    prior : array, shape (J,)
        Weights where hardly more than noise is known.

    Examples
    --------
    >>> edges = np.array([0.0, 1.0, 2.0])
    >>> smooth_weights(edges, np.array([30.0, 10.0]), 1e-6, 40.0, normal_weights(edges, 1.0, 1.0)).round(2)
    array([0.75, 0.25])
    """
    trust = total**2 / (total**2 + (PRIOR_UNITS * deviation) ** 2) if total > 0 else 0.0
    noisy = trust * noisy + (1.0 - trust) * max(total, 1.0) * prior
    deviation = max(trust, 1e-3) * deviation
    fitted = _log_concave(edges, noisy, deviation)
    spread = (ROUGHNESS * fitted) ** 2
    weights = fitted + (noisy - fitted) * spread / (spread + deviation**2 + 1e-300)
    weights = np.maximum(weights, 0.1 * fitted)
    return np.asarray(weights / weights.sum())


def normal_weights(edges: Floats, centre: float, spread: float) -> Floats:
    """Return the weights of cells under a normal law."""
    weights = np.diff(ndtr((edges - centre) / spread)) + 1e-12
    return np.asarray(weights / weights.sum())


def zipf_weights(edges: Floats, start: float) -> Floats:
    """Return the weights of cells under Zipf's law from a size on (logarithms fall exponentially), few below."""
    above = -np.exp(-np.maximum(edges - start, 0.0))
    below = 0.25 * np.exp(4.0 * np.minimum(edges - start, 0.0))
    weights = np.diff(above + below) + 1e-12
    return np.asarray(weights / weights.sum())


def usual_laws(edges: Floats, located: Located) -> Floats:
    """Return the weights of cells under usual laws of sizes that lie where they were found, shape (laws, cells).

    Sizes are normal, or start somewhere and fall exponentially, with one of the usual spreads.
    """
    laws = (
        partial(kind, edges, spread=spread)
        for spread in USUAL_SPREADS
        for kind in (normal_weights, exponential_weights)
    )
    return np.array([located.law(law, edges) for law in laws])


def ratio_laws(edges: Floats, located: Located, unit: float) -> tuple[Floats, Floats]:
    """Return the weights of cells under usual laws of ratios that lie where they were found, and how usual each is."""
    spreads = np.array(RATIO_SPREADS)
    usual = np.exp(-0.5 * (np.log(spreads / USUAL_RATIO_SPREAD) / RATIO_SPREAD_ERROR) ** 2)
    laws = (partial(normal_weights, edges, spread=unit * spread) for spread in spreads)
    return np.array([located.law(law, edges) for law in laws]), usual


def weighed_laws(
    laws: Floats, starts: Integers, noisy: Floats, deviation: float, usual: Floats | float = 1.0
) -> Floats:
    """Return the mean of laws of fine cells, weighed by how likely they make noisy weights of wider ones.

    `starts` says where each wider cell starts among the fine ones.
    """
    made = np.add.reduceat(laws, starts, axis=1)
    units = max(float(noisy.sum()), deviation)
    likely = -np.sqrt(2.0) * np.abs(units * made - noisy).sum(axis=1) / deviation
    likely = np.exp(likely - likely.max()) * usual
    return np.asarray(likely @ laws / likely.sum())


def exponential_weights(edges: Floats, mean: float, spread: float) -> Floats:
    """Return the weights of cells under a law that starts and then falls to 1/e within a spread, of a given mean."""
    start = max(mean - spread, float(edges[0]))
    weights = np.diff(-np.exp(-np.maximum(edges - start, 0.0) / spread)) + 1e-12
    return np.asarray(weights / weights.sum())


def even_weights(edges: Floats) -> Floats:
    """Return the weights of cells under an even law."""
    return np.asarray(np.diff(edges) / (edges[-1] - edges[0]))


def _log_concave(edges: Floats, noisy: Floats, deviation: float) -> Floats:
    """Fit log-concave weights by Levenberg-Marquardt steps.

    With phi = B x the parameters x are: phi at the first cell, what piles up there, the first slope, and the bends
    from cell to cell, which are minus an exponential of a free parameter and so never positive.
    """
    widths, middle = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    cells, total = widths.size, max(float(noisy.sum()), 10.0 * deviation, 1e-9)
    if cells < 4:
        return np.maximum(noisy, 1e-3 * total / cells)
    bump, rate = _gaussian(middle, widths, noisy, deviation)
    slopes, normal = np.diff(bump) / np.diff(middle), rate**2 * (middle[2:] - middle[:-2]) / 2
    basis = np.column_stack(
        [
            np.ones(cells),
            np.eye(cells)[0],
            middle - middle[0],
            -np.maximum(middle[:, None] - middle[1:-1], 0.0),
        ]
    )
    z = np.concatenate([[bump[0] + np.log(total), 0.0, slopes[0]], np.log(-np.diff(slopes))])
    anchor, pull = z.copy(), np.concatenate([[0.0, 0.1, 0.02 / rate], BEND_WEIGHT / normal])
    # Variances come from a first fit: taken from the noisy weights, they would favour those that are low by chance.
    for _ in range(2):
        root = np.sqrt(deviation**2 + _weights(z, basis, widths) + 1e-6 * total)
        z = _fitted(z, (basis, widths, noisy, root), (anchor, pull))
    return _weights(z, basis, widths)


def _weights(z: Floats, basis: Floats, widths: Floats) -> Floats:
    x = np.concatenate([z[:3], np.exp(np.minimum(z[3:], 5.0))])
    return np.asarray(widths * np.exp(np.minimum(basis @ x, 50.0)))


def _fitted(z: Floats, data: tuple[Floats, Floats, Floats, Floats], prior: tuple[Floats, Floats]) -> Floats:
    (basis, widths, noisy, root), (anchor, pull) = data, prior

    def misses(z: Floats) -> Floats:
        bends = pull * np.concatenate([z[:3] - anchor[:3], np.exp(np.minimum(z[3:], 5.0))])
        return np.concatenate([(_weights(z, basis, widths) - noisy) / root, bends])

    def cost(miss: Floats) -> float:
        # Noise has heavy tails, so a far-off cell counts with its distance, not with its square.
        return float(
            2.0 * (np.sqrt(1.0 + miss[: root.size] ** 2) - 1.0).sum() + (miss[root.size :] ** 2).sum()
        )

    damping, miss = 1e-2, misses(z)
    for _ in range(CURVE_STEPS):
        stretch = np.concatenate([np.ones(3), np.exp(np.minimum(z[3:], 5.0))])
        slopes = (_weights(z, basis, widths) / root)[:, None] * basis * stretch
        slopes = np.vstack([slopes, np.diag(pull * stretch)])
        trust = np.concatenate([1.0 / np.sqrt(1.0 + miss[: root.size] ** 2), np.ones(z.size)])
        normal, gradient = slopes.T @ (trust[:, None] * slopes), slopes.T @ (trust * miss)
        move = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-6), -gradient)
        tried = z + np.clip(move, -2.0, 2.0)
        new = misses(tried)
        if cost(new) < cost(miss):
            gain = cost(miss) - cost(new)
            z, miss, damping = tried, new, max(damping / 5, 1e-9)
            if gain < 1e-4:
                break
        elif damping > 1e8:
            break
        else:
            damping *= 6
    return z


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
    fine = fine_edges(edges)
    levels = np.maximum.accumulate(np.clip(PchipInterpolator(edges, cumulative)(fine), 0.0, 1.0))
    return levels, fine


def fine_edges(edges: Floats) -> Floats:
    """Return ends of cells of which `POINTS_PER_CELL` each make up one of the given cells."""
    parts = np.arange(POINTS_PER_CELL * (edges.size - 1) + 1) / POINTS_PER_CELL
    return np.asarray(np.interp(parts, np.arange(edges.size), edges))


def within_cells(fine: Floats, usual: Floats, starts: Integers, weights: Floats) -> Curve:
    """Return the curve whose wider cells have given weights, spread within them as is usual."""
    prior, parts = np.add.reduceat(usual, starts), np.diff([*starts, usual.size])
    return Curve.of(fine, usual * np.repeat(weights / prior, parts))


def smooth_within(edges: Floats, noisy: Floats, deviation: float, total: float, usual: Floats) -> Curve:
    """Return the curve of noisy weights of cells, where usual weights of their parts say that there is any.

    `usual` are those of `fine_edges`; other parameters are those of `smooth_weights`.
    """
    below = np.cumsum(usual) / usual.sum()
    inside = (below > RATIO_ENDS) & (below - usual / usual.sum() < 1.0 - RATIO_ENDS)
    parts = np.where(inside, usual, 0.0).reshape(noisy.size, POINTS_PER_CELL)
    kept = np.flatnonzero(parts.sum(axis=1))
    first, last = int(kept[0]), int(kept[-1]) + 1
    prior = parts[first:last].sum(axis=1)
    weights = smooth_weights(
        edges[first : last + 1], noisy[first:last], deviation, total, prior / prior.sum()
    )
    own = (parts[first:last] * (weights / prior)[:, None]).ravel()
    return Curve.of(fine_edges(edges)[first * POINTS_PER_CELL : last * POINTS_PER_CELL + 1], own)
