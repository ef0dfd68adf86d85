"""Words for measures: by the yardstick of an independent sample, whatever the measure."""

import numpy as np
import pytest

from quantail.evaluation.measure import Measure
from quantail.evaluation.table import Measured
from quantail.report.verdict import farthest, ratio, verdict, verdict_of


def row(value, null, best=0.0, direction="lower", family="columns", high=1e9, name="m"):
    return Measured(
        Measure(name, name, family, "", "", "", (0.0, high), direction, best), ("x",), value, null
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.5, "like an independent sample"),
        (1.5, "like an independent sample"),
        (2.9, "close to an independent sample"),
        (9, "visibly apart from an independent sample"),
        (11, "far from an independent sample"),
    ],
)
def test_words_follow_the_ratio_to_an_independent_sample(value, words):
    assert verdict(row(value, 1.0)).words == words
    # The same distances from the best value, on a measure where more is better.
    assert verdict(row(1000 - 10 * value, 990.0, 1000.0, "higher")).words == words
    assert verdict(row(1 + value / 10, 1.1, 1.0)).words == words


def test_grades_fall_as_values_get_worse():
    grades = [verdict(row(value, 1.0)).grade for value in (1, 2, 5, 50)]
    assert grades == [4, 3, 2, 1]


def test_without_a_yardstick_nothing_is_said():
    assert verdict(row(3.0, None)) is None
    assert verdict(row(3.0, 0.0)) is None and ratio(row(3.0, 0.0)) is None


def test_a_yardstick_that_cannot_tell_is_none():
    assert verdict(row(0.001, 0.5, 1.0, "higher", high=1.0)) is None  # a share that chance alone halves


def test_the_farthest_of_many_errors_is_compared_with_the_farthest_of_many():
    rng = np.random.default_rng(0)
    errors = np.abs(rng.normal(size=(300, 80)))
    null = float(np.sqrt(2 / np.pi))
    found = [farthest([row(error, null, family="tails") for error in table]).times for table in errors]
    # One error of an independent sample has the median 0.674 / 0.798; so has the largest of 80, in its own unit.
    assert np.median(found) == pytest.approx(0.674 / 0.798, rel=0.05)
    assert np.mean([verdict_of(times).grade == 4 for times in found]) > 0.95
    single = [farthest([row(error, null, family="tails")]).times for error in errors[0]]
    np.testing.assert_allclose(single, errors[0] / null)
    many = farthest([row(error, null, family="tails") for error in errors[0]])
    assert many.among == 80 and many.row.value / many.times == pytest.approx(many.expected)
    assert many.expected == pytest.approx(np.median(errors.max(axis=1)) * null / 0.674, rel=0.05)


def test_an_exact_value_is_like_an_independent_sample_that_would_be_exact_too():
    assert verdict(row(0.0, 0.0)).grade == 4
    assert verdict(row(0.1, 0.0)) is None


def test_distances_get_no_such_allowance():
    rows = [row(value, 1.0) for value in (1.0, 4.0, 2.0)]
    assert farthest(rows).times == 4 and farthest(rows).row.value == 4


def test_without_a_yardstick_the_largest_distance_counts():
    rows = [row(value, None, 1.0) for value in (1.5, 0.2, 1.1)]
    assert farthest(rows).row.value == 0.2 and farthest(rows).verdict is None
