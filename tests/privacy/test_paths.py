"""The path sampler: exact picks, the stated law, a table that never falls too fast, bounds that hold."""

import math
from fractions import Fraction as F
from itertools import combinations_with_replacement

import numpy as np
import pytest
from exact_laws import law_of

from quantail.privacy import SimulatedNoise, paths


class Scripted:
    """A source whose `below` returns what it is told and remembers the range."""

    def __init__(self, value: int) -> None:
        self.value, self.total = value, 0

    def below(self, total: int) -> int:
        self.total = total
        return self.value


def shares_of(weights) -> list[F]:
    """Return the exact probability of each index, by bisection on where the pick changes."""
    probe = Scripted(0)
    paths._pick(weights, probe)
    total, ends = probe.total, []
    for index in range(len(weights)):
        low, high = -1, total  # picks at low are <= index, at high beyond it
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if paths._pick(weights, Scripted(middle)) <= index else (low, middle)
        ends.append(high)
    return [F(end - start, total) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


@pytest.mark.parametrize(
    "weights",
    [
        [1.0, 2.0, 3.0],
        [0.1, 0.2, 0.3, 0.4],
        [0.0, 1.0, 0.0, math.pi, 0.0],
        [1e-278, 1.0, 1e40],
        [math.exp(-640), math.exp(-639.9)],
        [1 / 3],
        [2.0**60, 1.0, 2.0**-60],
    ],
)
def test_pick_is_exactly_proportional_to_the_doubles(weights):
    exact = [F(w) for w in weights]
    assert shares_of(np.array(weights)) == [w / sum(exact) for w in exact]


def reference_law(counts, rows, targets, rate):
    """Return the stated law, path by path."""
    law = {}
    for path in combinations_with_replacement(range(len(counts)), len(targets) - 1):
        ends = [0, *(counts[i] for i in path), rows]
        law[path] = math.exp(
            -rate * sum(abs(b - a - t) for a, b, t in zip(ends, ends[1:], targets, strict=False))
        )
    total = math.fsum(law.values())
    return {path: weight / total for path, weight in law.items()}


@pytest.mark.usefixtures("enumerable")
@pytest.mark.parametrize("rungs", [1, 2, 3, 4])
def test_law_of_paths_is_the_stated_one(rungs):
    rng = np.random.default_rng(rungs)
    for _ in range(5):
        rows = int(rng.integers(0, 12))
        counts = np.sort(rng.integers(0, rows + 1, 5))
        targets = rng.integers(0, 5, rungs + 1)
        rate = float(rng.uniform(0.05, 2))
        law = law_of(
            lambda noise, q=(counts, rows, targets, rate): tuple(paths.draw_path(*q, noise).tolist())
        )
        stated = reference_law(counts.tolist(), rows, targets.tolist(), rate)
        assert {path for _, path in law} == set(stated)
        for (_, path), probability in law.items():
            assert math.isclose(probability, stated[path], rel_tol=1e-12)


@pytest.mark.usefixtures("enumerable")
def test_chunks_make_no_difference(monkeypatch):
    counts, targets = np.arange(0, 28, 4), np.array([8, 8, 8])

    def law():
        return law_of(lambda noise: tuple(paths.draw_path(counts, 24, targets, 0.3, noise).tolist()))

    whole = law()
    monkeypatch.setattr(paths, "_CHUNK", 2)
    assert law() == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("rate", [1e-9, 1e-4, 0.1, 0.25, 3.0, 100.0])
@pytest.mark.parametrize("parts", [2, 8, 17])
def test_table_falls_by_no_more_than_the_rate_and_never_underflows(rate, parts):
    table = paths.weight_table(rate, 20_000, parts)
    fall = -np.diff(np.log(table))
    assert table[0] == 1.0 and np.all(fall >= -1e-13) and np.all(fall <= rate + 1e-12)
    assert table[-1] ** parts > np.finfo(float).tiny


def test_table_that_falls_too_fast_is_refused(monkeypatch):
    honest = np.exp
    monkeypatch.setattr(paths.np, "exp", lambda x: honest(1.01 * x))
    with pytest.raises(ArithmeticError, match="nothing was released"):
        paths.weight_table(0.5, 100, 3)


@pytest.mark.parametrize("rungs", [0, 17])
def test_number_of_rungs_is_bounded(rungs):
    with pytest.raises(ValueError, match="rungs"):
        paths.draw_path(np.array([1, 2]), 2, np.ones(rungs + 1, dtype=np.int64), 1.0, SimulatedNoise(1))


def test_rounding_of_the_sums_is_far_below_the_slack():
    # The largest draw that is ever made, against the same sums in extended precision.
    rng = np.random.default_rng(5)
    counts, rungs = np.sort(rng.integers(0, 5000, 1500)), 6
    targets = np.full(rungs + 1, 5000 // (rungs + 1))
    table = paths.weight_table(0.05, 10_000, rungs + 1)
    messages = paths._backward(counts, 5000, targets, table)
    exact = table[np.abs(5000 - counts - targets[-1])].astype(np.longdouble)
    worst = 0.0
    for k in range(rungs - 1, 0, -1):
        parts = np.triu(table[np.abs(counts[None, :] - counts[:, None] - targets[k])]).astype(np.longdouble)
        exact = parts @ exact
        worst = max(worst, float(np.max(np.abs(messages[k - 1] / exact - 1))))
    assert 2 * worst < paths.SLACK / 100


def test_extreme_draw_stays_finite():
    # Most rungs, all weights on the floor, and far more candidates than rows.
    counts = np.zeros(1000, dtype=np.int64)
    targets = np.full(paths.MOST_RUNGS + 1, 10**5)
    path = paths.draw_path(counts, 0, targets, 50.0, SimulatedNoise(3))
    assert np.all(np.diff(path) >= 0) and path.size == paths.MOST_RUNGS
