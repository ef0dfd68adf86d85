"""Orders: every level once, after its neighbours, and between them."""

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import OptionError
from quantail.orders.levels import PAPER_TAUS
from quantail.orders.steps import MEDIAN, PAPER_MAIN, nearest_levels, read_levels, steps_of

levels_lists = st.sets(st.integers(1, 99), max_size=25).map(
    lambda cents: read_levels(sorted({*(c / 100 for c in cents), 0.5}), "taus")
)


@pytest.mark.parametrize("order", ["kng", "stepwise", "sandwich"])
@given(taus=levels_lists, data=st.data())
def test_every_level_comes_once_and_after_its_neighbours(order, taus, data):
    main = tuple(sorted({MEDIAN, *data.draw(st.sets(st.sampled_from(taus), max_size=6))}))
    released = {MEDIAN}
    for step in steps_of(order, taus, main):
        assert step.tau not in released
        assert {step.below, step.above} - {None} <= released
        # Where a line is constrained, it is so by the nearest released lines: nothing else could keep order.
        if order != "kng":
            below = max((tau for tau in released if tau < step.tau), default=None)
            above = min((tau for tau in released if tau > step.tau), default=None)
            assert (step.below, step.above) == (below, above)
        released.add(step.tau)
    assert released == set(taus)


def test_kng_has_no_neighbours():
    assert all(
        step.below is None and step.above is None for step in steps_of("kng", read_levels(PAPER_TAUS, "taus"))
    )


def test_stepwise_goes_outward_only():
    steps = steps_of("stepwise", read_levels(PAPER_TAUS, "taus"))
    distances = [abs(step.tau - MEDIAN) for step in steps]
    assert len(steps) == 48
    assert distances == sorted(distances)
    assert all((step.below is None) != (step.above is None) for step in steps)


def test_sandwich_begins_with_the_papers_main_quantiles():
    taus = read_levels(PAPER_TAUS, "taus")
    steps = steps_of("sandwich", taus, nearest_levels(PAPER_MAIN, taus))
    assert [float(step.tau) for step in steps[:5]] == [0.75, 0.25, 0.95, 0.05, 0.99]
    assert {step.part for step in steps[:5]} == {"main"}
    assert {step.part for step in steps[5:]} == {"inner"}
    first_between = next(step for step in steps[5:] if F(1, 4) < step.tau < MEDIAN)
    assert abs(first_between.tau - F(3, 8)) <= F(1, 50)  # the middle of a gap first


def test_the_nearest_levels_stand_in_for_main_quantiles_that_are_missing():
    taus = read_levels([0.1, 0.3, 0.5, 0.7, 0.9], "taus")
    assert nearest_levels(PAPER_MAIN, taus) == (F(1, 10), F(3, 10), F(1, 2), F(7, 10), F(9, 10))


@pytest.mark.parametrize(
    "levels",
    [
        [],
        [0.5, 0.5],
        [0, 0.5],
        [0.5, 1],
        [0.25, 0.75],
        [0.5, "x"],
        [0.5, None],
        [0.5, 0.12345],
        0.5,
        [0.5, float("nan")],
    ],
)
def test_bad_levels_are_refused(levels):
    with pytest.raises(OptionError, match="taus"):
        read_levels(levels, "taus")


def test_levels_are_exact():
    assert read_levels([0.1, 0.5, 0.29, 1 / 3], "taus") == (F(1, 10), F(29, 100), F(1, 3), F(1, 2))
