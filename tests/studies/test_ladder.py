"""The ladder: empirical quantiles of every block when the budget is huge, and quantiles in order always."""

from fractions import Fraction

import numpy as np
import pytest

from studies.ladder import climb, count_blocks, ladder_depth, level_sensitivity

TAUS = tuple(Fraction(k, 20) for k in (1, 4, 10, 16, 19))
LEVELS = np.array([float(tau) for tau in TAUS])
GRID = np.linspace(-5, 5, 1001)


def blocks_of(*sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(k % 3 - 1, 0.5 + 0.2 * k, size) for k, size in enumerate(sizes)]


def cells_of(blocks, grid=GRID):
    """Count the rows of every block between neighbouring candidates."""
    number = np.repeat(np.arange(len(blocks)), [block.size for block in blocks])
    return count_blocks(np.concatenate(blocks), number, len(blocks), grid)


def test_a_huge_budget_gives_the_quantiles_of_every_block(gate_of, relation, definition):
    blocks = blocks_of(4001, 3001, 2001)
    gate, leaves = gate_of(ladder_depth(len(TAUS)), 10**6, relation, definition)
    quantiles = climb(gate, leaves, cells_of(blocks), TAUS, GRID)
    assert quantiles.shape == (3, len(TAUS))
    assert gate.unused == 0
    for block, found in zip(blocks, quantiles, strict=True):
        shares = np.searchsorted(np.sort(block), found, side="right") / block.size
        np.testing.assert_allclose(shares, LEVELS, atol=0.01)


def test_the_error_falls_as_the_budget_grows(gate_of, relation, definition):
    (block,) = blocks_of(400)
    errors = []
    for each in (Fraction(1, 100), Fraction(1, 5), Fraction(10)):
        found = []
        for seed in range(12):
            gate, leaves = gate_of(ladder_depth(len(TAUS)), each, relation, definition, seed)
            found.append(climb(gate, leaves, cells_of([block]), TAUS, GRID)[0])
        errors.append(np.abs(np.array(found) - np.quantile(block, LEVELS)).mean())
    assert errors[0] > 2 * errors[1] > 2 * errors[2]


@pytest.mark.parametrize("grid", [GRID, np.array([0.0]), np.array([-1.0, 0.0]), np.linspace(-1, 1, 4)])
def test_quantiles_never_cross_and_lie_on_the_grid(gate_of, relation, grid):
    for seed in range(10):
        gate, leaves = gate_of(3, Fraction(1, 1000), relation, seed=seed)
        quantiles = climb(gate, leaves, cells_of(blocks_of(20, 0, 5, seed=seed), grid), TAUS, grid)
        assert (np.diff(quantiles, axis=1) >= 0).all()
        assert set(quantiles.ravel()) <= set(grid)


def test_empty_blocks_are_asked_like_the_others(gate_of, relation):
    journals = []
    for sizes in ((50, 50), (100, 0), (0, 0)):
        gate, leaves = gate_of(3, 1, relation)
        climb(gate, leaves, cells_of(blocks_of(*sizes)), TAUS, GRID)
        journals.append([(call.kind, call.leaf, call.questions) for call in gate.journal])
    assert journals[0] == journals[1] == journals[2]


def test_rows_of_one_block_do_not_move_another(gate_of):
    one, two = blocks_of(300, 300)
    found = []
    for other in (two, two + 3):
        gate, leaves = gate_of(3, 10**6)
        found.append(climb(gate, leaves, cells_of([one, other]), TAUS, GRID)[0])
    np.testing.assert_allclose(found[0], found[1], atol=0.02)


@pytest.mark.parametrize("quantiles", range(1, 17))
def test_depth_is_enough_for_bisection_and_no_more(gate_of, quantiles):
    taus = [Fraction(k, quantiles + 1) for k in range(1, quantiles + 1)]
    gate, leaves = gate_of(ladder_depth(quantiles))
    found = climb(gate, leaves, cells_of(blocks_of(2000)), taus, GRID)
    assert np.isfinite(found).all()
    assert gate.unused == 0
    assert (np.diff(found[0]) > 0).all()


@pytest.mark.parametrize("t", [Fraction(1, 2), Fraction(1, 5), Fraction(5, 8), Fraction(9, 10)])
def test_sensitivity_covers_the_worst_row_by_enumeration(t):
    """One row enters a node, above or below a candidate: the largest change of |q c - p N| is the claim."""
    p, q = t.numerator, t.denominator
    worst = 0
    for total in range(8):
        for below in range(total + 1):
            score = -abs(q * below - p * total)
            for added in (0, 1):
                worst = max(worst, abs(-abs(q * (below + added) - p * (total + 1)) - score))
    assert level_sensitivity(t, "add-remove") == worst
    # Under replace-one a row may leave one node and join another of the same leaf: both move.
    assert level_sensitivity(t, "replace-one") == 2 * worst
