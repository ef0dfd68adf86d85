"""Lines: scores against their definition, sensitivity for every tau, candidates that keep order."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.orders.lattice import (
    Candidates,
    Surroundings,
    between,
    candidates_for,
    free,
    relative_level,
)
from quantail.orders.lines import (
    INTERCEPT,
    Rows,
    choose_line,
    index_instruments,
    line_sensitivity,
    line_values,
    score_lines,
)
from quantail.orders.steps import MEDIAN, Step, nearest_levels, read_levels, steps_of

TAUS = [F(1, 100), F(1, 4), F(1, 2), F(3, 4), F(99, 100)]


def surroundings(ends, reach, least, noise=0.01):
    return Surroundings(np.full(ends, -reach), np.full(ends, reach), least, 1.0, noise)


def alike(lines):
    return Candidates(lines, np.zeros(len(lines)))


def by_definition(residual, index, instruments, candidate, tau):
    """Return the score of one line, row by row."""
    if index is None:
        place = np.zeros(residual.size, dtype=int)
    else:
        place = np.rint(index * (instruments.places.size - 1)).astype(int)
    at = instruments.places[place]
    line = candidate[0] if candidate.size == 1 else (1 - at) * candidate[0] + at * candidate[1]
    terms = tau.denominator * (residual <= line).astype(int) - tau.numerator
    return -max(abs(int((weight[place] * terms).sum())) for weight in instruments.weights)


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("ends", [1, 2])
def test_scores_are_what_they_are_defined_to_be(tau, ends):
    rng = np.random.default_rng(0)
    instruments = INTERCEPT if ends == 1 else index_instruments(0.2, 0.6)
    residual = rng.integers(-4, 5, 80).astype(float)  # with ties
    index = None if ends == 1 else rng.random(80)
    candidates = rng.integers(-4, 5, (40, ends)).astype(float)
    scores = score_lines(Rows.of(residual, index, instruments), instruments, candidates, tau)
    expected = [by_definition(residual, index, instruments, line, tau) for line in candidates]
    assert scores.dtype == np.int64
    assert scores.tolist() == expected


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("ends", [1, 2])
def test_sensitivity_is_never_exceeded_and_reached(tau, ends):
    """All single rows and pairs of them, put in and replaced: the bound holds and is as small as it can be."""
    instruments = INTERCEPT if ends == 1 else index_instruments(0.0, 1.0)
    candidates = np.array([[-1.0], [1.0]]) if ends == 1 else np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    rows = [(e, v) for e in (-2.0, 0.0, 2.0) for v in (0.0, 0.5, 1.0)]

    def scores(table):
        residual, index = np.array(table, dtype=float).reshape(-1, 2).T
        return score_lines(
            Rows.of(residual, index if ends == 2 else None, instruments), instruments, candidates, tau
        )

    added = replaced = 0
    for rest in ([], [(-2.0, 0.0)], [(2.0, 1.0)], [(0.0, 0.5)] * 3, [(2.0, 0.0)] * 99, [(-2.0, 1.0)] * 99):
        for row in rows:
            added = max(added, np.abs(scores([*rest, row]) - scores(rest)).max())
            for other in rows:
                replaced = max(replaced, np.abs(scores([*rest, row]) - scores([*rest, other])).max())
    assert added == line_sensitivity(tau, instruments.unit, "add-remove")
    assert replaced <= line_sensitivity(tau, instruments.unit, "replace-one")
    assert replaced >= 0.97 * line_sensitivity(tau, instruments.unit, "replace-one")


def test_the_published_sensitivity_is_too_small_above_the_median():
    """Replacing a row at tau .99 moves the gradient by 1, not by 2 (1 - tau) = .02."""
    rest = np.full(99, -1.0)
    low, high = (
        score_lines(Rows.of(np.append(rest, last), None, INTERCEPT), INTERCEPT, np.array([[0.0]]), F(99, 100))
        for last in (-1.0, 1.0)
    )
    assert abs(int((high - low)[0])) / 100 == 1


def test_without_noise_the_quantile_is_found(gate_of):
    rng = np.random.default_rng(1)
    residual = rng.exponential(10, 4000) - 7
    grid = np.linspace(-7, 60, 2000)[:, None]
    gate, leaves = gate_of(len(TAUS))
    for leaf, tau in zip(leaves, TAUS, strict=True):
        (found,) = choose_line(gate, leaf, Rows.of(residual, None, INTERCEPT), INTERCEPT, alike(grid), tau)
        assert np.mean(residual <= found) == pytest.approx(float(tau), abs=0.005)


def test_without_noise_a_growing_spread_is_found(gate_of):
    rng = np.random.default_rng(2)
    index = rng.random(20_000)
    residual = rng.normal(0, 1 + 3 * index)
    instruments = index_instruments(0.25, 0.75)
    gate, leaves = gate_of(2)
    released = {MEDIAN: np.zeros(2)}
    for leaf, step in zip(
        leaves, [Step(F(9, 10), "main", below=MEDIAN), Step(F(1, 10), "main", above=MEDIAN)], strict=True
    ):
        candidates = candidates_for(step, released, surroundings(2, 100.0, 0.01))
        released[step.tau] = choose_line(
            gate, leaf, Rows.of(residual, index, instruments), instruments, candidates, step.tau
        )
    np.testing.assert_allclose(released[F(9, 10)], [1.28, 5.13], rtol=0.15)
    np.testing.assert_allclose(released[F(1, 10)], [-1.28, -5.13], rtol=0.15)


@given(
    order=st.sampled_from(["stepwise", "sandwich"]),
    ends=st.sampled_from([1, 2]),
    reach=st.floats(1e-3, 1e9),
    share=st.floats(1e-7, 0.1),
    noise=st.floats(1e-6, 1e6),
    seed=st.integers(0, 2**31),
)
def test_any_choice_of_candidates_keeps_lines_in_order(order, ends, reach, share, noise, seed):
    """Whatever the gate answers, lines are in order at both ends and everywhere in between, to the last bit."""
    rng = np.random.default_rng(seed)
    taus = read_levels([0.01, 0.05, 0.13, 0.25, 0.31, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.99], "taus")
    released = {MEDIAN: np.zeros(ends)}
    for step in steps_of(order, taus, nearest_levels([0.05, 0.25, 0.75, 0.95], taus)):
        candidates = candidates_for(step, released, surroundings(ends, reach, share * reach, noise))
        lines, prior = candidates.lines, candidates.prior
        assert lines.shape == (prior.size, ends)
        assert np.isfinite(lines).all() and np.isfinite(prior).all() and prior.max() <= 1e-9
        assert np.abs(lines).max() <= reach
        released[step.tau] = lines[rng.integers(len(lines))]
    lines = np.array([released[tau] for tau in sorted(released)])
    for index in [0.0, 1.0, *rng.random(5)]:
        assert (np.diff(line_values(lines, index)) >= 0).all()


def test_candidates_between_reach_both_neighbours_and_are_best_where_the_level_is():
    for ends in (1, 2):
        candidates = between(np.full(ends, 2.0), np.full(ends, 10.0), 0.25)
        assert candidates.lines.min() == 2 and candidates.lines.max() == 10
        np.testing.assert_allclose(candidates.lines[np.argmax(candidates.prior)], 4.0, atol=0.1)
        assert candidates.prior.min() >= -6  # an atom at a neighbour can still be found


def test_neighbours_on_one_point_leave_one_line():
    candidates = between(np.array([3.0]), np.array([3.0]), 0.5)
    assert (candidates.lines == 3).all()


def test_free_candidates_lie_on_both_sides_and_are_alike():
    for ends in (1, 2):
        candidates = free(ends, surroundings(ends, 100.0, 0.1))
        assert (candidates.lines == 0).all(axis=1).sum() == 1
        np.testing.assert_array_equal(
            np.sort(candidates.lines, axis=None), np.sort(-candidates.lines, axis=None)
        )
        assert (candidates.prior == 0).all()


def test_lines_stay_within_the_public_range_and_end_at_it():
    """Nothing is left beyond the last line: the only candidate is that line again."""
    around = surroundings(1, 10.0, 0.5)
    step = Step(F(9, 10), "outward", below=F(3, 4))
    candidates = candidates_for(step, {MEDIAN: np.zeros(1), F(3, 4): np.array([9.8])}, around)
    assert candidates.lines.tolist() == [[9.8]]


def test_expected_spacings_follow_the_guess_then_the_lines():
    """Much noise: the guess counts. Little noise: the lines that are there."""

    def best(noise, released, step):
        candidates = candidates_for(step, released, surroundings(1, 1000.0, 0.001, noise))
        return candidates.lines[np.argmax(candidates.prior), 0]

    first = Step(F(3, 4), "main", below=MEDIAN)
    assert best(0.1, {MEDIAN: np.zeros(1)}, first) == pytest.approx(np.log(3), rel=0.05)  # one unit per logit
    far = {MEDIAN: np.zeros(1), F(3, 4): np.array([50.0])}
    second = Step(F(9, 10), "main", below=F(3, 4))
    assert best(1e-4, far, second) == pytest.approx(
        100, rel=0.1
    )  # as far again: logit 9/10 is twice logit 3/4
    assert best(100.0, far, second) == pytest.approx(50 + np.log(3), rel=0.05)


def test_relative_levels_are_logistic():
    assert relative_level(F(1, 2), F(1, 4), F(3, 4)) == pytest.approx(0.5)
    assert relative_level(F(1, 10), F(1, 100), F(1, 2)) == pytest.approx(0.522, abs=1e-3)
