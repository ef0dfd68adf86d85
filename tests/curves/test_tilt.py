"""Tilts: curvature and growing spread in two parameters; found where they are, zero where they are not."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtri

from quantail.curves import draw_tilt
from quantail.curves.tilt import normal_scores

GRID = np.linspace(-20, 20, 1601)
LEAVES = 3
CENTRE, WIDTH = 5.0, 2.0
AT = np.array([-1.0, 0.0, 1.0])  # normal scores at which a tilt is read


def innovation(u):
    """Return the predictor's quantiles: a normal column."""
    return CENTRE + WIDTH * ndtri(u)


def case(shape, seed=0, n=4000):
    """Return a predictor and a residual: shape maps normal scores and unit noise to it."""
    rng = np.random.default_rng([seed, 7])
    scores = rng.normal(0, 1, n)
    return CENTRE + WIDTH * scores, shape(scores, rng.normal(0, 1, n))


def release(gate_of, x, residual, each=100, relation="replace-one", definition="pure", seed=0):
    gate, leaves = gate_of(LEAVES, each, relation, definition, seed)
    tilt = draw_tilt(gate, leaves, residual, x, innovation, GRID, 10.0, residual.size)
    assert gate.unused == 0
    return tilt


def read(tilt):
    """Return shift, log spread below and log spread above at three places of the predictor."""
    return (
        np.interp(CENTRE + WIDTH * AT, tilt.centres, part) for part in (tilt.shift, tilt.below, tilt.above)
    )


@pytest.mark.parametrize("growth", [-0.4, 0.3])
def test_growing_spread_is_found(gate_of, relation, definition, growth):
    x, residual = case(lambda z, e: e * np.exp(growth * z))
    shift, below, above = read(release(gate_of, x, residual, relation=relation, definition=definition))
    np.testing.assert_allclose(below, growth * AT, atol=0.11)
    np.testing.assert_allclose(above, growth * AT, atol=0.11)
    assert np.abs(shift).max() < 0.1


@pytest.mark.parametrize("curvature", [-0.7, 1.5])
def test_a_u_shape_is_found(gate_of, relation, definition, curvature):
    x, residual = case(lambda z, e: curvature * z**2 + e)
    shift, below, above = read(release(gate_of, x, residual, relation=relation, definition=definition))
    np.testing.assert_allclose([shift[0] - shift[1], shift[2] - shift[1]], curvature, rtol=0.12)
    assert np.abs([below, above]).max() < 0.11


def test_spread_on_one_side_is_found_on_that_side(gate_of, relation):
    x, residual = case(lambda z, e: np.where(e > 0, e * np.exp(0.4 * z), e))
    _, below, above = read(release(gate_of, x, residual, relation=relation))
    np.testing.assert_allclose(above, 0.4 * AT, atol=0.11)
    assert np.abs(below).max() < 0.11


@pytest.mark.parametrize("each", [Fraction(1, 20), Fraction(1, 5), Fraction(5)])
def test_where_nothing_tilts_there_is_none(gate_of, relation, each):
    """At about the weakest signal that a design asks with, and well above it."""
    for seed in range(6):
        x, residual = case(lambda z, e: e, seed)
        shift, below, above = read(release(gate_of, x, residual, each, relation, seed=seed))
        assert np.abs(shift).max() < 0.1
        assert np.abs([below, above]).max() <= 0.1


def test_a_weak_signal_tells_no_sides_apart(gate_of):
    x, residual = case(lambda z, e: np.where(e > 0, e * np.exp(0.6 * z), e))
    tilt = release(gate_of, x, residual, Fraction(1, 20))
    assert tilt.below == tilt.above


def test_flatten_takes_the_tilt_out_and_restore_puts_it_back(gate_of, relation):
    x, residual = case(lambda z, e: z**2 + e * np.exp(0.3 * z))
    tilt = release(gate_of, x, residual, relation=relation)
    flat = tilt.flatten(residual, x)
    np.testing.assert_allclose(tilt.restore(flat, x), residual, rtol=1e-9, atol=1e-9)
    low, middle, high = x < CENTRE - WIDTH, np.abs(x - CENTRE) < WIDTH, x > CENTRE + WIDTH
    assert flat[high].std() / flat[low].std() == pytest.approx(1, abs=0.25)  # it was about 2
    assert np.median(flat[low | high]) - np.median(flat[middle]) == pytest.approx(
        0, abs=0.3
    )  # it was about 2


def test_quantiles_cannot_cross_even_when_noise_rules(gate_of, relation):
    x, residual = case(lambda z, e: e, n=200)
    flat = np.linspace(-30, 30, 201)
    for seed in range(10):
        tilt = release(gate_of, x, residual, Fraction(1, 1000), relation, seed=seed)
        assert (np.diff(tilt.centres) > 0).all()
        for place in (-10.0, CENTRE, 30.0):
            assert (np.diff(tilt.restore(flat, np.full(flat.size, place))) > 0).all()


def test_normal_scores_are_those_of_the_released_curve():
    x = np.linspace(CENTRE - 2.5 * WIDTH, CENTRE + 2.5 * WIDTH, 101)
    np.testing.assert_allclose(normal_scores(x, innovation), (x - CENTRE) / WIDTH, atol=0.02)


def test_normal_scores_of_a_flat_curve_are_finite():
    """A predictor with one value has no scores to tell apart, and must not divide by its spread."""
    scores = normal_scores(np.array([-1.0, 3.0, 9.0]), lambda u: np.full(u.size, 3.0))
    assert np.isfinite(scores).all()
    assert (np.diff(scores) >= 0).all()


def lumpy(u):
    """Return quantiles of a predictor of which 40% are zero and 20% are nine; the rest lies evenly between."""
    return np.where(u < 0.4, 0.0, np.where(u < 0.8, 1 + 8 * (u - 0.4) / 0.4, 9.0))


def test_a_value_that_many_rows_have_is_scored_by_the_middle_of_its_levels():
    scores = normal_scores(np.array([-1.0, 0.0, 5.0, 9.0, 12.0]), lumpy)
    np.testing.assert_allclose(scores, ndtri([0.2, 0.2, 0.6, 0.9, 0.9]), atol=0.03)


def test_scores_follow_values_and_nothing_else():
    """A row has its score by its own value, whoever stands beside it; values in order have scores in order."""
    x = np.sort(lumpy(np.random.default_rng(0).random(300)))
    scores = normal_scores(x, lumpy)
    assert (np.diff(scores) >= 0).all() and (np.diff(scores)[np.diff(x) == 0] == 0).all()
    np.testing.assert_array_equal(normal_scores(x[::-1], lumpy)[::-1], scores)
    np.testing.assert_array_equal(
        np.concatenate([normal_scores(part, lumpy) for part in np.split(x, 60)]), scores
    )


@pytest.mark.parametrize("quantiles", [lumpy, lambda u: np.full(u.size, 3.0)])
def test_tilts_along_values_that_many_rows_have_can_be_undone(gate_of, relation, quantiles):
    rng = np.random.default_rng(1)
    x, residual = quantiles(rng.random(2000)), rng.normal(0, 1, 2000)
    gate, leaves = gate_of(LEAVES, 100, relation)
    tilt = draw_tilt(gate, leaves, residual, x, quantiles, GRID, 10.0, residual.size)
    assert (np.diff(tilt.centres) > 0).all()
    np.testing.assert_allclose(tilt.restore(tilt.flatten(residual, x), x), residual, rtol=1e-9, atol=1e-9)
    assert np.abs(tilt.shift).max() < 0.15  # nothing tilts here


@pytest.mark.parametrize(("log", "straight"), [(False, 2.0), (True, 1.25)])
def test_the_bowl_goes_on_in_a_straight_line_sooner_on_log_scales(gate_of, log, straight):
    """Steepness at a normal score is 2 c z as far as the turn, and stays as it is beyond."""
    x, residual = case(lambda z, e: z**2 + 0.3 * e)
    gate, leaves = gate_of(LEAVES, 100)
    tilt = draw_tilt(gate, leaves, residual, x, innovation, GRID, 10.0, residual.size, log=log)
    scores, shift = (np.array(tilt.centres) - CENTRE) / WIDTH, np.array(tilt.shift)
    # The curve is read off a table, exact at its places: compare with the bowl there.
    turn = np.minimum(np.abs(scores), straight)
    bowl = turn * (2 * np.abs(scores) - turn)
    size = (shift[-1] - shift[scores.size // 2]) / (bowl[-1] - bowl[scores.size // 2])
    np.testing.assert_allclose(shift - shift.min(), size * (bowl - bowl.min()), atol=0.05)
    far = np.abs(scores) > straight
    assert far.sum() >= 4
    steepness = np.diff(shift[scores > straight]) / np.diff(scores[scores > straight])
    np.testing.assert_allclose(steepness, 2 * size * straight, rtol=0.1)
