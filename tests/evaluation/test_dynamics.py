"""Panel dynamics by hand: each case has a natural wrong reading that gives another number."""

import numpy as np
import pytest

from quantail.errors import DataError
from quantail.evaluation import (
    gross_employment,
    gross_mape,
    growth_difference,
    jc_mae,
    net_mae,
    size_class_difference,
    survival,
    transition_difference,
    unchanged_difference,
)
from quantail.evaluation.dynamics import growth_rates, growth_shares, job_flows, unchanged_share

NAN = float("nan")
# Year 1 to 2: a grows 10 -> 14, b shrinks 10 -> 4, c is born with 2, d dies with 6, e stays at zero.
FIVE = [[10, 14], [10, 4], [NAN, 2], [6, NAN], [0, 0]]


def test_totals_leave_inactive_units_out_and_keep_the_period():
    np.testing.assert_array_equal(gross_employment(FIVE), [26, 20])
    np.testing.assert_array_equal(gross_employment([[NAN, 3.0]]), [0, 3])


def test_flows_of_continuers_ignore_births_and_deaths_in_the_denominator_too():
    flows = job_flows(FIVE)
    # Z = (20 + 18) / 2 = 19; with last year's total 20, or with births and deaths in Z, the rates differ.
    assert flows.creation == pytest.approx([4 / 19])
    assert flows.destruction == pytest.approx([6 / 19])
    assert flows.net == pytest.approx([-2 / 19])


def test_a_year_without_jobs_has_rates_of_zero_rather_than_nan():
    np.testing.assert_array_equal(job_flows([[0, 0, 3], [NAN, NAN, NAN]]).creation, [0, 2])
    np.testing.assert_array_equal(job_flows([[NAN, 2]]).net, [0])


def test_pooling_panels_is_stacking_not_averaging_of_rates():
    small, large = [[1, 2]], [[100, 100]]
    pooled = job_flows(np.vstack([small, large])).creation
    assert pooled == pytest.approx([1 / 101.5])
    assert pooled != pytest.approx((job_flows(small).creation + job_flows(large).creation) / 2)


def test_growth_is_symmetric_and_counts_moves_from_and_to_zero():
    growth = growth_rates([[0, 5], [5, 0], [4, 4], [0, 0], [1, 3], [NAN, 7]])
    assert sorted(growth.tolist()) == [-2.0, 0.0, 0.0, 1.0, 2.0]


def test_growth_shares_keep_no_change_apart_from_small_changes():
    shares = growth_shares([[100, 100], [100, 101], [101, 100], [0, 4], [4, 0], [1, 3]])
    # 13 cells: to zero, five negative ones, no change, five positive ones, from zero.
    assert shares.size == 13
    assert shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(shares[[0, 5, 6, 7, 10, 12]], 1 / 6)


def test_a_panel_rounded_up_by_one_differs_in_growth_though_hardly_in_level():
    rng = np.random.default_rng(2)
    real = np.full((1000, 2), 100.0)
    synth = real + rng.integers(0, 2, real.shape)
    assert gross_mape(real, synth) < 1
    assert growth_difference(real, synth) == pytest.approx(50, abs=5)
    assert unchanged_difference(real, synth) == pytest.approx(50, abs=5)


def test_unchanged_counts_continuers_only():
    # Of four continuing pairs two are equal; NaN pairs are neither.
    assert unchanged_share([[5, 5, 6], [0, 0, NAN], [NAN, NAN, 1], [3, 2, NAN]]) == pytest.approx(2 / 4)
    assert unchanged_share([[NAN, 1]]) == 0


def test_survival_leaves_out_units_of_unknown_age_and_births_not_yet_that_old():
    values = np.array(
        [
            [1, NAN, NAN, NAN],  # there from the start: age unknown
            [NAN, 1, NAN, NAN],
            [NAN, 1, 1, 1],
            [NAN, NAN, 1, NAN],
            [NAN, NAN, 1, 1],
            [NAN, NAN, NAN, 1],  # seen at age 0 only
        ]
    )
    np.testing.assert_allclose(survival(values), [1, 2 / 4, 1 / 2])


def test_survival_is_unknown_without_births():
    assert np.isnan(survival([[1, 1, 1]])).all()


def test_gross_error_is_a_mean_of_yearly_percentages_not_a_percentage_of_the_sum():
    # Years off by 100% and 0%: mean 50%; the sums 1 + 99 and 2 + 99 would be off by 1%.
    assert gross_mape([[1, 99]], [[2, 99]]) == pytest.approx(50)
    # Errors of opposite sign do not cancel.
    assert gross_mape([[10, 10]], [[5, 15]]) == pytest.approx(50)
    assert gross_mape([[0, 10]], [[3, 11]]) == pytest.approx(10)


def test_flow_errors_are_in_percentage_points_and_do_not_cancel():
    real, synth = [[100, 100, 100]], [[100, 110, 100]]
    assert jc_mae(real, synth) == pytest.approx(100 * (10 / 105) / 2)
    assert net_mae(real, synth) == pytest.approx(100 * (10 / 105))
    births = [[100, 100, 100], [NAN, 100, 100]]
    assert jc_mae(births, [[100, 100, 100]]) == 0


DIFFERENCES = [
    gross_mape,
    jc_mae,
    net_mae,
    growth_difference,
    unchanged_difference,
    size_class_difference,
    transition_difference,
]


@pytest.mark.parametrize("measure", DIFFERENCES)
def test_every_difference_is_zero_for_the_same_units_in_another_order_and_positive_for_others(measure):
    rng = np.random.default_rng(3)
    real = np.rint(rng.lognormal(2, 1.5, (300, 5)))
    real[rng.random(real.shape) < 0.2] = NAN
    assert measure(real, rng.permutation(real)) == pytest.approx(0, abs=1e-9)
    assert measure(real, np.rint(3 * np.sqrt(real))) > 0.5


@pytest.mark.parametrize(
    ("values", "said"),
    [([1, 2], "shape"), ([[1, np.inf]], "infinite"), (np.zeros((3, 0)), "shape")],
)
def test_what_is_not_a_panel_is_refused(values, said):
    with pytest.raises(DataError, match=said):
        gross_employment(values)


@pytest.mark.parametrize("measure", [gross_mape, jc_mae, net_mae])
def test_panels_of_different_periods_are_not_compared(measure):
    with pytest.raises(DataError, match="number of periods"):
        measure([[1, 2, 3]], [[1, 2]])


def test_differences_without_a_meaning_are_refused():
    with pytest.raises(DataError, match="no employment"):
        gross_mape([[0, 0]], [[1, 1]])
    with pytest.raises(DataError, match="single period"):
        jc_mae([[1]], [[1]])


def test_differences_of_moves_by_hand():
    # Two units of three stay as they are in the real panel, one in the synthetic one: a third of all.
    real, synth = [[10, 10], [10, 10], [10, 20]], [[10, 10], [10, 20], [10, 20]]
    assert unchanged_difference(real, synth) == pytest.approx(100 / 3)
    assert growth_difference(real, synth) == pytest.approx(100 / 3)
    # Moves between classes: 10 and 20 lie in different ones, so that a third of the moves is elsewhere.
    assert transition_difference(real, synth) == pytest.approx(100 / 3)
    # Sizes of 10 are 5 of 6 in one panel and 4 of 6 in the other.
    assert size_class_difference(real, synth) == pytest.approx(100 / 6)
