"""Draws of both sources against the analytic law, by G-tests, with negative controls that must fail.

A test fails below p = 1e-6; each negative control is off by 20 percent in scale and must fall below it at
the same sample size.
"""

import math

import numpy as np
import pytest

from quantail.auditing.laws import gaussian_law, geometric_law, p_value, path_law
from quantail.privacy import SecureNoise, SimulatedNoise, paths

LEAST = 1e-6
SOURCES = {"secure": SecureNoise, "simulated": lambda: SimulatedNoise(20)}
SCORES = np.array([0, -1, -1, -3, -6])
SCALE = 2.0


def noisy_max_law(scale: float, definition: str):
    """Return the law of the argmax: inclusion-exclusion (exponential noise) or softmax (Gumbel)."""
    a = np.exp((SCORES - SCORES.max()) / scale)
    if definition == "zcdp":
        return a / a.sum()
    law = []
    for i in range(a.size):
        product = np.polynomial.Polynomial([1.0])
        for j in range(a.size):
            if j != i:
                product *= np.polynomial.Polynomial([1.0, -a[j]])
        law.append(a[i] * product.integ()(1.0))
    return np.array(law)


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("definition", ["pure", "zcdp"])
def test_noisy_max(name, definition):
    source = SOURCES[name]()
    size = 12_000
    observed = np.bincount([source.noisy_max(SCORES, SCALE, definition) for _ in range(size)], minlength=5)
    law = noisy_max_law(SCALE, definition)
    assert math.isclose(law.sum(), 1.0)
    assert p_value(observed, law) > LEAST
    assert p_value(observed, noisy_max_law(SCALE * 0.8, definition)) < LEAST
    assert p_value(observed, noisy_max_law(SCALE / 0.8, definition)) < LEAST


def test_permute_and_flip_is_told_from_the_exponential_mechanism():
    source = SecureNoise()
    observed = np.bincount([source.noisy_max(SCORES, SCALE, "pure") for _ in range(12_000)], minlength=5)
    assert p_value(observed, noisy_max_law(SCALE, "zcdp")) < LEAST


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("scale", [0.7, 5.0])
def test_gaussian(name, scale):
    counts = np.full(20_000, 7)
    noise = SOURCES[name]().gaussian(counts, scale) - counts
    reach = round(6 * scale)
    observed = np.bincount(np.clip(noise, -reach, reach) + reach, minlength=2 * reach + 1)
    assert p_value(observed, gaussian_law(scale, reach)) > LEAST
    assert p_value(observed, gaussian_law(scale * 0.8, reach)) < LEAST
    assert p_value(observed, gaussian_law(scale / 0.8, reach)) < LEAST


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("scale", [0.7, 5.0])
def test_geometric(name, scale):
    counts = np.full(20_000, 7)
    noise = SOURCES[name]().geometric(counts, scale) - counts
    reach = round(6 * scale)
    observed = np.bincount(np.clip(noise, -reach, reach) + reach, minlength=2 * reach + 1)
    law = geometric_law(scale, reach)
    assert math.isclose(law.sum(), 1.0)
    assert p_value(observed, law) > LEAST
    assert p_value(observed, geometric_law(scale * 0.8, reach)) < LEAST
    assert p_value(observed, geometric_law(scale / 0.8, reach)) < LEAST
    centre = np.arange(-reach, reach + 1) @ observed
    assert abs(centre) < 6 * scale * math.sqrt(2 * observed.sum())  # no drift


@pytest.mark.parametrize("name", SOURCES)
def test_uniform_integers_and_numbers(name):
    source, cells = SOURCES[name](), 13
    even = np.full(cells, 1 / cells)
    tilted = np.linspace(0.8, 1.2, cells) / cells
    whole = np.bincount([source.below(cells) for _ in range(20_000)], minlength=cells)
    large = np.bincount(
        [source.below(cells * 2**200) >> 200 for _ in range(20_000)], minlength=cells
    )  # longer than any machine word
    real = np.bincount((source.random(20_000) * cells).astype(int), minlength=cells)
    for observed in (whole, large, real):
        assert p_value(observed, even) > LEAST
        assert p_value(observed, tilted) < LEAST


@pytest.mark.parametrize("name", SOURCES)
def test_neighbouring_numbers_are_independent(name):
    numbers = SOURCES[name]().random(40_000)
    pairs = (numbers[::2] * 4).astype(int) * 4 + (numbers[1::2] * 4).astype(int)
    assert p_value(np.bincount(pairs, minlength=16), np.full(16, 1 / 16)) > LEAST


@pytest.mark.parametrize("name", SOURCES)
def test_pick_follows_its_weights(name):
    source, weights = SOURCES[name](), np.array([1e-30, 1e-3, 0.2, 1.0, 0.7])
    logs = np.log(weights) - 900  # the common factor must not matter
    observed = np.bincount([source.pick(logs) for _ in range(12_000)], minlength=5)
    assert observed[0] == 0
    assert p_value(observed[1:], weights[1:] / weights.sum()) > LEAST
    sharper = weights[1:] ** 1.2
    assert p_value(observed[1:], sharper / sharper.sum()) < LEAST


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_paths_follow_the_stated_law(name):
    source = SOURCES[name]()
    counts, rows, targets, rate, size = np.array([1, 2, 5, 6]), 8, np.array([3, 2, 3]), 0.4, 15_000
    drawn = [tuple(paths.draw_path(counts, rows, targets, rate, source).tolist()) for _ in range(size)]
    observed = [drawn.count(path) for path in path_law(counts, rows, targets, rate)]
    assert sum(observed) == size

    def p_at(rate):
        return p_value(observed, list(path_law(counts, rows, targets, rate).values()))

    assert p_at(rate) > LEAST
    assert p_at(rate * 0.8) < LEAST
    assert p_at(rate / 0.8) < LEAST
