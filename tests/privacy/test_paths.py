"""The path sampler: exact picks, the stated law, weights that one row moves by the rate at most, rounding bounds."""

import math
from fractions import Fraction as F
from itertools import combinations_with_replacement

import numpy as np
import pytest

from quantail.auditing.enumeration import law_of
from quantail.curves import Scale
from quantail.curves.depth import near_candidates
from quantail.curves.grid import near, wide, with_cells
from quantail.privacy import SimulatedNoise, gate, noise, paths
from quantail.privacy.noise import exact_pick
from quantail.schema import Column


class Scripted:
    """A source whose `below` returns what it is told and remembers the range."""

    def __init__(self, value: int) -> None:
        self.value, self.total = value, 0

    def below(self, total: int) -> int:
        self.total = total
        return self.value


def shares_of(logs) -> list[F]:
    """Return the exact probability of each index, by bisection on where the pick changes."""
    probe = Scripted(0)
    exact_pick(logs, probe.below)
    total, ends = probe.total, []
    for index in range(len(logs)):
        low, high = -1, total  # picks at low are <= index, at high beyond it
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if exact_pick(logs, Scripted(middle).below) <= index else (low, middle)
        ends.append(high)
    return [F(end - start, total) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


@pytest.mark.parametrize(
    "powers", [[0], [0, 0, 0], [0, -1, -1, -2], [-60, 0, -1, -61], [0, -900, -3]], ids=str
)
def test_pick_is_exact_where_weights_are_powers_of_two(powers):
    exact = [F(2) ** power for power in powers]
    assert shares_of(np.array(powers) * math.log(2.0)) == [w / sum(exact) for w in exact]


@pytest.mark.parametrize(
    "logs",
    [[0.0, -0.3, -1.1], [-5.0, 2.0, 2.0, -math.pi], [-2000.0, -2000.5, -1000.25], [12.0, 11.9, 11.8]],
    ids=str,
)
def test_pick_is_proportional_however_small_the_weights(logs):
    # log-ratios of the exact probabilities, which no double could hold, against the log weights.
    shares = shares_of(np.array(logs))
    assert sum(shares) == 1
    largest = logs.index(max(logs))
    for log, share in zip(logs, shares, strict=True):
        ratio = share / shares[largest]
        found = math.log(ratio.numerator) - math.log(ratio.denominator)
        assert math.isclose(found, log - logs[largest], rel_tol=1e-12, abs_tol=1e-12)


def reference_law(counts, rows, targets, rate, range_prior=None, last_prior=None):
    """Return the stated law, path by path; `last_prior` is that of the last quantile, if it is another one."""
    law, range_prior = {}, [0.0] * len(counts) if range_prior is None else range_prior
    last_prior = range_prior if last_prior is None else last_prior
    for path in combinations_with_replacement(range(len(counts)), len(targets) - 1):
        ends = [0, *(counts[i] for i in path), rows]
        missed = [abs(b - a - t) for a, b, t in zip(ends, ends[1:], targets, strict=False)]
        price = last_prior[path[-1]] - range_prior[path[0]]
        law[path] = math.exp(-price - sum(min(rate * miss, paths.DEEPEST) for miss in missed))
    total = math.fsum(law.values())
    return {path: weight / total for path, weight in law.items()}


@pytest.mark.parametrize("deepest", [paths.DEEPEST, 1.0])
@pytest.mark.parametrize("quantiles", [1, 2, 3, 4])
def test_law_of_paths_is_the_stated_one(monkeypatch, quantiles, deepest):
    monkeypatch.setattr(paths, "DEEPEST", deepest)
    rng = np.random.default_rng(quantiles)
    for _ in range(4):
        rows = int(rng.integers(0, 12))
        counts = np.sort(rng.integers(0, rows + 1, 5))
        targets = rng.integers(0, 5, quantiles + 1)
        rate = float(rng.uniform(0.05, 2))
        law = law_of(
            lambda noise, q=(counts, rows, targets, rate): tuple(paths.draw_path(*q, noise).tolist())
        )
        stated = reference_law(counts.tolist(), rows, targets.tolist(), rate)
        assert {path for _, path in law} == set(stated)
        for (_, path), probability in law.items():
            assert math.isclose(probability, stated[path], rel_tol=1e-12)


@pytest.mark.parametrize("quantiles", [1, 2, 3, 4])
def test_law_of_paths_with_a_prior_of_the_range_is_the_stated_one(monkeypatch, quantiles):
    monkeypatch.setattr(paths, "MOST_PRIOR", 2.0)
    rng = np.random.default_rng(quantiles)
    for _ in range(4):
        counts, targets = np.sort(rng.integers(0, 9, 5)), rng.integers(0, 5, quantiles + 1)
        range_prior = np.sort(rng.uniform(-3, 0, 5))
        law = law_of(
            lambda noise, q=(counts, targets, range_prior): tuple(
                paths.draw_path(q[0], 8, q[1], 0.4, noise, q[2]).tolist()
            )
        )
        paid = np.minimum(range_prior - range_prior[0], 2.0).tolist()
        stated = reference_law(counts.tolist(), 8, targets.tolist(), 0.4, paid)
        assert {path for _, path in law} == set(stated)
        for (_, path), probability in law.items():
            assert math.isclose(probability, stated[path], rel_tol=1e-12)
        free = reference_law(counts.tolist(), 8, targets.tolist(), 0.4)
        assert (stated == pytest.approx(free, rel=1e-9)) == (
            quantiles == 1
        )  # one quantile is both ends: nothing to pay


@pytest.mark.parametrize("most", [2.0, paths.MOST_PRIOR])
@pytest.mark.parametrize("quantiles", [1, 2, 3])
def test_law_of_paths_with_a_prior_of_the_height_is_the_stated_one(monkeypatch, quantiles, most):
    monkeypatch.setattr(paths, "MOST_PRIOR", most)
    rng = np.random.default_rng(quantiles)
    counts, targets = np.sort(rng.integers(0, 9, 5)), rng.integers(0, 5, quantiles + 1)
    spread, height = np.sort(rng.uniform(0, 2, 5)), np.array([0.0, 0.0, 0.5, 1.0, 3.0])
    law = law_of(
        lambda noise: tuple(paths.draw_path(counts, 8, targets, 0.4, noise, spread, height).tolist())
    )
    first = np.minimum(spread - spread[0], most) if quantiles > 1 else np.zeros(5)
    last = np.minimum(first + height, most)
    stated = reference_law(counts.tolist(), 8, targets.tolist(), 0.4, first.tolist(), last.tolist())
    assert {path for _, path in law} == set(stated)
    for (_, path), probability in law.items():
        assert math.isclose(probability, stated[path], rel_tol=1e-12)


def test_a_prior_begins_at_zero_and_ends_at_the_most():
    range_prior = paths.bounded_prior(np.array([-7.0, -7.0, -6.5, 1e3, np.inf]))
    assert range_prior.tolist() == [0.0, 0.0, 0.5, paths.MOST_PRIOR, paths.MOST_PRIOR]


def test_chunks_make_no_difference(monkeypatch):
    counts, targets = np.arange(0, 28, 4), np.array([8, 8, 8])

    def law():
        return law_of(lambda noise: tuple(paths.draw_path(counts, 24, targets, 0.3, noise).tolist()))

    whole = law()
    monkeypatch.setattr(paths, "_CHUNK", 2)
    assert law() == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("rate", [1e-9, 1e-4, 0.25, 3.0, 2000.0])
def test_one_row_moves_a_weight_by_no_more_than_the_rate(rate):
    logs = paths._log_weights(np.arange(-20_000, 20_001), rate)
    moves = np.abs(np.diff(logs))
    assert np.all(moves <= rate * (1 + 1e-12) + 1e-11) and moves.max() > 0.99 * rate
    assert logs.max() == 0 and logs.min() >= -paths.DEEPEST


def test_deepest_weight_is_never_reached_when_the_size_is_right():
    # rate * rows is at most SHARPEST, and a part misses its target by no more than all rows: nothing is cut off.
    assert gate.SHARPEST <= paths.DEEPEST


@pytest.mark.parametrize("quantiles", [0, 17])
def test_number_of_quantiles_is_bounded(quantiles):
    with pytest.raises(ValueError, match="quantiles"):
        paths.draw_path(np.array([1, 2]), 2, np.ones(quantiles + 1, dtype=np.int64), 1.0, SimulatedNoise(1))


def proven_bound(candidates: int) -> float:
    """Return what proofs/joint.md grants to rounding in the log-ratio of any path between two tables."""
    m = paths.MOST_QUANTILES
    largest = (m + 1) * paths.DEEPEST + paths.MOST_PRIOR + m * math.log(candidates)
    pure = 2 * 2.0**-53 * (m * (8 * largest + 8 * candidates + 240) + largest)
    concentrated = 4 * 2.0**-53 * (m * (5 * largest + 4 * candidates + 120) + largest)
    return max(pure, concentrated)


def test_slack_covers_the_proven_bound():
    assert proven_bound(2000) < paths.SLACK
    assert proven_bound(200) > paths.SLACK / 100  # the slack is not waste by orders of magnitude either


def test_grids_in_use_are_no_larger_than_the_proof_allows():
    scale = Scale.of(Column("y", "numeric", -1e9, 1e9, grid="log", resolution=0.01))
    low, high = scale.ends
    finest = near_candidates(np.inf)
    narrow = near(0.0, 1e-15 * (high - low), low, high, finest)  # the narrower, the more lie farther out
    sizes = [
        wide(-1e9, 1e9, log=False).size,
        wide(low, high, log=True).size,
        with_cells(narrow, scale.atom_cells()).size,
    ]
    assert 1000 < max(sizes) < 2000


def log_law_of(logs):
    """Return the log-probabilities that `exact_pick` gives to log weights, from its own integers, in long doubles."""
    binary = (logs - logs.max()) / np.log(2.0)
    exponent = np.floor(binary)
    mantissa = np.rint(np.exp2(binary - exponent) * 2.0**noise._BITS)
    exact = np.log(mantissa.astype(np.longdouble)) + exponent.astype(np.longdouble) * np.log(np.longdouble(2))
    return exact - np.logaddexp.reduce(exact)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "prior"), [(0.05, 0.0), (gate.SHARPEST / 5000, 0.0), (0.05, paths.MOST_PRIOR)]
)
def test_rounding_is_far_below_the_slack(rate, prior):
    # A draw as large as they come, every step of some paths, against the same law in extended precision.
    if np.finfo(np.longdouble).eps > 2.0**-60:
        pytest.skip("long doubles are no longer than doubles here")
    rng = np.random.default_rng(5)
    counts, quantiles, rows = np.sort(rng.integers(0, 5000, 700)), 6, 5000
    targets = np.full(quantiles + 1, rows // (quantiles + 1))
    range_prior = prior * np.sort(rng.random(counts.size))
    messages = paths.log_messages(counts, rows, targets, rate, range_prior)
    exact_rate, exact_prior = np.longdouble(rate), range_prior.astype(np.longdouble)
    exact = [-exact_rate * np.abs(rows - counts - targets[-1]) - exact_prior]
    for k in range(quantiles - 1, 0, -1):
        missed = np.abs(counts[None, :] - counts[:, None] - targets[k])
        logs = np.where(np.tri(counts.size, k=-1, dtype=bool), -np.inf, exact[0] - exact_rate * missed)
        exact.insert(0, np.logaddexp.reduce(logs, axis=1))
    whole = np.logaddexp.reduce(exact[0] - exact_rate * np.abs(counts - targets[0]) + exact_prior)
    worst = 0.0
    for path in np.sort(rng.integers(0, counts.size, (40, quantiles)), axis=1):  # unlikely ones, like most
        found, stated, start = np.longdouble(0), exact_prior[path[0]] - exact_prior[path[-1]] - whole, 0
        for k, index in enumerate(path):
            before = counts[start] if k else 0
            logs = paths._log_weights(counts[start:] - before - targets[k], rate)
            logs = (logs if k else logs + range_prior) + messages[k][start:]
            found += log_law_of(logs)[index - start]
            stated -= exact_rate * abs(int(counts[index] - before - targets[k]))
            start = index
        stated -= exact_rate * abs(int(rows - counts[start] - targets[-1]))
        worst = max(worst, abs(float(found - stated)))
    assert 0 < 2 * worst < paths.SLACK / 50


def test_extreme_draw_stays_finite():
    # Most quantiles, weights as deep as they go, far more candidates than rows.
    counts = np.zeros(100, dtype=np.int64)
    targets = np.full(paths.MOST_QUANTILES + 1, 10**5)
    for range_prior in (None, np.linspace(-1e300, 1e300, 100)):
        path = paths.draw_path(counts, 0, targets, 50.0, SimulatedNoise(3), range_prior)
        assert np.all(np.diff(path) >= 0) and path.size == paths.MOST_QUANTILES


def test_a_released_size_far_below_the_true_one_stays_within_bounds():
    counts = np.sort(np.random.default_rng(2).integers(0, 10**9, 60))
    messages = paths.log_messages(counts, 10**9, np.array([0, 1, 0]), 5.0)
    assert min(float(m.min()) for m in messages) >= -2 * paths.DEEPEST
    path = paths.draw_path(counts, 10**9, np.array([0, 1, 0]), 5.0, SimulatedNoise(4))
    assert np.all(np.diff(path) >= 0)


def test_more_candidates_than_the_proof_allows_are_refused():
    # proofs/joint.md bounds rounding for fewer than 2000 candidates; that is checked before a count is looked at.
    targets = np.array([1, 1])
    for size in (0, paths.MOST_CANDIDATES):
        with pytest.raises(ValueError, match="candidates"):
            paths.draw_path(np.zeros(size, dtype=np.int64), 2, targets, 1.0, SimulatedNoise(1))
    assert paths.draw_path(
        np.zeros(paths.MOST_CANDIDATES - 1, dtype=np.int64), 2, targets, 1.0, SimulatedNoise(1)
    ).size
    assert proven_bound(paths.MOST_CANDIDATES) < paths.SLACK
