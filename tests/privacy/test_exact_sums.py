"""The tail sum on small tables: it costs its leaf and no more, and three broken twins are caught."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from quantail.auditing.counting import Watching, count_loss, search_counts, tail_sum
from quantail.curves.tail import UNITS, Threshold, cut_units, draw_tail_sum
from quantail.privacy import Gate, Plan

RELATIONS = ("replace-one", "add-remove")
VALUES = (-1.0, 0.0, 2.0, 2.5, 6.0, 1e300, math.inf, math.nan)  # at t, above it, at the cut, beyond, absent
ASKED = Threshold(start=2.0, cut=6.0, share=0.1, growth=0.5, rows=3.0)
LEAF = Plan.leaf("tail", F(1))


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_sum_costs_exactly_its_leaf(relation):
    assert 0.99 < search_counts(tail_sum(relation), VALUES, 3, relation).loss <= 1


@pytest.mark.parametrize("relation", RELATIONS)
def test_under_zcdp_the_noise_fits_the_largest_part_of_a_row(relation):
    rho = F(1, 50)
    leaf, noise = Plan.leaf("tail", rho, unit="rho"), Watching()
    draw_tail_sum(Gate(leaf, noise, relation), leaf, np.array(VALUES), ASKED)
    ((_, scale),) = noise.asked
    assert 0.999 * float(rho) < UNITS**2 / (2 * scale**2) <= float(rho)


def test_every_part_is_a_whole_number_within_the_units():
    rng = np.random.default_rng(2)
    values = np.concatenate([VALUES, rng.standard_cauchy(10_000) * 10.0 ** rng.integers(-300, 300, 10_000)])
    for start, cut in ((1e-9, 2e-9), (2.0, 6.0), (1e12, 1e300)):
        parts = cut_units(values, start, cut)
        assert parts.dtype == np.int64 and parts.min() == 0 and parts.max() == UNITS


def test_chunks_add_up_to_the_same_sum():
    values = np.random.default_rng(3).pareto(1.1, 1000)
    parts = [cut_units(part, 1.0, 9.0).sum() for part in np.array_split(values, 7)]
    assert sum(parts) == cut_units(values, 1.0, 9.0).sum()


def test_half_of_the_sensitivity_is_caught():
    def half(table, noise):
        total = int(cut_units(np.array(table), ASKED.start, ASKED.cut).sum())
        return Gate(LEAF, noise, "replace-one").sum(LEAF, total, UNITS // 2)

    assert search_counts(half, VALUES, 3, "replace-one").loss > 1.9


def test_a_sum_that_ignores_its_cut_is_caught():
    def uncut(table, noise):
        values = np.nan_to_num(np.array(table), posinf=1e12)
        parts = np.rint(np.minimum(np.where(values > ASKED.start, values, 0.0), 1e12) / ASKED.cut * UNITS)
        return Gate(LEAF, noise, "replace-one").sum(LEAF, int(parts.sum()), UNITS)

    assert search_counts(uncut, VALUES, 3, "replace-one").loss > 100


def test_a_cut_taken_from_the_rows_is_caught():
    def own_cut(table, noise):
        asked = Threshold(2.0, max(table), 0.1, 0.5, 3.0)
        return draw_tail_sum(Gate(LEAF, noise, "replace-one"), LEAF, np.array(table), asked)

    # The answer is scaled by the cut: the same noisy number becomes another release.
    assert count_loss(own_cut, (3.0, 4.0, 5.0), (3.0, 4.0, 50.0)) == math.inf
