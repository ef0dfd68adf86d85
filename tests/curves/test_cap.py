"""The cap on an implied marginal: heavy but usual tails pass, nothing beyond a public floor does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from quantail.curves.cap import (
    capped,
    guessed_tail,
    implied_growth,
    most_of_mean,
    pareto_growth,
)
from quantail.curves.scale import Scale
from quantail.curves.top import Implied, fit_cap
from quantail.curves.tuning import ANCHORS, DECILE, MOST_GROWTH, STEEPEST, USUAL_SHAPE

LEVELS = 1 - np.geomspace(0.5, 1e-6, 200)
SCALE = Scale(log=True, step=0.01, lower=0.0, upper=1e18, crossover=0.01)


@pytest.mark.parametrize(
    "quantile",
    [
        lambda u: 100 * (1 - u) ** (-1 / 1.2),
        lambda u: 5 * (1 - u) ** (-1 / 2.5),
        lambda u: np.exp(8 + 1.9 * ndtri(u)),
        lambda u: -10 * np.log1p(-u),
        lambda u: 1e6 * np.log(1 / (1 - u)) ** (1 / 0.6),
    ],
    ids=["pareto 1.2", "pareto 2.5", "lognormal 1.9", "exponential", "weibull .6"],
)
def test_usual_tails_stay_as_they_are(quantile) -> None:
    assert np.all(quantile(LEVELS) <= capped(quantile, LEVELS, 1e-9))


@pytest.mark.parametrize("index", [0.2, 0.5])
def test_a_tail_without_a_mean_is_held_to_the_floor(index: float) -> None:
    held = np.minimum(capped(lambda u: (1 - u) ** (-1 / index), LEVELS, 1e-9), (1 - LEVELS) ** (-1 / index))
    outer = np.diff(np.log(held)) / np.diff(-np.log1p(-LEVELS))
    assert outer[-1] == pytest.approx(STEEPEST, rel=1e-3)
    assert np.all(np.diff(held) >= 0)


def test_the_largest_mean_is_that_of_the_steepest_tail() -> None:
    rarity = (np.arange(400_000) + 0.5) / 400_000 * 200
    mean = np.trapezoid(np.exp(-rarity) * pareto_growth(rarity, 2.0, STEEPEST), rarity)
    assert mean == pytest.approx(most_of_mean(2.0), rel=0.01)


def test_growth_of_a_pareto_tail_is_one_over_its_index_within_limits() -> None:
    for index, wanted in ((2.0, 0.5), (0.1, MOST_GROWTH), (50.0, 0.15)):
        assert implied_growth(lambda u, a=index: (1 - u) ** (-1 / a)) == pytest.approx(wanted)


def test_where_counts_tell_of_heaps_far_apart_the_cap_leaves_them() -> None:
    def heaps(u):
        return np.where(u < 0.55, 10.0, 400.0)

    inner = LEVELS[LEVELS < 0.9]
    assert np.any(heaps(inner) > capped(heaps, inner, 1e-9))
    assert np.all(heaps(LEVELS) <= capped(heaps, LEVELS, 1e-9, known=0.9))


def test_beyond_what_counts_tell_the_floor_is_the_same() -> None:
    exploding = capped(lambda u: (1 - u) ** -5.0, LEVELS, 1e-9, known=0.9)
    beyond = LEVELS > 0.9
    assert not np.any(np.isfinite(exploding[~beyond]))
    outer = np.diff(np.log(exploding[beyond])) / np.diff(-np.log1p(-LEVELS[beyond]))
    assert outer[-1] == pytest.approx(STEEPEST, rel=1e-3)


def test_beyond_the_last_released_quantile_a_tail_is_a_usual_one() -> None:
    def exploding(u):
        return (1 - u) ** -3.0

    for released, shape in ((0.5, USUAL_SHAPE), (2 / 3, USUAL_SHAPE), (0.75, USUAL_SHAPE), (0.95, STEEPEST)):
        held = np.minimum(capped(exploding, LEVELS, 1e-9, released=released), exploding(LEVELS))
        outer = np.diff(np.log(held)) / np.diff(-np.log1p(-LEVELS))
        assert outer[-1] == pytest.approx(shape, rel=1e-2)
        assert np.all(np.diff(held) >= 0)
    counted = capped(exploding, LEVELS, 1e-9, known=0.95, released=0.5)
    assert counted == pytest.approx(capped(exploding, LEVELS, 1e-9, known=0.95))


@pytest.mark.parametrize("released", [0.5, 2 / 3, 0.75, 0.85])
def test_few_released_quantiles_leave_lognormal_and_exponential_tails_as_they_are(released: float) -> None:
    for quantile in (lambda u: np.exp(8 + 0.9 * ndtri(u)), lambda u: -10 * np.log1p(-u)):
        beyond = LEVELS[LEVELS < 1 - 1e-4]
        assert np.all(quantile(beyond) <= 1.1 * capped(quantile, beyond, 1e-9, released=released))


# Whatever curves, slopes and tables imply together is a monotone quantile function; here it jumps and explodes.
@given(
    steps=st.lists(st.floats(0.0, 6.0), min_size=12, max_size=12),
    start=st.floats(-3.0, 8.0),
    rows=st.integers(100, 10**6),
    released=st.sampled_from([0.5, 2 / 3, 0.75, 1.0]),
)
@settings(max_examples=150, deadline=None)
def test_no_model_implies_a_total_beyond_what_its_middle_allows(
    steps: list[float], start: float, rows: int, released: float
) -> None:
    places = np.concatenate([[0.0], np.geomspace(0.05, 12.0, 12)])
    rarity = -np.log1p(-(np.arange(2**13) + 0.5) / 2**13)
    logs = start + np.interp(rarity, places, np.concatenate([[0.0], np.cumsum(steps)]))
    values = SCALE.forward(np.minimum(np.exp(logs), 1e18))
    implied = Implied.of(values, SCALE)
    top = fit_cap(implied, rows, released=released)
    drawn = SCALE.unfolded(values if top is None else top(values))
    anchors = [(share, growth, STEEPEST) for share, growth in (*ANCHORS, (DECILE, MOST_GROWTH))]
    if released < 1:
        anchors.append((1 - released, *guessed_tail(1 - released)))
    for share, growth, shape in anchors:
        (anchor,) = np.maximum(implied.quantile(np.array([1 - share])), SCALE.crossover)
        above = np.sort(drawn)[-int(share * drawn.size) :]
        assert above.mean() <= 1.1 * most_of_mean(growth, shape) * anchor
        assert above.max() <= 1.05 * anchor * pareto_growth(
            np.log(share * 4 * max(rows, 2**13)), growth, shape
        )
    assert np.all(np.diff(drawn) >= 0)
