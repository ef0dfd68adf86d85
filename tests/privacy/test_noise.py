"""Sources of randomness: what they return, that seeds repeat, that secure ones cannot be seeded.

Their laws are tested in tests/statistical/test_noise_laws.py.
"""

from collections import Counter

import numpy as np
import pytest

from quantail.privacy import SecureNoise, SimulatedNoise, noise

SOURCES = (SecureNoise(), SimulatedNoise(7))


def draws(source):
    return (
        source.noisy_max(np.zeros(9, dtype=np.int64), 2.0, "pure"),
        source.noisy_max(np.zeros(9, dtype=np.int64), 2.0, "zcdp"),
        source.geometric(np.arange(20), 30.0).tolist(),
        source.below(10**40),
        source.random(5).tolist(),
        source.generator().random(3).tolist(),
        source.generator().random(3).tolist(),
    )


def test_same_seed_same_draws_another_seed_others():
    assert draws(SimulatedNoise(7)) == draws(SimulatedNoise(7)) != draws(SimulatedNoise(8))


def test_secure_noise_takes_no_seed_and_never_repeats():
    with pytest.raises(TypeError):
        SecureNoise(7)
    assert draws(SecureNoise()) != draws(SecureNoise())
    assert SecureNoise.private and not SimulatedNoise.private


EACH = {
    "noisy max": lambda source: [
        source.noisy_max(np.zeros(9, dtype=np.int64), 2.0, "pure") for _ in range(40)
    ],
    "counts": lambda source: source.geometric(np.arange(40), 30.0).tolist(),
    "integers": lambda source: source.below(10**40),
    "picks": lambda source: [source.pick(np.zeros(9)) for _ in range(40)],
    "numbers": lambda source: source.random(5).tolist(),
    "numbers of rows": lambda source: source.stream(9)(0, 9).tolist(),
    "parts": lambda source: source.subset(1000, 20).tolist(),
    "rows": lambda source: source.generator().random(3).tolist(),
}


@pytest.mark.parametrize("kind", EACH)
def test_no_kind_of_secure_draw_ever_repeats(kind):
    draw = EACH[kind]
    assert draw(SecureNoise()) != draw(SecureNoise())
    assert draw(SimulatedNoise(7)) == draw(SimulatedNoise(7))


def test_a_subset_is_of_so_many_different_positions_in_order():
    for source in SOURCES:
        found = source.subset(50, 20)
        assert found.size == np.unique(found).size == 20 and (np.diff(found) > 0).all() and found.max() < 50


def test_numpy_seed_does_not_reach_secure_noise():
    repeated = []
    for _ in range(2):
        np.random.seed(1)  # noqa: NPY002
        repeated.append(draws(SecureNoise()))
    assert repeated[0] != repeated[1]


@pytest.mark.parametrize("source", SOURCES, ids=["secure", "simulated"])
def test_types_and_ranges(source):
    noisy = source.geometric(np.arange(50), 3.0)
    assert noisy.dtype == np.int64 and noisy.shape == (50,)
    assert all(0 <= source.noisy_max(np.array([0, 0, -50]), 1.0, "pure") < 3 for _ in range(20))
    assert all(0 <= source.below(3) < 3 for _ in range(50)) and source.below(1) == 0
    uniform = source.random(10_000)
    assert uniform.dtype == np.float64 and uniform.min() >= 0 and uniform.max() < 1
    assert np.all(uniform * 2**53 == np.floor(uniform * 2**53))  # multiples of 2^-53, nothing finer
    assert source.random(0).size == 0


@pytest.mark.parametrize("source", SOURCES, ids=["secure", "simulated"])
def test_streams_of_one_source_differ(source):
    assert source.generator().random() != source.generator().random()
    assert source.random(4).tolist() != source.random(4).tolist()


def test_integers_beyond_doubles_survive():
    # Scores and counts reach OpenDP as 64-bit integers, never through a float.
    large = np.array([2**60, 2**60 + 40])
    assert SecureNoise().noisy_max(large, 1.0, "pure") == 1
    assert abs(int(SecureNoise().geometric(large[:1], 1.0)[0]) - 2**60) < 60


def test_dither_does_not_come_from_numpy(monkeypatch):
    def forbidden(*_):
        raise AssertionError("a release must not use numpy's generator for dither")

    monkeypatch.setattr(noise.np.random, "default_rng", forbidden)
    assert SecureNoise().random(3).size == 3


def test_a_secret_part_does_not_come_from_numpy_and_is_a_part(monkeypatch):
    def forbidden(*_):
        raise AssertionError("a release must not use numpy's generator for the part of rows that it looks at")

    monkeypatch.setattr(noise.np.random, "default_rng", forbidden)
    for rows, size in ((1, 1), (7, 0), (7, 7), (1000, 3), (1000, 997), (10**6, 5000), (2**20, 2**19)):
        part = SecureNoise().subset(rows, size)
        assert part.dtype == np.int64 and part.size == size
        assert np.all(np.diff(part) > 0) and (size == 0 or (part[0] >= 0 and part[-1] < rows))


@pytest.mark.parametrize("size", [2, 4])
def test_every_part_is_as_likely_as_any_other(size):
    counts = Counter(tuple(SecureNoise().subset(6, size).tolist()) for _ in range(3000))
    assert len(counts) == 15  # all subsets
    statistic = sum((seen - 200) ** 2 / 200 for seen in counts.values())
    assert statistic < 48  # chi-square with 14 degrees of freedom exceeds this once in 70,000 runs


def test_words_beyond_a_multiple_are_thrown_away(monkeypatch):
    # 2^64 is no multiple of 3: of the words, the very last one would make the first position likelier.
    sent = [b"\xff" * 8, (2**64 - 2).to_bytes(8, "little"), (7).to_bytes(8, "little")]
    monkeypatch.setattr(noise.secrets, "token_bytes", lambda size: b"".join(sent))
    assert SecureNoise().subset(3, 1).tolist() == [2]
