"""Samplers against the exact density on a problem small enough to integrate; each law test has a negative control."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chisquare

pytest.importorskip("numba")

from studies.published.law import Law, allowed, line_through, misfit
from studies.published.lines import draw_on_line, line_chain
from studies.published.metropolis import metropolis_chain, metropolis_on_line

TAU = 0.3
ROOT = np.array([[[2.0, 0.5], [-0.5, 0.7]]])


def tiny(rate=0.35, base=0.05, n=12, tau=TAU):
    rng = np.random.default_rng(4)
    x = rng.uniform(0, 3, n)
    y = 1 + x + rng.exponential(2, n)
    design = np.array([np.ones(n), x])
    rows = np.array([[1.0, 0.0], [1.0, 3.0]])
    target = tau * design.sum(axis=1)
    return Law(
        y, design, design, target, np.array([1.0, 0.5]), rate, base, rows, np.zeros(2), np.full(2, 9.0)
    )


def brute(law, theta, tau=TAU):
    gradient = sum(
        law.instruments[:, i] * (float(law.y[i] <= law.design[:, i] @ theta) - tau) for i in range(law.y.size)
    )
    return max(law.weight * np.abs(gradient))


def log_density(law, theta):
    return -law.rate * brute(law, theta) - law.base * theta @ theta


def by_cell(law, draws, cells):
    """Sort draws into square cells of fitted values at the two held rows."""
    fitted = np.clip((draws @ law.rows.T / 9 * cells).astype(int), 0, cells - 1)
    return np.bincount(fitted[:, 0] * cells + fitted[:, 1], minlength=cells**2)


def cell_masses(law, cells, fine=24):
    """Integrate the density over the same cells on a fine grid."""
    middles = (np.arange(cells * fine) + 0.5) * 9 / (cells * fine)
    weight = np.array(
        [
            [np.exp(log_density(law, np.linalg.solve(law.rows, [first, second]))) for second in middles]
            for first in middles
        ]
    )
    masses = weight.reshape(cells, fine, cells, fine).sum(axis=(1, 3)).ravel()
    return masses / masses.sum()


def p_value(counts, masses):
    return chisquare(counts, masses * counts.sum()).pvalue


def test_the_gradient_norm_equals_a_sum_over_rows():
    law, work = tiny(), np.empty(12)
    for theta in np.random.default_rng(0).normal(1, 1, (50, 2)):
        assert misfit(law, theta, work) == pytest.approx(brute(law, theta))


def test_a_line_tells_the_density_and_the_limits_at_every_point():
    law, theta, direction = tiny(), np.array([2.0, 0.3]), np.array([1.0, -0.8])
    line = line_through(law, theta, direction)
    assert line.breaks.size and (np.diff(line.breaks) >= 0).all()
    offset = None
    for s in np.linspace(line.low, line.high, 102)[1:-1]:
        at = theta + s * direction
        level = line.levels[np.searchsorted(line.breaks, s)] - ((s - line.centre) / line.spread) ** 2 / 2
        offset = log_density(law, at) - level if offset is None else offset
        assert log_density(law, at) - level == pytest.approx(offset)
        assert allowed(law, at)
    for s in (line.low - 1e-6, line.high + 1e-6):
        assert not allowed(law, theta + s * direction)


def line_masses(line, cuts):
    """Integrate a density on a line between cuts, at least one of which lies at every break."""

    def height(s):
        level = line.levels[np.searchsorted(line.breaks, s)] - ((s - line.centre) / line.spread) ** 2 / 2
        return np.exp(level - line.levels.max())

    mass = np.array([quad(height, a, b)[0] for a, b in itertools.pairwise(cuts)])
    return mass / mass.sum()


def cut(line):
    """Cut every piece of a line in four: the law within a piece counts too."""
    ends = np.concatenate([[line.low], line.breaks, [line.high]])
    return np.append(
        np.concatenate([np.linspace(a, b, 5)[:-1] for a, b in itertools.pairwise(ends)]), line.high
    )


def fits(draws, cuts, masses):
    counts = np.histogram(draws, cuts)[0]
    seldom = masses * counts.sum() < 5
    counts = np.append(counts[~seldom], counts[seldom].sum())
    expected = np.append(masses[~seldom], masses[seldom].sum())
    return p_value(counts[expected > 0], expected[expected > 0])


@pytest.mark.parametrize(("base", "wrong"), [(0.05, "rate"), (1e-9, "rate"), (4.0, "base")])
def test_draws_on_a_line_follow_the_density(base, wrong):
    law, theta, direction = tiny(base=base), np.array([2.0, 0.3]), np.array([1.0, -0.3])
    line = line_through(law, theta, direction)
    twin = line_through(law._replace(**{wrong: 1.3 * getattr(law, wrong)}), theta, direction)
    rng = np.random.default_rng(1)
    draws = [draw_on_line(line, rng) for _ in range(20_000)]
    assert fits(draws, cut(line), line_masses(line, cut(line))) > 1e-3
    assert fits(draws, cut(line), line_masses(twin, cut(line))) < 1e-6


def test_an_impossible_line_gives_no_draw():
    law = tiny()._replace(lower=np.full(2, 8.0), upper=np.full(2, 1.0))
    line = line_through(law, np.array([2.0, 0.0]), np.array([1.0, 0.0]))
    assert np.isnan(draw_on_line(line, np.random.default_rng(0)))


@pytest.mark.slow
def test_a_chain_along_lines_follows_the_density_and_keeps_the_constraints():
    law = tiny()
    draws = line_chain(law, np.array([1.0, 0.0]), ROOT, 120_000, np.random.default_rng(2))
    assert all(allowed(law, theta) for theta in draws[::100])
    counts = by_cell(law, draws[100::20], 3)
    assert p_value(counts, cell_masses(law, 3)) > 1e-3
    assert p_value(counts, cell_masses(law._replace(rate=1.5 * law.rate), 3)) < 1e-6


@pytest.mark.slow  # numba compiles chains over planes for long; the step on a line is tested every day
def test_the_authors_step_leaves_the_density_as_it_is():
    law = tiny()
    starts = line_chain(law, np.array([1.0, 0.0]), ROOT, 100_000, np.random.default_rng(3))[100::25]
    rng = np.random.default_rng(4)
    # Nine proposals: too few acceptances for the proposal to change, which only approximate chains may do.
    ends = np.array([metropolis_chain(law, start, 0.5, 10, rng)[0][-1] for start in starts])
    assert np.abs(ends - starts).max() > 0.5
    assert p_value(by_cell(law, ends, 3), cell_masses(law, 3)) > 1e-3
    heavier = law._replace(rate=3.0 * law.rate)
    moved = np.array([metropolis_chain(heavier, start, 0.5, 10, rng)[0][-1] for start in starts])
    assert p_value(by_cell(law, moved, 3), cell_masses(law, 3)) < 1e-6


def test_the_authors_step_on_a_line_leaves_the_density_as_it_is():
    line = line_through(tiny(), np.array([2.0, 0.3]), np.array([1.0, 0.0]))
    rng = np.random.default_rng(5)
    starts = np.array([draw_on_line(line, rng) for _ in range(4000)])
    ends = np.array([metropolis_on_line(line, start, 1.0, 12, rng)[0][-1] for start in starts])
    masses = line_masses(line, cut(line))
    assert np.abs(ends - starts).max() > 1
    assert fits(ends, cut(line), masses) > 1e-3
    tilted = line._replace(centre=line.centre + line.spread)
    moved = [metropolis_on_line(tilted, start, 1.0, 12, rng)[0][-1] for start in starts]
    assert fits(moved, cut(line), masses) < 1e-6


@pytest.mark.slow
def test_a_chain_that_may_not_move_stays_where_it_starts():
    law = tiny()._replace(upper=np.full(2, -1.0))
    chain, accepted = metropolis_chain(law, np.array([1.0, 0.0]), 0.1, 50, np.random.default_rng(6))
    assert accepted == 0
    assert (chain == [1.0, 0.0]).all()
