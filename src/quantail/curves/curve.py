"""From released quantiles to a smooth quantile function (DESIGN 4.4). Post-processing: costs nothing.

Base. Q0(u) = a + b_e (-log(1-u)) + b_l log(u) + b_n Phi^-1(u) + b_g log(-log(1-u)) + b_u u, with b >= 0: an
exponential upper tail, an exponential lower tail, a normal body and, on log scales, a Gumbel shape, on linear ones an
even body without tails. It is exact for exponential, logistic, normal and uniform columns (on a log scale: Pareto,
log-logistic, lognormal, Weibull) and fits skewed mixtures of them. It is fitted to the *gaps* between quantiles, whose
noise is nearly independent, with weights from the known noise; on a log scale b_e, one over a Pareto index, is held
towards zero as by one more observation, so that a noisy quantile does not make a tail without a mean.

Shrinkage. A gap that the base misses by no more than the noise tells nothing: the remainder is multiplied by
max(0, 1 - noise / chi^2) (James-Stein; noise is a little above the degrees of freedom), so few quantiles with much
noise fall back on the smooth base and many quantiles with little noise are followed closely.

Bounds. Where nothing shifts a column, what its tails would put beyond the column's bounds is spread over the tails:
they are cut off, not heaped on the bound, unless the outermost quantile lies on the bound itself.

Interpolation. The remainder is carried between quantiles by a monotone cubic in the coordinate v = Q0(u), and beyond
the outermost quantiles by a straight line in v: tails have the base's shape.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import nnls
from scipy.special import ndtr, ndtri

from quantail.arrays import Floats
from quantail.curves.tuning import (
    EVEN_ENDS,
    FLATTEST,
    FULL_BASE,
    HEAVIEST,
    LIGHT,
    NOISE_ALLOWANCE,
    STEEPEST_BASE,
)

_TINY = 1e-12
_SAVED_AS = "rungs"  # what saved models call the released quantiles


@dataclass(frozen=True)
class Curve:
    """A monotone quantile function."""

    # levels, quantiles: what was released
    levels: tuple[float, ...]
    quantiles: tuple[float, ...]
    # offset, weights: the base: a and (b_e, b_l, b_n, b_g, b_u)
    offset: float
    weights: tuple[float, float, float, float, float]
    # knots, values: base value and final value at each level
    knots: tuple[float, ...]
    values: tuple[float, ...]
    # levels at which tails reach the column's bounds, where they are cut off
    within: tuple[float, float] = (0.0, 1.0)

    def __call__(self, u: Floats) -> Floats:
        """Return the quantiles at levels u in (0, 1)."""
        u = self._inside(u)
        v = self.offset + base_shapes(u) @ np.asarray(self.weights)
        first, last = self.knots[0], self.knots[-1]
        interpolate, low, high = _between_and_beyond(self.knots, self.values)
        inside = interpolate(np.minimum(np.maximum(v, first), last))
        return np.asarray(inside + low * np.minimum(v - first, 0) + high * np.maximum(v - last, 0))

    def bounded(self, ends: tuple[float, float], inner: tuple[float, float]) -> "Curve":
        """Return the curve with tails that end at bounds, where the outermost quantile lies inside.

        Parameters
        ----------
        ends : pair of float
            The bounds, with the whole lattice cells that they lie in.
        inner : pair of float
            The same without these cells: a quantile beyond tells of many rows that hold the bound.

        Examples
        --------
        >>> levels = np.array([0.25, 0.5, 0.75])
        >>> curve = fit_curve(levels, 30 + 10 * levels, 1000, 20.0, 1e-6).bounded((29.0, 99.0), (30.0, 98.0))
        >>> bool(curve(np.array([1e-9]))[0] > 28.99), curve(levels).round(3).tolist()
        (True, [32.5, 35.0, 37.5])
        """
        first, last = self.levels[0], self.levels[-1]
        below = _level_at(self, ends[0], _TINY, first) if inner[0] < self.values[0] else 0.0
        above = _level_at(self, ends[1], last, 1 - _TINY) if inner[1] > self.values[-1] else 1.0
        return replace(self, within=(below, above))

    def _inside(self, u: Floats) -> Floats:
        """Return levels of the curve without bounds."""
        (below, above), first, last = self.within, self.levels[0], self.levels[-1]
        if below == 0.0 and above == 1.0:
            return u
        lower = below + (first - below) / first * u
        upper = above - (above - last) / (1 - last) * (1 - u)
        return np.where(u < first, lower, np.where(u > last, upper, u))

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        fields = {name: _listed(value) for name, value in vars(self).items()}
        if self.within == (0.0, 1.0):
            del fields["within"]
        return {
            "kind": _SAVED_AS,
            "levels": fields.pop("levels"),
            _SAVED_AS: fields.pop("quantiles"),
            **fields,
        }

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> "Curve":
        """Rebuild a curve from `to_dict`."""
        fields: dict[str, Any] = {
            "quantiles" if name == _SAVED_AS else name: tuple(value) if isinstance(value, list) else value
            for name, value in form.items()
            if name != "kind"
        }
        return cls(**fields)


@dataclass(frozen=True)
class StepCurve:
    """The quantile function of counted cells: uniform within each cell."""

    edges: tuple[float, ...]  # ends of the cells, one more than there are cells
    # released share of rows in each cell, after clearing what is indistinguishable from noise
    shares: tuple[float, ...]

    def __call__(self, u: Floats) -> Floats:
        """Return the quantiles at levels u in (0, 1)."""
        kept = np.asarray(self.shares) > 0
        shares = np.asarray(self.shares)[kept]
        low, high = np.asarray(self.edges)[:-1][kept], np.asarray(self.edges)[1:][kept]
        ends = np.cumsum(shares) / shares.sum()
        cell = np.minimum(np.searchsorted(ends, u, side="left"), shares.size - 1)
        start = np.concatenate([[0.0], ends[:-1]])[cell]
        within = np.clip((u - start) / (ends[cell] - start), 0.0, 1.0)
        return np.asarray(low[cell] + within * (high - low)[cell])

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {"kind": "cells", "edges": list(self.edges), "shares": list(self.shares)}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> "StepCurve":
        """Rebuild a curve from `to_dict`."""
        return cls(tuple(form["edges"]), tuple(form["shares"]))


def _level_at(curve: Curve, bound: float, first: float, last: float) -> float:
    """Return the level between two at which a curve reaches a bound: the one next to the bound if it never does."""
    low, high = ndtri(first), ndtri(last)
    for _ in range(60):
        middle = (low + high) / 2
        if middle in (low, high):  # no number lies between
            break
        below = float(curve(np.array([ndtr(middle)]))[0]) < bound
        low, high = (middle, high) if below else (low, middle)
    return float(ndtr((low + high) / 2))


@lru_cache(maxsize=256)  # a curve is drawn from again and again
def _between_and_beyond(
    knots: tuple[float, ...], values: tuple[float, ...]
) -> tuple[PchipInterpolator, float, float]:
    """Return what interpolates between knots, and the slopes of the lines beyond the outermost."""
    steps = np.diff(values)[[0, -1]] / np.diff(knots)[[0, -1]]
    low, high = np.clip(steps, FLATTEST, STEEPEST_BASE).tolist()
    return PchipInterpolator(knots, values), low, high


def base_shapes(u: Floats) -> Floats:
    """Return the five shapes of the base at levels u, one column each."""
    u = np.minimum(np.maximum(u, _TINY), 1 - _TINY)
    tail = -np.log1p(-u)
    found = np.empty((*u.shape, 5))
    for place, shape in enumerate((tail, np.log(u), ndtri(u), np.log(tail), u)):
        found[..., place] = shape
    return found


def fit_curve(
    levels: Floats, quantiles: Floats, rows: int, noise_rows: float, least: float, log: bool = False
) -> Curve:
    """Fit a curve to released quantiles.

    Parameters
    ----------
    rows : int
        Public number of rows.
    noise_rows : float
        Scale of the noise in the number of rows between neighbouring quantiles (1 / rate of the joint draw).
    least : float
        Smallest difference that matters; quantiles are set apart by a sliver of it.
    log : bool
        True on a log scale, where a tail weight is one over a Pareto index: it is kept from exploding.
    """
    if levels.size == 1:
        levels, quantiles = _guessed_spread(quantiles[0], least, log)
    quantiles = _apart(quantiles, 1e-6 * least)
    shapes = base_shapes(levels)
    gaps, parts, steps = np.diff(quantiles), np.diff(levels), np.diff(shapes, axis=0)
    steps[:, _unused_shapes(gaps, log)] = 0.0
    deviation = np.sqrt(2 * noise_rows**2 + rows * parts)  # rows: privacy noise and sampling
    floor = max(1e-3 * float(gaps.sum()), least) / levels.size
    weights, slope = _fit_gaps(steps, gaps, parts, rows / deviation, floor, log)
    if log:
        weights[0] = min(weights[0], HEAVIEST)
    else:  # an even body would end where its last quantile is: it thins out
        weights[:2] = np.maximum(weights[:2], EVEN_ENDS * weights[4] * np.array([1 - levels[-1], levels[0]]))
    slope = np.maximum(steps @ weights, floor * 1e-3) / parts
    at_quantiles = np.interp(levels, (levels[1:] + levels[:-1]) / 2, slope)
    trust = at_quantiles**-2.0
    offset = float(np.sum(trust * (quantiles - shapes @ weights)) / trust.sum())
    knots = offset + shapes @ weights
    misses = np.diff(quantiles - knots) / slope * rows / deviation
    freedom = max(levels.size - 1 - int(np.count_nonzero(weights)), 1)
    noise = freedom + NOISE_ALLOWANCE * np.sqrt(2.0 * freedom)
    kept = max(0.0, 1.0 - noise / max(float(np.sum(misses**2)), _TINY))
    values = _apart(knots + kept * (quantiles - knots), _TINY * max(1.0, abs(offset)))
    b_e, b_l, b_n, b_g, b_u = weights.tolist()
    return Curve(
        tuple(levels.tolist()),
        tuple(quantiles.tolist()),
        offset,
        (b_e, b_l, b_n, b_g, b_u),
        tuple(knots.tolist()),
        tuple(values.tolist()),
    )


def _unused_shapes(gaps: Floats, log: bool) -> list[int]:
    """Return the shapes that so few quantiles cannot tell apart, or that have no place on the scale.

    With few quantiles a body and one tail are all that can be told, and on a log scale the exponential tail goes: one
    noisy quantile would make it a tail without a mean.
    """
    exponential, lower, gumbel, even = 0, 1, 3, 4
    if gaps.size + 1 >= FULL_BASE:
        return [even] if log else [gumbel]
    if gaps.size == 1:
        return [exponential, lower, gumbel, even]
    if log:
        return [exponential, even]
    return [lower if gaps[-1] > gaps[0] else exponential, gumbel, even]


def _fit_gaps(
    steps: Floats, gaps: Floats, parts: Floats, precision: Floats, floor: float, log: bool
) -> tuple[Floats, Floats]:
    """Return base weights and dQ/du of each gap, by reweighted nonnegative least squares."""
    slope = np.maximum(gaps, floor) / parts
    weights = np.zeros(steps.shape[1])
    held = np.array([[LIGHT if log else 0.0, 0.0, 0.0, 0.0, 0.0]])
    for _ in range(6):
        scaling = precision / slope
        weights, _ = nnls(np.vstack([steps * scaling[:, None], held]), np.append(gaps * scaling, 0.0))
        if not weights.any():
            weights = np.where(steps.any(axis=0), gaps.sum() / max(float(steps.sum()), _TINY), 0.0)
        slope = np.maximum(steps @ weights, floor * 1e-3) / parts
    return weights, slope


def _guessed_spread(median: float, least: float, log: bool) -> tuple[Floats, Floats]:
    """Return two made-up quantiles around a lone median: a spread that a heavy-tailed column likely has at least.

    On a log scale a standard deviation of 0.8; on a linear scale half the median itself. Said in docs/limits.md.
    """
    half = 0.35 if log else max(abs(median) / 4, least)
    return np.array([1 / 3, 2 / 3]), np.array([median - half, median + half])


def _apart(values: Floats, gap: float) -> Floats:
    """Return values raised so that neighbours are at least `gap` apart."""
    ramp = gap * np.arange(values.size)
    return np.asarray(np.maximum.accumulate(values - ramp) + ramp)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
