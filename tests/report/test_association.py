"""How strongly columns hang together: answers known by hand, and pairs chosen for a reason."""

import numpy as np
import pytest

from quantail.report.association import all_pairs, pairs_to_draw
from quantail.report.columns import Labels, Numbers


def numbers(name, real, synth=None):
    real = np.asarray(real, dtype=float)
    return Numbers(name, real, real if synth is None else np.asarray(synth, dtype=float))


def labels(name, codes):
    codes = np.asarray(codes)
    return Labels(name, tuple("abc"[: codes.max() + 1]), codes, codes)


def strength(first, second):
    (pair,) = all_pairs([first, second])
    return pair.real


def test_numbers_are_compared_by_rank():
    x = np.arange(1.0, 11)
    assert strength(numbers("x", x), numbers("y", np.exp(x))) == pytest.approx(1)
    assert strength(numbers("x", x), numbers("y", -(x**3))) == pytest.approx(-1)
    # Spearman with a tie, by hand: ranks (1, 2.5, 2.5, 4) against (1, 2, 3, 4).
    assert strength(numbers("x", [1, 2, 2, 3]), numbers("y", [1, 2, 3, 4])) == pytest.approx(
        4.5 / np.sqrt(4.5 * 5)
    )


def test_missing_values_are_left_out_pair_by_pair():
    x = [1, 2, 3, 4, np.nan]
    y = [10, 20, 30, np.nan, -500]
    assert strength(numbers("x", x), numbers("y", y)) == pytest.approx(1)


def test_labels_explain_numbers():
    apart, mixed = [1, 1, 1, 9, 9, 9], [1, 2, 3, 1, 2, 3]
    group = labels("g", [0, 0, 0, 1, 1, 1])
    assert strength(group, numbers("x", apart)) == pytest.approx(1)
    assert strength(numbers("x", mixed), group) == pytest.approx(0)


def test_labels_explain_labels():
    g = labels("g", [0, 0, 1, 1, 2, 2])
    assert strength(g, labels("h", [2, 2, 0, 0, 1, 1])) == pytest.approx(1)
    assert strength(labels("g", [0, 0, 1, 1]), labels("h", [0, 1, 0, 1])) == pytest.approx(0)


def test_constant_columns_hang_on_nothing():
    flat = numbers("x", np.ones(6))
    assert strength(flat, numbers("y", np.arange(6))) == 0
    assert strength(labels("g", [0] * 6), flat) == 0
    assert strength(labels("g", [0] * 6), labels("h", [0, 1] * 3)) == 0


def test_the_broken_pair_and_the_strongest_one_are_drawn():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    columns = [numbers(f"n{k}", rng.normal(size=400)) for k in range(6)]
    columns += [numbers("a", base), numbers("b", base + 0.1 * rng.normal(size=400))]
    shuffled = rng.permutation(columns[0].real)
    columns.append(numbers("c", columns[0].real * 2, shuffled))  # follows n0 in the real table only
    chosen = pairs_to_draw(all_pairs(columns), 4)
    names = [{pair.first.name, pair.second.name} for pair in chosen]
    assert len(chosen) == 4
    assert {"n0", "c"} in names and {"a", "b"} in names
