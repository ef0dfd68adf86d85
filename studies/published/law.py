"""A density over coefficients in a form that compiled samplers read, and its course along a straight line.

Along theta + s d each row's indicator changes at one s, so the exponent's gradient part is constant between sorted
crossings: on a line the density is a step function times a normal density, on one interval. NOT PRIVATE.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from studies.published.compiling import compiled

Floats = NDArray[np.float64]


class Law(NamedTuple):
    """exp(-rate max_j weight_j |sum_i z_ji (1{y_i <= x_i theta} - tau)| - base |theta|^2) where the rows allow it."""

    y: Floats  # n
    design: Floats  # p by n, ones first
    instruments: Floats  # p by n
    target: Floats  # p: tau times the sum of each instrument
    weight: Floats  # p
    rate: float
    base: float
    rows: Floats  # m by p: where lines are held; lower <= rows theta <= upper
    lower: Floats
    upper: Floats


class Line(NamedTuple):
    """A density on a line: exponent levels[k] between breaks k-1 and k, times a normal density, from low to high."""

    breaks: Floats
    levels: Floats
    low: float
    high: float
    centre: float
    spread: float


@compiled
def misfit(law: Law, theta: Floats, below: Floats) -> float:
    """Return the scaled max norm of the gradient; `below` is working space of n numbers."""
    p, n = law.design.shape
    worst = 0.0
    for i in range(n):
        below[i] = theta[0]
    for j in range(1, p):
        for i in range(n):
            below[i] += theta[j] * law.design[j, i]
    for i in range(n):
        below[i] = 1.0 if law.y[i] <= below[i] else 0.0
    for j in range(p):
        total = 0.0
        for i in range(n):
            total += below[i] * law.instruments[j, i]
        worst = max(worst, law.weight[j] * abs(total - law.target[j]))
    return worst


@compiled
def allowed(law: Law, theta: Floats) -> bool:
    """Say whether a line keeps its order and its bounds at every row where that is checked."""
    for i in range(law.rows.shape[0]):
        fitted = 0.0
        for j in range(theta.size):
            fitted += law.rows[i, j] * theta[j]
        if fitted < law.lower[i] or fitted > law.upper[i]:
            return False
    return True


@compiled
def reach(law: Law, theta: Floats, direction: Floats) -> tuple[float, float]:
    """Return the interval of s for which theta + s direction is allowed; low above high where there is none."""
    low, high = -np.inf, np.inf
    for i in range(law.rows.shape[0]):
        fitted, slope = 0.0, 0.0
        for j in range(theta.size):
            fitted += law.rows[i, j] * theta[j]
            slope += law.rows[i, j] * direction[j]
        if slope > 0.0:
            low = max(low, (law.lower[i] - fitted) / slope)
            high = min(high, (law.upper[i] - fitted) / slope)
        elif slope < 0.0:
            low = max(low, (law.upper[i] - fitted) / slope)
            high = min(high, (law.lower[i] - fitted) / slope)
        elif fitted < law.lower[i] or fitted > law.upper[i]:
            return 1.0, -1.0
    return low, high


@compiled
def line_through(law: Law, theta: Floats, direction: Floats) -> Line:
    """Follow the density along theta + s direction."""
    p, n = law.design.shape
    low, high = reach(law, theta, direction)
    gradient = -law.target.copy()
    places = np.empty(n)
    turning = np.empty(n, np.int64)
    signs = np.empty(n)
    count = 0
    for i in range(n):
        ahead, speed = law.y[i], 0.0
        for j in range(p):
            ahead -= law.design[j, i] * theta[j]
            speed += law.design[j, i] * direction[j]
        if speed == 0.0:
            inside = ahead <= 0.0
        else:
            place = ahead / speed
            inside = (place <= low) == (speed > 0.0)
            if low < place < high:
                places[count] = place
                turning[count] = i
                signs[count] = 1.0 if speed > 0.0 else -1.0
                count += 1
        if inside:
            for j in range(p):
                gradient[j] += law.instruments[j, i]
    order = np.argsort(places[:count])
    levels = np.empty(count + 1)
    levels[0] = _exponent(law, gradient)
    for k in range(count):
        place = order[k]
        for j in range(p):
            gradient[j] += signs[place] * law.instruments[j, turning[place]]
        levels[k + 1] = _exponent(law, gradient)
    length = np.sum(direction * direction)
    centre = -np.sum(theta * direction) / length
    return Line(places[order], levels, low, high, centre, 1.0 / np.sqrt(2.0 * law.base * length))


@compiled
def _exponent(law: Law, gradient: Floats) -> float:
    worst = 0.0
    for j in range(gradient.size):
        worst = max(worst, law.weight[j] * abs(gradient[j]))
    return -law.rate * worst
