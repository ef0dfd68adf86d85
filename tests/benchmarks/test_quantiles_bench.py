import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from benchmarks import quantiles_bench
from benchmarks.quantile_mechanisms import MECHANISMS, joint_exp, slice_quantiles
from benchmarks.quantile_mechanisms.exponential import NotApplicable, one_quantile
from benchmarks.quantile_mechanisms.slicing import prefix_noise


def test_rank_errors_by_hand() -> None:
    values = np.array([1.0, 2.0, 2.0, 3.0])
    levels = np.array([0.25, 0.5, 0.75])
    assert quantiles_bench.rank_errors(values, levels, np.array([0.5, 2.0, 9.0])).tolist() == [1.0, 0.0, 1.0]


def test_one_quantile_has_the_law_it_claims() -> None:
    values, rate, rng = np.array([1.0, 4.0]), 0.7, np.random.default_rng(1)
    drawn = [one_quantile(values, 1.0, rate, 0.0, 10.0, rng) for _ in range(4000)]
    weights = np.array([1.0, 3.0, 6.0]) * np.exp(-rate * np.abs(np.arange(3) - 1.0))
    seen = np.bincount(np.searchsorted(values, drawn), minlength=3)
    assert chisquare(seen, 4000 * weights / weights.sum()).pvalue > 1e-3


def test_joint_exp_has_the_law_it_claims_even_for_rungs_that_share_an_interval() -> None:
    values, levels, epsilon = np.array([1.0, 1.5, 4.0, 4.2]), np.array([0.25, 0.5, 0.75]), 2.0
    lengths, wanted = np.diff([0.0, *values, 10.0]), np.array([1, 1, 1, 1])
    law = {}
    for path in itertools.combinations_with_replacement(range(5), 3):
        missed = np.abs(np.diff([0, *path, 4]) - wanted).sum()
        volume = math.prod(lengths[i] ** path.count(i) / math.factorial(path.count(i)) for i in set(path))
        law[path] = volume * math.exp(-epsilon / 4 * missed)
    rng, runs = np.random.default_rng(2), 2000
    seen = dict.fromkeys(law, 0)
    for _ in range(runs):
        drawn = joint_exp(values, levels, epsilon, (0.0, 10.0), rng)
        assert np.all(np.diff(drawn) >= 0)
        seen[tuple(np.searchsorted(values, drawn).tolist())] += 1
    expected = np.array(list(law.values())) * runs / sum(law.values())
    often = expected >= 5
    observed = np.array(list(seen.values()))
    pooled = (np.append(part[often], part[~often].sum()) for part in (observed, expected))
    assert chisquare(*pooled).pvalue > 1e-3


@pytest.mark.parametrize("name", MECHANISMS)
def test_errors_are_small_with_a_large_budget_and_grow_with_a_small_one(name: str) -> None:
    values = np.sort(np.random.default_rng(4).normal(size=20_000))
    levels = np.array([0.25, 0.5, 0.75])

    def error(epsilon: float) -> float:
        drawn = MECHANISMS[name](values, levels, epsilon, (-40.0, 40.0), np.random.default_rng(5))
        assert np.all(np.diff(drawn) >= 0)
        return float(quantiles_bench.rank_errors(values, levels, drawn).mean())

    assert error(20.0) < 60 and error(20.0) <= error(0.5)


def test_slices_that_would_touch_are_refused_before_any_row_is_read() -> None:
    with pytest.raises(NotApplicable):
        slice_quantiles(
            np.arange(1000.0), np.arange(1, 64) / 64, 1.0, (0.0, 1000.0), np.random.default_rng(6)
        )


def test_neighbouring_prefixes_share_their_noise() -> None:
    noise = np.array([prefix_noise(8, 1.0, np.random.default_rng(seed)) for seed in range(3000)])
    # Prefix 7 is three nodes, prefix 6 two of them: the difference is one node of scale 4, variance 2 * 16.
    assert np.var(noise[:, 6] - noise[:, 5]) == pytest.approx(32, rel=0.2)
    assert np.var(noise[:, 6]) == pytest.approx(96, rel=0.2)


def test_a_small_run_writes_results_and_a_page(tmp_path: Path) -> None:
    out, page = tmp_path / "results" / "quantiles.json", tmp_path / "page.md"
    options = ["--quantiles", "3,31", "--sizes", "500", "--epsilons", "1", "--repeats", "1"]
    assert quantiles_bench.main([*options, "--out", str(out), "--page", str(page)]) == 0
    cells = json.loads(out.read_text())["cells"]
    assert len(cells) == 2 * len(MECHANISMS) * len(quantiles_bench.COLUMNS)
    assert all(("mean" in cell) != ("failed" in cell) for cell in cells)
    assert all(cell["worst"] >= cell["mean"] for cell in cells if "mean" in cell)
    assert page.read_text().count("\n| 500 |") == 2
