"""Tails by hand, and on laws whose tail is known."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import pareto

from quantail.errors import DataError
from quantail.evaluation import evaluate, gini, hill_index, quantile_errors, top_share
from quantail.evaluation.tails import MEASURES, tail_profile
from quantail.schema import Column, Schema


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


def test_a_scale_changes_the_mean_but_neither_shares_nor_the_index() -> None:
    real = np.random.default_rng(3).exponential(1, 4000)
    result = evaluate({"x": real}, {"x": 2 * real}, measures=["tails"])
    assert result.value("mean_error") == pytest.approx(1) and result.value("total_error") == pytest.approx(1)
    for name in ("hill_error", "gini_difference", "top_1_share", "top_10_share"):
        assert result.value(name) == pytest.approx(0, abs=1e-9), name


def test_means_are_over_known_values_and_totals_over_all_rows() -> None:
    # Means 4 and 6; totals per row 3 and 6, however many rows there are.
    real, synth = {"x": [2.0, 6.0, 4.0, np.nan]}, {"x": [6.0, 6.0]}
    result = evaluate(real, synth, measures=["mean_error", "total_error"])
    assert result.value("mean_error") == pytest.approx(0.5) and result.value("total_error") == pytest.approx(
        1
    )


def test_profile_is_in_the_order_of_the_measures() -> None:
    values = np.sort(np.append(np.random.default_rng(4).pareto(2, 3000), [np.nan] * 1000))
    known = values[:3000]
    found = dict(zip([m.name for m in MEASURES], tail_profile(values), strict=True))
    assert found["quantile_error_50"] == np.median(known)
    assert found["quantile_error_90"] == np.quantile(known, 0.9)
    assert found["quantile_error_99.9"] == np.quantile(known, 0.999)
    assert found["top_1_share"] == pytest.approx(top_share(known, 0.01))
    assert found["top_10_share"] == pytest.approx(top_share(known, 0.1))
    assert found["gini_difference"] == pytest.approx(gini(known))
    assert found["hill_error"] == pytest.approx(hill_index(known))
    assert found["mean_error"] == pytest.approx(known.mean())
    assert found["total_error"] == pytest.approx(known.sum() / 4000)


def test_errors_are_relative_for_quantiles_and_plain_for_shares() -> None:
    rng = np.random.default_rng(6)
    real, synth = rng.pareto(2, 2000) + 1, rng.pareto(1.7, 2000) + 1
    result = evaluate({"x": real}, {"x": synth}, measures=["columns", "tails"])
    assert result.value("quantile_error_99") == pytest.approx(quantile_errors(real, synth, [0.99])[0])
    assert result.value("gini_difference") == pytest.approx(abs(gini(synth) - gini(real)))
    assert result.value("hill_error") == pytest.approx(abs(hill_index(synth) / hill_index(real) - 1))


def test_negative_values_have_no_shares_and_short_columns_no_index() -> None:
    with pytest.raises(DataError, match="negative"):
        gini([-1.0, 2.0])
    with pytest.raises(DataError, match="negative"):
        top_share([-1.0, 2.0], 0.1)
    with pytest.raises(DataError, match="too few"):
        hill_index([1.0, 2.0])
    profile = tail_profile(np.array([-1.0, 2.0]))
    assert np.isnan(profile[4:8]).all() and profile[-2:].tolist() == [0.5, 0.5]


def test_a_tail_of_one_value_has_no_index() -> None:
    """The error of a scale from 1 to 5 was 1e14: logarithms of equal values differed by rounding."""
    real, synth = np.repeat([1.0, 5.0], 100), np.append(np.ones(190), np.arange(2.0, 12.0))
    with pytest.raises(DataError, match="the same"):
        hill_index(real)
    assert all(row.name != "hill_error" for row in evaluate({"x": real}, {"x": synth}))


def test_years_have_no_totals_and_no_relative_errors_either() -> None:
    born = np.arange(1940, 2000)
    year, size = Column("x", "integer", 1900, 2010), Column("x", "integer", 0, 2010)
    for column, measured in ((year, False), (size, True)):
        found = evaluate({"x": born}, {"x": born + 5}, schema=Schema((column,), unit="person"))
        assert {"mean_error", "total_error"} <= {row.name for row in found} or not measured
        assert measured or all(row.family != "tails" for row in found)


def test_dates_have_no_totals_and_no_relative_errors() -> None:
    days = np.datetime64("1950-01-01") + np.arange(300)
    table = pa.table({"born": days.astype("M8[D]"), "pay": np.arange(300.0)})
    schema = Schema(
        (Column("born", "date", "1900-01-01", "2020-12-31"), Column("pay", "numeric", 0, 1e6)), unit="person"
    )
    found = evaluate(table, table, schema=schema, measures=["total_error", "ks"])
    assert {(each.measure.name, *each.columns) for each in found.measures} == {
        ("total_error", "pay"),
        ("ks", "pay"),
        ("ks", "born"),
    }
    assert any("date" in skipped.reason for skipped in found.skipped)
