"""Factors from noisy tables: right gradients, truth recovered, noise left alone."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import norm

from quantail.table.estimate import Fitted, Margin, Observed, _Problem, fit_factors, prior_width
from quantail.table.law import normalised
from quantail.table.shifted_base import ShiftedBase


def fixed(logs, implied):
    """Return a base law that no table shifts."""
    return ShiftedBase(implied, np.zeros(len(logs)), np.zeros(0), logs, 1.0)


def shifting(rng, contexts, cells):
    """Return a base law of normal numbers, cut at four places, that tables may shift."""
    grid, edges = np.linspace(-8, 8, 4001), np.linspace(-1.5, 1.5, cells - 1)
    below = norm.cdf(edges[None, :] - grid[:, None])
    logs = np.log(np.diff(below, axis=1, prepend=0.0, append=1.0) + 1e-9)
    return ShiftedBase(rng.normal(size=cells), rng.normal(size=contexts), grid, logs, 2.0)


def problem(rng, contexts=6, cells=5, forbidden=None):
    shares = rng.dirichlet(np.ones(contexts))
    tables = [
        Observed(
            np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 2]), rng.normal(50, 20, (3, 3)), 4.0, 0.7
        ),
        Observed(np.zeros(6, dtype=int), np.arange(5), rng.normal(80, 20, (1, 5)), 9.0, 0.3),
    ]
    return _Problem(
        shifting(rng, contexts, cells),
        shares,
        400,
        Margin(rng.normal(80, 9, cells), np.full(cells, 6.0)),
        tables,
        [(1,), (cells,), (3, 3), (1, 5), (3,), (0,)],
        forbidden,
    )


@pytest.mark.parametrize("zeros", [False, True])
def test_the_gradient_is_that_of_the_loss(zeros):
    rng = np.random.default_rng(1)
    forbidden = np.eye(6, 5, dtype=bool) if zeros else None
    case = problem(rng, forbidden=forbidden)
    start = rng.normal(size=1 + 5 + 9 + 5 + 3) / 2
    missed = check_grad(lambda z: case.value(z)[0], lambda z: case.value(z)[1], start)
    assert missed < 1e-4 * np.linalg.norm(case.value(start)[1])


def test_a_clear_table_is_followed():
    law = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    shares, rows = np.array([0.5, 0.5]), 10_000
    table = Observed(np.arange(2), np.arange(3), rows * shares[:, None] * law, 5.0, 1.0)
    base = np.log(np.full((2, 3), 1 / 3))
    start = Fitted(1.0, np.zeros(3), [np.zeros((2, 3))], [np.zeros(0)])
    margin = Margin(rows * shares @ law, np.full(3, 10.0))
    found = fit_factors(fixed(base, base[0]), shares, rows, margin, [table], start, 60)
    np.testing.assert_allclose(normalised(base + found.margin + found.factors[0]), law, atol=0.005)


def test_tables_of_noise_have_narrow_priors_and_real_ones_wide():
    rng = np.random.default_rng(2)
    masses, rows, noise = np.full((8, 8), 1 / 64), 5000, 30.0
    expected = rows * masses
    empty, full = (
        Observed(np.arange(8), np.arange(8), expected * factor + rng.normal(0, noise, (8, 8)), noise)
        for factor in (1.0, np.exp(rng.normal(0, 0.8, (8, 8))))
    )
    assert prior_width(empty, masses, rows) < 0.25 < 0.5 < prior_width(full, masses, rows)


def test_a_slope_that_another_field_explains_is_distrusted():
    """Contexts are bins of eta; a coarse table says that cells do not follow them."""
    base = np.log(np.array([[0.8, 0.15, 0.05], [0.3, 0.4, 0.3], [0.05, 0.15, 0.8]]))
    shares, rows = np.full(3, 1 / 3), 9000
    implied = np.log(shares @ np.exp(base))
    flat = rows * np.outer(shares, np.exp(implied))
    table = Observed(np.arange(3), np.arange(3), flat, 20.0, 0.05)
    start = Fitted(1.0, np.zeros(3), [np.zeros((3, 3))], [np.zeros(0)])
    margin = Margin(rows * np.exp(implied), np.full(3, 50.0))
    assert abs(fit_factors(fixed(base, implied), shares, rows, margin, [table], start, 60).trust) < 0.1


def test_groups_that_are_moved_as_a_whole_are_shifted():
    """A table of two groups, whose numbers are those of the base law moved by 1 and by -.5: no factors are needed."""
    rng = np.random.default_rng(3)
    base = replace(shifting(rng, 2, 8), eta=np.zeros(2))
    base = replace(base, implied=base.logs[2000])
    shares, rows, moves = np.array([0.4, 0.6]), 20_000, np.array([1.0, -0.5])
    law = normalised(base.tilt(moves)[0] + base.implied)
    table = Observed(np.arange(2), np.arange(8), rows * shares[:, None] * law, 10.0, 0.5)
    start = Fitted(1.0, np.zeros(8), [np.zeros((2, 8))], [np.zeros(2)])
    margin = Margin(rows * shares @ law, np.full(8, 100.0))
    found = fit_factors(base, shares, rows, margin, [table], start, 200)
    np.testing.assert_allclose(found.trust * found.shifts[0], moves, atol=0.15)
    assert np.abs(found.factors[0]).max() < 0.25
