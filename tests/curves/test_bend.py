"""Bends: an exact inverse, quantiles that cannot cross, seen where they are and gone where nothing bends."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.curves import BEND_LEVELS, Bend, draw_bend, ladder_depth

LEVELS = np.array([float(level) for level in BEND_LEVELS])
DEPTH = ladder_depth(len(BEND_LEVELS))
BINS = 6


def bends():
    def make(size, steps, rng_seed, middle, scale):
        rng = np.random.default_rng(rng_seed)
        centres = np.arange(size) if steps else np.cumsum(rng.exponential(1, size) + 1e-3)
        shift, below, above = scale * rng.normal(0, 1, size), rng.normal(0, 1, size), rng.normal(0, 1, size)
        parts = (tuple(map(float, part)) for part in (centres, shift, below, above))
        return Bend(*parts, middle=middle, steps=steps)

    return st.builds(
        make,
        st.integers(1, 8),
        st.booleans(),
        st.integers(0, 10**6),
        st.floats(-1e3, 1e3),
        st.sampled_from([0.0, 1.0, 1e3]),
    )


def places(bend, n, seed):
    rng = np.random.default_rng(seed)
    size = len(bend.centres)
    return rng.integers(0, size, n).astype(float) if bend.steps else rng.normal(size / 2, size, n)


@settings(max_examples=100, deadline=None)
@given(bends(), st.integers(0, 1000))
def test_restore_undoes_flatten_and_the_other_way_round(bend, seed):
    x = places(bend, 40, seed)
    residual = np.random.default_rng(seed).normal(bend.middle, 100, 40)
    np.testing.assert_allclose(bend.restore(bend.flatten(residual, x), x), residual, rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(bend.flatten(bend.restore(residual, x), x), residual, rtol=1e-9, atol=1e-8)


@settings(max_examples=100, deadline=None)
@given(bends(), st.integers(0, 1000))
def test_quantiles_cannot_cross_at_any_place(bend, seed):
    flat = np.linspace(bend.middle - 50, bend.middle + 50, 101)
    for x in places(bend, 5, seed):
        assert (np.diff(bend.restore(flat, np.full(flat.size, x))) > 0).all()


@settings(max_examples=50, deadline=None)
@given(bends(), st.integers(0, 1000))
def test_json_keeps_a_bend_bit_for_bit(bend, seed):
    again = Bend.from_dict(json.loads(json.dumps(bend.to_dict())))
    assert again == bend
    x = places(bend, 20, seed)
    np.testing.assert_array_equal(again.restore(x, x), bend.restore(x, x))


def release(gate_of, x, residual, each=10**4, relation="replace-one", seed=0, definition="pure"):
    gate, leaves = gate_of(DEPTH, each, relation, definition, seed)
    cuts = np.quantile(x, np.arange(1, BINS) / BINS)
    centres = np.quantile(x, (np.arange(BINS) + 0.5) / BINS)
    overall = np.quantile(residual, LEVELS)
    reach = 4 * np.abs(residual).max()
    grid = np.linspace(-reach, reach, 4001)
    expected = np.full(BINS, residual.size / BINS)
    bend = draw_bend(
        gate,
        leaves,
        residual,
        np.searchsorted(cuts, x),
        expected,
        centres,
        overall,
        grid,
        float((2 if relation == "replace-one" else 1) / Fraction(each)),
        steps=False,
    )
    assert gate.unused == 0
    return bend


def uniform(seed, n=12_000):
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 10, n), rng


@pytest.mark.parametrize("seed", range(3))
def test_growing_spread_is_seen(gate_of, relation, definition, seed):
    x, rng = uniform(seed)
    bend = release(gate_of, x, rng.normal(0, 0.5 + x / 5), relation=relation, definition=definition)
    flat = bend.flatten(rng.normal(0, 0.5 + x / 5), x)
    low, high = flat[x < 2].std(), flat[x > 8].std()
    assert high / low < 1.25  # it was above 3
    assert np.ptp(bend.shift) < 0.3


def test_lopsided_spread_is_seen_on_its_side_only(gate_of):
    x, rng = uniform(1)
    noise = rng.normal(0, 1, x.size)
    bend = release(gate_of, x, np.where(noise > 0, noise * (1 + x), noise))
    assert np.ptp(bend.above) > 1
    assert np.ptp(bend.below) < 0.3


def test_a_u_shape_is_taken_out_and_put_back(gate_of, relation):
    x, rng = uniform(2)
    curved = (x - 5) ** 2
    residual = curved + rng.normal(0, 1, x.size)
    bend = release(gate_of, x, residual, relation=relation)
    flat = bend.flatten(residual, x)
    assert np.median(flat[np.abs(x - 5) < 1]) == pytest.approx(np.median(flat[np.abs(x - 5) > 4]), abs=2.5)
    assert bend.shift[0] - bend.shift[BINS // 2] > 10
    assert bend.shift[-1] - bend.shift[BINS // 2] > 10


@pytest.mark.parametrize("each", [Fraction(3, 10), Fraction(3)])
def test_where_nothing_bends_the_bend_is_far_below_its_noise(gate_of, relation, each):
    """Shrinkage: on average over seeds little is left, and often nothing at all."""
    left = []
    for seed in range(10):
        x, rng = uniform(seed, 3000)
        bend = release(gate_of, x, rng.normal(0, 1, x.size), each, relation, seed)
        left.append(np.abs(bend.shift).max())
    unshrunk = 1 / (float(each) * 0.4 * 500)  # one unit of noise at a bin's median
    assert np.median(left) < max(unshrunk, 0.05)
    assert np.min(left) == 0.0


def test_a_strong_bend_survives_a_modest_budget(gate_of):
    x, rng = uniform(3)
    bend = release(gate_of, x, (x - 5) ** 2 + rng.normal(0, 1, x.size), Fraction(1, 5))
    assert bend.shift[0] - bend.shift[BINS // 2] > 8


def test_categories_take_their_own_values(gate_of):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 9000)
    residual = np.array([0.0, 10.0, -5.0])[codes] + rng.normal(0, 1, codes.size)
    gate, leaves = gate_of(DEPTH)
    bend = draw_bend(
        gate,
        leaves,
        residual,
        codes,
        np.bincount(codes).astype(float),
        np.arange(3.0),
        np.quantile(residual, LEVELS),
        np.linspace(-30, 30, 3001),
        1e-6,
        steps=True,
    )
    flat = bend.flatten(residual, codes)
    middles = [np.median(flat[codes == code]) for code in range(3)]
    assert np.ptp(middles) < 0.2
    assert bend.shift[1] - bend.shift[2] == pytest.approx(15, abs=0.3)


@pytest.mark.parametrize("overall", [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)])
def test_released_quantiles_that_coincide_give_a_finite_bend(gate_of, overall):
    """An atom can pull two released quantiles onto one candidate; nothing may divide by their distance."""
    gate, leaves = gate_of(DEPTH)
    rng = np.random.default_rng(0)
    bend = draw_bend(
        gate,
        leaves,
        rng.choice([0.0, 0.0, 1.0], 600),
        rng.integers(0, 3, 600),
        np.full(3, 200.0),
        np.arange(3.0),
        np.array(overall),
        np.linspace(-2, 2, 41),
        1.0,
        steps=False,
    )
    assert np.isfinite([bend.shift, bend.below, bend.above]).all()
