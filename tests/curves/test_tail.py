"""The tail that a released sum tells of: right for known laws, ranks kept, thresholds public."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from quantail.curves.cap import pareto_growth
from quantail.curves.scale import Scale
from quantail.curves.tail import (
    Threshold,
    Told,
    choose_threshold,
    cut_units,
    draw_tail_sum,
    fit_tail,
    likeliest_tail,
)
from quantail.curves.top import Implied, Top
from quantail.curves.tuning import STEEPEST
from quantail.privacy import Gate, Plan, SimulatedNoise

SCALE = Scale(log=True, step=0.01, lower=0.0, upper=1e15, crossover=0.01)
EVEN = (np.arange(2**16) + 0.5) / 2**16
ROWS, STRENGTH = 30_000, 0.1

LAWS = {
    "pareto 1.5": lambda u: 100 * (1 - u) ** (-1 / 1.5),
    "pareto 2.5": lambda u: 100 * (1 - u) ** (-1 / 2.5),
    "lognormal": lambda u: np.exp(6 + 1.5 * ndtri(u)),
    "exponential": lambda u: -1000 * np.log1p(-u),
}


def lognormal_beyond(law, known: float):
    """Return what a model implies that knows a law up to a level and goes on with a lognormal tail."""
    low, high = np.log(law(np.array([0.5, known])))
    sigma = (high - low) / ndtri(known)
    return lambda u: np.where(u <= known, law(np.minimum(u, known)), np.exp(low + sigma * ndtri(u)))


@pytest.mark.parametrize("name", LAWS)
def test_totals_are_right_where_the_model_knew_nine_tenths(name: str) -> None:
    law = LAWS[name]
    implied = Implied.of(SCALE.forward(lognormal_beyond(law, 0.9)(EVEN)), SCALE)
    threshold = choose_threshold(implied, ROWS, STRENGTH)
    real = law((np.arange(ROWS) + 0.5) / ROWS)
    exact = cut_units(real, threshold.start, threshold.cut).sum() / 2**20 * threshold.cut
    noise = 2**0.5 * threshold.cut / STRENGTH
    top = fit_tail(implied, threshold, *likeliest_tail(threshold, exact, noise))
    drawn = SCALE.unfolded(top(implied.ordered))
    assert drawn.mean() == pytest.approx(real.mean(), rel=0.12)


def test_ranks_are_kept_and_nothing_moves_below_the_threshold() -> None:
    implied = Implied.of(SCALE.forward(LAWS["lognormal"](EVEN)), SCALE)
    threshold = choose_threshold(implied, ROWS, STRENGTH)
    drawn = fit_tail(implied, threshold, 1.0, 0.8)(implied.ordered)
    assert np.all(np.diff(drawn) >= 0)
    below = SCALE.unfolded(implied.ordered) < 0.98 * threshold.start
    assert np.array_equal(drawn[below], implied.ordered[below])


def test_a_larger_sum_gives_a_heavier_tail_and_an_absurd_one_stays_within_the_floor() -> None:
    threshold = Threshold(start=10.0, cut=300.0, share=0.1, growth=0.6, rows=10_000.0)
    totals = [0.0, 15_000.0, 30_000.0, 60_000.0, 1e9]
    found = [likeliest_tail(threshold, total, 500.0) for total in totals]
    means = [sigma / (1 - shape) for sigma, shape in found]
    assert means == sorted(means)
    assert all(shape <= STEEPEST for _, shape in found)


def test_without_information_the_tail_is_the_expected_one() -> None:
    threshold = Threshold(start=10.0, cut=300.0, share=0.1, growth=0.6, rows=10_000.0)
    sigma, shape = likeliest_tail(threshold, 0.0, 1e12)
    assert sigma == pytest.approx(0.6) and shape == pytest.approx(0.55, abs=0.02)


@pytest.mark.parametrize(("factor", "heavier"), [(4.0, True), (0.25, False)])
def test_a_quantile_that_counts_tell_of_moves_the_tail_towards_it(factor, heavier):
    asked = Threshold(start=10.0, cut=100.0, share=0.1, growth=0.5, rows=10_000.0)
    sigma, shape = likeliest_tail(asked, 18_000.0, 2_000.0)
    (far,) = 10.0 * pareto_growth(np.array([np.log(10.0)]), sigma, shape)
    told = replace(asked, told=Told(0.01, max(factor * float(far), 10.0)))
    (moved,) = 10.0 * pareto_growth(np.array([np.log(10.0)]), *likeliest_tail(told, 18_000.0, 2_000.0))
    assert (moved > 1.1 * far) if heavier else (moved < far / 1.1)


def test_where_to_ask_follows_from_what_was_released() -> None:
    implied = Implied.of(SCALE.forward(LAWS["pareto 1.5"](EVEN)), SCALE)
    far = choose_threshold(implied, ROWS, STRENGTH, known=0.99)
    near = choose_threshold(implied, ROWS, STRENGTH, known=0.5)
    assert (far.share, near.share) == (pytest.approx(0.01), pytest.approx(0.1))
    assert far.start > near.start
    for asked in (far, near):
        assert asked.cut >= 1.5 * asked.start


def test_rows_in_an_atom_and_absent_ones_tell_nothing_of_the_tail() -> None:
    values = LAWS["pareto 2.5"](EVEN)
    with_zeros = np.concatenate([values, np.zeros(3 * values.size)])
    alone = choose_threshold(Implied.of(SCALE.forward(values), SCALE), ROWS, STRENGTH)
    mixed = choose_threshold(Implied.of(SCALE.forward(with_zeros), SCALE), 4 * ROWS, STRENGTH)
    assert mixed.start == pytest.approx(alone.start) and mixed.rows == pytest.approx(alone.rows)


def test_the_released_sum_is_the_cut_sum_up_to_noise() -> None:
    leaf, values = Plan.leaf("tail", 1), np.array([1.0, 5.0, 20.0, 1e9, np.nan])
    threshold = Threshold(start=2.0, cut=100.0, share=0.1, growth=0.5, rows=5.0)
    found = [
        draw_tail_sum(Gate(leaf, SimulatedNoise(seed), "replace-one"), leaf, values, threshold)
        for seed in range(400)
    ]
    assert np.mean(found) == pytest.approx(125.0, abs=4 * 2**0.5 * 100 / 20)
    assert np.std(found) == pytest.approx(2**0.5 * 100, rel=0.2)


@given(st.lists(st.floats(0.0, 5.0), min_size=3, max_size=12), st.floats(0.0, 4.0), st.floats(0.0, 20.0))
@settings(max_examples=100, deadline=None)
def test_a_top_rises_and_comes_back_from_json(steps: list[float], slope: float, more: float) -> None:
    values = np.cumsum(steps)
    top = Top(tuple(np.arange(values.size).tolist()), tuple(values.tolist()), slope, float(values[-1] + more))
    drawn = top(np.linspace(-5, values.size + 40, 300))
    assert np.all(np.diff(drawn[drawn > 0]) >= 0)
    assert drawn.max() <= max(top.highest, 0.0)
    assert Top.from_dict(top.to_dict()) == top


@pytest.mark.parametrize(
    "broken", [((1.0, 0.0), (1.0, 2.0)), ((0.0, 1.0), (2.0, 1.0)), ((0.0,), (1.0, 2.0)), ((), ())]
)
def test_a_damaged_top_is_refused(broken) -> None:
    with pytest.raises(ValueError, match="top"):
        Top(*broken, 1.0, 9.0)
