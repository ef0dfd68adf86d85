"""Exact draws from a density along lines, and a chain of them along random directions (hit-and-run).

Where one number moves, one draw is exact. Where several do, each step draws exactly along a random direction; the law
of directions does not depend on the state, so the density stays invariant whatever the directions' shape: that shape
only decides how fast the chain forgets its start. NOT PRIVATE.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from studies.published.compiling import compiled
from studies.published.law import Law, Line, line_through

Floats = NDArray[np.float64]

_NARROW = 1e-3  # standard deviations: within such a piece the normal density is taken as flat
_ROOT_HALF = math.sqrt(0.5)


@compiled
def draw_on_line(line: Line, rng: np.random.Generator) -> float:
    """Draw exactly from a density on a line; nan where no point is allowed."""
    if not line.low < line.high:
        return math.nan
    pieces = line.levels.size
    heights, masses = np.empty(pieces), np.empty(pieces)
    for k in range(pieces):
        left, right = _ends(line, k)
        heights[k], masses[k] = _piece(left, right)
        heights[k] += line.levels[k]
    top = -np.inf
    for k in range(pieces):
        if masses[k] > 0.0:
            top = max(top, heights[k])
    running = 0.0
    for k in range(pieces):
        if masses[k] > 0.0:
            running += masses[k] * math.exp(heights[k] - top)
        masses[k] = running
    chosen = np.searchsorted(masses, rng.random() * running, side="right")
    left, right = _ends(line, min(int(chosen), pieces - 1))
    return line.centre + line.spread * _normal_between(left, right, rng)


@compiled
def _ends(line: Line, k: int) -> tuple[float, float]:
    left = line.low if k == 0 else line.breaks[k - 1]
    right = line.high if k == line.breaks.size else line.breaks[k]
    return (left - line.centre) / line.spread, (right - line.centre) / line.spread


@compiled
def _piece(left: float, right: float) -> tuple[float, float]:
    """Return h and m with m exp(h) the standard normal mass between two points, up to a common factor."""
    if right - left < _NARROW:
        middle = 0.5 * (left + right)
        return -0.5 * middle * middle, right - left
    if left > 0.0:
        mass = math.erfc(left * _ROOT_HALF) - math.erfc(right * _ROOT_HALF)
    elif right < 0.0:
        mass = math.erfc(-right * _ROOT_HALF) - math.erfc(-left * _ROOT_HALF)
    else:
        mass = math.erf(right * _ROOT_HALF) - math.erf(left * _ROOT_HALF)
    return 0.0, mass * math.sqrt(math.pi / 2.0)


@compiled
def _normal_between(left: float, right: float, rng: np.random.Generator) -> float:
    """Draw a standard normal number between two points, by rejection from whichever law fits closely."""
    if right < 0.0:
        return -_normal_between_up(-right, -left, rng)
    return _normal_between_up(left, right, rng)


@compiled
def _normal_between_up(left: float, right: float, rng: np.random.Generator) -> float:
    nearest = max(left, 0.0)
    if left > 0.5 and (right - left) * left > 1.0:  # a tail: exponential from its near end
        while True:
            at = left + rng.standard_exponential() / left
            if at <= right and rng.random() <= math.exp(-0.5 * (at - left) ** 2):
                return at
    if right - left > 2.5:  # wide and not in a tail: a normal number falls inside often enough
        while True:
            at = rng.standard_normal()
            if left <= at <= right:
                return at
    while True:
        at = left + (right - left) * rng.random()
        if rng.random() <= math.exp(0.5 * (nearest * nearest - at * at)):
            return at


@compiled
def line_chain(law: Law, start: Floats, roots: Floats, steps: int, rng: np.random.Generator) -> Floats:
    """Walk along random directions from `start`; return the states after each step.

    Half of the directions are a random column of one of the `roots` (k by p by p), half a normal vector times one.
    """
    p = start.size
    chain = np.empty((steps, p))
    theta = start.copy()
    for step in range(steps):
        root = roots[rng.integers(0, roots.shape[0])]
        mixture = rng.standard_normal(p)
        if rng.random() < 0.5:
            mixture = np.eye(p)[rng.integers(0, p)]
        direction = root @ mixture
        s = draw_on_line(line_through(law, theta, direction), rng)
        if not math.isnan(s):
            theta = theta + s * direction
        chain[step] = theta
    return chain
