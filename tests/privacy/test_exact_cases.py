"""The audit's table of cases: no mechanism costs more than it claims, and with half of the noise each would show."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from quantail.auditing.enumeration import gate_of, law_of, leaf_loss, loss
from quantail.auditing.lattices import GRID, SHOWS, STILL, Lattice, check, lattices
from quantail.auditing.mechanisms import joint_mechanism
from quantail.privacy import Selection

CASES = {(case.name, case.relation): case for case in lattices()}
LONG = ("every jitter", "kng, one", "sandwich, one", "two columns", "panel by year", "secret")
SLOPES = ("slope", "slope, two cuts apart")  # with fewer rows in test_exact_slopes.py
# The audit has the others.
QUICK = [key for key in CASES if key[0] not in SLOPES and not any(word in key[0] for word in LONG)]


@pytest.mark.parametrize("key", QUICK, ids=", ".join)
def test_a_mechanism_keeps_its_claim_where_half_of_the_noise_would_not(key):
    case = CASES[key]
    worst = case.worst()
    assert worst.loss <= 1 + 1e-9 and worst.sharpest <= 1 + 1e-9
    assert case.control(worst.sharpest_pair) > SHOWS


def test_a_lattice_that_shows_nothing_does_not_pass():
    # One value only: neighbours are alike, and any noise would do.
    alone = Lattice(
        "alone", "replace-one", partial(joint_mechanism, "replace-one", (0.5,), GRID, 2), STILL[:2], 2
    )
    assert not check(replace(alone, domain=(STILL[4], (4.9, 0.5)))).passed


def test_losses_of_leaves_are_told_apart():
    # The first leaf is used up to its cost, the second asks nothing about the table.
    def mechanism(shift, noise):
        gate = gate_of(noise, "replace-one", Fraction(1, 4), Fraction(3, 4))
        first, second = gate.plan.leaves()
        gate.select(first, [Selection(np.array([0, 40 + shift]), 1)])
        gate.select(second, [Selection(np.array([0, 1]), 1)])

    one, other = (law_of(partial(mechanism, shift)) for shift in (0, 1))
    assert loss(one, other) <= 1 / 4 + 1e-9
    assert leaf_loss(one, other) == pytest.approx(
        0.5, rel=0.01
    )  # far from the other candidate: one side only
    assert leaf_loss(one, one) == 0
    twice = law_of(partial(mechanism, 2))
    assert leaf_loss(one, twice) == pytest.approx(1.0, rel=0.01)
    assert math.isfinite(leaf_loss(other, twice))
