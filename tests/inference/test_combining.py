"""Combining rules: the formulas by hand, and simulations in which each rule is right, or shown to be wrong."""

import numpy as np
import pytest
from scipy.stats import norm, t

from quantail import OptionError
from quantail.inference import combine

Q, V = [1.0, 1.2, 0.8], [0.01, 0.02, 0.03]  # mean 1, within 0.02, between 0.04


def test_partial_by_hand():
    found = combine(Q, V, "partial")
    assert found.estimate == pytest.approx(1.0)
    assert found.variance == pytest.approx(0.02 + 0.04 / 3)
    assert found.freedom == pytest.approx(2 * (1 + 0.02 * 3 / 0.04) ** 2)
    low, high = found.interval(0.9)
    assert high - low == pytest.approx(2 * t.ppf(0.95, found.freedom) * np.sqrt(found.variance))


def test_simple_by_hand():
    found = combine(Q, V, "simple", rows_ratio=2.0)
    assert found.variance == pytest.approx(0.02 * (2 + 1 / 3))
    assert found.interval()[1] == pytest.approx(1 + norm.ppf(0.975) * np.sqrt(found.variance))


def test_full_by_hand():
    found = combine(Q, V, "full")
    assert found.variance == pytest.approx(4 / 3 * 0.04 - 0.02)
    assert found.freedom == pytest.approx(max(2 * (1 - 0.02 / (4 / 3 * 0.04)) ** 2, 1))


def test_full_falls_back_where_its_formula_falls_below_zero():
    found = combine([1.0, 1.01], [0.5, 0.5], "full", rows_ratio=0.5)
    assert (found.variance, found.freedom) == (0.25, np.inf)


def test_tables_of_other_sizes_are_scaled_to_the_real_one():
    assert combine(Q, V, "partial", rows_ratio=2.0).variance == pytest.approx(0.04 + 0.04 / 3)


@pytest.mark.parametrize(
    "wrong",
    [
        ([], [], "simple"),
        ([1.0], [0.1], "partial"),
        ([1.0], [0.1], "full"),
        ([1.0, 2.0], [0.1], "partial"),
        ([1.0, np.nan], [0.1, 0.1], "partial"),
        ([1.0, 2.0], [0.1, -0.1], "partial"),
        (Q, V, "rubin"),
        (Q, V, "partial", 0.0),
    ],
)
def test_what_cannot_be_combined_is_refused(wrong):
    with pytest.raises(OptionError):
        combine(*wrong)


def coverage(rule, centres, m=5, rounds=1200):
    """Say how often a rule covers a mean of 0 of n real rows with variance 1/n = 1, if tables have as many rows.

    `centres(rng, mean, m)` gives the means that tables are drawn around, from the mean of the real rows.
    """
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(rounds):
        q = rng.normal(centres(rng, rng.normal(), m))
        low, high = combine(q, np.ones(m), rule).interval()
        hits += low <= 0 <= high
    return hits / rounds


def posterior(rng, mean, m):
    return rng.normal(mean, 1.0, size=m)


def fits_of_their_own(rng, mean, m):
    return mean + rng.laplace(0, 1.0, size=m)


def one_private_fit(rng, mean, m):
    return np.full(m, mean + rng.laplace(0, 1.0))


def one_exact_fit(rng, mean, m):
    return np.full(m, mean)


@pytest.mark.parametrize(
    ("rule", "centres"), [("full", posterior), ("partial", fits_of_their_own), ("simple", one_exact_fit)]
)
def test_each_rule_covers_where_its_conditions_hold(rule, centres):
    assert 0.925 < coverage(rule, centres) < 0.985


def test_no_rule_sees_the_noise_that_replicates_of_one_private_fit_share():
    assert coverage("simple", one_private_fit) < 0.85
    assert coverage("partial", one_private_fit) < 0.88


def test_the_rule_of_posterior_draws_fails_for_fits_with_little_noise():
    def little_noise(rng, mean, m):
        return mean + rng.laplace(0, 0.4, size=m)

    assert coverage("full", little_noise, m=100) < 0.9
    assert 0.925 < coverage("partial", little_noise, m=100) < 0.985
