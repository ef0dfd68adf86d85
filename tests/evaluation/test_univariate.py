import numpy as np
import pytest
from scipy.stats import ks_2samp

from quantail.evaluation import ks_distance, quantile_errors, total_variation


def test_quantile_errors_are_relative_to_the_real_quantile() -> None:
    real = np.arange(101.0)
    np.testing.assert_allclose(quantile_errors(real, real * 1.1), 0.1)
    # with the tables swapped the scale is the other one
    np.testing.assert_allclose(quantile_errors(real * 1.1, real), 0.1 / 1.1)


def test_quantile_error_at_zero_uses_the_largest_value() -> None:
    real, synth = [0.0, 0.0, 0.0, 10.0], [1.0, 1.0, 1.0, 10.0]
    assert quantile_errors(real, synth, [0.5]).tolist() == [pytest.approx(0.1)]
    assert quantile_errors([0.0, 0.0], [0.5, 0.5], [0.5]).tolist() == [0.5]


def test_ks_agrees_with_scipy_with_ties() -> None:
    rng = np.random.default_rng(1)
    real, synth = rng.poisson(3, 200), rng.poisson(4, 150)
    assert ks_distance(real, synth) == pytest.approx(ks_2samp(real, synth).statistic)
    assert ks_distance([1.0], [2.0]) == 1.0


def test_total_variation_counts_unseen_and_missing_labels() -> None:
    assert total_variation(["a", "b"], ["c", "c"]) == 1.0
    # missing 1/2 against 0, "a" 1/2 against 1/2, "nan" 0 against 1/2
    assert total_variation(["a", None], ["a", "nan"]) == 0.5
    assert total_variation(["a", None], ["a", float("nan")]) == 0.0
