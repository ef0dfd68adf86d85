"""The machinery of the exact audit: laws by hand, all neighbours and no others, nothing replaced."""

import ast
import math
from math import comb
from pathlib import Path

import numpy as np
import pytest

import quantail
from quantail.auditing.enumeration import Branching, law_of, loss, neighbours, search
from quantail.auditing.laws import geometric_law, noisy_max_log_law, p_value, path_law


def coin(chance):
    return lambda noise: noise.choose(np.log([chance, 1 - chance]))


def test_a_law_counts_every_outcome_once():
    def two_coins(noise):
        return coin(0.25)(noise) + coin(0.5)(noise)

    law = law_of(two_coins)
    assert {key: round(p, 12) for key, p in law.items()} == {
        ((0, 0), 0): 0.125,
        ((0, 1), 1): 0.125,
        ((1, 0), 1): 0.375,
        ((1, 1), 2): 0.375,
    }


def test_secret_outcomes_are_mixed_not_shown():
    def hidden(noise):
        return noise.choose(np.log([0.5, 0.5]), secret=True) * 0

    assert law_of(hidden) == {((), 0): pytest.approx(1.0)}


def test_loss_is_the_largest_log_ratio_and_infinite_off_the_support():
    assert loss({"a": 0.5, "b": 0.5}, {"a": 0.25, "b": 0.75}) == pytest.approx(math.log(2))
    assert loss({"a": 1.0}, {"a": 0.5, "b": 0.5}) == math.inf


@pytest.mark.parametrize(("kinds", "rows"), [(2, 1), (3, 2), (5, 4)])
def test_all_pairs_of_neighbours_are_visited(kinds, rows):
    # Multisets of size r over k kinds: C(k + r - 1, r); each rest of r - 1 rows has C(k, 2) replacements.
    replaced_rows = list(neighbours(range(kinds), rows, "replace-one"))
    assert len(replaced_rows) == comb(kinds + rows - 2, rows - 1) * comb(kinds, 2)
    assert all(len(a) == len(b) == rows and a != b for a, b in replaced_rows)
    added = list(neighbours(range(kinds), rows, "add-remove"))
    assert len(added) == comb(kinds + rows - 1, rows) * kinds
    assert all(len(b) == len(a) + 1 for a, b in added)


def test_search_finds_the_pair_that_is_told_apart_best():
    # Randomised response on whether the table holds a 2: only a 2 that comes or goes shows.
    def mechanism(table, noise):
        return coin(0.75 if 2 in table else 0.25)(noise)

    worst = search(mechanism, (0, 1, 2), 1, "replace-one")
    assert worst.loss == pytest.approx(math.log(3)) and worst.pairs == 3 and (2,) in worst.pair


def test_steps_of_a_path_and_parts_of_a_table_are_enumerated():
    assert Branching([2]).pick(np.log([0.2, 0.3, 0.5])) == 2
    law = law_of(lambda noise: noise.pick(np.log([2.0, 3.0, 5.0])))
    assert [round(law[(index,), index], 12) for index in range(3)] == [0.2, 0.3, 0.5]
    parts = law_of(lambda noise: tuple(noise.subset(4, 2)))
    assert len(parts) == 6 and all(chance == pytest.approx(1 / 6) for chance in parts.values())


def test_nothing_in_the_package_replaces_attributes_of_a_module():
    home = Path(quantail.__file__).parent
    for path in home.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            assert not (isinstance(called, ast.Name) and called.id in ("setattr", "delattr")), path


def test_laws_add_up_to_one():
    assert geometric_law(3.0, 20).sum() == pytest.approx(1.0)
    law = path_law([1, 2, 5, 6], 8, [3, 2, 3], 0.4)
    assert len(law) == 10 and sum(law.values()) == pytest.approx(1.0)


def test_p_values_are_small_for_another_law_only():
    expected = np.array([0.5, 0.3, 0.2])
    assert p_value([500, 300, 200], expected) == pytest.approx(1.0)
    assert p_value([600, 250, 150], expected) < 1e-6


@pytest.mark.parametrize("definition", ["pure", "zcdp"])
def test_law_of_noisy_max_agrees_with_direct_integration(definition):
    # The analytic law that all enumerations rest on, against a sum over the winner's noise.
    scores, scale = np.array([0, -1, -1, -4]), 1.7
    x = np.linspace(-40, 90, 260_001)
    if definition == "pure":
        density = np.where(x >= 0, np.exp(-np.maximum(x, 0) / scale) / scale, 0)
        cumulated = [-np.expm1(-np.maximum(x + shift, 0) / scale) for shift in range(-4, 5)]
    else:
        density = np.exp(-x / scale - np.exp(-x / scale)) / scale
        cumulated = [np.exp(-np.exp(-(x + shift) / scale)) for shift in range(-4, 5)]
    direct = [
        np.sum(density * np.prod([cumulated[s - t + 4] for j, t in enumerate(scores) if j != i], axis=0))
        for i, s in enumerate(scores)
    ]
    expected = np.array(direct) * (x[1] - x[0])
    np.testing.assert_allclose(np.exp(noisy_max_log_law(scores, scale, definition)), expected, atol=1e-3)
