"""Metropolis-Hastings as the authors run it: all coefficients at once, proposals by the stored chain's correlation.

Every ten acceptances the proposal's covariance becomes (correlation of the stored chain + 2e-5 I) x scale. The authors
store the chain in an array that is zero where the chain has not been yet, and those zeros enter the correlation: until
the end it stays near +1 or -1, so that coefficients move almost in lockstep. NOT PRIVATE.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studies.published.compiling import compiled
from studies.published.law import Law, Line, allowed, misfit

Floats = NDArray[np.float64]

_ACCEPTANCES = 10
_RIDGE = 2e-5


@compiled
def metropolis_chain(
    law: Law, start: Floats, variance: float, steps: int, rng: np.random.Generator
) -> tuple[Floats, int]:
    """Run a chain of `steps` states, the start included; return it with the number of acceptances."""
    p = start.size
    chain = np.empty((steps, p))
    chain[0] = start
    work = np.empty(law.y.size)
    theta = start.copy()
    height = -law.rate * misfit(law, theta, work) - law.base * np.sum(theta * theta)
    root = np.sqrt(variance) * np.eye(p)
    sums, products = np.zeros(p), np.zeros((p, p))  # of the distance from the start, over the states so far
    accepted = 0
    for step in range(1, steps):
        proposal = theta + root @ rng.standard_normal(p)
        if allowed(law, proposal):
            other = -law.rate * misfit(law, proposal, work) - law.base * np.sum(proposal * proposal)
            if np.log(rng.random()) < other - height:
                theta, height = proposal, other
                accepted += 1
                moved = True
            else:
                moved = False
        else:
            moved = False
        chain[step] = theta
        away = theta - start
        sums += away
        products += np.outer(away, away)
        if moved and accepted % _ACCEPTANCES == 0:
            shape = _stored_correlation(start, sums, products, step + 1, steps)
            root = np.linalg.cholesky(variance * (shape + _RIDGE * np.eye(p)))
    return chain, accepted


@compiled
def _stored_correlation(start: Floats, sums: Floats, products: Floats, done: int, steps: int) -> Floats:
    """Correlate the stored array: `done` states, then zeros, which lie at -start from the start."""
    left = steps - done
    mean = (sums - left * start) / steps
    second = (products + left * np.outer(start, start)) / steps
    covariance = second - np.outer(mean, mean)
    size = np.sqrt(np.diag(covariance))
    correlation: Floats = covariance / np.outer(size, size)
    for j in range(start.size):
        correlation[j, j] = 1.0
    return correlation


@compiled
def metropolis_on_line(
    line: Line, start: float, deviation: float, steps: int, rng: np.random.Generator
) -> tuple[Floats, int]:
    """Run the same chain where one number moves: along a line, by normal steps of fixed size."""
    chain = np.empty(steps)
    chain[0] = start
    at = start
    height = _height(line, at)
    accepted = 0
    for step in range(1, steps):
        proposal = at + deviation * rng.standard_normal()
        if line.low < proposal < line.high:
            other = _height(line, proposal)
            if np.log(rng.random()) < other - height:
                at, height = proposal, other
                accepted += 1
        chain[step] = at
    return chain, accepted


@compiled
def _height(line: Line, at: float) -> float:
    place = np.searchsorted(line.breaks, at, side="right")
    away = (at - line.centre) / line.spread
    return float(line.levels[place] - 0.5 * away * away)
