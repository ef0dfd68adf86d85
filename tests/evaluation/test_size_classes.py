"""Size classes and moves between them, against cases worked by hand."""

import numpy as np
import pytest

from quantail.errors import DataError, OptionError
from quantail.evaluation.size_classes import SIZE_CLASSES, size_class_shares, transition_shares

NAN = float("nan")


def test_classes_are_closed_at_their_lower_end_and_zero_is_one_of_them():
    sizes = [[0, 1, 4, 4.9, 5, 9, 999, 1000, 5000, NAN]]
    expected = np.zeros(len(SIZE_CLASSES))
    expected[[0, 1, 2, 8, 9]] = [1, 3, 2, 1, 2]
    np.testing.assert_allclose(size_class_shares(sizes), expected / 9)


def test_no_active_unit_gives_no_shares():
    np.testing.assert_array_equal(size_class_shares([[NAN, NAN]]), np.zeros(len(SIZE_CLASSES)))


def test_transitions_go_from_rows_to_columns_and_skip_births_and_deaths():
    values = [[0, 3, NAN], [3, 7, 7], [NAN, 2, 8], [4, 4, 6]]
    classes = (0, 1, 5)
    # Pairs: 0->1, 1->2, 2->2, 1->2, 1->1, 1->2.
    joint = np.array([[0, 1, 0], [0, 1, 3], [0, 0, 1]]) / 6
    np.testing.assert_allclose(transition_shares(values, classes), joint)


def test_neighbouring_periods_are_compared():
    values = [[0, 9, 0, 9], [9, 0, 9, 0]]
    np.testing.assert_allclose(transition_shares(values, (0, 5)), np.eye(2)[::-1] / 2)


def test_a_class_never_seen_has_an_empty_row():
    np.testing.assert_array_equal(transition_shares([[9, 9]], (0, 5)), [[0, 0], [0, 1]])


@pytest.mark.parametrize("classes", [(), (1, 5), (0, 5, 5)])
def test_classes_must_cover_all_sizes_in_order(classes):
    with pytest.raises(OptionError, match="size classes"):
        size_class_shares([[1]], classes)


def test_a_single_period_has_no_transitions():
    with pytest.raises(DataError, match="single period"):
        transition_shares([[1], [2]])
