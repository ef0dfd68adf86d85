"""Tails: how they bend, and that answers without noise tell a straight one from a bent one."""

import numpy as np
import pytest
from scipy.special import ndtri

from quantail.panel.curve import Curve
from quantail.panel.effects import Total
from quantail.panel.latent import Draws
from quantail.panel.scale import PanelScale
from quantail.panel.stage import Stage
from quantail.panel.tables import LATTICE, Track, age_splines, sum_points
from quantail.panel.tail import TailAnswer
from quantail.panel.tuning import EXCESS_REACH
from quantail.panel.unit_periods import UnitPeriods
from quantail.schema import Column

UNITS, LEVEL = 4_000.0, 0.95
LEVELS = np.concatenate([np.linspace(0.0, 0.9, 91), 1.0 - np.geomspace(0.099, 1e-7, 200)])
MIDDLES = 1.0 - np.geomspace(1.0, 1e-7, 4_000)


def law(kind):
    """Return a curve of log sizes: Pareto's with index 1.1, or a lognormal one of deviation 1.2."""
    sizes = -np.log1p(-LEVELS) / 1.1 if kind == "pareto" else 3.0 + 1.2 * ndtri(np.maximum(LEVELS, 1e-4))
    return Curve(tuple(LEVELS.tolist()), tuple(sizes.tolist()))


def share(curve, function):
    """Return the mean of a function of sizes."""
    return float(np.diff(MIDDLES) @ function(curve.at((MIDDLES[1:] + MIDDLES[:-1]) / 2)))


def answered(true, level=LEVEL, noise=1.0):
    """Return the tail that answers with hardly any noise lead to expect, and how much it holds beside the true one."""
    start = true.quantile(level)
    excess = UNITS * share(true, lambda size: np.clip((size - start) / EXCESS_REACH, 0.0, 1.0))
    cap = float(np.exp(true.quantile(0.99)))

    def total(curve):
        return UNITS * share(curve, lambda size: np.minimum(np.exp(size) / cap, 1.0))

    answer = TailAnswer(true.with_tail(level, 0.6), level, UNITS, excess, noise)
    made = answer.settled(Total(cap, total(true), noise), total)
    beyond = [share(curve, lambda size: np.exp(np.minimum(size, 9.0))) for curve in (made, true)]
    return made, beyond[0] / beyond[1]


@pytest.mark.parametrize("kind", ["pareto", "lognormal"])
def test_totals_of_straight_and_of_bent_tails_are_met_far_beyond_the_cap(kind):
    made, ratio = answered(law(kind))  # a straight tail of the usual fall would hold .61 of Pareto's
    assert ratio == pytest.approx(1.0, abs=0.15)
    assert made.quantile(0.999) == pytest.approx(law(kind).quantile(0.999), abs=0.4)


def test_a_bend_of_a_half_is_close_to_a_lognormal_tail_and_none_is_straight():
    curve = law("lognormal")
    bent = curve.with_tail(0.9, 1.2 / ndtri(0.9) * 0.7, 0.5)
    assert bent.quantile(0.9999) == pytest.approx(curve.quantile(0.9999), abs=0.35)
    straight = curve.with_tail(0.9, 0.5)
    steps = np.diff([straight.quantile(1.0 - 0.1 * np.exp(-k)) for k in range(5)])
    np.testing.assert_allclose(steps, 0.5, atol=0.01)


def test_a_tilt_keeps_the_shape_of_the_tail():
    curve = law("pareto")
    for tilt in (-0.5, 0.5):
        tilted = curve.tilted(tilt)
        start = np.interp(curve.quantile(0.95), tilted.sizes, tilted.levels)
        later = np.interp(curve.quantile(0.95) + 2.0, tilted.sizes, tilted.levels)
        assert (1.0 - later) / (1.0 - start) == pytest.approx(np.exp(-2.2), rel=0.05)


def test_the_capped_total_of_a_curve_is_the_sum_of_the_values_that_it_shows():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 4, 2_000)
    lives = UnitPeriods.of(first, np.minimum(first + rng.integers(0, 8, 2_000), 7), 8)
    scale = PanelScale.of(Column("emp", "integer", 0, 100_000, grid="log"))
    stage = Stage(lives, age_splines(lives), Draws.of(lives, rng), scale, 2.0)
    latent = Track(rng.standard_normal(len(lives)) + 0.1 * lives.age, rng.random(len(lives)) < 0.1)
    curve = law("lognormal")
    shown = Track(stage.size_map(latent, curve).at(latent.size), latent.idle)
    expected = sum_points(lives) @ np.clip(stage.value(shown) / 200.0, -1.0, 1.0) * 2.0 / LATTICE
    assert stage.capped_total(latent, 200.0)(curve) == pytest.approx(expected, rel=0.01)
