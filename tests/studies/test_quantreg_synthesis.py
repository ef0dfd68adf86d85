"""The paper's synthesis without privacy: levels, rows on fitted lines, and its published row."""

import numpy as np
import pytest

from quantail.evaluation.quantile_regression import quantile_regression
from quantail.examples import PAPER_COLUMNS, paper_split
from quantail.orders.levels import PAPER_TAUS, level_weights
from studies.paper_measures import evaluate_paper
from studies.quantreg import PISTNER_TAUS, synthesize_quantreg


def _jobs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Employment of one year and the next: whole numbers, heavy tails, many unchanged, some zero."""
    rng = np.random.default_rng(6)
    first = np.floor(np.exp(rng.normal(1.5, 1.3, n) + rng.exponential(0.4, n)))
    moved = np.floor(first * np.exp(rng.laplace(0, 0.37, n))) * (rng.random(n) > 0.1)
    return np.where(rng.random(n) < 0.3, first, moved), first[:, None]


def test_pistners_levels_are_midpoints_of_equal_bins_picked_equally_often() -> None:
    assert len(PISTNER_TAUS) == 250
    np.testing.assert_allclose(PISTNER_TAUS, (np.arange(250) + 0.5) / 250)
    np.testing.assert_allclose(level_weights(PISTNER_TAUS, "midpoint"), np.full(250, 1 / 250))
    y, X = _jobs(1000)
    made = synthesize_quantreg(
        {"before": X[:, 0], "after": y},
        ["before", "after"],
        PISTNER_TAUS,
        np.random.default_rng(3),
        4000,
        weights="midpoint",
    )
    for name, real in (("before", X[:, 0]), ("after", y)):
        for tau in (0.25, 0.5, 0.9):
            assert np.quantile(made[name], tau) == pytest.approx(np.quantile(real, tau), rel=0.15, abs=1.0)


def test_synthetic_rows_lie_on_fitted_lines_of_their_own_earlier_columns() -> None:
    train, _ = paper_split(3)
    small = {name: values[:600] for name, values in train.items()}
    taus = (0.1, 0.5, 0.9)
    made = synthesize_quantreg(small, ["X1", "X2"], taus, np.random.default_rng(1), 200)
    fits = quantile_regression(small["X2"], small["X1"][:, None], taus)
    lines = fits[:, :1] + fits[:, 1:] * made["X1"]
    assert np.abs(lines - made["X2"]).min(axis=0).max() < 1e-9
    assert set(np.round(made["X1"], 9)) == set(
        np.round(quantile_regression(small["X1"], None, taus)[:, 0], 9)
    )


@pytest.mark.slow
def test_close_to_the_papers_non_private_row() -> None:
    rows, faithful = [], []
    for seed in range(3):
        train, test = paper_split(seed)
        for kind, results in (("paper", rows), ("midpoint", faithful)):
            rng = np.random.default_rng(seed)
            made = synthesize_quantreg(train, PAPER_COLUMNS, PAPER_TAUS, rng, 5000, weights=kind)  # type: ignore[arg-type]
            results.append(evaluate_paper(train, made, test))
    mean = {name: np.mean([row[name] for row in rows]) for name in rows[0]}
    assert 0.00015 < mean["pmse_woi"] < 0.0006  # published .0003
    assert 0.0002 < mean["pmse_wi"] < 0.0006  # published .0004
    assert 940 < mean["km"] < 962  # published 952
    assert 1.8 < mean["wrt"] < 4.0  # published 2.86
    assert 0.9 < mean["int_diff"] < 3.5  # published 2.07
    assert mean["nrmse_x2"] == pytest.approx(0.317, abs=0.01)
    assert mean["nrmse_x3"] == pytest.approx(0.193, abs=0.01)
    assert np.mean([row["pmse_woi"] for row in faithful]) < mean["pmse_woi"] / 2


def test_interpolated_values_lie_between_the_levels_and_follow_the_same_law():
    rng = np.random.default_rng(3)
    train = {"X1": rng.exponential(10, 2000)}
    levels = [0.1, 0.5, 0.9]
    made = synthesize_quantreg(train, ["X1"], levels, rng, 4000, interpolate=True)["X1"]
    low, middle, high = np.quantile(train["X1"], levels)
    assert abs(np.quantile(made, 0.5) - middle) < 1.0
    assert made.min() >= low - 0.1 and made.max() <= high + 0.1
    assert len(np.unique(made)) > 3000  # not a handful of levels
