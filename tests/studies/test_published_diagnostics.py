"""Diagnostics on chains whose effective size and disagreement are known."""

import numpy as np
import pytest
from scipy.signal import lfilter

from studies.published import (
    ChainReport,
    Diagnostics,
    effective_size,
    potential_scale_reduction,
)


def autoregressive(rho, n, seed):
    return lfilter(
        [np.sqrt(1 - rho**2)], [1.0, -rho], np.random.default_rng(seed).standard_normal((n, 1)), axis=0
    )


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_effective_size_of_an_autoregression_is_the_known_one(rho):
    n = 40_000
    assert effective_size(autoregressive(rho, n, 1)) == pytest.approx(n * (1 - rho) / (1 + rho), rel=0.12)


def test_effective_size_is_that_of_the_worst_coefficient():
    good, bad = autoregressive(0.0, 5000, 2), autoregressive(0.95, 5000, 3)
    assert effective_size(np.hstack([good, bad])) == effective_size(bad)
    assert effective_size(np.hstack([good, np.ones((5000, 1))])) == 1.0


def test_chains_of_one_law_agree_and_shifted_ones_do_not():
    first, second = autoregressive(0.0, 4000, 4), autoregressive(0.0, 4000, 5)
    assert potential_scale_reduction([first, second]) == pytest.approx(1.0, abs=0.01)
    # Means 2 apart with variance 1 within: sqrt(1 + 2^2 / 2).
    assert potential_scale_reduction([first, second + 2]) == pytest.approx(np.sqrt(3.0), rel=0.03)


def test_chains_that_never_move_agree_only_at_the_same_place():
    still = np.zeros((10, 2))
    assert potential_scale_reduction([still, still]) == 1.0
    assert potential_scale_reduction([still, still + 1]) == np.inf
    half = np.column_stack([np.arange(10.0), np.zeros(10)])
    assert potential_scale_reduction([half, half + np.array([0.0, 1.0])]) == np.inf


def test_a_summary_holds_finite_numbers_or_none():
    chains = (
        ChainReport("X1", 0.5, 0.1, 1000, 0.9, 12.0, 3.0),
        ChainReport("X1", 0.6, 0.1, 1000, 0.7, 4.0, float("inf"), feasible=False),
        ChainReport("X1", 0.7, 0.1, 1000, 0.8, 6.0, 1.01),
    )
    summary = Diagnostics("kng", 1.0, False, chains).summary()
    assert summary["acceptance_median"] == 0.8
    assert summary["effective_size_min"] == 4.0
    assert summary["rhat_median"] == 3.0
    assert summary["rhat_max"] is None
    assert summary["agreeing"] == pytest.approx(1 / 3)
    assert summary["feasible"] == pytest.approx(2 / 3)
    assert (
        Diagnostics("kng", 1.0, False, (ChainReport("X1", 0.5, 1, 2, 1, 1, None),)).summary()["agreeing"]
        is None
    )
