"""Bias, error and interval from the errors of reruns: worked by hand, calibrated, and steady against stray reruns."""

import numpy as np
import pytest
from scipy.stats import t

from quantail.inference.interval import corrected, outlying


def test_by_hand():
    found = corrected(10.0, np.array([0.0, 1.0, 2.0, 1.0]), 0.9)
    assert (found.estimate, found.bias, found.outlying, found.failed) == (9.0, 1.0, 0, 0)
    assert found.error == pytest.approx(np.sqrt(2 / 3))
    assert found.high - found.low == pytest.approx(2 * t.ppf(0.95, 3) * np.sqrt(2 / 3) * np.sqrt(5 / 4))


@pytest.mark.parametrize("reruns", [10, 40])
def test_intervals_cover_what_they_say_for_normal_errors(reruns):
    rng = np.random.default_rng(1)
    errors = rng.normal(
        0.7, 2.0, size=(1500, reruns + 1)
    )  # the last is the release's own error, the truth is 5
    hits = 0
    for row in errors:
        found = corrected(5 + row[-1], row[:-1], 0.9)
        hits += found.low <= 5 <= found.high
    assert abs(hits / 1500 - 0.9) < 4 * np.sqrt(0.09 / 1500)


def test_one_stray_rerun_is_set_aside_and_counted():
    errors = np.random.default_rng(2).normal(size=40)
    plain, struck = corrected(0.0, errors, 0.95), corrected(0.0, np.append(errors, 1e6), 0.95)
    assert struck[:5] == plain[:5]
    assert (plain.outlying, struck.outlying) == (0, 1)


def test_more_strays_than_the_level_may_miss_all_count():
    errors = np.append(np.random.default_rng(2).normal(size=36), [1e6, -1e6, 1e6, -1e6])
    found = corrected(0.0, errors, 0.95)
    assert found.outlying == 0 and found.error > 1e5
    # An interval of 80% may miss them.
    assert corrected(0.0, errors, 0.8).outlying == 4


def test_normal_reruns_are_hardly_ever_called_stray():
    rng = np.random.default_rng(3)
    assert sum(outlying(rng.normal(size=40), 0.95).any() for _ in range(2000)) <= 4


def test_reruns_without_an_estimate_are_counted_and_too_many_leave_no_interval():
    errors = np.random.default_rng(4).normal(size=20)
    errors[0] = np.nan
    few = corrected(1.0, errors, 0.95)
    assert few.failed == 1 and np.isfinite([few.low, few.high]).all()
    errors[:3] = np.nan
    many = corrected(1.0, errors, 0.95)
    assert many.failed == 3 and many.estimate == 1.0 and np.isnan([many.low, many.high, many.error]).all()


def test_reruns_that_all_agree_leave_no_doubt():
    found = corrected(3.0, np.zeros(10), 0.95)
    assert (found.low, found.high, found.outlying) == (3.0, 3.0, 0)
