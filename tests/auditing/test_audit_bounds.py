"""Lower bounds on epsilon: rarely too high, near the truth with many runs, and any flaw without overlap is found."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from quantail.auditing.bounds import gather, lower_epsilon
from quantail.auditing.figure import border


def test_bounds_are_those_of_clopper_and_pearson():
    error = 0.02
    low = binomtest(30, 100).proportion_ci(1 - error, "exact").low
    high = binomtest(5, 80).proportion_ci(1 - error, "exact").high
    assert lower_epsilon(30, 100, 5, 80, error) == pytest.approx(math.log(low / high))


@pytest.mark.parametrize(("hits", "others"), [(0, 0), (0, 50), (5, 50), (100, 100)])
def test_no_evidence_gives_no_bound(hits, others):
    assert lower_epsilon(hits, 100, others, 100, 0.01) == 0.0


def response(rng, truth, epsilon):
    """Randomised response, whose epsilon is known."""
    honest = 1 / (1 + math.exp(-epsilon))
    return lambda: bool(rng.random() < honest) == truth


def test_the_bound_is_rarely_above_the_truth_and_not_far_below():
    rng = np.random.default_rng(5)
    bounds = [
        gather(response(rng, True, 1.0), response(rng, False, 1.0), 1000, 0.05).bound for _ in range(100)
    ]
    assert np.mean(np.array(bounds) > 1.0) <= 0.05
    assert np.median(bounds) > 0.6


def test_more_runs_sharpen_the_bound():
    rng = np.random.default_rng(6)
    few, many = (
        gather(response(rng, True, 1.0), response(rng, False, 1.0), runs, 0.01).bound
        for runs in (300, 20_000)
    )
    assert few < 0.75 < 0.9 < many <= 1.0


def test_outputs_that_never_coincide_are_told_apart():
    assert gather(lambda: "a", lambda: "b", 400, 1e-6).bound > 2


def test_a_useless_score_makes_a_weak_bound_not_a_wrong_one():
    rng = np.random.default_rng(7)
    found = gather(response(rng, True, 3.0), response(rng, False, 3.0), 500, 0.01, ratio=lambda output: 0.0)
    assert found.bound == 0.0


def test_the_curve_runs_from_never_to_always_and_hugs_the_border():
    rng = np.random.default_rng(8)
    found = gather(response(rng, True, 1.0), response(rng, False, 1.0), 20_000, 0.01)
    positive, negative = np.array(found.false_positive), np.array(found.false_negative)
    assert (positive[0], negative[0]) == (0.0, 1.0) and (positive[-1], negative[-1]) == (1.0, 0.0)
    assert np.all(np.diff(positive) >= 0) and np.all(np.diff(negative) <= 0)
    np.testing.assert_allclose(negative, border(1.0, positive), atol=0.02)  # randomised response is extremal
