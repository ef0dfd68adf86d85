import numpy as np
import pytest
from scipy.stats import ks_2samp, wasserstein_distance

from quantail.errors import DataError
from quantail.evaluation import ks_distance, normalised_wasserstein, total_variation
from quantail.evaluation.univariate import ks_null


def test_ks_agrees_with_scipy_with_ties() -> None:
    rng = np.random.default_rng(1)
    real, synth = rng.poisson(3, 200), rng.poisson(4, 150)
    assert ks_distance(real, synth) == pytest.approx(ks_2samp(real, synth).statistic)
    assert ks_distance([1.0], [2.0]) == 1.0


def test_ks_null_is_what_fresh_samples_show() -> None:
    rng = np.random.default_rng(2)
    found = [ks_distance(rng.normal(size=400), rng.normal(size=200)) for _ in range(300)]
    assert np.mean(found) == pytest.approx(ks_null(400, 200), rel=0.06)


def test_wasserstein_is_scaled_by_the_distance_to_the_median() -> None:
    rng = np.random.default_rng(3)
    real, synth = rng.pareto(1.5, 300), rng.pareto(1.2, 200)
    scale = np.mean(np.abs(real - np.median(real)))
    assert normalised_wasserstein(real, synth) == pytest.approx(wasserstein_distance(real, synth) / scale)
    assert normalised_wasserstein(real, np.full(7, np.median(real))) == pytest.approx(1)
    assert normalised_wasserstein(1000 * real, 1000 * synth) == pytest.approx(
        normalised_wasserstein(real, synth)
    )
    assert normalised_wasserstein(synth, real) != pytest.approx(normalised_wasserstein(real, synth))
    with pytest.raises(DataError, match="does not vary"):
        normalised_wasserstein([1.0, 1.0], [2.0])


def test_total_variation_counts_unseen_and_missing_labels() -> None:
    assert total_variation(["a", "b"], ["c", "c"]) == 1.0
    # missing 1/2 against 0, "a" 1/2 against 1/2, "nan" 0 against 1/2
    assert total_variation(["a", None], ["a", "nan"]) == 0.5
    assert total_variation(["a", None], ["a", float("nan")]) == 0.0
