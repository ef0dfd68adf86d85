"""Points of a fine lattice: law against enumeration, sums against extended precision, picks of any range."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from scipy.stats import chi2

from quantail.privacy import SimulatedNoise, noise
from quantail.privacy import points as points_module
from quantail.privacy.gate import points_rate
from quantail.privacy.points import (
    PointsQuestion,
    _Pieces,
    draw_points,
    log_prefix_sums,
    slack,
    window_sums,
)

RATE = 0.4


def question(places, targets, cells, fine):
    return PointsQuestion(np.array(places), len(places), np.array(targets), cells, fine)


def stated_law(asked: PointsQuestion, rate: float) -> dict[tuple[int, ...], float]:
    """Return the law by enumeration of all vectors."""
    lattice = range(asked.cells * asked.fine)
    counts = np.searchsorted(np.sort(asked.places), lattice, side="right")
    weights = {}
    for vector in combinations_with_replacement(lattice, asked.targets.size - 1):
        if all(a == b or a // asked.fine != b // asked.fine for a, b in pairwise(vector)):
            parts = np.diff([0, *counts[list(vector)], asked.places.size])
            weights[vector] = np.exp(-rate * np.abs(parts - asked.targets).sum())
    total = sum(weights.values())
    return {vector: weight / total for vector, weight in weights.items()}


CASES = {
    "ties and empty cells": question([1, 1, 4, 5, 9, 2], [2, 1, 3], 4, 3),
    "a heap": question([4] * 7 + [0], [2, 2, 2, 2], 3, 2),
    "no rows between": question([0, 0, 11, 11], [1, 2, 1], 4, 3),
    "a point a cell": question([0, 2, 2, 5], [1, 1, 2], 6, 1),
    "targets of nothing": question([3, 1, 7], [1, 0, 0, 2], 4, 2),
}


@pytest.mark.parametrize("name", CASES)
def test_points_follow_the_stated_law(name: str) -> None:
    asked, draws, source = CASES[name], 4000, SimulatedNoise(3)
    law = stated_law(asked, RATE)
    seen = Counter(tuple(draw_points(asked, RATE, source).tolist()) for _ in range(draws))
    assert set(seen) <= set(law)
    likely = [vector for vector, chance in law.items() if chance * draws >= 5]
    rest = draws - sum(seen[v] for v in likely), draws * (1 - sum(law[v] for v in likely))
    score = sum((seen[v] - draws * law[v]) ** 2 / (draws * law[v]) for v in likely)
    score += (rest[0] - rest[1]) ** 2 / rest[1] if rest[1] > 1 else 0.0
    assert score < chi2.ppf(1 - 1e-6, len(likely))


@pytest.mark.parametrize("kept", [10**9, 1])  # all messages are kept, or some are computed twice
def test_messages_are_right_within_what_rounding_is_granted(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(points_module, "_KEPT", kept)
    rng, cells, fine = np.random.default_rng(5), 40, 2**20
    places = rng.integers(0, cells * fine // 3, 300)
    places[:50] = 17  # a heap
    asked = question(places, np.diff(np.rint(300 * np.linspace(0, 1, 22)).astype(int)), cells, fine)
    rate = 7.3
    pieces = _Pieces(asked, rate)
    counts, logs = (array.astype(np.longdouble) for array in (pieces.counts, pieces.logs))
    exact = -rate * np.abs(300 - counts - asked.targets[-1])
    messages = [exact]
    for k in range(asked.targets.size - 3, -1, -1):
        target = asked.targets[k + 1]
        steps = logs + exact - rate * np.abs(counts - counts[:, None] - target)
        steps[np.arange(counts.size) < pieces.later[:, None]] = -np.inf
        top = np.maximum(steps.max(axis=1), exact - rate * target)
        exact = top + np.log(np.exp(steps - top[:, None]).sum(axis=1) + np.exp(exact - rate * target - top))
        messages.append(exact)
    granted = slack(340, 20, cells * fine, rate) / 8
    for k, wanted in enumerate(messages[::-1]):
        assert np.abs(pieces.message(k) - wanted).max() < granted


def test_a_window_behind_a_huge_entry_is_not_lost() -> None:
    logs = np.concatenate([[900.0], np.zeros(300), [-900.0], np.zeros(300)])
    starts, ends = np.arange(1, 501), np.arange(50, 550)
    assert np.allclose(window_sums(logs, starts, ends)[:100], np.log(49.0), atol=1e-12)
    assert np.array_equal(window_sums(logs, starts, starts), np.full(500, -np.inf))


@pytest.mark.parametrize("size", [1, 64, 65, 5000])
def test_sums_of_any_range_are_right(size: int) -> None:
    rng = np.random.default_rng(size)
    for logs in (rng.normal(size=size), np.cumsum(rng.normal(40, 300, size)), np.linspace(-5e4, 5e4, size)):
        exact = np.logaddexp.accumulate(logs.astype(np.longdouble)).astype(float)
        assert np.allclose(log_prefix_sums(logs), exact, rtol=1e-12, atol=1e-12)


def test_picks_are_exact_for_weights_of_any_range(monkeypatch: pytest.MonkeyPatch) -> None:
    # Levels of four bits: a weight of 2^-9 lies two levels down, and is still hit in proportion.
    monkeypatch.setattr(noise, "_LEVEL", 4)
    weights = np.array([1.0, 2.0**-3, 2.0**-9, 2.0**-5])
    source, draws = SimulatedNoise(1), 40_000
    seen = Counter(noise.exact_pick(np.log(weights), source.below) for _ in range(draws))
    expected = draws * weights / weights.sum()
    assert sum((seen[k] - expected[k]) ** 2 / expected[k] for k in range(4)) < chi2.ppf(1 - 1e-6, 3)


def test_weights_that_no_number_can_hold_are_picked_from() -> None:
    assert noise.exact_pick(np.array([-3e6, 0.0, -9e6]), SimulatedNoise(1).below) == 1


def test_the_slack_of_a_large_question_is_small() -> None:
    assert slack(1_016_384, 255, 2**40, 0.25) < 2e-4 and slack(2000, 3, 2**40, 0.25) < 1e-8


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1, 3), Fraction(1), Fraction(10**7)])
@pytest.mark.parametrize("rows", [20, 10**6])
def test_the_rate_of_points_is_below_their_share(epsilon: Fraction, rows: int) -> None:
    asked = PointsQuestion(np.zeros(0, dtype=np.int64), rows, np.ones(256, dtype=np.int64), 2**14, 2**26)
    rate = points_rate(epsilon, asked)
    assert 0 <= rate <= 16
    lost = slack(rows + asked.cells, 255, asked.cells * asked.fine, rate)
    assert rate == 0 or 4 * Fraction(rate) + Fraction(lost) <= epsilon
