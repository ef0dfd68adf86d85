"""Curves: monotone whatever the quantiles, faithful where the quantiles say so, and the same after JSON."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit, ndtri

from quantail.curves import Curve, StepCurve, curve_from_dict, fit_curve

U = np.concatenate(
    [10.0 ** -np.arange(9.0, 2.0, -1), np.linspace(0.01, 0.99, 197), 1 - 10.0 ** -np.arange(3.0, 9)]
)
MANY = 10**13  # so many rows that sampling noise is nil


def spread(curve):
    low, high = curve(np.array([0.25, 0.75]))
    return high - low


def levels_of(number: int, outer: float = 0.02):
    return expit(np.linspace(logit(outer), -logit(outer), number))


def rung_lists():
    """Sorted quantiles of odd kinds: ties, plateaus, jumps, tiny and huge scales, far from zero."""
    gap = st.one_of(st.just(0.0), st.floats(1e-3, 1.0), st.floats(0.0, 1e4))
    return st.builds(
        lambda gaps, scale, start: start * scale + scale * np.cumsum([0.0, *gaps]),
        st.lists(gap, min_size=2, max_size=14),
        st.sampled_from([1e-6, 1e-2, 1.0, 1e3, 1e9]),
        st.floats(-1e3, 1e3),
    )


@settings(max_examples=60, deadline=None)
@given(rung_lists(), st.integers(20, 10**6), st.floats(0.01, 1e4))
def test_any_quantiles_give_a_finite_increasing_curve(quantiles, rows, noise_rows):
    span = max(float(quantiles[-1] - quantiles[0]), 1e-3 * abs(float(quantiles[0])), 1e-9)
    curve = fit_curve(levels_of(quantiles.size), quantiles, rows, noise_rows, least=1e-6 * span)
    values = curve(U)
    assert np.isfinite(values).all()
    assert (np.diff(values) >= -1e-9 * span).all()
    assert spread(curve) > 0


@settings(max_examples=60, deadline=None)
@given(rung_lists(), st.floats(0.1, 100.0))
def test_a_curve_does_not_leave_the_quantiles_far_behind_inside_them(quantiles, noise_rows):
    levels = levels_of(quantiles.size)
    span = max(float(quantiles[-1] - quantiles[0]), 1e-3 * abs(float(quantiles[0])), 1e-9)
    inside = fit_curve(levels, quantiles, 1000, noise_rows, 1e-6 * span)(
        np.linspace(levels[0], levels[-1], 50)
    )
    # Where noise rules, the smooth base does; even then it stays within two spans of what was released.
    assert inside.min() > quantiles[0] - 2 * span
    assert inside.max() < quantiles[-1] + 2 * span


@pytest.mark.parametrize("number", [3, 5, 7, 15])
def test_without_noise_the_curve_passes_through_its_quantiles(number):
    levels = levels_of(number)
    quantiles = np.array([-2, -1, 0, 5, 5.5, 6, 20, 50, 51, 52, 53, 90, 91, 99, 100.0])[:number]
    curve = fit_curve(levels, quantiles, MANY, 0.0, 1e-6)
    np.testing.assert_allclose(curve(levels), quantiles, atol=0.005 * np.ptp(quantiles))


def test_noise_draws_the_curve_to_its_smooth_base():
    levels = levels_of(9)
    quantiles = ndtri(levels) + 0.1 * (-1.0) ** np.arange(9)
    missed = [
        np.abs(fit_curve(levels, quantiles, 2000, noise, 1e-6)(levels) - quantiles).max()
        for noise in (0.1, 30, 3000)
    ]
    assert missed[0] <= missed[1] <= missed[2]
    smooth = fit_curve(levels, quantiles, 2000, 3000.0, 1e-6)
    assert np.abs(smooth(levels) - ndtri(levels)).max() < 0.06  # the zigzag is gone


@pytest.mark.parametrize("noise_rows", [0.01, 5.0, 500.0])
@pytest.mark.parametrize(
    "quantile",
    [
        pytest.param(lambda u: 3 - 2 * np.log1p(-u), id="exponential"),
        pytest.param(lambda u: 1 + 5 * np.log(u), id="left exponential"),
        pytest.param(lambda u: -4 + 0.5 * ndtri(u), id="normal"),
        pytest.param(lambda u: 7 + 3 * logit(u), id="logistic"),
        pytest.param(lambda u: 1e4 * ndtri(u) - 2e4 * np.log1p(-u), id="skewed mixture"),
    ],
)
def test_families_of_the_base_are_recovered_with_their_tails(quantile, noise_rows):
    levels = levels_of(7)
    curve = fit_curve(levels, quantile(levels), 5000, noise_rows, 1e-9)
    np.testing.assert_allclose(curve(U), quantile(U), rtol=1e-5, atol=1e-5 * spread(curve))


def test_three_quantiles_of_an_exponential_extend_to_its_tail():
    levels = np.array([0.2, 0.5, 0.8])
    curve = fit_curve(levels, -np.log1p(-levels), 5000, 5.0, 1e-9)
    assert curve(np.array([0.999]))[0] == pytest.approx(-np.log(0.001), rel=0.01)


@pytest.mark.parametrize("value", [-1e6, 0.0, 3.5, 1e6])
def test_a_constant_stays_within_the_smallest_difference_that_matters(value):
    curve = fit_curve(levels_of(7), np.full(7, value), 5000, 1.0, least=1.0)
    np.testing.assert_allclose(curve(U), value, atol=0.5)


@given(st.floats(-1e4, 1e4), st.floats(1e-2, 1e3))
@settings(max_examples=30, deadline=None)
def test_the_curve_moves_and_stretches_with_its_quantiles(move, stretch):
    levels = levels_of(7)
    quantiles = np.array([0.0, 1.0, 1.5, 1.75, 3.0, 9.0, 30.0])
    plain = fit_curve(levels, quantiles, 3000, 10.0, 1e-6)
    moved = fit_curve(levels, move + stretch * quantiles, 3000, 10.0, stretch * 1e-6)
    np.testing.assert_allclose(moved(U), move + stretch * plain(U), rtol=1e-6, atol=1e-5 * stretch)


@settings(max_examples=40, deadline=None)
@given(rung_lists())
def test_json_keeps_a_curve_bit_for_bit(quantiles):
    span = max(float(quantiles[-1] - quantiles[0]), 1e-3 * abs(float(quantiles[0])), 1e-9)
    curve = fit_curve(levels_of(quantiles.size), quantiles, 500, 3.0, 1e-6 * span)
    again = curve_from_dict(json.loads(json.dumps(curve.to_dict())))
    assert isinstance(again, Curve)
    assert again == curve
    assert (again(U) == curve(U)).all()


def test_centre_and_spread_are_the_median_and_the_interquartile_range():
    levels = levels_of(9)
    curve = fit_curve(levels, 10 + 2 * ndtri(levels), 5000, 1.0, 1e-6)
    assert float(curve(np.array([0.5]))[0]) == pytest.approx(10, abs=1e-4)
    assert spread(curve) == pytest.approx(4 * ndtri(0.75), rel=1e-4)


class TestStepCurve:
    """Counted cells: right masses, uniform within."""

    curve = StepCurve((-0.5, 0.5, 1.5, 2.5, 3.5), (0.5, 0.0, 0.2, 0.3))

    def test_masses_are_the_shares(self):
        u = (np.arange(100_000) + 0.5) / 100_000
        found, _ = np.histogram(self.curve(u), self.curve.edges)
        np.testing.assert_allclose(found / u.size, self.curve.shares, atol=1e-4)

    def test_values_are_spread_evenly_within_a_cell(self):
        np.testing.assert_allclose(self.curve(np.array([0.1, 0.25, 0.4])), [-0.3, 0.0, 0.3])

    def test_the_ends_stay_inside(self):
        low, high = self.curve(np.array([1e-300, 1 - 1e-16]))
        assert low >= -0.5
        assert high <= 3.5

    def test_empty_cells_at_both_ends_are_never_reached(self):
        curve = StepCurve((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 0.0))
        values = curve(np.array([1e-12, 0.5, 1 - 1e-12]))
        assert ((values >= 1) & (values <= 2)).all()

    @settings(max_examples=50, deadline=None)
    @given(st.lists(st.floats(0, 1), min_size=1, max_size=12).filter(lambda shares: sum(shares) > 1e-3))
    def test_monotone_with_a_spread_and_the_same_after_json(self, shares):
        total = sum(shares)
        edges = tuple(np.cumsum(1.0 + np.arange(len(shares) + 1)).tolist())
        curve = StepCurve(edges, tuple(share / total for share in shares))
        assert (np.diff(curve(U)) >= 0).all()
        assert spread(curve) > 0
        again = curve_from_dict(json.loads(json.dumps(curve.to_dict())))
        assert again == curve
        assert (again(U) == curve(U)).all()
