"""The Wasserstein ratio by swapping one observation: every swap as scipy has it, and why the tables split instead."""

import numpy as np
from scipy.stats import wasserstein_distance

from studies.paper_measures import wasserstein_randomization
from studies.simulation.swap_test import swap_ratio


def test_every_swap_has_the_distance_that_scipy_finds():
    rng = np.random.default_rng(0)
    real, synth = rng.exponential(size=40), np.append(rng.exponential(1.3, size=59), 0.5)
    real[3] = synth[-1]  # a tie between the tables
    found = swap_ratio({"x": real}, {"x": synth}, np.random.default_rng(5), swaps=301)
    again = np.random.default_rng(5)
    distances = []
    for i, j in zip(again.integers(40, size=301), again.integers(60, size=301), strict=True):
        one, other = real.copy(), synth.copy()
        one[i], other[j] = synth[j], real[i]
        distances.append(wasserstein_distance(one, other))
    assert np.isclose(found, wasserstein_distance(real, synth) / np.median(distances))


def test_one_swap_does_not_tell_a_good_table_from_a_bad_one():
    rng = np.random.default_rng(1)
    real = {"x": rng.exponential(size=3000)}
    good, bad = ({"x": scale * rng.exponential(size=3000)} for scale in (1.0, 2.0))
    assert abs(swap_ratio(real, bad, rng) - 1) < 0.01
    assert wasserstein_randomization(real, bad) > 5 * wasserstein_randomization(real, good)
