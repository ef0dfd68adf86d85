"""KNG against the exponential mechanism on one regression: scores that move by one at most, and noise that falls."""

import numpy as np
import pytest

from studies.noise import C_X, MECHANISMS, UPPER, noise_of_slope, run_noise


@pytest.mark.parametrize("score", MECHANISMS.values(), ids=list(MECHANISMS))
def test_replacing_a_row_moves_a_score_by_at_most_one(score):
    rng = np.random.default_rng(0)
    lines = np.column_stack([rng.uniform(-20, 60, 40), rng.uniform(-2, 12, 40)])
    moves = []
    for _ in range(200):
        y, x = rng.uniform(0, UPPER, 5), rng.uniform(0, C_X, 5)
        other_y, other_x = y.copy(), x.copy()
        other_y[0], other_x[0] = rng.choice([0.0, UPPER]), rng.choice([0.0, C_X])
        moves.append(np.abs(score(y, x, lines) - score(other_y, other_x, lines)).max())
    assert 0.5 < max(moves) <= 1.0 + 1e-12


@pytest.mark.parametrize("score", MECHANISMS.values(), ids=list(MECHANISMS))
def test_more_budget_is_less_noise_and_bounds_hold_what_little_budget_leaves(score):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, C_X, 60)
    y = 5 + 3 * x + rng.exponential(10, 60)
    blunt, sharp = (noise_of_slope(y, x, score, epsilon) for epsilon in (0.1, 60.0))
    assert 10 * sharp < blunt < UPPER / C_X


def test_a_small_study_writes_its_table(tmp_path):
    results = run_noise(tmp_path, tables=2, sizes=(200, 1600))
    assert set(results) == {"sampling error", *MECHANISMS}
    for name in MECHANISMS:
        assert results[name]["1600"] < results[name]["200"]
    assert "power of n" in (tmp_path / "table.md").read_text(encoding="utf-8")
