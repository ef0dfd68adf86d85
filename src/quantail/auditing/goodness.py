"""The gate's draws against the analytic law, by chi-square tests, each with negative controls that must fail.

What is tested is the whole call: plan, sensitivity, rounding of the scale, OpenDP or the path sampler. A test fails
below p = 1e-6; the same draws must fall below it against laws whose noise scale is off by 20 percent either way, or
the test would have no teeth.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from quantail.arrays import Integers
from quantail.auditing.enumeration import gate_of
from quantail.auditing.findings import Finding
from quantail.auditing.laws import gaussian_law, geometric_law, noisy_max_log_law, p_value, path_law
from quantail.privacy import PathQuestion, SecureNoise, Selection

LEAST = 1e-6
DRAWS = 12_000  # enough for the negative controls to fail
SCORES = np.array([0, -1, -1, -3, -6])
COUNTS, ROWS, TARGETS = np.array([1, 2, 5, 6]), 8, np.array([3, 2, 3])
_BATCH = 100
_HELD, _REACH = 7, 24

Law = Callable[[float], Any]
"""From a factor of the noise scale to the probabilities of all outcomes."""


def goodness_findings(draws: int = DRAWS) -> Iterator[Finding]:
    """Yield one finding for every kind of question: its p-value, and whether its negative controls fail."""
    for name, observed, law in (
        _select("pure", draws),
        _select("zcdp", draws),
        _count(draws),
        _histogram(draws),
        _path(draws),
    ):
        p = p_value(observed, law(1.0))
        wrong = max(p_value(observed, law(factor)) for factor in (0.8, 1.25))
        note = f"scale off by 20%: p {wrong:.0e}"
        kept = p >= LEAST > wrong
        yield Finding("laws", name, "any", p, LEAST, draws, "draws", kept, note)


def _select(definition: str, draws: int) -> tuple[str, Any, Law]:
    """Ask for the best of five candidates, sensitivity 1: scale 2 / epsilon = 2."""
    pure = definition == "pure"
    cost, noise = Fraction(1) if pure else Fraction(1, 8), SecureNoise()
    observed = np.zeros(SCORES.size)
    for _ in range(draws // _BATCH):
        gate = gate_of(noise, "replace-one", cost, unit="epsilon" if pure else "rho")
        (leaf,) = gate.plan.leaves()
        chosen = gate.select(leaf, [Selection(SCORES, 1)] * _BATCH)
        observed += np.bincount(chosen, minlength=SCORES.size)
    return (
        f"select, {definition}",
        observed,
        lambda factor: np.exp(noisy_max_log_law(SCORES, 2 * factor, definition)),
    )


def _count(draws: int) -> tuple[str, Any, Law]:
    """Count cells that hold seven rows each, sensitivity 2 at epsilon 1/2: scale 4."""
    gate = gate_of(SecureNoise(), "replace-one", Fraction(1, 2))
    noisy = gate.count(gate.plan.leaves()[0], np.full(draws, _HELD), 2)
    return "count", _observed(noisy), lambda factor: geometric_law(4 * factor, _REACH)


def _histogram(draws: int) -> tuple[str, Any, Law]:
    """Count the same cells with Gaussian noise, two touched at rho 1/16: scale 4."""
    gate = gate_of(SecureNoise(), "replace-one", Fraction(1, 16), unit="rho")
    noisy = gate.histogram(gate.plan.leaves()[0], np.full(draws, _HELD), 2)
    return "histogram, zcdp", _observed(noisy), lambda factor: gaussian_law(4 * factor, _REACH)


def _observed(noisy: Integers) -> Integers:
    """Return how often each size of the noise was drawn, with all beyond the reach at its ends."""
    noise = np.clip(noisy - _HELD, -_REACH, _REACH)
    return np.bincount(noise + _REACH, minlength=2 * _REACH + 1)


def _path(draws: int) -> tuple[str, Any, Law]:
    """Draw two quantiles on four candidates: rate 1.6 / 4 = .4 under replace-one."""
    noise, drawn = SecureNoise(), Counter[tuple[int, ...]]()
    for _ in range(draws // _BATCH):
        gate = gate_of(noise, "replace-one", Fraction(16, 10))
        question = PathQuestion(COUNTS, ROWS, TARGETS)
        paths = gate.path(gate.plan.leaves()[0], [question] * _BATCH)
        drawn.update(tuple(path.tolist()) for path in paths)
    every = path_law(COUNTS, ROWS, TARGETS, 0.4)
    return (
        "path",
        [drawn[path] for path in every],
        lambda factor: list(path_law(COUNTS, ROWS, TARGETS, 0.4 / factor).values()),
    )
