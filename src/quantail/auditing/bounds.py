"""Lower confidence bounds on epsilon from runs, and the trade-off between the two errors of an attacker.

An attacker sees one output and says which of two neighbouring tables it came from, by a score of outputs: their exact
likelihood ratio where the law was enumerated, else one that is learned from half of the runs and measured on the other
half. (A poor score makes a weak bound, never a wrong one.) For an event E with hit rates P(E), Q(E)

    epsilon >= log( Clopper-Pearson lower bound of P(E) / Clopper-Pearson upper bound of Q(E) ),

and with a = false positives every test of an epsilon-DP mechanism has false negatives of at least
max(1 - e^epsilon a, e^-epsilon (1 - a)): the border of the trade-off curve.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import beta

from quantail.arrays import Floats
from quantail.privacy import SecureNoise

EVENTS = 12  # events tried in each direction; the bound holds for all of them together

_PILOT = 100

Draw = Callable[[], Hashable]
Ratio = Callable[[Hashable], float]


@dataclass(frozen=True)
class Evidence:
    """What runs on two tables show: a lower bound on epsilon, and the errors of every threshold test.

    `enumerated` is the exact log-ratio of the pair, where it is known (for fixed dither and jitter).
    """

    bound: float
    runs: int
    false_positive: tuple[float, ...]
    false_negative: tuple[float, ...]
    enumerated: float | None = None


def secure_draws(mechanism: Callable[..., Hashable], table: Any) -> Draw:
    """Return runs of a mechanism on a table with secure noise."""
    noise = SecureNoise()
    return lambda: mechanism(table, noise)


def lower_epsilon(hits: int, runs: int, others: int, other_runs: int, error: float) -> float:
    """Return a lower bound on epsilon that is wrong with probability `error` at most.

    Examples
    --------
    >>> round(lower_epsilon(900, 1000, 100, 1000, 1e-4), 2)
    1.8
    """
    low = beta.ppf(error / 2, hits, runs - hits + 1) if hits else 0.0
    high = beta.ppf(1 - error / 2, others + 1, other_runs - others) if others < other_runs else 1.0
    return float(max(math.log(low / high), 0.0)) if low > 0 else 0.0


def gather(first: Draw, second: Draw, runs: int, error: float, ratio: Ratio | None = None) -> Evidence:
    """Run both draws and measure how well their outputs can be told apart.

    Parameters
    ----------
    runs : int
        Runs on each of the two tables.
    error : float
        Probability that the bound is above the true epsilon.
    ratio : callable, optional
        Log-likelihood ratio of an output; learned from half of the runs if left out.
    """
    measured = runs if ratio else runs - runs // 2
    ratio = ratio or _learned(first, second, runs - measured)
    outputs = [[draw() for _ in range(measured + _PILOT)] for draw in (first, second)]
    scores = [np.array([ratio(output) for output in part]) for part in outputs]
    # Where the events lie is settled on runs that do not count.
    pilot, scores = np.concatenate([part[:_PILOT] for part in scores]), [part[_PILOT:] for part in scores]
    events = np.unique(np.quantile(pilot, np.linspace(0.02, 0.98, EVENTS)))
    each = error / (2 * EVENTS)
    bound = max(_both_ways(scores, event, each) for event in events)
    return Evidence(bound, 2 * runs, *_errors(*scores))


def _learned(first: Draw, second: Draw, runs: int) -> Ratio:
    one, other = (Counter(draw() for _ in range(runs)) for draw in (first, second))
    return lambda output: math.log((one[output] + 1) / (other[output] + 1))


def _both_ways(scores: list[Floats], event: float, error: float) -> float:
    """Return the larger bound of `ratio >= event` for the first table and `ratio < event` for the second."""
    above = [int(np.sum(part >= event)) for part in scores]
    first, second = (part.size for part in scores)
    return max(
        lower_epsilon(above[0], first, above[1], second, error),
        lower_epsilon(second - above[1], second, first - above[0], first, error),
    )


def _errors(first: Floats, second: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return false positives and false negatives of 'it was the first table' for every threshold."""
    cuts = np.unique(np.concatenate([first, second, [np.inf]]))[::-1]
    if cuts.size > 60:
        cuts = cuts[np.linspace(0, cuts.size - 1, 60).astype(np.int64)]
    positive = tuple(float(np.mean(second >= cut)) for cut in cuts)
    negative = tuple(float(np.mean(first < cut)) for cut in cuts)
    return positive, negative
