import numpy as np
import pytest

from benchmarks import baseline
from benchmarks.baseline import Marginal, Settings, fit_baseline, public_edges, tetrachoric
from benchmarks.generators import SHAPES, integer, numeric

COLUMN = numeric("x", 0, 1000, "log", 2)


def quantile_loss(epsilon: float) -> float:
    shape = SHAPES["lognormal"]
    real = shape.draw(3000, np.random.default_rng(1))
    levels = np.linspace(0.1, 0.9, 9)
    losses = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        made = fit_baseline(real, shape.schema(), epsilon, rng).sample(3000, rng)
        losses += [
            np.abs(np.log1p(np.quantile(made[k], levels)) - np.log1p(np.quantile(v, levels))).mean()
            for k, v in real.items()
        ]
    return float(np.mean(losses))


def test_a_larger_budget_gives_closer_quantiles() -> None:
    tight, middle, loose = (quantile_loss(epsilon) for epsilon in (0.02, 0.2, 5.0))
    assert loose < middle < tight
    assert loose < 0.1


@pytest.mark.parametrize("name", ["spike", "small_integers", "chain6", "returns"])
def test_rows_lie_inside_the_public_bounds(name: str) -> None:
    shape = SHAPES[name]
    rng = np.random.default_rng(2)
    made = fit_baseline(shape.draw(500, rng), shape.schema(), 0.1, rng).sample(400, rng)
    for column in shape.columns:
        assert np.isfinite(made[column.name]).all()
        assert made[column.name].min() >= column.lower and made[column.name].max() <= column.upper


def test_dependence_survives_a_large_budget() -> None:
    shape = SHAPES["power_law"]
    rng = np.random.default_rng(3)
    made = fit_baseline(shape.draw(5000, rng), shape.schema(), 10.0, rng).sample(5000, rng)
    ranks = [made[name].argsort().argsort() for name in ("size", "output")]
    assert np.corrcoef(ranks)[0, 1] > 0.93


def test_histograms_pay_for_sensitivity_two_and_the_budget_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    charged: list[tuple[int, float]] = []

    def record(counts: np.ndarray, sensitivity: int, epsilon: float, rng: np.random.Generator) -> np.ndarray:
        charged.append((sensitivity, epsilon))
        return counts.astype(float)

    monkeypatch.setattr(baseline, "noisy_counts", record)
    shape = SHAPES["exponential"]
    fit_baseline(shape.draw(100, np.random.default_rng(4)), shape.schema(), 1.0, np.random.default_rng(4))
    assert [sensitivity for sensitivity, _ in charged] == [2, 2, 2, 1, 1, 1]
    assert sum(epsilon for _, epsilon in charged) == pytest.approx(1.0)
    assert sum(epsilon for sensitivity, epsilon in charged if sensitivity == 2) == pytest.approx(0.5)


def test_noise_of_counts_has_the_scale_that_the_sensitivity_asks_for() -> None:
    noise = baseline.noisy_counts(np.zeros(200_000), 2, 0.5, np.random.default_rng(5))
    # Discrete Laplace of scale s has variance 2 q / (1 - q)^2 with q = exp(-1 / s); here s = 2 / 0.5.
    q = np.exp(-1 / 4)
    assert noise.var() == pytest.approx(2 * q / (1 - q) ** 2, rel=0.03)
    assert np.array_equal(noise, np.rint(noise))


def test_replacing_a_row_moves_the_counts_by_at_most_two_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []
    monkeypatch.setattr(
        baseline, "noisy_counts", lambda counts, *_: seen.append(counts) or counts.astype(float)
    )
    for last in (0.0, 5.0, 1e9):
        values = np.array([1.0, 30.0, 400.0, last])
        baseline.release_marginal(values, COLUMN, 1.0, np.random.default_rng(6), Settings())
    assert [int(np.abs(seen[0] - other).sum()) for other in seen[1:]] == [2, 2]


def test_zero_has_a_bin_of_its_own() -> None:
    for column in (COLUMN, numeric("y", -50, 50, "log"), integer("k", 0, 100)):
        edges = public_edges(column, Settings(bins=16))
        index = np.searchsorted(edges[1:], [0.0], side="left")[0]
        assert edges[index + 1] - edges[index] <= 1
        assert np.searchsorted(edges[1:], [1.0 if column.type == "integer" else 0.01], side="left")[0] > index
        assert (np.diff(edges) > 0).all()


def test_integer_bins_cover_every_integer_once() -> None:
    edges = public_edges(integer("k", -3, 40), Settings(bins=16))
    index = np.searchsorted(edges[1:], np.arange(-3, 41), side="left")
    assert set(index) == set(range(len(edges) - 1))


def test_an_empty_bin_is_never_drawn() -> None:
    marginal = Marginal(COLUMN, np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0]))
    drawn = marginal.quantile(np.array([0.0, 0.25, 1.0]))
    assert drawn.tolist() == [1.0, 1.25, 2.0]


@pytest.mark.parametrize(("rho", "a", "b"), [(0.7, 0.5, 0.5), (-0.6, 0.3, 0.6), (0.0, 0.4, 0.4)])
def test_the_correlation_is_recovered_from_agreement(rho: float, a: float, b: float) -> None:
    rng = np.random.default_rng(7)
    x, e = rng.standard_normal((2, 400_000))
    y = rho * x + np.sqrt(1 - rho**2) * e
    agreement = np.mean((x > np.quantile(x, a)) == (y > np.quantile(y, b)))
    assert tetrachoric(float(agreement), a, b) == pytest.approx(rho, abs=0.02)
