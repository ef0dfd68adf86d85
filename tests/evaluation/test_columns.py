"""Distances of one column: answers by hand and by other libraries, nulls by repeated samples."""

import numpy as np
import pytest
from scipy.stats import kstwobign

from quantail.evaluation import evaluate, total_variation
from quantail.evaluation.wasserstein import wasserstein_test
from quantail.schema import Column, Schema


def ks(real, synth):
    return wasserstein_test(np.array(real, dtype=float), np.array(synth, dtype=float), 1).ks


def test_ks_by_hand_with_ties() -> None:
    assert ks([1.0], [2.0]) == 1.0
    # At 1: 3/4 against 1/2. Reading F and G inside the ties would give more.
    assert ks([1, 1, 1, 2], [1, 2]) == pytest.approx(0.25)


def test_ks_null_of_a_continuous_column_is_kolmogorovs() -> None:
    rng = np.random.default_rng(2)
    nulls = [
        evaluate({"x": rng.normal(size=400)}, {"x": rng.normal(size=200)}, measures=["ks"]).measures[0].null
        for _ in range(5)
    ]
    assert np.mean(nulls) == pytest.approx(kstwobign.mean() * np.sqrt(1 / 400 + 1 / 200), rel=0.07)


def test_total_variation_counts_unseen_and_missing_labels() -> None:
    assert total_variation(["a", "b"], ["c", "c"]) == 1.0
    # missing 1/2 against 0, "a" 1/2 against 1/2, "nan" 0 against 1/2
    assert total_variation(["a", None], ["a", "nan"]) == 0.5
    assert total_variation(["a", None], ["a", float("nan")]) == 0.0


def test_missing_values_by_hand() -> None:
    real, synth = {"x": [1.0, np.nan, 3.0, 4.0], "y": [1.0] * 4}, {"x": [np.nan, np.nan], "y": [1.0] * 2}
    found = evaluate(real, synth, measures=["missing_difference"])
    assert [(row.columns, row.value) for row in found] == [(("x",), 0.75)]  # a complete column has no row


def test_a_column_without_known_values_or_with_one_value_is_skipped_or_equal() -> None:
    empty = {"x": [np.nan, np.nan]}
    found = evaluate(empty, empty, measures=["ks", "wasserstein_ratio"])
    assert not found.measures and {one.name for one in found.skipped} == {"ks", "wasserstein_ratio"}
    rare = {"x": np.append(np.zeros(200), 1.0)}
    found = evaluate({"x": np.zeros(300)}, rare, measures=["ks", "wasserstein_ratio"])
    assert found.value("ks") == pytest.approx(1 / 201)
    assert evaluate({"x": np.ones(9)}, {"x": np.ones(5)}, measures=["ks"]).value("ks") == 0


def test_codes_of_missing_values_are_missing_and_no_numbers() -> None:
    """With -9 as a number the mean was off by what a code is worth, and top shares were left out."""
    schema = Schema((Column("pay", "integer", 0, 1000, missing_codes=(-9,)),), unit="person")
    pay = np.arange(1.0, 201.0)
    real, synth = np.append(pay, np.full(100, -9)), np.append(pay, np.full(50, -9))
    result = evaluate({"pay": real}, {"pay": synth}, schema=schema)
    assert result.value("mean_error") == 0
    assert result.value("missing_difference") == pytest.approx(1 / 3 - 1 / 5)
    assert result.value("top_1_share") == 0
