"""How far counts are off beyond their noise, as the standard deviation of log factors: empirical Bayes."""

import numpy as np

from quantail.arrays import Floats
from quantail.table.tuning import NARROWEST_PRIOR, PRIOR_DOUBT, WIDEST_PRIOR


def log_factor_width(missed: Floats, expected: Floats, noise: float) -> float:
    """Return the standard deviation of log factors that explains how far counts are off, beyond noise."""
    return width_of(*excess_of(missed, expected, noise))


def excess_of(missed: Floats, expected: Floats, noise: float) -> tuple[float, float]:
    """Return how far squared misses exceed noise, and what a variance of one of the log factors would add to them.

    Expected counts c under a factor e^theta move by c theta: moments, each cell weighted by how well it tells. What
    noise alone may show, in its own standard deviations, is taken off first.
    """
    weight = expected**2 / (noise**2 + expected**2) ** 2
    chance = PRIOR_DOUBT * (2 * np.sum(weight**2)) ** 0.5 * noise**2
    return float(np.sum(weight * (missed**2 - noise**2)) - chance), float(np.sum(weight * expected**2))


def width_of(excess: float, scale: float) -> float:
    """Return the standard deviation, within bounds, from what `excess_of` found, of one table or of several."""
    found = excess / max(scale, 1e-300)
    return float(np.sqrt(np.clip(found, NARROWEST_PRIOR**2, WIDEST_PRIOR**2)))
