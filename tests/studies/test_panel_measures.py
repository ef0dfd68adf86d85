"""What the panel study reports beside the measures of `quantail evaluate`, by hand."""

import numpy as np
import pytest

from quantail.errors import DataError, OptionError
from quantail.evaluation import period_marginals
from studies.lbd.panel_measures import (
    PANEL_MEASURES,
    active_marginals,
    evaluate_panel,
    top_share_difference,
    top_shares,
)

NAN = float("nan")


def test_all_measures_come_together_and_say_perfect_for_a_copy():
    rng = np.random.default_rng(4)
    real = np.rint(rng.lognormal(2, 1.5, (200, 6)))
    real[:50, :2] = NAN
    result = evaluate_panel(real, real)
    assert tuple(result) == PANEL_MEASURES
    best = {"km": 1000.0, "km_active": 1000.0}
    for name, value in result.items():
        assert value == pytest.approx(best.get(name, 0.0), abs=1e-9), name


def test_units_that_are_not_always_active_do_not_dilute_the_score_of_those_that_are():
    rng = np.random.default_rng(5)
    real, synth = (np.rint(rng.lognormal(mean, 1, (400, 8))) for mean in (2, 3))
    away = np.full_like(real, NAN)
    kept = period_marginals(real, synth)
    assert active_marginals(np.vstack([real, away]), np.vstack([synth, away])) == pytest.approx(kept)
    with pytest.raises(DataError, match="no unit is active"):
        active_marginals([[1, NAN], [NAN, 1]], [[1, NAN], [NAN, 1]])


def test_negative_sizes_of_a_faulty_synthesis_are_measured_not_refused():
    result = evaluate_panel(np.full((20, 3), 5.0), np.full((20, 3), -5.0))
    assert result["gross_mape"] == pytest.approx(200)
    assert result["size_class_max"] == pytest.approx(100)


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


def test_tops_are_shares_of_units():
    with pytest.raises(OptionError, match="tops"):
        top_shares([[1]], (0.0,))


def test_the_difference_of_top_shares_by_hand():
    real, synth = [[10, 10], [10, 10], [10, 20]], [[10, 10], [10, 20], [10, 20]]
    # One of three units is the top 10% (rounded up), and the top 1%: 20 of 40 jobs against 20 of 50 in the second year.
    assert top_share_difference(real, synth) == pytest.approx(100 * (0.5 - 0.4) / 2)
    assert top_share_difference(real, real[::-1]) == 0
    with pytest.raises(DataError, match="number of periods"):
        top_share_difference([[1, 2, 3]], [[1, 2]])
