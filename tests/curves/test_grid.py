"""Candidate lists: sorted, public, inside the bounds, of bounded size, and fine where it matters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.curves.grid import near, wide, with_cells

MOST = 6000  # a joint draw on more candidates than this would take seconds

# Bounds of any size whose distance is not lost in their rounding.
ranges = st.tuples(st.floats(-1e3, 1e3), st.sampled_from([1e-6, 1e-2, 1.0, 1e4, 1e9]), st.booleans()).map(
    lambda made: (0.0 if made[2] else made[0] * made[1], (0.0 if made[2] else made[0] * made[1]) + made[1])
)


def check_list(grid, low, high):
    assert 0 < grid.size <= MOST
    assert np.isfinite(grid).all()
    assert (np.diff(grid) > 0).all()
    assert low <= grid[0]
    assert grid[-1] <= high


@settings(max_examples=60, deadline=None)
@given(ranges, st.booleans())
def test_wide_candidates_cover_the_range(bounds, log):
    grid = wide(*bounds, log)
    check_list(grid, *bounds)
    span = bounds[1] - bounds[0]
    assert grid[0] - bounds[0] <= 0.01 * span
    assert bounds[1] - grid[-1] <= 0.01 * span
    assert np.diff(grid).max() <= 0.02 * span


@settings(max_examples=60, deadline=None)
@given(ranges, st.floats(0, 1), st.floats(1e-6, 1))
def test_near_candidates_are_fine_where_the_rows_are_and_few_far_away(bounds, place, share):
    low, high = bounds
    first, last = low + place * (1 - share) * (high - low), low + (place * (1 - share) + share) * (high - low)
    grid = near(first, last, low, high, 150)
    check_list(grid, low, high)
    unit = last - first
    body = grid[(grid >= first) & (grid <= last)]
    assert body.size > 50
    assert np.diff(body).max() <= unit / 50
    far = (grid < first - 30 * unit) | (grid > last + 30 * unit)
    assert far.sum() <= 0.25 * grid.size


def test_further_candidates_are_merged_in_order():
    merged = with_cells(np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.0, -3.0]))
    assert merged.tolist() == [-3.0, 0.0, 0.5, 1.0, 2.0]


@pytest.mark.parametrize("generous", [1, 30, 1000])
def test_bounds_a_thousand_times_too_generous_still_leave_candidates_where_the_data_are(generous):
    grid = wide(0.0, 1000.0 * generous, log=False)
    body = grid[(grid >= 20) & (grid <= 1000)]
    assert (np.diff(body) / body[1:]).max() <= 0.03


def test_a_finer_list_is_finer():
    coarse, fine = (near(0.0, 1.0, -10, 10, number) for number in (30, 120))
    assert np.diff(fine[np.abs(fine) < 0.5]).max() < np.diff(coarse[np.abs(coarse) < 0.5]).max()


def test_released_quantiles_at_an_end_of_the_range_leave_candidates():
    for first, last in ((0.0, 1e-3), (1 - 1e-3, 1.0), (0.0, 1.0)):
        check_list(near(first, last, 0.0, 1.0, 150), 0.0, 1.0)
