import numpy as np
import pytest
from scipy.stats import ks_2samp, wasserstein_distance

from quantail.errors import DataError, OptionError
from quantail.evaluation import evaluate
from quantail.evaluation.wasserstein import _distances, _random_labels, wasserstein_test
from quantail.examples import simulate_paper
from studies.paper_measures import wasserstein_randomization


def test_tiny_case_by_hand() -> None:
    # Values 0 | 1 and 3 | 4 pooled are {0, 1, 3, 4}, two and two. Splits and their distances:
    # {0,1} 3; {0,3} 1; {0,4} 1; the complements the same. The median of the six is 1, the observed split's 3.
    ratio = wasserstein_randomization({"x": [0.0, 1.0]}, {"x": [3.0, 4.0]}, resplits=501)
    assert ratio == pytest.approx(3.0)


def test_columns_are_pooled_not_averaged() -> None:
    # Swapped columns: each column on its own is far off, the pooled values are the same.
    real = {"a": [0.0, 1.0, 2.0], "b": [10.0, 11.0, 12.0]}
    synth = {"a": [10.0, 11.0, 12.0], "b": [0.0, 1.0, 2.0]}
    assert wasserstein_randomization(real, synth) == 0.0


def test_distance_agrees_with_scipy() -> None:
    rng = np.random.default_rng(1)
    for n, m in ((50, 50), (30, 80), (1, 5)):
        one, other = np.round(rng.pareto(1.5, n), 1), np.round(rng.pareto(1.2, m), 1)
        pooled = np.concatenate([one, other])
        order = np.argsort(pooled, kind="stable")
        ours, largest = _distances((order < n).astype(np.uint8), n, np.diff(pooled[order]))
        assert ours == pytest.approx(wasserstein_distance(one, other), rel=1e-12)
        assert largest == pytest.approx(ks_2samp(one, other).statistic)  # with ties, read where they end


def test_ratio_agrees_with_a_plain_computation() -> None:
    rng = np.random.default_rng(2)
    real, synth = simulate_paper(150, rng), simulate_paper(100, rng)
    one, other = (np.concatenate(list(t.values())) for t in (real, synth))
    pooled, draws = np.concatenate([one, other]), []
    for _ in range(1500):
        rng.shuffle(pooled)
        draws.append(wasserstein_distance(pooled[: one.size], pooled[one.size :]))
    expected = wasserstein_distance(one, other) / np.median(draws)
    ours = wasserstein_randomization(real, synth, resplits=1500, rng=np.random.default_rng(3))
    assert ours == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize(("total", "ones"), [(6, 3), (5, 2), (7, 6)])
def test_random_labels_are_uniform_over_all_subsets(total: int, ones: int) -> None:
    from math import comb

    rng = np.random.default_rng(4)
    draws = 6000
    codes = [int(_random_labels(total, ones, rng) @ (1 << np.arange(total))) for _ in range(draws)]
    seen, counts = np.unique(codes, return_counts=True)
    assert all(bin(code).count("1") == ones for code in seen)
    cells = comb(total, ones)
    assert seen.size == cells
    expected = draws / cells
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    assert chi2 < cells - 1 + 5 * np.sqrt(2 * (cells - 1))


def test_about_one_for_two_samples_of_one_population_and_larger_for_a_shift() -> None:
    ratios = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        ratios.append(
            wasserstein_randomization({"x": rng.exponential(10, 500)}, {"x": rng.exponential(10, 500)}, 200)
        )
    assert 0.8 < np.median(ratios) < 1.25
    rng = np.random.default_rng(0)
    far = wasserstein_randomization({"x": rng.exponential(10, 500)}, {"x": rng.exponential(10, 500) + 5}, 200)
    assert far > max(ratios)


def test_repeatable_by_default_and_scale_free() -> None:
    rng = np.random.default_rng(6)
    real, synth = {"x": rng.pareto(2, 80)}, {"x": rng.pareto(2, 90)}
    value = wasserstein_randomization(real, synth)
    assert value == wasserstein_randomization(real, synth)
    larger = [{"x": t["x"] * 1e6} for t in (real, synth)]
    assert wasserstein_randomization(*larger) == pytest.approx(value, rel=1e-9)


def test_degenerate_tables() -> None:
    assert wasserstein_randomization({"x": [2.0, 2.0]}, {"x": [2.0]}) == 0.0
    with pytest.raises(DataError, match="too few distinct values"):
        wasserstein_randomization({"x": [0.0, 0.0]}, {"x": [1.0, 1.0]}, resplits=999)
    with pytest.raises(OptionError, match="at least 1"):
        wasserstein_randomization({"x": [0.0]}, {"x": [1.0]}, resplits=0)


def test_the_null_is_what_independent_samples_get_on_average() -> None:
    rng = np.random.default_rng(9)
    found = [
        wasserstein_test(rng.exponential(size=150), rng.exponential(size=200), 99, rng) for _ in range(200)
    ]
    assert np.median([one.ratio for one in found]) == pytest.approx(1, abs=0.12)
    assert np.mean([one.ratio for one in found]) == pytest.approx(
        np.mean([one.null for one in found]), abs=0.08
    )
    assert np.mean([one.null for one in found]) > 1.05  # the law is skewed: its mean is above its median


def test_the_null_of_ks_allows_for_ties() -> None:
    rng = np.random.default_rng(11)
    pairs = [(rng.poisson(0.5, 200).astype(float), rng.poisson(0.5, 100).astype(float)) for _ in range(100)]
    gaps = [ks_2samp(*pair).statistic for pair in pairs]
    nulls = [wasserstein_test(*pair, 50, rng).ks_null for pair in pairs]
    assert np.mean(nulls) == pytest.approx(np.mean(gaps), rel=0.12)
    continuous = np.sqrt(np.pi / 2) * np.log(2) * np.sqrt(1 / 200 + 1 / 100)  # mean of Kolmogorov's limit
    assert np.mean(nulls) < 0.8 * continuous


def test_each_column_has_its_own_ratio() -> None:
    rng = np.random.default_rng(10)
    real, synth = ({"a": rng.normal(size=300), "b": rng.normal(size=300)} for _ in range(2))
    synth["b"] = synth["b"] + 1
    result = evaluate(real, synth, measures=["wasserstein_ratio"])
    assert result.value("wasserstein_ratio", ("b",)) > 5 > result.value("wasserstein_ratio", ("a",))
