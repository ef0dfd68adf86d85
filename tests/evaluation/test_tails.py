"""Tails by hand, and on laws whose tail is known."""

import numpy as np
import pytest
from scipy.stats import pareto

from quantail.errors import DataError
from quantail.evaluation import MEASURES, evaluate, gini, hill_index, mean_excess, quantile_errors, top_share
from quantail.evaluation.fresh import split_null
from quantail.evaluation.tails import tail_profile, tail_scale


def test_quantile_errors_are_relative_to_the_real_quantile() -> None:
    real = np.arange(101.0)
    np.testing.assert_allclose(quantile_errors(real, real * 1.1), 0.1)
    # with the tables swapped the scale is the other one
    np.testing.assert_allclose(quantile_errors(real * 1.1, real), 0.1 / 1.1)


def test_quantile_error_at_zero_uses_the_largest_value() -> None:
    real, synth = [0.0, 0.0, 0.0, 10.0], [1.0, 1.0, 1.0, 10.0]
    assert quantile_errors(real, synth, [0.5]).tolist() == [pytest.approx(0.1)]
    assert quantile_errors([0.0, 0.0], [0.5, 0.5], [0.5]).tolist() == [0.5]


def test_top_shares_round_the_number_of_rows_up() -> None:
    values = np.arange(1.0, 31.0)
    assert top_share(values, 0.1) == pytest.approx((28 + 29 + 30) / 465)
    assert top_share(values, 0.001) == pytest.approx(30 / 465)
    # A Pareto law of power a gives the top q a share of q^(1 - 1/a).
    grid = pareto.ppf((np.arange(200_000) + 0.5) / 200_000, 3)
    assert top_share(grid, 0.01) == pytest.approx(0.01 ** (2 / 3), rel=0.02)


def test_gini_of_known_laws() -> None:
    assert gini([1.0, 3.0]) == pytest.approx(0.25)
    assert gini([5.0] * 7) == pytest.approx(0)
    assert gini([0.0] * 99 + [1.0]) == pytest.approx(0.99)
    grid = pareto.ppf((np.arange(200_000) + 0.5) / 200_000, 3)
    assert gini(grid) == pytest.approx(1 / (2 * 3 - 1), rel=0.01)
    assert gini([3.0, 1.0]) == gini([1.0, 3.0])  # order does not matter


def test_hill_index_is_one_over_the_power() -> None:
    rng = np.random.default_rng(1)
    for power in (1.5, 3.0):
        assert hill_index(rng.pareto(power, 50_000) + 1) == pytest.approx(1 / power, rel=0.06)
    values = np.concatenate([np.full(190, 1.0), np.full(10, np.e)])
    assert hill_index(values) == pytest.approx(1.0)  # ten values at e above the eleventh, at 1


def test_mean_excess_is_over_one_threshold() -> None:
    assert mean_excess([1.0, 5.0, 9.0], 4.0) == 3.0
    assert mean_excess([1.0], 4.0) == 0.0
    rng = np.random.default_rng(2)
    assert mean_excess(rng.exponential(7, 100_000), 10.0) == pytest.approx(
        7, rel=0.03
    )  # an exponential forgets


def test_the_synthetic_excess_is_measured_over_the_real_threshold() -> None:
    # Twice the real values: over its own 95% quantile the excess would double; over the real one it is 2 u + ... .
    real = np.random.default_rng(3).exponential(1, 4000)
    result = evaluate({"x": real}, {"x": 2 * real}, measures=["mean_excess_error", "hill_error"])
    u = np.quantile(real, 0.95)
    truth, made = real[real > u].mean() - u, 2 * real[2 * real > u].mean() - u
    assert result.value("mean_excess_error") == pytest.approx(made / truth - 1)
    assert result.value("hill_error") == pytest.approx(0, abs=1e-9)  # a scale does not change the index


def test_profile_is_in_the_order_of_the_measures() -> None:
    values = np.random.default_rng(4).pareto(2, 3000)
    found = dict(
        zip([m.name for m in MEASURES.values() if m.family == "tail"], tail_profile(values, 1.0), strict=True)
    )
    assert found["quantile_error_99.9"] == np.quantile(values, 0.999)
    assert found["top_0.1_share"] == pytest.approx(top_share(values, 0.001))
    assert found["gini_difference"] == pytest.approx(gini(values))
    assert found["hill_error"] == pytest.approx(hill_index(values))
    assert found["mean_excess_error"] == pytest.approx(mean_excess(values, 1.0))
    scale = tail_scale(tail_profile(values, 1.0), 9.0)
    assert scale[5:8].tolist() == [1, 1, 1] and scale[8] == pytest.approx(hill_index(values))


def test_negative_values_have_no_shares_and_short_columns_no_index() -> None:
    with pytest.raises(DataError, match="negative"):
        gini([-1.0, 2.0])
    with pytest.raises(DataError, match="negative"):
        top_share([-1.0, 2.0], 0.1)
    with pytest.raises(DataError, match="too few"):
        hill_index([1.0, 2.0])
    profile = tail_profile(np.array([-1.0, 2.0]), 1.0)
    assert np.isnan(profile[5:9]).all() and profile[-1] == 1.0


def test_the_null_is_what_fresh_samples_show() -> None:
    rng = np.random.default_rng(5)
    gaps = [abs(gini(rng.exponential(1, 800)) - gini(rng.exponential(1, 200))) for _ in range(200)]
    null = [
        split_null(lambda v: np.array([gini(v)]), rng.exponential(1, 800), 200, rng)[0] for _ in range(20)
    ]
    assert np.mean(null) == pytest.approx(np.mean(gaps), rel=0.2)
