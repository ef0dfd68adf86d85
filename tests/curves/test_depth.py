"""Depth: how much is asked follows from the n epsilon alone, grows with it, and stays what the engine can answer."""

import numpy as np
import pytest

from quantail.curves.depth import histogram_fits, quantile_levels
from quantail.privacy.paths import MOST_QUANTILES

N_EPSILONS = np.geomspace(0.1, 1e8, 300)


@pytest.mark.parametrize("number", [lambda s: quantile_levels(s).size])
def test_more_n_epsilon_never_asks_for_less(number):
    found = [number(n_epsilon) for n_epsilon in N_EPSILONS]
    assert found == sorted(found)
    assert found[0] < found[-1]


@pytest.mark.parametrize("n_epsilon", N_EPSILONS[::10])
def test_levels_are_symmetric_ascending_and_within_reach(n_epsilon):
    levels = quantile_levels(n_epsilon)
    assert 1 <= levels.size <= MOST_QUANTILES
    assert (np.diff(levels) > 0).all()
    np.testing.assert_allclose(levels, 1 - levels[::-1])
    if levels.size >= 3:
        assert levels[levels.size // 2] == pytest.approx(0.5)
        # Beyond the outermost quantile there must be rows enough to tell it from noise (of scale 4 / n epsilon).
        assert levels[0] * n_epsilon > 20


def test_a_histogram_needs_few_values_or_much_n_epsilon():
    assert histogram_fits(10, 1000)
    assert not histogram_fits(100, 1000)
    assert not histogram_fits(5000, 1e12)
