"""Size classes, moves between them and top shares, against cases worked by hand."""

import numpy as np
import pytest

from quantail.errors import OptionError
from quantail.evaluation import (
    SIZE_CLASSES,
    size_class_shares,
    top_shares,
    transition_matrix,
    transition_shares,
)

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
    expected = [[0, 1, 0], [0, 0.25, 0.75], [0, 0, 1]]
    np.testing.assert_allclose(transition_matrix(values, classes), expected)


def test_lags_compare_periods_that_far_apart():
    values = [[0, 9, 0, 9], [9, 0, 9, 0]]
    np.testing.assert_allclose(transition_matrix(values, (0, 5), lag=2), np.eye(2))
    np.testing.assert_allclose(transition_matrix(values, (0, 5)), np.eye(2)[::-1])


def test_a_class_never_seen_has_an_empty_row():
    np.testing.assert_array_equal(transition_matrix([[9, 9]], (0, 5)), [[0, 0], [0, 1]])


def test_the_top_is_a_share_of_active_units_in_each_period():
    values = np.full((200, 2), NAN)
    values[:100, 0] = 1.0
    values[0, 0] = 101.0  # 100 active, the largest holds 101 of 200
    values[:, 1] = 1.0
    values[:2, 1] = [101.0, 51.0]  # 200 active, the two largest hold 152 of 350
    np.testing.assert_allclose(top_shares(values, (0.01,)), [[101 / 200, 152 / 350]])
    np.testing.assert_allclose(top_shares(values, (0.1, 1.0))[0], [110 / 200, 170 / 350])
    np.testing.assert_allclose(top_shares(values, (0.1, 1.0))[1], 1)


def test_tops_round_up_to_whole_units_and_not_further():
    thirty = [[1.0]] * 30
    assert top_shares(thirty, (0.1,)) == pytest.approx(3 / 30)
    assert top_shares(thirty, (0.01,)) == pytest.approx(1 / 30)


def test_periods_without_units_or_jobs_hold_nothing():
    np.testing.assert_array_equal(top_shares([[0, NAN]], (0.5,)), [[0, 0]])


@pytest.mark.parametrize("classes", [(), (1, 5), (0, 5, 5)])
def test_classes_must_cover_all_sizes_in_order(classes):
    with pytest.raises(OptionError, match="size classes"):
        size_class_shares([[1]], classes)


def test_other_options_are_checked():
    with pytest.raises(OptionError, match="lag"):
        transition_matrix([[1, 2]], lag=2)
    with pytest.raises(OptionError, match="tops"):
        top_shares([[1]], (0.0,))
