"""Words for measures: by the yardstick of a fresh sample, whatever the measure."""

import pytest

from quantail.evaluation.measure import Measure
from quantail.evaluation.table import Measured
from quantail.report.verdict import ratio, verdict


def row(value, null, best=0.0, direction="lower"):
    return Measured(Measure("m", "column", "", (0.0, 1e9), direction, best, ""), ("x",), value, null)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.5, "like a fresh sample"),
        (1.5, "like a fresh sample"),
        (2.9, "close to a fresh sample"),
        (9, "visibly apart from a fresh sample"),
        (11, "far from a fresh sample"),
    ],
)
def test_words_follow_the_ratio_to_a_fresh_sample(value, words):
    assert verdict(row(value, 1.0)).words == words
    # The same distances from the best value, on a measure where more is better.
    assert verdict(row(1000 - 10 * value, 990.0, 1000.0, "higher")).words == words
    assert verdict(row(1 + value / 10, 1.1, 1.0, "closer")).words == words


def test_grades_fall_as_values_get_worse():
    grades = [verdict(row(value, 1.0)).grade for value in (1, 2, 5, 50)]
    assert grades == [4, 3, 2, 1]


def test_without_a_yardstick_nothing_is_said():
    assert verdict(row(3.0, None)) is None
    assert verdict(row(3.0, 0.0)) is None and ratio(row(3.0, 0.0)) is None
