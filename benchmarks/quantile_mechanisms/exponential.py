"""One quantile by the exponential mechanism on the real line (Smith 2011)."""

from __future__ import annotations

import numpy as np


class NotApplicable(Exception):
    """The mechanism's own conditions on rows, levels and budget, all public, are not met."""


def one_quantile(
    values: np.ndarray, target: float, rate: float, low: float, high: float, rng: np.random.Generator
) -> float:
    """Draw v in [low, high] with density proportional to exp(-rate |#{values <= v} - target|).

    Values in rising order; the density is constant between neighbouring ones.
    """
    if high <= low:
        return low
    edges = np.concatenate([[low], np.clip(values, low, high), [high]])
    with np.errstate(divide="ignore"):  # ties: an interval of no length has no weight
        weights = np.log(np.diff(edges)) - rate * np.abs(np.arange(values.size + 1) - target)
    # The largest of log weights plus Gumbel noise is a draw with these weights.
    chosen = int(np.argmax(weights + rng.gumbel(size=weights.size)))
    return float(rng.uniform(edges[chosen], edges[chosen + 1]))
