"""Scores of slopes: the short way gives what trying every cut of every slope gives, and one row moves them little."""

import struct
from functools import partial
from itertools import product
from operator import ge, gt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.curves import slope_scores
from quantail.curves.slope_scores import score_slopes
from quantail.curves.slopes import slope_candidates, slope_sensitivity


def place(residual):
    """Return a residual as a whole number that keeps the order, without its last bit."""
    (bits,) = struct.unpack("<q", struct.pack("<d", residual))
    return (bits if bits >= 0 else -1 - (bits & (2**63 - 1))) // 2


def missed(places, a):
    """Return the least |2k - n| if k of n rows are put below a, those at a on either side."""
    less, no_more = (sum(map(partial(compare, a), places)) for compare in (gt, ge))
    return min(abs(2 * k - len(places)) for k in range(less, no_more + 1))


def smallest(y, x, median, slope):
    """Return g by definition: every threshold, every way to split rows that tie."""
    places = list(map(place, (y - slope * (x - median)).tolist()))
    halves = [[p for p, up in zip(places, x > median, strict=True) if up == half] for half in (True, False)]
    return min(sum(missed(half, a) for half in halves) for a in {-(2**63), *places})


# Small whole numbers, so that ties abound within and between halves and every residual is exact.
rows = st.lists(st.tuples(st.integers(-4, 4), st.integers(-3, 3)), min_size=1, max_size=16).map(
    lambda made: tuple(np.array(part, dtype=float) for part in zip(*made, strict=True))
)
medians = st.sampled_from([-4.0, -1.0, 0.0, 0.5, 1.0, 3.0])
lists = st.sampled_from(
    [
        np.array([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0]),
        np.linspace(-4, 4, 129),
        np.linspace(3, -3, 49),
        np.zeros(7),
        np.array([0.5]),
        np.array([1.0, -1.0, 0.0, 1.0, 2.0, -3.0]),
    ]
)


@settings(max_examples=400, deadline=None)
@given(rows, medians, lists)
def test_scores_equal_the_minimum_over_all_thresholds(data, median, slopes):
    y, x = data
    expected = [-smallest(y, x, median, slope) for slope in slopes.tolist()]
    assert score_slopes(y, x, median, slopes).tolist() == expected


@pytest.mark.parametrize("seed", range(4))
def test_scores_of_larger_tables_equal_the_minimum_over_all_thresholds(monkeypatch, seed):
    """Long lists cut into parts, narrow windows and few residuals at once."""
    monkeypatch.setattr(slope_scores, "_CELLS", 700)
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 10, 90 + seed) / 4 if seed % 2 else rng.exponential(1, 90 + seed)
    y = rng.choice([-2.0, 0.5, 1.5]) * x + (
        rng.integers(-3, 4, x.size) if seed % 3 else rng.normal(0, 1, x.size)
    )
    slopes = np.concatenate([np.linspace(-3, 3, 97), slope_candidates(8.0, 0.05)])
    median = float(np.quantile(x, rng.uniform(0.1, 0.9)))
    found = score_slopes(y, x, median, slopes)
    assert found.tolist() == [-smallest(y, x, median, slope) for slope in slopes.tolist()]


@settings(max_examples=200, deadline=None)
@given(rows, medians)
def test_the_minimum_falls_and_then_rises_with_the_slope(data, median):
    """On this rests that slopes between two which agree need not be looked at."""
    y, x = data
    found = [smallest(y, x, median, slope) for slope in np.linspace(-4, 4, 65).tolist()]
    best = found.index(min(found))
    assert found == sorted(found[:best], reverse=True) + sorted(found[best:])


def test_an_exact_relation_is_found_though_all_residuals_tie():
    x = np.arange(-8.0, 8.0)
    for true in (-1.0, 0.0, 2.0):
        found = score_slopes(3 + true * x, x, -0.5, np.linspace(-2, 2, 33))
        assert np.flatnonzero(found == 0).tolist() == [round(8 * true) + 16]


def test_rows_that_tie_must_not_be_kept_together():
    """The minimum with tied rows all on one side rises and falls again: no short way leads through it."""

    def together(y, x, slope):
        r = y - slope * x
        cuts = [r.min() - 1, *r.tolist()]
        return min(sum(abs(2 * np.sum(r[h] <= a) - np.sum(h)) for h in (x > 0, x <= 0)) for a in cuts)

    rng = np.random.default_rng(1)
    turns = 0
    for _ in range(60):
        x, y = rng.integers(-3, 4, 8).astype(float), rng.integers(-3, 4, 8).astype(float)
        signs = np.sign(np.diff([together(y, x, slope) for slope in np.linspace(-4, 4, 33).tolist()]))
        turns += (np.diff(signs[signs != 0]) < 0).any()
    assert turns > 5


SLOPES = np.array([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0])


@settings(max_examples=100, deadline=None)
@given(rows, medians, st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_rows_or_of_slopes(data, median, random):
    y, x = data
    plain = score_slopes(y, x, median, SLOPES)
    order = list(range(y.size))
    random.shuffle(order)
    np.testing.assert_array_equal(score_slopes(y[order], x[order], median, SLOPES), plain)
    np.testing.assert_array_equal(score_slopes(y, x, median, SLOPES[::-1])[::-1], plain)
    np.testing.assert_array_equal(score_slopes(y, x + 8, median + 8, SLOPES), plain)
    np.testing.assert_array_equal(score_slopes(4 * y, x, median, 4 * SLOPES), plain)


def test_location_sign_and_another_slope_do_not_matter():
    y, x = np.random.default_rng(4).normal(size=(2, 301))
    plain = score_slopes(y, x, 0.1, SLOPES)
    np.testing.assert_array_equal(score_slopes(y + 8, x, 0.1, SLOPES), plain)
    np.testing.assert_array_equal(score_slopes(-y, x, 0.1, -SLOPES), plain)
    np.testing.assert_array_equal(score_slopes(y + 2 * x, x, 0.1, SLOPES + 2), plain)


def test_one_row_moves_no_score_by_more_than_the_sensitivity():
    """All tables of up to three rows on a lattice, and every row that can be put in."""
    points = list(product((-1.0, 0.0, 2.0), (-1.0, 0.0, 1.0)))
    moved = set()
    for size in range(4):
        for table in product(points, repeat=size):
            y, x = np.array(table).reshape(-1, 2).T
            before = score_slopes(y, x, 0.0, SLOPES)
            for new in points[:: 1 if size < 3 else 4]:
                after = score_slopes(np.append(y, new[0]), np.append(x, new[1]), 0.0, SLOPES)
                moved.add(int(np.abs(after - before).max()))
    assert max(moved) == slope_sensitivity("add-remove")


@settings(max_examples=200, deadline=None)
@given(rows, medians, st.integers(-4, 4), st.integers(-3, 3))
def test_a_replaced_row_moves_no_score_by_more_than_the_sensitivity(data, median, y_new, x_new):
    y, x = data
    before = score_slopes(y, x, median, SLOPES)
    y[0], x[0] = y_new, x_new
    assert np.abs(score_slopes(y, x, median, SLOPES) - before).max() <= slope_sensitivity("replace-one")


@pytest.mark.parametrize("size", [0, 1, 4, 5])
def test_one_half_alone_says_nothing(size):
    y = np.arange(size, dtype=float)
    for x in (np.ones(size), -np.ones(size), np.zeros(size)):
        assert score_slopes(y, x, 0.0, SLOPES).tolist() == [-(size % 2)] * SLOPES.size


def test_numbers_beyond_all_measure_are_still_rows():
    """Infinite and huge values, and zeros of either sign: no residual is NaN, one row counts for one."""
    rng = np.random.default_rng(2)
    y, x = rng.normal(size=(2, 20))
    before = score_slopes(y, x, 0.0, SLOPES)
    for value in (np.inf, -np.inf, 1e308, -1e308, -0.0, 5e-324):
        for other in (1.0, -1.0, np.inf, -np.inf, 1e308, -0.0):
            added = score_slopes(np.append(y, value), np.append(x, other), 0.0, SLOPES)
            assert np.abs(added - before).max() <= 1
    assert (score_slopes(y, x, 0.0, np.array([-1e300, 0.0, 1e300])) <= 0).all()
