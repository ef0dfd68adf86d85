"""Depth: how much is asked follows from the signal alone, grows with it, and stays what the engine can answer."""

import numpy as np
import pytest

from quantail.curves.depth import histogram_fits, rung_levels
from quantail.privacy.paths import MOST_RUNGS

SIGNALS = np.geomspace(0.1, 1e8, 300)


@pytest.mark.parametrize("number", [lambda s: rung_levels(s).size])
def test_more_signal_never_asks_for_less(number):
    found = [number(signal) for signal in SIGNALS]
    assert found == sorted(found)
    assert found[0] < found[-1]


@pytest.mark.parametrize("signal", SIGNALS[::10])
def test_levels_are_symmetric_ascending_and_within_reach(signal):
    levels = rung_levels(signal)
    assert 1 <= levels.size <= MOST_RUNGS
    assert (np.diff(levels) > 0).all()
    np.testing.assert_allclose(levels, 1 - levels[::-1])
    if levels.size >= 3:
        assert levels[levels.size // 2] == pytest.approx(0.5)
        # Beyond the outermost rung there must be rows enough to tell it from noise (of scale 4 / signal).
        assert levels[0] * signal > 20


def test_a_histogram_needs_few_values_or_much_signal():
    assert histogram_fits(10, 1000)
    assert not histogram_fits(100, 1000)
    assert not histogram_fits(5000, 1e12)
